#include "tuner/core/version.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

namespace gktune {
namespace {

TEST(Version, consists_of_three_numbers) {
  EXPECT_EQ(std::ranges::count(kVersion, '.'), 2);
  EXPECT_TRUE(std::ranges::all_of(kVersion, [](unsigned char c) { return std::isdigit(c) || c == '.'; }));
}

}  // namespace
}  // namespace gktune
