#pragma once

#include "engine/devices.h"
#include "gktune/result.h"
#include "tuner/core/device_info.h"
#include "tuner/device/worker/backend.h"
#include "tuner/space/definition.h"

namespace gktune {

// A candidate to run in this process, where debuggers, sanitizers and profilers see it.
struct ExecutionRequest {
  const KernelDefinition& kernel;
  Config config;
  Problem problem;
  BackendName device;
  BackendOptions options;        // with a folder for compiled code
  bool needs_debugging = false;  // compiles for debuggers, without optimisation
  bool is_compared = true;       // with the reference, and judged by the verifier
  int runs = 1;
};

struct Execution {
  DeviceInfo device;
  RunReply reply;  // its samples are the times of the runs
};

// Compiles the candidate and runs it without workers and without a time limit. A crash ends this process.
Result<Execution, EngineError> execute_here(const ExecutionRequest& request);

}  // namespace gktune
