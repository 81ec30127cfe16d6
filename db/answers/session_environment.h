#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gktune {

// The programs that a session measured with. Empty: unknown.
struct SessionEnvironment {
  std::string tool_version, host_name, driver, runtime, compiler;
};

// The versions of driver and CUDA, for comparison: 580.65.06 is newer than 550.54.
struct EnvironmentVersion {
  EnvironmentVersion() = default;
  EnvironmentVersion(std::string_view driver_text, std::string_view runtime_text);

  std::vector<std::int64_t> driver, runtime;
  friend auto operator<=>(const EnvironmentVersion&, const EnvironmentVersion&) = default;
};

// "the driver was 550.54 then and is 580.1 now", for each part that both know and that differs.
std::vector<std::string> changes_between(const SessionEnvironment& then, const SessionEnvironment& now);

// The change that another fingerprint means.
inline constexpr std::string_view kSourceChanged =
    "the source or its options have changed: another version of the kernel was tuned on this device later";

// Adds a change that is not listed yet.
void add_change(std::vector<std::string>& changes, std::string change);

}  // namespace gktune
