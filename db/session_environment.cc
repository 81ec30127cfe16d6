#include "db/session_environment.h"

#include <algorithm>
#include <utility>

namespace gktune {

std::vector<std::string> changes_between(const SessionEnvironment& then, const SessionEnvironment& now) {
  std::vector<std::string> changes;
  const auto compare = [&](const char* part, const std::string& before, const std::string& after) {
    if (before.empty() || after.empty() || before == after) return;
    changes.push_back(std::string("the ") + part + " was " + before + " then and is " + after + " now");
  };
  compare("driver", then.driver, now.driver);
  compare("CUDA version", then.runtime, now.runtime);
  // nvcc compiles host code, NVRTC kernels: the two are not versions of each other.
  if (then.compiler.starts_with("nvcc ") == now.compiler.starts_with("nvcc "))
    compare("compiler", then.compiler, now.compiler);
  return changes;
}

void add_change(std::vector<std::string>& changes, std::string change) {
  if (std::ranges::find(changes, change) == changes.end()) changes.push_back(std::move(change));
}

}  // namespace gktune
