#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gktune {

// The programs that a session measured with. Empty: unknown.
struct SessionEnvironment {
  std::string tool_version, host_name, driver, runtime, compiler;
};

// "the driver was 550.54 then and is 580.1 now", for each part that both know and that differs.
std::vector<std::string> changes_between(const SessionEnvironment& then, const SessionEnvironment& now);

// The change that another fingerprint means.
inline constexpr std::string_view kSourceChanged =
    "the source or its options have changed: another version of the kernel was tuned on this device later";

// Adds a change that is not listed yet.
void add_change(std::vector<std::string>& changes, std::string change);

}  // namespace gktune
