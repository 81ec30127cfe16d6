#pragma once

#include <string>

#include "tuner/core/result.h"
#include "tuner/core/trial.h"
#include "tuner/device/host/include/gktune/abi.h"

namespace gktune {

// What a kernel did wrong.
struct Fault {
  Status status = Status::crashed;
  std::string message;  // what, then where: "…, block (3,0,0), thread (17,0,0), reduce.cu:42"
};

// "(3,0,0)"
std::string format_index(kernel::uint3 index);
// "reduce.cu:42"
std::string format_site(kernel::Site site);

}  // namespace gktune
