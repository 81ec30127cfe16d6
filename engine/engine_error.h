#pragma once

#include <string>
#include <vector>

#include "tuner/space/diagnostic.h"

namespace gktune {

// The reason why the engine cannot execute a request.
struct EngineError {
  enum class Kind {
    invalid,           // the request or the space file has errors
    no_device,         // the device is absent or does not start
    wrong_device,      // the kernel cannot run on the chosen device
    no_configuration,  // the space is empty
    no_cache,          // the folder for compiled code cannot be written
    failed,
  };
  Kind kind = Kind::failed;
  std::string message;                  // empty if there are diagnostics
  std::vector<Diagnostic> diagnostics;  // of space files
};

}  // namespace gktune
