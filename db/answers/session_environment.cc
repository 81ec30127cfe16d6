#include "db/answers/session_environment.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace gktune {

namespace {

std::vector<std::int64_t> numbers_in(std::string_view text) {
  std::vector<std::int64_t> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(at, end, number);
    if (error == std::errc() && number >= 0) numbers.push_back(number);
    at = stop > at ? stop : at + 1;
  }
  return numbers;
}

}  // namespace

EnvironmentVersion::EnvironmentVersion(std::string_view driver_text, std::string_view runtime_text)
    : driver(numbers_in(driver_text)), runtime(numbers_in(runtime_text)) {}

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
