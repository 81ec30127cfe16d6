#pragma once

#include <string>

#include "tuner/core/trial.h"
#include "tuner/device/cuda/gpu.h"

namespace gktune {

// Why a candidate's trial ends here.
struct Trouble {
  Status status = Status::crashed;
  std::string message;
  bool context_is_lost = false;
};

inline Trouble trouble_of(const GpuFailure& failure) {
  return {failure.status(), failure.message, failure.context_is_lost()};
}

}  // namespace gktune
