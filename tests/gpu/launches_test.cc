// The spaces of tests/kernels/launches on a GPU: in all their configurations,
// and with what is wrong with them.
#include <cstdlib>
#include <filesystem>
#include <future>

#include "tests/expectations.h"
#include "tests/gpu/rig.h"
#include "tuner/device/cuda/cuda_backend.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

class GpuLaunches : public GpuTest {
 protected:
  static Definition space(const std::string& path) {
    auto definition = read_space_file(path, {.device_kind = "cuda"});
    if (definition) return *std::move(definition);
    for (const Diagnostic& diagnostic : definition.error()) ADD_FAILURE() << diagnostic.str();
    return {};
  }
  static Definition named(const std::string& name) {
    return space(GKTUNE_SOURCE_DIR "/tests/kernels/launches/" + name + ".yaml");
  }

  // Compiled by the test's compiler or by another one, for example in another thread.
  RunJob job_of(const Definition& definition, std::size_t value, std::size_t problem = 0) {
    return job_of(*compiler_, definition, value, problem);
  }
  RunJob job_of(Compiler& compiler, const Definition& definition, std::size_t value,
                std::size_t problem) const {
    const Axis& axis = definition.kernel.axes.at(0);
    const Parameter& parameter = definition.parameters.at(0);
    auto plan = resolve(definition.kernel, {{parameter.name, parameter.values.at(value)}},
                        {{axis.name, axis.values.at(problem)}}, info_);
    RunJob job;
    job.plan = *std::move(plan);
    const auto compiled = compile_programs(compiler, info_.architecture, folder_.path("cache"), job);
    EXPECT_TRUE(compiled.ok()) << compiled.error().message;
    return job;
  }
};

class GpuLaunchesDeathTest : public GpuLaunches {
 protected:
  GpuLaunchesDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(GpuLaunches, every_configuration_of_every_space_is_right) {
  // Compiling takes most of the time.
  std::vector<std::pair<std::string, std::future<std::vector<RunJob>>>> spaces;
  for (const auto& entry : std::filesystem::directory_iterator(GKTUNE_SOURCE_DIR "/tests/kernels/launches")) {
    if (entry.path().extension() != ".yaml") continue;
    const Definition definition = space(entry.path().string());
    if (definition.parameters.empty()) continue;
    spaces.emplace_back(definition.kernel.name, std::async(std::launch::async, [this, definition] {
      std::vector<RunJob> jobs;
      const auto compiler = open_cuda_backend(0, {})->compiler();
      for (std::size_t i = 0; i < definition.parameters.at(0).values.size(); ++i) {
        for (std::size_t problem = 0; problem < definition.kernel.axes.at(0).values.size(); ++problem)
          jobs.push_back(job_of(**compiler, definition, i, problem));
      }
      return jobs;
    }));
  }
  EXPECT_GE(spaces.size(), 8u);
  for (auto& [name, jobs] : spaces) {
    SCOPED_TRACE(name);
    for (RunJob& job : jobs.get()) {
      for (const Regime regime : {Regime::cold, Regime::hot}) {
        job.plan.regime = regime;
        const RunReply reply = runner_->run(job);
        EXPECT_EQ(reply.status, Status::ok) << reply.message;
        EXPECT_FALSE(reply.samples_us.empty());
        ASSERT_FALSE(reply.worker_is_lost);
      }
    }
  }
}

TEST_F(GpuLaunches, a_verifier_finds_wrong_outputs) {
  RunJob job = job_of(named("verifier"), 0);
  job.plan.candidate.steps.pop_back();
  EXPECT_TRUE(ended(runner_->run(job), Status::wrong_result,
                    "the verifier counts 100003 wrong elements; the index of the first is 0"));
}

// Without its setup the kernel reads beside its table, which loses the context: this runs in a new process.
TEST_F(GpuLaunchesDeathTest, a_setup_is_run_before_every_sample) {
  RunJob job = job_of(named("setup"), 1);
  job.plan.candidate.setup_each.clear();
  EXPECT_EXIT(std::_Exit(runner_->run(job).status == Status::ok ? 1 : 0), testing::ExitedWithCode(0), "");
}

TEST_F(GpuLaunches, an_argument_larger_than_its_variable_is_refused) {
  RunJob job = job_of(named("constant_memory"), 0);
  job.plan.arguments.at(1).count = 10;
  EXPECT_EQ(runner_->run(job).message, "the variable weights has 36 bytes, the argument 'weights' has 40");
}

TEST_F(GpuLaunches, a_cooperative_grid_that_does_not_fit_the_gpu_is_refused) {
  RunJob job = job_of(named("cooperative"), 0);
  job.plan.candidate.steps.at(0).grid[0] = 1'000'000;
  const RunReply reply = runner_->run(job);
  EXPECT_TRUE(
      ended_with(reply, Status::launch_failed, "a cooperative grid of 1000000 blocks: the GPU runs "));
}

TEST_F(GpuLaunches, a_struct_of_the_wrong_size_is_refused) {
  RunJob job = job_of(named("struct"), 0);
  job.plan.candidate.values.back().members.pop_back();
  EXPECT_TRUE(ended(runner_->run(job), Status::launch_failed,
                    "draw: parameter 1 takes 48 bytes, the argument has 40"));
}

}  // namespace
}  // namespace gktune
