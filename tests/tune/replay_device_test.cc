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

TEST(ReplayDevice, what_was_never_recorded_is_invalid) {
  ReplayDevice device({}, {timed_trial({{"x", 1}}, 10)}, 1);
  device.submit({.config = {{"x", 1}}, .problem = {{"n", 5}}});
  Trial trial = device.next();
  EXPECT_EQ(trial.status, Status::invalid);
  EXPECT_EQ(trial.problem, (Problem{{"n", 5}}));
}

TEST(ReplayDevice, a_playoff_gives_the_recorded_samples_round_by_round) {
  ReplayDevice device({}, {timed_trial({{"x", 1}}, 10)}, 1);
  auto samples = device.playoff({}, {{{"x", 1}}, {{"x", 9}}}, {.count = 3});
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0], (Samples{10, 10, 10}));
  EXPECT_TRUE(samples[1].empty());
}

}  // namespace
}  // namespace gktune
