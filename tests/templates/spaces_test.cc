// Every space that the project ships, as its files say it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tuner/space/space_file.h"

namespace gktune {
namespace {

std::vector<std::string> shipped_spaces() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(GKTUNE_SOURCE_DIR "/spaces")) {
    paths.push_back(entry.path().string());
  }
  std::ranges::sort(paths);
  return paths;
}

class ShippedSpace : public testing::TestWithParam<std::string> {};

TEST_P(ShippedSpace, is_read_without_a_complaint_for_a_gpu_and_for_a_cpu) {
  for (const char* kind : {"cuda", "host"}) {
    auto definition = read_space_file(GetParam(), {.device_kind = kind});
    if (definition.ok()) continue;
    for (const Diagnostic& diagnostic : definition.error()) ADD_FAILURE() << kind << ": " << diagnostic.str();
  }
}

std::string stem(const testing::TestParamInfo<std::string>& info) {
  return std::filesystem::path(info.param).stem().string();
}

INSTANTIATE_TEST_SUITE_P(Spaces, ShippedSpace, testing::ValuesIn(shipped_spaces()), stem);

}  // namespace
}  // namespace gktune
