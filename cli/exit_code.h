#pragma once

namespace gktune {

// Exit codes. Scripts rely on the numbers.
enum class ExitCode {
  done = 0,
  failed = 1,
  usage = 2,  // wrong flags, or a space file with errors
  no_device = 3,
  no_configuration = 4,  // no valid configuration
  interrupted = 130,
};

}  // namespace gktune
