#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/failures.h"
#include "tuner/core/trial.h"
#include "tuner/device/device.h"

namespace gktune {

// A failure and every candidate that fails with the same message. A failed reference has one trial for each
// problem; the trial has no configuration.
struct Finding {
  Status status;
  std::string message;
  std::vector<Trial> trials;
};

// The result of compiling or running candidates without timing them.
struct CheckResult {
  std::int64_t checked = 0;
  std::vector<Finding> findings;  // in the order in which they were found
  std::vector<Finding> not_run;   // launches that this device cannot form or run; the kernel is not at fault
  std::vector<Trial> passed;      // in the order of their candidates
  bool was_stopped = false;
  std::int64_t unchecked = 0;          // candidates that could not be judged because the machine failed
  // Problems that were skipped after a configuration exceeded the time limit.
  std::int64_t left_out = 0;
  std::optional<std::string> failure;  // how the machine failed; the check is incomplete

  std::int64_t failed() const;
  Failures failures() const;
};

struct CheckEvents {
  std::function<void(const CheckResult&)> on_progress;  // after each candidate
  std::function<bool()> stop;                           // called between candidates; true ends the check
};

// Adds a failure to the finding with the same message.
void add_finding(std::vector<Finding>& findings, const Trial& trial);

// Sends candidates through the device, as many at a time as the device accepts.
class CheckPass {
 public:
  // one_by_one: checks the problems of a configuration one after another and skips the rest
  // after one exceeds the time limit.
  enum class Problems { together, one_by_one };
  CheckPass(Device& device, CheckEvents events, Problems problems = Problems::together)
      : device_(device), events_(std::move(events)), problems_(problems) {}

  // `next` returns false when no candidate is left.
  CheckResult run(const std::function<bool(Candidate&)>& next);

 private:
  Device& device_;
  CheckEvents events_;
  Problems problems_;
};

}  // namespace gktune
