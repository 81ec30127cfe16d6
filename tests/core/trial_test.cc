#include "tuner/core/trial.h"

#include <gtest/gtest.h>

namespace gktune {
namespace {

TEST(Trial, every_status_is_found_by_its_name) {
  for (int i = 0; i <= static_cast<int>(kLastStatus); ++i) {
    auto status = static_cast<Status>(i);
    EXPECT_EQ(status_from_name(status_name(status)), status);
  }
  EXPECT_EQ(status_from_name("fine"), std::nullopt);
}

TEST(Trial, every_regime_is_found_by_its_name) {
  EXPECT_EQ(regime_from_name(regime_name(Regime::cold)), Regime::cold);
  EXPECT_EQ(regime_from_name(regime_name(Regime::hot)), Regime::hot);
  EXPECT_EQ(regime_from_name(""), std::nullopt);
}

}  // namespace
}  // namespace gktune
