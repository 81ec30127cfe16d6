#include "engine/host_times.h"

#include <gtest/gtest.h>

namespace gktune {
namespace {

Trial trial_on(const std::string& host_name, double time_us, int x = 1) {
  Trial trial;
  trial.config = {{"x", x}};
  trial.host_name = host_name;
  trial.samples_us = {time_us, time_us};
  trial.timing = {time_us, time_us, time_us, time_us, time_us, 1};
  trial.objective = time_us;
  return trial;
}

TEST(HostTimes, tell_how_much_slower_hosts_are_than_the_first) {
  const HostTimes hosts({trial_on("a", 100), trial_on("b", 104), trial_on("c", 99), trial_on("b", 110)});
  EXPECT_EQ(hosts.reference(), (Config{{"x", 1}}));
  EXPECT_EQ(hosts.first_host(), "a");
  const auto differences = hosts.differences();
  ASSERT_EQ(differences.size(), 2u);
  EXPECT_EQ(differences[0].host_name, "b");
  EXPECT_NEAR(differences[0].slower, 0.1, 1e-9) << "the latest trial of a host counts";
  EXPECT_NEAR(differences[1].slower, -0.01, 1e-9);
}

TEST(HostTimes, convert_trials_to_those_of_another_host) {
  const HostTimes hosts({trial_on("a", 100), trial_on("b", 110)});
  const Trial converted = hosts.as_on("a", trial_on("b", 55, 2));
  EXPECT_NEAR(converted.timing.median_us, 50, 1e-9);
  EXPECT_NEAR(converted.timing.high_us, 50, 1e-9);
  EXPECT_NEAR(converted.samples_us[1], 50, 1e-9);
  EXPECT_NEAR(converted.objective, 50, 1e-9);
  EXPECT_NEAR(hosts.as_on("b", trial_on("a", 50, 2)).timing.median_us, 55, 1e-9);
  EXPECT_EQ(hosts.as_on("b", trial_on("b", 50, 2)).timing.median_us, 50);
}

TEST(HostTimes, convert_other_objectives_by_their_own_ratio) {
  Trial a = trial_on("a", 100), b = trial_on("b", 110), other = trial_on("b", 55, 2);
  a.objective = -200, b.objective = -100, other.objective = -50;  // GB/s
  EXPECT_NEAR(HostTimes({a, b}).as_on("a", other).objective, -100, 1e-9);
}

TEST(HostTimes, leave_trials_alone_where_a_host_has_no_time_of_the_reference) {
  Trial failed = trial_on("b", 0);
  failed.status = Status::out_of_memory;
  const HostTimes hosts({trial_on("a", 100), failed});
  EXPECT_TRUE(hosts.differences().empty());
  for (const char* host : {"a", "b", "c", ""}) {
    EXPECT_EQ(hosts.as_on("a", trial_on(host, 50, 2)).timing.median_us, 50);
    EXPECT_EQ(hosts.as_on(host, trial_on("a", 50, 2)).timing.median_us, 50);
  }
}

TEST(HostTimes, await_a_host_until_it_has_tried_the_reference) {
  EXPECT_FALSE(HostTimes().awaits("a")) << "there is no reference";
  Trial failed = trial_on("b", 0);
  failed.status = Status::out_of_memory;
  const HostTimes hosts({trial_on("a", 100), failed});
  EXPECT_FALSE(hosts.awaits("a"));
  EXPECT_FALSE(hosts.awaits("b"));
  EXPECT_TRUE(hosts.awaits("c"));
  EXPECT_FALSE(hosts.awaits("")) << "its name is unknown";
  EXPECT_FALSE(HostTimes({trial_on("", 100)}).awaits("c")) << "the trials were imported";
}

}  // namespace
}  // namespace gktune
