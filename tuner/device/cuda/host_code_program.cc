#include "tuner/device/cuda/host_code_program.h"

#include <algorithm>
#include <cfenv>
#include <utility>

#include "tuner/core/element_type.h"
#include "tuner/device/host/execute/entry_arguments.h"
#include "tuner/device/worker/compile_cache.h"

namespace gktune {

Result<HostCodeProgram, Failure> HostCodeProgram::load(const Module& module, const ProgramPlan& program,
                                                       const std::vector<ArgumentPlan>& arguments) {
  // A file that is gone or damaged says nothing about the configuration.
  if (auto whole = CompileCache::verify(module.path); !whole)
    return Failure{Status::machine_failed, whole.error().message};
  auto code = HostModule::load(module);
  std::fesetenv(FE_DFL_ENV);  // which the code's start may have changed
  if (!code) return Failure{Status::launch_failed, code.error().message};
  HostCodeProgram loaded(std::move(*code));
  loaded.passed_ = PassedValues(arguments, program);
  loaded.buffer_bytes_ = buffer_bytes_of(arguments);
  for (const auto& [plans, steps] :
       {std::pair(&program.steps, &loaded.steps_), std::pair(&program.setup_once, &loaded.setup_once_),
        std::pair(&program.setup_each, &loaded.setup_each_)}) {
    if (auto added = loaded.add_steps(*plans, program, arguments, *steps); !added) return added.error();
  }
  return loaded;
}

Result<void, Failure> HostCodeProgram::add_steps(const std::vector<StepPlan>& plans,
                                                 const ProgramPlan& program,
                                                 const std::vector<ArgumentPlan>& arguments,
                                                 std::vector<Step>& steps) {
  for (const StepPlan& plan : plans) {
    if (plan.entry.empty()) {
      steps.push_back({plan, 0});
      continue;
    }
    const auto& entries = program.source.entries;
    const auto place = static_cast<std::size_t>(std::ranges::find(entries, plan.entry) - entries.begin());
    if (place >= module_.entry_count())
      return Failure{Status::launch_failed, "the compiled code has no " + plan.entry};
    if (auto why = misfit(module_.entry(place), plan, program, arguments, passed_))
      return Failure{Status::launch_failed, std::move(*why)};
    steps.push_back({plan, place});
  }
  return {};
}

void HostCodeProgram::queue(Gpu& gpu, Part part, std::span<const CUdeviceptr> addresses) const {
  switch (part) {
    case Part::prepare:
      run(gpu, setup_once_, addresses);
      return run(gpu, setup_each_, addresses);
    case Part::execute:
      return run(gpu, steps_, addresses);
    case Part::finish:
      return;
  }
}

void HostCodeProgram::run(Gpu& gpu, const std::vector<Step>& steps,
                          std::span<const CUdeviceptr> addresses) const {
  const std::vector<void*> values = passed_.values_at(addresses);
  std::vector<void*> given;
  std::vector<std::byte> structs;
  for (const Step& step : steps) {
    if (!gpu.ok()) return;
    if (step.plan.entry.empty()) {
      const auto filled = static_cast<std::size_t>(step.plan.fill_argument);
      gpu.fill(addresses[filled], static_cast<unsigned char>(step.plan.fill_byte), buffer_bytes_[filled]);
      continue;
    }
    given.resize(step.plan.arguments.size());
    passed_.point_to(step.plan.arguments, values.data(), given.data(), structs);
    auto called = module_.call(step.entry, given, gpu.stream());
    if (called) continue;
    // Wait for its queued work before its code is unloaded. This also shows if the context still works.
    gpu.check(gpu.driver().cuCtxSynchronize(), nullptr);
    return gpu.fail({called.error().status, step.plan.entry + ": " + called.error().message});
  }
}

}  // namespace gktune
