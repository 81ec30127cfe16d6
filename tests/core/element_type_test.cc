#include "tuner/core/element_type.h"

#include <gtest/gtest.h>

namespace gktune {
namespace {

TEST(ElementType, every_type_is_found_by_its_own_name) {
  for (int i = 0; i <= static_cast<int>(ElementType::float64); ++i) {
    auto type = static_cast<ElementType>(i);
    EXPECT_EQ(element_type_from_name(element_type_name(type)), type);
  }
}

TEST(ElementType, names_of_cpp_are_known) {
  EXPECT_EQ(element_type_from_name("unsigned char"), ElementType::uint8);
  EXPECT_EQ(element_type_from_name("half"), ElementType::float16);
  EXPECT_EQ(element_type_from_name("__nv_bfloat16"), ElementType::bfloat16);
  EXPECT_EQ(element_type_from_name("float4"), std::nullopt);
}

TEST(ElementType, sizes_are_those_of_cpp) {
  EXPECT_EQ(element_size(ElementType::int8), 1u);
  EXPECT_EQ(element_size(ElementType::bfloat16), 2u);
  EXPECT_EQ(element_size(ElementType::float32), 4u);
  EXPECT_EQ(element_size(ElementType::uint64), 8u);
}

}  // namespace
}  // namespace gktune
