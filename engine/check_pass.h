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

// A fault that several configurations may share: their words are the same.
struct Finding {
  Status status;
  std::string message;
  std::vector<Trial> trials;  // where it showed
};

// What became of candidates that were looked at without being timed.
struct CheckResult {
  std::int64_t checked = 0;
  std::vector<Finding> findings;  // in the order in which they came up
  bool was_stopped = false;
  std::optional<std::string> trouble;  // what the machine failed for: the rest was not looked at

  std::int64_t failed() const;
  Failures failures() const;
};

struct CheckEvents {
  std::function<void(const CheckResult&)> on_progress;  // after each candidate
  std::function<bool()> stop;                           // asked between candidates: true ends the check
};

// Adds a failure to those with the same words.
void add_finding(std::vector<Finding>& findings, const Trial& trial);

// Sends candidates through the device, as many at a time as it takes.
class CheckPass {
 public:
  CheckPass(Device& device, CheckEvents events) : device_(device), events_(std::move(events)) {}

  // `next` returns false when no candidate is left.
  CheckResult run(const std::function<bool(Candidate&)>& next);

 private:
  Device& device_;
  CheckEvents events_;
};

}  // namespace gktune
