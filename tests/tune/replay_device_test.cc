#include "tuner/device/replay/replay_device.h"

#include <gtest/gtest.h>

#include "tests/tune/recorded.h"

namespace gktune {
namespace {

TEST(ReplayDevice, answers_in_the_order_of_submission) {
  ReplayDevice device({.name = "recorded"}, {timed_trial({{"x", 1}}, 10), timed_trial({{"x", 2}}, 5)}, 2);
  EXPECT_EQ(device.info().name, "recorded");
  device.submit({.config = {{"x", 2}}, .problem = {}});
  device.submit({.config = {{"x", 1}}, .problem = {}});
  EXPECT_EQ(device.next().timing.median_us, 5);
  EXPECT_EQ(device.next().timing.median_us, 10);
}

TEST(ReplayDevice, a_configuration_without_a_recording_is_invalid) {
  Trial recorded = timed_trial({{"x", 1}}, 10);
  recorded.problem = {{"n", 4}};
  ReplayDevice device({}, {recorded}, 1);
  for (const Candidate& candidate : {Candidate{.config = {{"x", 1}}, .problem = {{"n", 5}}},
                                     Candidate{.config = {{"x", 2}}, .problem = {{"n", 4}}}}) {
    device.submit(candidate);
    const Trial trial = device.next();
    EXPECT_EQ(trial.status, Status::invalid);
    EXPECT_EQ(trial.problem, candidate.problem);
    EXPECT_EQ(trial.config, candidate.config);
  }
  EXPECT_EQ(device.clock_s(), 0);
}

TEST(ReplayDevice, a_trial_without_a_problem_is_used_for_every_problem) {
  ReplayDevice device({}, {timed_trial({{"x", 1}}, 10)}, 1);
  device.submit({.config = {{"x", 1}}, .problem = {{"n", 5}}});
  const Trial trial = device.next();
  EXPECT_EQ(trial.timing.median_us, 10);
  EXPECT_EQ(trial.problem, (Problem{{"n", 5}}));
}

TEST(ReplayDevice, the_clock_advances_by_the_cost_of_each_trial_including_failures) {
  Trial quick = timed_trial({{"x", 1}}, 10), broken = failed_trial({{"x", 2}}, Status::crashed);
  quick.compile_s = 0.5, quick.run_s = 0.25;
  broken.compile_s = 2, broken.run_s = 0;
  ReplayDevice device({}, {quick, broken}, 2);
  device.submit({.config = {{"x", 1}}, .problem = {}});
  device.submit({.config = {{"x", 2}}, .problem = {}});
  EXPECT_EQ(device.clock_s(), 0);
  device.next();
  EXPECT_EQ(device.clock_s(), 0.75);
  device.next();
  EXPECT_EQ(device.clock_s(), 2.75);
}

TEST(ReplayDevice, a_playoff_gives_the_recorded_samples_round_by_round) {
  ReplayDevice device({}, {timed_trial({{"x", 1}}, 10)}, 1);
  auto samples = device.playoff({}, {{{"x", 1}}, {{"x", 9}}}, {.count = 3}, [](const auto&) { return true; });
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0].samples_us, (Samples{10, 10, 10}));
  EXPECT_TRUE(samples[1].samples_us.empty());
}

}  // namespace
}  // namespace gktune
