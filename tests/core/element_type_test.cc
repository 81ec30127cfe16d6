#include "gktune/element_type.h"

#include <gtest/gtest.h>

namespace gktune {
namespace {

TEST(ElementType, every_type_is_found_by_its_own_name) {
  for (int i = 0; i <= static_cast<int>(ElementType::complex128); ++i) {
    auto type = static_cast<ElementType>(i);
    EXPECT_EQ(element_type_from_name(element_type_name(type)), type);
  }
}

TEST(ElementType, type_names_of_cpp_are_known) {
  EXPECT_EQ(element_type_from_name("unsigned char"), ElementType::uint8);
  EXPECT_EQ(element_type_from_name("half"), ElementType::float16);
  EXPECT_EQ(element_type_from_name("__nv_bfloat16"), ElementType::bfloat16);
  EXPECT_EQ(element_type_from_name("cuDoubleComplex"), ElementType::complex128);
  EXPECT_EQ(element_type_from_name("cuda::std::complex<float>"), ElementType::complex64);
  EXPECT_EQ(element_type_from_name("float4"), std::nullopt);
  EXPECT_EQ(element_type_from_name("complex<int>"), std::nullopt);
}

TEST(ElementType, sizes_equal_those_of_cpp) {
  EXPECT_EQ(element_size(ElementType::int8), 1u);
  EXPECT_EQ(element_size(ElementType::bfloat16), 2u);
  EXPECT_EQ(element_size(ElementType::float32), 4u);
  EXPECT_EQ(element_size(ElementType::uint64), 8u);
  EXPECT_EQ(element_size(ElementType::complex128), 16u);
}

TEST(ElementType, complex_numbers_have_two_parts) {
  for (int i = 0; i <= static_cast<int>(ElementType::complex128); ++i) {
    const auto type = static_cast<ElementType>(i);
    EXPECT_EQ(element_size(type), (is_complex(type) ? 2 : 1) * element_size(part_type(type)));
  }
  EXPECT_EQ(part_type(ElementType::complex64), ElementType::float32);
  EXPECT_FALSE(is_complex(ElementType::float64));
}

}  // namespace
}  // namespace gktune
