#pragma once

#if __cplusplus <= 201703L
#error "gktune needs C++20: compile with -std=c++20"
#endif

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace gktune {

// Type of an argument's elements.
enum class ElementType {
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  bfloat16,
  float32,
  float64,
  float8_e4m3,
  float8_e5m2,
  complex64,   // two of float32: the real part and the imaginary part
  complex128,  // two of float64
};

constexpr bool is_complex(ElementType type) { return type >= ElementType::complex64; }
// The type of a complex number's parts; any other type itself.
constexpr ElementType part_type(ElementType type) {
  if (!is_complex(type)) return type;
  return type == ElementType::complex64 ? ElementType::float32 : ElementType::float64;
}

std::size_t element_size(ElementType type);
std::span<const std::string_view> enum_names(ElementType);  // of all types, in their order
std::string_view element_type_name(ElementType type);
// Accepts C++ names too: int, "unsigned char", half, __nv_bfloat16, float, double …
std::optional<ElementType> element_type_from_name(std::string_view name);

}  // namespace gktune
