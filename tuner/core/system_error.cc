#include "tuner/core/system_error.h"

#include <sys/resource.h>

#include <cerrno>
#include <system_error>

namespace gktune {

std::string system_reason(int error) {
  std::string text = std::generic_category().message(error);
  rlimit limit{};
  if (error == EFBIG && ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    text += ": no file may exceed " + std::to_string(limit.rlim_cur) + " bytes (ulimit -f)";
  }
  return text;
}

}  // namespace gktune
