// Recordings by others are not part of the project. These tests are skipped if
// the recordings are not available.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tuner/recording/recording.h"

namespace gktune {
namespace {

struct Known {
  const char* file;
  std::size_t configurations, failed;
};

class SharedRecording : public testing::TestWithParam<Known> {};

TEST_P(SharedRecording, has_the_known_numbers_of_configurations_and_failures) {
  const auto path = std::filesystem::path(GKTUNE_SOURCE_DIR) / "../shared/replay" / GetParam().file;
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "there is no " << path;
  const auto recording = read_recording(path);
  EXPECT_EQ(recording->trials.size(), GetParam().configurations);
  const auto failed =
      std::ranges::count_if(recording->trials, [](const Trial& trial) { return !trial.ok(); });
  EXPECT_EQ(static_cast<std::size_t>(failed), GetParam().failed);
  EXPECT_EQ(space_of(*recording).size(), Count(GetParam().configurations));
}

INSTANTIATE_TEST_SUITE_P(All, SharedRecording,
                         testing::Values(Known{"convolution-A4000.json.gz", 4362, 161},
                                         Known{"convolution-W7800.json.gz", 4362, 116},
                                         Known{"pnpoly-RTX_3090.json.gz", 4092, 330},
                                         Known{"reduce-H200.json.gz", 18435, 0}));

}  // namespace
}  // namespace gktune
