#include "tuner/core/device_info.h"

#include <gtest/gtest.h>

namespace gktune {
namespace {

TEST(DeviceInfo, cards_of_one_model_have_equal_names_and_numbers_of_multiprocessors) {
  DeviceInfo whole, cut;
  whole.name = cut.name = "a card";
  whole.multiprocessors = 132;
  EXPECT_FALSE(are_of_one_model(whole, cut));
  cut.multiprocessors = 132;
  EXPECT_TRUE(are_of_one_model(whole, cut));
  cut.name = "another card";
  EXPECT_FALSE(are_of_one_model(whole, cut));
}

}  // namespace
}  // namespace gktune
