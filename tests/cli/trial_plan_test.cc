#include "cli/trial_plan.h"

#include <gtest/gtest.h>

#include <optional>
#include <sstream>

#include "cli/output/log.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

constexpr const char* kSpace = R"yaml(
kernel: k
source: k.cu
problem: {n: [100]}
parameters: {p: [1, 2]}
options: ["-DON_GPU"]
host_options: ["-DON_CPU"]
arguments: {out: {type: int, extent: n, role: out, check: none}}
launches: {entry: k, grid: GRID, block: 32}
)yaml";

class TrialPlanTest : public testing::Test {
 protected:
  static DeviceInfo device() {
    DeviceInfo device;
    device.kind = "cuda";
    device.name = "NVIDIA H900";
    device.architecture = "sm_900";
    device.multiprocessors = 132;
    device.max_threads_per_block = 1024;
    device.shared_bytes_per_block = 64 << 10;
    device.l2_bytes = 50 << 20;
    return device;
  }
  static DeviceInfo cpu() {
    DeviceInfo cpu = device();
    cpu.kind = "host";
    return cpu;
  }

  Result<TrialPlan> plan(const std::string& grid,
                         const std::optional<DeviceInfo>& device = TrialPlanTest::device(),
                         const Config& config = {{"p", 1}}) {
    std::string space = kSpace;
    space.replace(space.find("GRID"), 4, grid);
    auto definition = read_space_text(space, "k.yaml", {}, [](const std::string&) {
      return Result<std::string>("__global__ void k(int* out) {}\n");
    });
    if (!definition) return Error{definition.error().front().str()};
    StudiedTrial found;
    found.study.device = {"cuda", "NVIDIA H900", "sm_900", 132};
    found.device = device;
    found.trial.config = config;
    found.trial.problem = {{"n", 100}};
    std::ostringstream out;
    const Environment environment;
    const Screen screen;
    Log log(out, screen);
    const Context context{environment, out, out, out, screen, screen, log, {}};
    return plan_of_trial(definition->kernel, found, context);
  }
};

TEST_F(TrialPlanTest, is_made_for_the_device_of_the_database) {
  const auto planned = plan("device.multiprocessors * p");
  ASSERT_TRUE(planned.ok()) << planned.error().message;
  EXPECT_EQ(planned->plan.candidate.steps.at(0).grid[0], 132);
  EXPECT_EQ(planned->options, std::vector<std::string>{"-DON_GPU"});
}

TEST_F(TrialPlanTest, uses_every_figure_of_the_device) {
  for (auto [grid, expected] :
       {std::pair{"device.l2_bytes // 1Mi", 50}, {"1 if device.shared_bytes_per_block > 48Ki else 2", 1}}) {
    const auto planned = plan('"' + std::string(grid) + '"');
    ASSERT_TRUE(planned.ok()) << planned.error().message;
    EXPECT_EQ(planned->plan.candidate.steps.at(0).grid[0], expected);
  }
}

TEST_F(TrialPlanTest, needs_the_device_itself_if_its_figures_are_unknown) {
  const auto planned = plan("p", std::nullopt);
  ASSERT_FALSE(planned.ok());
  EXPECT_EQ(planned.error().message,
            "an older version of gktune recorded it, without the limits of its device: run this on a machine "
            "with 'NVIDIA H900'");
}

TEST_F(TrialPlanTest, says_why_a_configuration_cannot_be_launched) {
  const auto planned = plan("\"1 // (p - 1)\"");
  ASSERT_FALSE(planned.ok());
  EXPECT_NE(planned.error().message.find("division by zero"), std::string::npos) << planned.error().message;
  const auto changed = plan("p", device(), {{"q", 1}});
  ASSERT_FALSE(changed.ok());
  EXPECT_NE(changed.error().message.find("p"), std::string::npos) << changed.error().message;
}

TEST_F(TrialPlanTest, has_the_options_for_a_gpu_if_the_kernel_was_tuned_on_a_cpu) {
  const auto planned = plan("p", cpu());
  ASSERT_TRUE(planned.ok()) << planned.error().message;
  EXPECT_EQ(planned->options, std::vector<std::string>{"-DON_GPU"});
}

}  // namespace
}  // namespace gktune
