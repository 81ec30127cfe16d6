#include "gktune/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace gktune {
namespace {

Result<std::unique_ptr<int>> positive(int number) {
  if (number <= 0) return Error{"not positive", ErrorCode::invalid_argument};
  return std::make_unique<int>(number);
}

Result<void> require_positive(int number) {
  GKTUNE_TRY(positive(number));
  return {};
}

Result<int> sum_of_positive(int first, int second, int& evaluated) {
  const std::unique_ptr<int> left = GKTUNE_TRY(positive(first));
  ++evaluated;
  std::unique_ptr<int> right;
  right = GKTUNE_TRY(positive(second));
  ++evaluated;
  return *left + *right;
}

TEST(Result, try_gives_the_value) {
  int evaluated = 0;
  EXPECT_EQ(sum_of_positive(1, 2, evaluated).value(), 3);
  EXPECT_EQ(evaluated, 2);
  EXPECT_TRUE(require_positive(1).ok());
}

TEST(Result, try_returns_the_error_at_once) {
  int evaluated = 0;
  const auto sum = sum_of_positive(1, 0, evaluated);
  ASSERT_FALSE(sum);
  EXPECT_EQ(sum.error().message, "not positive");
  EXPECT_EQ(sum.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(evaluated, 1);
  EXPECT_FALSE(require_positive(0));
}

}  // namespace
}  // namespace gktune
