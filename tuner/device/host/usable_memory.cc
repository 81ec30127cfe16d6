#include "tuner/device/host/usable_memory.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>

namespace gktune {
namespace fs = std::filesystem;
namespace {

// The smallest limit of a control group and its parents. In a container the group's own name may be
// invisible. Then its visible parents count.
std::uint64_t least_limit(const fs::path& hierarchy, const fs::path& group, const char* file_name) {
  std::uint64_t least = ~std::uint64_t{0};
  for (fs::path at = group;; at = at.parent_path()) {
    std::uint64_t limit = 0;
    if (std::ifstream(hierarchy / at.relative_path() / file_name) >> limit) least = std::min(least, limit);
    if (at == at.parent_path()) return least;
  }
}

}  // namespace

std::uint64_t usable_memory_bytes(const fs::path& root) {
  std::uint64_t bytes = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                        static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const fs::path groups = root / "sys/fs/cgroup";
  std::ifstream file(root / "proc/self/cgroup");
  // "0::/a/b" of version 2, "4:memory:/a/b" of version 1
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string_view controllers = std::string_view(line).substr(first + 1, second - first - 1);
    const fs::path group = line.substr(second + 1);
    if (controllers.empty()) bytes = std::min(bytes, least_limit(groups, group, "memory.max"));
    if (controllers == "memory") {
      bytes = std::min(bytes, least_limit(groups / "memory", group, "memory.limit_in_bytes"));
    }
  }
  return bytes;
}

std::uint64_t runner_share_bytes() { return usable_memory_bytes() / 2; }

}  // namespace gktune
