#include "tuner/core/element_type.h"

#include <algorithm>
#include <iterator>

namespace gktune {
namespace {

struct Row {
  ElementType type;
  std::size_t size_bytes;
  std::string_view name;
};

// In the order of the enumeration.
constexpr Row kRows[] = {
    {ElementType::int8, 1, "int8"},
    {ElementType::int16, 2, "int16"},
    {ElementType::int32, 4, "int32"},
    {ElementType::int64, 8, "int64"},
    {ElementType::uint8, 1, "uint8"},
    {ElementType::uint16, 2, "uint16"},
    {ElementType::uint32, 4, "uint32"},
    {ElementType::uint64, 8, "uint64"},
    {ElementType::float16, 2, "float16"},
    {ElementType::bfloat16, 2, "bfloat16"},
    {ElementType::float32, 4, "float32"},
    {ElementType::float64, 8, "float64"},
    {ElementType::float8_e4m3, 1, "float8_e4m3"},
    {ElementType::float8_e5m2, 1, "float8_e5m2"},
    {ElementType::complex64, 8, "complex64"},
    {ElementType::complex128, 16, "complex128"},
};

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

const Row& row_of(ElementType type) { return kRows[static_cast<std::size_t>(type)]; }

}  // namespace

std::size_t element_size(ElementType type) { return row_of(type).size_bytes; }
std::string_view element_type_name(ElementType type) { return row_of(type).name; }

std::optional<ElementType> element_type_from_name(std::string_view name) {
  if (auto row = std::ranges::find(kRows, name, &Row::name); row != std::end(kRows)) return row->type;
  if (auto alias = std::ranges::find(kAliases, name, &Alias::name); alias != std::end(kAliases)) {
    return alias->type;
  }
  return std::nullopt;
}

}  // namespace gktune
