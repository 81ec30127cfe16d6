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

TEST(DeviceInfo, attributes_are_its_identity_and_its_numbers) {
  DeviceInfo info;
  info.name = "a card";
  info.warp_size = 64;
  info.ecc = true;
  info.driver = "580";
  const NamedValues attributes = info.attributes();
  EXPECT_EQ(attributes.find("name")->text(), "a card");
  EXPECT_EQ(attributes.find("warp_size")->integer(), 64);
  EXPECT_EQ(attributes.find("ecc"), nullptr);
  EXPECT_EQ(attributes.find("driver"), nullptr);
  EXPECT_EQ(attributes.size(), 25u);
}

}  // namespace
}  // namespace gktune
