#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gktune {

// A job or a compiler that something outside kills this many times in a row is given up.
inline constexpr int kMostAttempts = 4;

// Counts the processes that the system has killed for want of memory: in the control group of this process,
// or on the machine if the group does not count them. Empty if the system does not tell. `root` holds proc
// and sys.
std::optional<std::uint64_t> memory_kills(const std::filesystem::path& root = "/");

// Says why work is given up that something outside killed kMostAttempts times.
class OutsideKills {
 public:
  // `ending` is how the last attempt ended. Adds that the system ran out of memory,
  // if it did since the last call.
  std::string str(std::string_view ending);

 private:
  std::optional<std::uint64_t> memory_kills_ = memory_kills();
};

// Tells a process that kills itself from one that something outside kills, and keeps it from its parents:
// from now on this process, and those that it starts, end with kFilterSignal when they send SIGKILL to it, or
// any signal to its group or to one of `parents`, or trace a process, or access the memory of another one.
// Does nothing on systems without such filters.
void keep_from(std::span<const pid_t> parents);

inline constexpr int kFilterSignal = SIGSYS;

}  // namespace gktune
