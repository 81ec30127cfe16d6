#include "shipped_spaces.h"

#include <algorithm>
#include <filesystem>

namespace gktune {

std::vector<std::string> shipped_spaces() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(GKTUNE_SOURCE_DIR "/spaces")) {
    paths.push_back(entry.path().string());
  }
  std::ranges::sort(paths);
  return paths;
}

std::vector<std::string> portable_spaces() {
  auto paths = shipped_spaces();
  std::erase_if(paths, [](const std::string& path) { return path.ends_with("/cub_reduce.yaml"); });
  return paths;
}

std::string space_name(const testing::TestParamInfo<std::string>& space) {
  return std::filesystem::path(space.param).stem().string();
}

}  // namespace gktune
