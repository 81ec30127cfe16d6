#include "tuner/process/outside_kills.h"

#include <fstream>
#include <utility>

namespace gktune {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCounter = "oom_kill";

// The number behind a name, of a file with a name and a number in each line.
std::optional<std::uint64_t> number_in(const fs::path& path, std::string_view wanted) {
  std::ifstream file(path);
  std::string name;
  for (std::uint64_t number = 0; file >> name >> number;) {
    if (name == wanted) return number;
  }
  return std::nullopt;
}

// "4:memory:/path" names a group of version 1, "0::/path" one of version 2.
std::optional<std::uint64_t> kills_in_group(const fs::path& root, std::string_view line) {
  const std::size_t first = line.find(':'), second = line.find(':', first + 1);
  if (first == line.npos || second == line.npos) return std::nullopt;
  const std::string_view controllers = line.substr(first + 1, second - first - 1);
  const fs::path group = fs::path(line.substr(second + 1)).relative_path(), folder = root / "sys/fs/cgroup";
  if (controllers == "memory") return number_in(folder / "memory" / group / "memory.oom_control", kCounter);
  if (controllers.empty()) return number_in(folder / group / "memory.events", kCounter);
  return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> memory_kills(const fs::path& root) {
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (const auto kills = kills_in_group(root, line)) return kills;
  }
  return number_in(root / "proc/vmstat", kCounter);
}

std::string OutsideKills::str(std::string_view ending) {
  std::string text = std::string(ending) + " from outside in " + std::to_string(kMostAttempts) + " attempts";
  const auto before = std::exchange(memory_kills_, memory_kills());
  if (before && memory_kills_ && *memory_kills_ > *before) text += ": the system ran out of memory";
  return text;
}

}  // namespace gktune
