#include "tests/gpu/rig.h"

#include "tuner/device/cuda/cuda_backend.h"

namespace gktune {

ArgumentPlan buffer(const std::string& name, Argument::Role role, std::uint64_t count, ElementType type) {
  ArgumentPlan plan;
  plan.name = name;
  plan.type = type;
  plan.count = count;
  plan.role = role;
  if (role == Argument::Role::in || role == Argument::Role::inout) {
    plan.contents.kind = ContentsKind::uniform;
    plan.contents.b = 1;
    plan.contents.b_integer = 100;
    plan.contents.seed = 7;
  }
  plan.is_checked = role == Argument::Role::out || role == Argument::Role::inout;
  return plan;
}

ArgumentPlan scalar(const std::string& name, ElementType type, Value value) {
  ArgumentPlan plan;
  plan.name = name;
  plan.type = type;
  plan.is_scalar = true;
  plan.scalar = std::move(value);
  return plan;
}

StepPlan step(const std::string& entry, std::int64_t grid, std::int64_t block, std::vector<int> arguments,
              std::int64_t shared_bytes) {
  StepPlan plan;
  plan.entry = entry;
  plan.grid = {grid, 1, 1};
  plan.block = {block, 1, 1};
  plan.arguments = std::move(arguments);
  plan.shared_bytes = shared_bytes;
  return plan;
}

StepPlan fill_step(int argument, int byte) {
  StepPlan plan;
  plan.fill_argument = argument;
  plan.fill_byte = byte;
  return plan;
}

void GpuTest::SetUp() {
  const auto backend = open_cuda_backend(0, {});
  auto info = backend->probe();
  if (!info) GTEST_SKIP() << info.error().message;
  info_ = *info;
  auto compiler = backend->compiler();
  compiler_ = std::move(*compiler);
  auto runner = backend->runner();
  runner_ = std::move(*runner);
}

RunJob GpuTest::job(const Case& kernel) {
  RunJob job;
  job.plan.arguments = kernel.arguments;
  job.plan.regime = kernel.regime;
  job.plan.time_limit_s = 10;
  job.plan.measures_power = kernel.measures_power;
  job.check_only = kernel.check_only;
  job.guards = kernel.guards;
  job.candidate = compile(job.plan.candidate, kernel.source, kernel.macros, kernel.steps);
  job.reference = compile(job.plan.reference, kernel.reference_source, {}, kernel.reference);
  return job;
}

Module GpuTest::compile(ProgramPlan& program, const std::string& source,
                        const std::vector<std::pair<std::string, std::string>>& macros,
                        const std::vector<StepPlan>& steps) {
  program.source.path = "case.cu";
  program.source.text = source;
  program.source.macros = macros;
  program.steps = steps;
  for (const auto& step : steps) {
    if (!step.entry.empty()) program.source.entries.push_back(step.entry);
  }
  const auto compiled = compiler_->compile({{program.source}, info_.architecture, folder_.path("cache")});
  EXPECT_EQ(compiled[0].status, Status::ok) << compiled[0].log;
  return compiled[0].module;
}

}  // namespace gktune
