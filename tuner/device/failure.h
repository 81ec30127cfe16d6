#pragma once

#include <string>

#include "tuner/core/trial.h"

namespace gktune {

// Why a trial failed.
struct Failure {
  Status status = Status::crashed;
  std::string message;  // the cause, then the place: "…, block (3,0,0), thread (17,0,0), reduce.cu:42"
  bool worker_is_lost = false;  // the process can run nothing more: its context or its memory is damaged
  int native = 0;               // the driver's code
  bool reuses_results = false;  // see Trial
  friend bool operator==(const Failure&, const Failure&) = default;
};

// Failure of a verifier. It accepts correct outputs, so its failure means a wrong
// output, unless the machine failed.
inline Failure failed_verification(Failure failure) {
  if (failure.status != Status::machine_failed) failure.status = Status::wrong_result;
  failure.message = "the verifier fails on this output: " + failure.message;
  return failure;
}

}  // namespace gktune
