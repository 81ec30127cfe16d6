#include "cli/trial_plan.h"

#include <gtest/gtest.h>

#include <sstream>

#include "cli/log.h"
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
  Result<TrialPlan> plan(const std::string& grid, const std::string& kind = "cuda",
                         const Config& config = {{"p", 1}}) {
    std::string space = kSpace;
    space.replace(space.find("GRID"), 4, grid);
    auto definition = read_space_text(space, "k.yaml", {}, [](const std::string&) {
      return Result<std::string>("__global__ void k(int* out) {}\n");
    });
    if (!definition) return Error{definition.error().front().str()};
    StudiedTrial found;
    found.study.device = {kind, "NVIDIA H900", "sm_900", 132};
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

TEST_F(TrialPlanTest, is_made_of_what_the_database_knows_of_the_device) {
  const auto planned = plan("device.multiprocessors * p");
  ASSERT_TRUE(planned.ok()) << planned.error().message;
  EXPECT_EQ(planned->plan.candidate.steps.at(0).grid[0], 132);
  EXPECT_EQ(planned->options, std::vector<std::string>{"-DON_GPU"});
}

TEST_F(TrialPlanTest, that_needs_to_know_more_needs_the_device) {
  for (const char* grid :
       {"device.l2_bytes // 1024 + 1", "1 if device.shared_bytes_per_block > 48Ki else 2"}) {
    const auto planned = plan('"' + std::string(grid) + '"');
    ASSERT_FALSE(planned.ok()) << grid;
    EXPECT_EQ(planned.error().message,
              "what it does depends on more of the device than the database keeps: ask where there is a "
              "NVIDIA H900");
  }
}

TEST_F(TrialPlanTest, of_a_configuration_that_cannot_be_launched_says_why) {
  const auto planned = plan("\"1 // (p - 1)\"");
  ASSERT_FALSE(planned.ok());
  EXPECT_NE(planned.error().message.find("division by zero"), std::string::npos) << planned.error().message;
  const auto changed = plan("p", "cuda", {{"q", 1}});
  ASSERT_FALSE(changed.ok());
  EXPECT_NE(changed.error().message.find("p"), std::string::npos) << changed.error().message;
}

TEST_F(TrialPlanTest, of_a_kernel_tuned_on_a_cpu_has_the_options_for_a_gpu) {
  const auto planned = plan("p", "host");
  ASSERT_TRUE(planned.ok()) << planned.error().message;
  EXPECT_EQ(planned->options, std::vector<std::string>{"-DON_GPU"});
}

}  // namespace
}  // namespace gktune
