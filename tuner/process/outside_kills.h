#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace gktune {

// A job or a compiler that something outside kills so many times in a row is given
// up. That says nothing about it.
inline constexpr int kMostAttempts = 4;

// The processes that the system has killed for want of memory, in the control group of this process, or on
// the machine if the group does not count them. Empty if the system does not tell. `root` holds proc and sys.
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

}  // namespace gktune
