// Every shipped template with more than 2^31 elements, which indices of 32 bits cannot count.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <ostream>
#include <thread>

#include "tests/templates/covering_trials.h"
#include "tests/templates/made_up_gpu.h"
#include "tuner/device/cuda/cuda_backend.h"
#include "tuner/space/plan.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

constexpr std::int64_t kMany = std::int64_t{1} << 31;

struct Large {
  std::string name;
  std::string space;
  Problem problem;
};

void PrintTo(const Large& large, std::ostream* out) { *out << large.problem.str(); }

std::vector<Large> large_problems() {
  return {
      {"reduce_int_sum", "reduce", {{"element", "int"}, {"operation", "sum"}, {"n", kMany + 5}}},
      {"reduce_float_max", "reduce", {{"element", "float"}, {"operation", "max"}, {"n", kMany + 5}}},
      {"reduce_double_sum", "reduce", {{"element", "double"}, {"operation", "sum"}, {"n", kMany + 5}}},
      {"reduce_int64_min", "reduce", {{"element", "int64"}, {"operation", "min"}, {"n", kMany + 5}}},
      {"histogram", "histogram", {{"distribution", "uniform"}, {"n", 2 * kMany + 5}}},
      {"saxpy", "saxpy", {{"n", kMany + 5}}},
      {"vecadd", "vecadd", {{"n", kMany + 5}}},
      {"incr", "incr", {{"n", kMany + 5}}},
      // Each of its matrices in turn; the largest grids have 65535 blocks along y.
      {"matmul_a", "matmul", {{"m", 524'273}, {"n", 33}, {"k", 4'099}}},
      {"matmul_b", "matmul", {{"m", 33}, {"n", 524'273}, {"k", 4'099}}},
      {"matmul_c", "matmul", {{"m", 65'543}, {"n", 32'771}, {"k", 5}}},
      {"matmul_aligned", "matmul", {{"m", 65'544}, {"n", 32'772}, {"k", 8}}},
      {"gemm_a", "gemm", {{"element", "half"}, {"m", 524'296}, {"n", 40}, {"k", 4'104}}},
      {"gemm_b", "gemm", {{"element", "half"}, {"m", 33}, {"n", 524'273}, {"k", 4'099}}},
      {"gemm_c", "gemm", {{"element", "half"}, {"m", 65'543}, {"n", 32'776}, {"k", 8}}},
      {"attention",
       "attention",
       {{"element", "half"}, {"pattern", "causal"}, {"heads", 262'148}, {"tokens", 64}, {"width", 128}}},
  };
}

class LargeProblem : public testing::TestWithParam<Large> {
 protected:
  void SetUp() override {
    const std::string path = GKTUNE_SOURCE_DIR "/spaces/" + GetParam().space + ".yaml";
    auto definition = read_space_file(path, {.device_kind = "cuda"});
    ASSERT_TRUE(definition.ok()) << definition.error().front().str();
    definition_ = *std::move(definition);
  }

  Definition definition_;
};

std::int64_t most_blocks_along_y(const ProgramPlan& program) {
  std::int64_t most = 0;
  for (const StepPlan& step : program.steps) most = std::max(most, step.grid[1]);
  return most;
}

TEST_P(LargeProblem, has_more_than_2_to_the_31_elements_in_grids_that_a_gpu_can_launch) {
  const DeviceInfo gpu = made_up_gpu("sm_90");
  const NamedValues attributes = gpu.attributes();
  Scope scope;
  scope.add(GetParam().problem).add(attributes, "device.");
  CoveringSample sample(definition_.parameters);
  const auto configs = sample.cover(with_device_limits(definition_.constraints, definition_.kernel, gpu),
                                    scope, CoveringSample::Depth::values);
  for (const Config& config : *configs) {
    const auto plan = resolve(definition_.kernel, config, GetParam().problem, gpu);
    EXPECT_TRUE(std::ranges::any_of(plan->arguments, [](const ArgumentPlan& argument) {
      return argument.count > static_cast<std::uint64_t>(kMany);
    })) << config.str();
    EXPECT_LE(most_blocks_along_y(plan->candidate), gpu.max_grid_y) << config.str();
    EXPECT_LE(most_blocks_along_y(plan->reference), gpu.max_grid_y);
  }
}

TEST_P(LargeProblem, is_solved_correctly) {
  const auto info = open_cuda_backend(0, {})->probe();
  if (!info) GTEST_SKIP() << info.error().message;
  WorkerDeviceOptions options;
  options.backends = {{"cuda", 0}};
  options.worker_argv = {GKTUNE_DEVICE_WORKER};
  options.work = WorkerDeviceOptions::Work::check;
  options.cache_dir = GKTUNE_TEST_CACHE;
  options.jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  options.batch = 8;
  auto device = WorkerDevice::open(definition_.kernel, std::move(options));

  CoveringTrials sample(definition_, definition_.kernel, *std::move(device));
  const auto trials = sample.run(GetParam().problem, CoveringSample::Depth::values);
  std::size_t too_large = 0;
  for (const Trial& trial : *trials) {
    if (trial.status == Status::out_of_memory) {
      ++too_large;
    } else {
      EXPECT_TRUE(trial.ok()) << trial.config.str() << "\n"
                              << status_name(trial.status) << ": " << trial.message;
    }
  }
  if (too_large == trials->size()) GTEST_SKIP() << trials->front().message;
  std::printf("%zu configurations, %zu of them larger than the GPU's memory\n", trials->size(), too_large);
}

INSTANTIATE_TEST_SUITE_P(, LargeProblem, testing::ValuesIn(large_problems()),
                         [](const auto& large) { return large.param.name; });

}  // namespace
}  // namespace gktune
