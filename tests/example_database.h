#pragma once

#include <gtest/gtest.h>

#include <string>

#include "db/database.h"

namespace gktune {

inline Trial good_trial(int threads, double time_us, const Problem& problem = {}) {
  Trial trial;
  trial.config = {{"threadsPerBlock", threads}, {"way", "one_pass"}};
  trial.problem = problem;
  trial.samples_us = {time_us};
  trial.timing = {time_us, time_us * 0.99, time_us * 1.01, time_us, time_us, 0};
  trial.metrics = {{"GB/s", 4e6 / time_us}};
  trial.objective = time_us;
  trial.compile_s = 0.5;
  trial.run_s = 0.25;
  trial.started_unix_ms = trial.ended_unix_ms = 1717176000000;
  return trial;
}

inline Trial bad_trial(int threads, Status status, std::string message) {
  Trial trial = good_trial(threads, 0);
  trial.status = status;
  trial.message = std::move(message);
  trial.samples_us.clear();
  trial.metrics = {};
  return trial;
}

// Reductions on two GPUs: element=int, n=1Mi and n=1Gi on the first, n=1Mi on the second.
inline void make_example_database(const std::string& path) {
  auto store = Database::open(path, Database::Access::write);
  auto session = (*store)->begin_session({"0.1.0", "here", "gktune run reduce.yaml", {}});
  auto add = [&](const std::string& device, const Problem& problem, const std::vector<Trial>& trials) {
    auto study =
        (*store)->study_id({"reduce", "f1", {"cuda", device, "sm_90", 132}, problem, Regime::cold, "time"});
    for (const Trial& trial : trials) {
      (*store)->add_trial(*study, *session, trial).value();
    }
  };
  const Problem small = {{"element", "int"}, {"n", 1 << 20}}, large = {{"element", "int"}, {"n", 1 << 30}};
  add("NVIDIA H200", small,
      {good_trial(128, 12.5, small), good_trial(256, 10, small),
       bad_trial(512, Status::wrong_result, "3 of 7 elements differ\nthe first at 2"),
       bad_trial(1024, Status::launch_failed, "too many resources")});
  add("NVIDIA H200", large, {good_trial(512, 920, large)});
  add("NVIDIA H100", small, {good_trial(64, 14, small)});
}

// Reductions of n=1Mi and n=2Mi on one GPU, measured with driver 550.54, then of n=1Gi with driver 580.65:
// the first two winners are stale.
inline void make_stale_database(const std::string& path) {
  auto store = Database::open(path, Database::Access::write);
  const auto add = [&](std::int64_t session, const Problem& problem, const Trial& trial) {
    auto study = (*store)->study_id(
        {"reduce", "f1", {"cuda", "NVIDIA H200", "sm_90", 132}, problem, Regime::cold, "time"});
    ASSERT_TRUE((*store)->add_trial(*study, session, trial).ok());
  };
  DeviceInfo device;
  device.driver = "550.54";
  const auto earlier = (*store)->begin_session({"0.1.0", "here", "gktune run reduce.yaml", device});
  const Problem small = {{"n", 1 << 20}}, twice = {{"n", 2 << 20}}, large = {{"n", 1 << 30}};
  add(*earlier, small, good_trial(256, 10, small));
  add(*earlier, twice, good_trial(256, 20, twice));
  device.driver = "580.65";
  const auto later = (*store)->begin_session({"0.1.0", "here", "gktune run reduce.yaml", device});
  add(*later, large, good_trial(512, 920, large));
}

// In the first study trial 1 wins against trial 2, which was faster in the search.
inline void hold_example_playoff(const std::string& path) {
  auto store = Database::open(path, Database::Access::write);
  const Problem problem = {{"element", "int"}, {"n", 1 << 20}};
  Playoff playoff{{good_trial(128, 11, problem), good_trial(256, 12, problem)}, 1717176000001};
  for (Trial& finalist : playoff.finalists) finalist.samples_us.push_back(finalist.samples_us.front());
  (*store)->add_playoff(1, 1, playoff).value();
}

}  // namespace gktune
