#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/devices.h"
#include "gktune/result.h"
#include "tuner/core/device_info.h"
#include "tuner/core/trial.h"
#include "tuner/device/device.h"
#include "tuner/space/definition.h"
#include "tuner/space/solver/count.h"
#include "tuner/tune.h"

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
  Count chosen = 0, all = 0;  // number of candidates to check, and of all problems and configurations
  std::int64_t checked = 0;
  std::vector<Finding> findings;  // in the order in which they were found
  std::vector<Finding> not_run;   // launches that this device cannot form or run; the kernel is not at fault
  std::vector<Finding> harmless;  // that cannot change a result
  std::vector<Finding> unconfirmed;  // that may follow from guesses of the space file
  std::vector<Trial> passed;      // in the order of their candidates
  bool was_stopped = false;
  bool was_late = false;       // some candidates did not begin in time
  std::int64_t unchecked = 0;  // candidates that could not be judged because the machine failed
  std::int64_t left_out = 0;   // problems that were skipped after a configuration exceeded the time limit
  std::optional<std::string> failure;  // how the machine failed; the check is incomplete

  std::int64_t failed() const;
  Failures failures() const;
};

struct CheckEvents {
  std::function<void(const CheckResult&)> on_progress;  // after each candidate, and while one runs
  // Asked all the time. True ends the check: a running candidate gets another second.
  std::function<bool()> stop;
  double begins_for_s = 0;  // candidates that have not begun by then are left out; 0: none are
};

// Sends candidates through a device, as many at a time as the device accepts. `next` returns false when no
// candidate is left. A configuration that exceeds the time limit is not tried again. Adds to the result,
// which may have the numbers of candidates.
CheckResult check(Device& device, const CheckEvents& events, const std::function<bool(Candidate&)>& next,
                  CheckResult result = {});

// The part of a space file to check.
struct CheckRequest {
  const Definition& definition;
  const FoundDevice& device;
  WorkerSettings workers;
  DeviceWork work = DeviceWork::compile;         // compile or sanitize
  std::optional<std::vector<Problem>> problems;  // without a value: the default problems for `work`
  std::int64_t sample = 0;                       // number of configurations of each problem; 0: all
  // The caller may keep these workers for later checks of the same work; missing ones are opened.
  std::unique_ptr<WorkerDevice>* opened = nullptr;
};

// Compiles or runs the configurations of each problem, all or a random sample of them, without timing.
Result<CheckResult, EngineError> check_space(const CheckRequest& request, const CheckEvents& events);

// Keeps the first of all problems that compile to the same source. Compiling the others finds nothing new.
std::vector<Problem> one_for_each_source(const std::vector<Axis>& axes, const std::vector<Problem>& problems);

// Small sizes that reveal faults: zero, one, about the size of a warp, a prime. They replace the values of
// integer axes and never exceed the sizes that the space file lists. An axis keeps its values if it is not an
// integer or if the size of an input file depends on it.
std::vector<Problem> awkward_problems(const KernelDefinition& kernel);

// The problems with sizes that are drawn a little below theirs: by an eighth, or 63, at most. `draw` makes
// each draw another. Axes keep their values where awkward problems do.
std::vector<Problem> near_problems(const KernelDefinition& kernel, std::vector<Problem> problems,
                                   std::uint64_t seed, std::uint64_t draw);

// Larger versions of the problems that a single block solves in some configurations: in as few configurations
// as possible. The versions never exceed the sizes that the space file lists.
std::vector<Problem> problems_of_several_blocks(const Definition& definition,
                                                const std::vector<Problem>& problems,
                                                const DeviceInfo& device);

// The awkward problems that have valid configurations, and larger versions of them: a kernel may require
// large sizes. If none has, all awkward problems, so that the first failure is reported.
std::vector<Problem> problems_to_sanitize(const Definition& definition, const DeviceInfo& device);

// True if a size is 0. A launch of an empty problem may have no blocks; the kernel is not at fault then.
bool is_empty(const Problem& problem);

}  // namespace gktune
