#include "tuner/device/worker/backend.h"

#include "tuner/core/whole_file.h"

namespace gktune {

Result<std::string> Compiler::loadable_code(const Module& module) const {
  auto bytes = read_whole(module.path);
  if (!bytes) return Error{"there is no compiled code at " + module.path};
  return *std::move(bytes);
}

}  // namespace gktune
