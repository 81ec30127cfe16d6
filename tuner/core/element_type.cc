#include "gktune/element_type.h"

#include <algorithm>
#include <iterator>

#include "tuner/core/fields.h"

namespace gktune {
namespace {

struct Alias {
  std::string_view name;
  ElementType type;
};

constexpr Alias kAliases[] = {
    {"char", ElementType::int8},
    {"signed char", ElementType::int8},
    {"int8_t", ElementType::int8},
    {"short", ElementType::int16},
    {"int16_t", ElementType::int16},
    {"int", ElementType::int32},
    {"int32_t", ElementType::int32},
    {"long", ElementType::int64},
    {"long long", ElementType::int64},
    {"int64_t", ElementType::int64},
    {"unsigned char", ElementType::uint8},
    {"uint8_t", ElementType::uint8},
    {"unsigned short", ElementType::uint16},
    {"uint16_t", ElementType::uint16},
    {"unsigned", ElementType::uint32},
    {"unsigned int", ElementType::uint32},
    {"uint32_t", ElementType::uint32},
    {"unsigned long", ElementType::uint64},
    {"unsigned long long", ElementType::uint64},
    {"uint64_t", ElementType::uint64},
    {"size_t", ElementType::uint64},
    {"half", ElementType::float16},
    {"__half", ElementType::float16},
    {"__nv_bfloat16", ElementType::bfloat16},
    {"nv_bfloat16", ElementType::bfloat16},
    {"bool", ElementType::uint8},
    {"__nv_fp8_e4m3", ElementType::float8_e4m3},
    {"__nv_fp8_e5m2", ElementType::float8_e5m2},
    {"float", ElementType::float32},
    {"double", ElementType::float64},
    {"cuComplex", ElementType::complex64},
    {"cuFloatComplex", ElementType::complex64},
    {"std::complex<float>", ElementType::complex64},
    {"cuda::std::complex<float>", ElementType::complex64},
    {"thrust::complex<float>", ElementType::complex64},
    {"cuDoubleComplex", ElementType::complex128},
    {"std::complex<double>", ElementType::complex128},
    {"cuda::std::complex<double>", ElementType::complex128},
    {"thrust::complex<double>", ElementType::complex128},
};

}  // namespace

std::size_t element_size(ElementType type) {
  static constexpr std::size_t kBytes[] = {1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 1, 1, 8, 16};
  return kBytes[static_cast<std::size_t>(type)];
}

std::span<const std::string_view> enum_names(ElementType) {
  static constexpr std::string_view kNames[] = {
      "int8",    "int16",    "int32",   "int64",   "uint8",       "uint16",      "uint32",    "uint64",
      "float16", "bfloat16", "float32", "float64", "float8_e4m3", "float8_e5m2", "complex64", "complex128"};
  return kNames;
}

std::string_view element_type_name(ElementType type) { return enum_name(type); }

std::optional<ElementType> element_type_from_name(std::string_view name) {
  if (const auto type = enum_from_name<ElementType>(name)) return type;
  if (auto alias = std::ranges::find(kAliases, name, &Alias::name); alias != std::end(kAliases)) {
    return alias->type;
  }
  return std::nullopt;
}

}  // namespace gktune
