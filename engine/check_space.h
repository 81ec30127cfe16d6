#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "engine/check_pass.h"
#include "engine/device/open_device.h"
#include "engine/engine_error.h"
#include "tuner/core/result.h"
#include "tuner/space/definition.h"
#include "tuner/space/solver/count.h"

namespace gktune {

// The part of a space file to check.
struct CheckRequest {
  const Definition& definition;
  const FoundDevice& device;
  WorkerSettings workers;
  DeviceWork work = DeviceWork::compile;         // compile or sanitize
  std::optional<std::vector<Problem>> problems;  // without a value: the default problems for `work`
  std::int64_t sample = 0;                       // number of configurations of each problem; 0: all
};

struct CheckCounts {
  Count chosen, all;  // configurations
};

struct SpaceCheckEvents {
  std::function<void(const CheckResult&, const CheckCounts&)> on_progress;  // after each configuration
  // Called between configurations; true ends the check.
  std::function<bool()> stop;
};

struct SpaceCheck {
  CheckResult result;
  CheckCounts counts;
};

// Compiles or runs the configurations of each problem, all or a random sample of them, without timing.
Result<SpaceCheck, EngineError> check_space(const CheckRequest& request, const SpaceCheckEvents& events);

}  // namespace gktune
