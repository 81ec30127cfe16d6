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

// A failure and every candidate that fails with the same message. A failed reference has one trial per problem,
// without a configuration.
struct Finding {
  Status status;
  std::string message;
  std::vector<Trial> trials;
};

// The result of compiling or running candidates without timing them.
struct CheckResult {
  std::int64_t checked = 0;
  std::vector<Finding> findings;  // in the order in which they were found
  std::vector<Finding> not_run;   // launches that cannot be formed or run here, which is no fault of the kernel
  std::vector<Trial> passed;      // in the order in which their candidates came
  bool was_stopped = false;
  std::int64_t unchecked = 0;          // candidates that the machine failed for
  std::int64_t left_out = 0;           // other problems of configurations that ran into the time limit
  std::optional<std::string> failure;  // why the machine failed: not all was checked

  std::int64_t failed() const;
  Failures failures() const;
};

struct CheckEvents {
  std::function<void(const CheckResult&)> on_progress;  // after each candidate
  std::function<bool()> stop;                           // asked between candidates: true ends the check
};

// Adds a failure to the finding with the same message.
void add_finding(std::vector<Finding>& findings, const Trial& trial);

// Sends candidates through the device, as many at a time as it takes.
class CheckPass {
 public:
  // one_by_one: the problems of a configuration follow each other, and none follows one that ran into the
  // time limit.
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
