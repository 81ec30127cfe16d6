#include "tuner/source/source_names.h"

#include <gtest/gtest.h>

namespace gktune {
namespace {

constexpr const char* kText = R"(
template <typename T> __global__ void twice(T* out) { out[threadIdx.x] = weight(2); }
namespace odd { __global__ void thrice(float* out); }
)";

TEST(MissingFunction, suggests_a_name_that_is_close) {
  EXPECT_EQ(missing_function("twcie<float>", "k.cu", kText),
            "k.cu has no function 'twcie', did you mean 'twice'?\n");
  EXPECT_EQ(missing_function("odd::thrcie", "k.cu", kText),
            "k.cu has no function 'thrcie', did you mean 'thrice'?\n");
  EXPECT_EQ(missing_function("histogram", "k.cu", kText), "k.cu has no function 'histogram'\n");
}

TEST(MissingFunction, reports_nothing_about_a_name_that_exists) {
  EXPECT_EQ(missing_function("twice<double, 3>", "k.cu", kText), std::nullopt);
  EXPECT_EQ(missing_function("odd::thrice", "k.cu", kText), std::nullopt);
  EXPECT_EQ(missing_function("even::thrice", "k.cu", kText), std::nullopt);
}

TEST(MissingFunction, does_not_accept_a_part_of_a_name) {
  EXPECT_EQ(missing_function("ice", "k.cu", kText), "k.cu has no function 'ice'\n");
}

}  // namespace
}  // namespace gktune
