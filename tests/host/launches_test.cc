// The spaces of tests/kernels/launches on the host device, and what is wrong with similar ones.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "tests/expectations.h"
#include "tuner/device/host/compile/host_compiler.h"
#include "tuner/device/host/host_backend.h"
#include "tuner/device/run/device_runner.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

const std::filesystem::path kLaunches = std::filesystem::path(GKTUNE_SOURCE_DIR) / "tests/kernels/launches";

Definition launches_space(const std::string& name) {
  auto definition = read_space_file((kLaunches / (name + ".yaml")).string(), {.device_kind = "host"});
  if (definition) return *std::move(definition);
  for (const Diagnostic& diagnostic : definition.error()) ADD_FAILURE() << diagnostic.str();
  return {};
}

// The values of the only parameter of each space.
std::vector<Config> configs_of(const Definition& definition) {
  std::vector<Config> configs;
  for (const Value& value : definition.parameters.at(0).values)
    configs.push_back({{definition.parameters[0].name, value}});
  return configs;
}

Result<Plan> launches_plan(const Definition& definition, const Config& config, std::size_t problem = 0) {
  DeviceInfo device;
  device.kind = "host";
  const Axis& axis = definition.kernel.axes.at(0);
  return resolve(definition.kernel, config, {{axis.name, axis.values.at(problem)}}, device);
}

class Launches : public testing::Test {
 protected:
  // All plans are of one source, which is compiled once.
  RunJob job(const Plan& plan) {
    RunJob job;
    job.plan = plan;
    const auto compiled = compile_programs(compiler_, "", GKTUNE_TEST_CACHE, job);
    EXPECT_TRUE(compiled.ok()) << compiled.error().message;
    job.check_only = true;
    job.seed = 7;
    return job;
  }
  RunJob job_of(const std::string& name) {
    const Definition definition = launches_space(name);
    const auto plan = launches_plan(definition, configs_of(definition).at(1));
    return job(*plan);
  }

  HostCompiler compiler_{"c++"};
  DeviceRunner runner_{make_host_device(std::size_t{1} << 20)};
};

TEST_F(Launches, every_configuration_of_every_space_is_right) {
  const std::set<std::string> names = {"any_order",    "padding",     "constant_memory", "device_variable",
                                       "setup",        "cooperative", "programmatic",    "struct",
                                       "large_struct", "repeat",      "computed_inputs", "verifier",
                                       "references",   "complex",     "until",           "texture"};
  std::vector<Plan> plans;
  CompileJob compile;
  compile.cache_dir = GKTUNE_TEST_CACHE;
  for (const std::string& name : names) {
    const Definition definition = launches_space(name);
    for (const Config& config : configs_of(definition)) {
      for (std::size_t i = 0; i < definition.kernel.axes.at(0).values.size(); ++i) {
        const auto plan = launches_plan(definition, config, i);
        ASSERT_TRUE(plan.ok()) << name << ": " << plan.error().message;
        plans.push_back(*plan);
        for (const ProgramPlan* program : {&plan->candidate, &plan->reference, &plan->verifier}) {
          if (program->has_steps()) compile.variants.push_back(program->source);
        }
      }
    }
  }
  (void)compiler_.compile(compile);  // all of them at once: each is in the cache then
  for (const Plan& plan : plans) {
    RunJob each = job(plan);
    EXPECT_EQ(runner_.run(each).message, "") << plan.candidate.source.entries.at(0);
  }
  // Another function prepares the executions for samples.
  RunJob timed = job_of("device_variable");
  timed.check_only = false;
  timed.plan.regime = Regime::hot;
  const RunReply reply = runner_.run(timed);
  EXPECT_EQ(reply.status, Status::ok) << reply.message;
  EXPECT_FALSE(reply.samples_us.empty());
}

TEST_F(Launches, an_argument_larger_than_its_variable_is_refused) {
  RunJob large = job_of("constant_memory");
  large.plan.arguments.at(1).count = 10;
  EXPECT_TRUE(ended(runner_.run(large), Status::launch_failed,
                    "the variable weights has 36 bytes, the argument 'weights' has 40"));
}

// Writes over the argument with this index.
StepPlan filling(int argument) {
  StepPlan step;
  step.fill_argument = argument;
  step.fill_byte = 1;
  return step;
}

TEST_F(Launches, a_write_into_a_computed_input_is_found_and_repaired) {
  const RunJob right = job_of("computed_inputs");
  RunJob writing = right;
  writing.plan.candidate.steps.push_back(filling(1));
  EXPECT_EQ(runner_.run(right).message, "");
  EXPECT_TRUE(ended_with(runner_.run(writing), Status::input_changed, "wrote into its input: begins["));
  EXPECT_EQ(runner_.run(right).message, "");
}

TEST_F(Launches, inputs_are_computed_even_without_a_reference) {
  RunJob unchecked = job_of("computed_inputs");
  unchecked.plan.reference.steps.clear();
  for (ArgumentPlan& argument : unchecked.plan.arguments) argument.is_checked = false;
  EXPECT_EQ(runner_.run(unchecked).message, "");
  RunJob writing = unchecked;
  writing.plan.candidate.steps.push_back(filling(1));
  EXPECT_EQ(runner_.run(writing).status, Status::input_changed);
}

TEST_F(Launches, an_input_that_no_step_computes_keeps_its_zeros) {
  RunJob uncomputed = job_of("computed_inputs");
  uncomputed.plan.reference = {};
  for (ArgumentPlan& argument : uncomputed.plan.arguments) argument.is_checked = false;
  EXPECT_EQ(runner_.run(uncomputed).message, "");
  RunJob writing = uncomputed;
  writing.plan.candidate.steps.push_back(filling(1));
  EXPECT_EQ(runner_.run(writing).status, Status::input_changed);
  EXPECT_EQ(runner_.run(uncomputed).message, "");
}

TEST_F(Launches, the_reference_cannot_write_an_input_that_is_not_computed) {
  RunJob wrong = job_of("computed_inputs");
  wrong.plan.reference.steps.push_back(filling(0));
  EXPECT_TRUE(ended_with(runner_.run(wrong), Status::reference_failed,
                         "the reference: wrote into its input: lengths["));
}

TEST_F(Launches, a_barrier_over_the_grid_needs_a_cooperative_launch) {
  RunJob plain = job_of("cooperative");
  plain.plan.candidate.steps.at(0).attributes.is_cooperative = false;
  EXPECT_TRUE(ended_with(runner_.run(plain), Status::barrier_divergence,
                         "a barrier over the grid in a launch that is not cooperative"));
}

TEST_F(Launches, a_cooperative_grid_has_a_limit) {
  RunJob large = job_of("cooperative");
  large.plan.candidate.steps.at(0).grid[0] = 129;
  EXPECT_TRUE(ended(runner_.run(large), Status::launch_failed,
                    "a cooperative grid of 129 blocks: the host device runs 128 of them at once"));
}

TEST_F(Launches, a_struct_of_the_wrong_size_is_refused) {
  RunJob small = job_of("struct");
  ArgumentPlan& line = small.plan.candidate.values.back();
  ASSERT_EQ(line.members.size(), 5u);
  line.members.pop_back();
  EXPECT_TRUE(ended(runner_.run(small), Status::launch_failed,
                    "parameter 1 of draw has 48 bytes, the struct that the launch passes has 40"));
}

TEST_F(Launches, a_verifier_distinguishes_right_and_wrong_outputs) {
  RunJob wrong = job_of("verifier");
  const StepPlan right = wrong.plan.candidate.steps.back();
  wrong.plan.candidate.steps.insert(wrong.plan.candidate.steps.begin(), filling(2));
  wrong.plan.candidate.steps.back().grid[0] -= 1;
  const RunReply reply = runner_.run(wrong);
  EXPECT_TRUE(ended_with(reply, Status::wrong_result, "the verifier counts "));
  wrong.plan.candidate.steps.back() = right;
  EXPECT_EQ(runner_.run(wrong).message, "");
  wrong = job_of("references");
  wrong.plan.candidate.steps = {filling(1)};
  EXPECT_TRUE(runner_.run(wrong).message.starts_with("the verifier counts ")) << reply.message;
}

TEST_F(Launches, a_reference_launches_the_kernels_whose_conditions_hold) {
  const Definition definition = launches_space("references");
  DeviceInfo device;
  device.kind = "host";
  for (const auto& [n, entry] : {std::pair(1000, "plain_sums"), std::pair(1009, "parallel_sums")}) {
    const auto plan = resolve(definition.kernel, configs_of(definition).at(0), {{"n", n}}, device);
    EXPECT_EQ(plan->reference.source.entries, std::vector<std::string>{entry});
    EXPECT_EQ(runner_.run(job(*plan)).message, "");
  }
}

}  // namespace
}  // namespace gktune
