#include "gktune/element_type.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "tuner/core/fields.h"

namespace gktune {
namespace {

// The names of each type in C++, in the order of the types.
constexpr std::array<std::string_view, 8> kAliases[] = {
    {"char", "signed char", "int8_t"},
    {"short", "short int", "int16_t"},
    {"int", "signed", "signed int", "int32_t"},
    {"long", "long int", "long long", "long long int", "int64_t", "ptrdiff_t", "intptr_t", "clock_t"},
    {"unsigned char", "uint8_t", "bool"},
    {"unsigned short", "unsigned short int", "uint16_t", "ushort"},
    {"unsigned", "unsigned int", "uint32_t", "uint"},
    {"unsigned long", "unsigned long int", "unsigned long long", "unsigned long long int", "uint64_t",
     "size_t", "ulong", "uintptr_t"},
    {"half", "__half"},
    {"__nv_bfloat16", "nv_bfloat16"},
    {"float"},
    {"double"},
    {"__nv_fp8_e4m3"},
    {"__nv_fp8_e5m2"},
    {"cuComplex", "cuFloatComplex", "std::complex<float>", "cuda::std::complex<float>",
     "thrust::complex<float>"},
    {"cuDoubleComplex", "std::complex<double>", "cuda::std::complex<double>", "thrust::complex<double>"}};

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
  if (name.empty()) return std::nullopt;
  const auto alias = std::ranges::find_if(
      kAliases, [&](const auto& names) { return std::ranges::find(names, name) != names.end(); });
  if (alias == std::end(kAliases)) return enum_from_name<ElementType>(name);
  return static_cast<ElementType>(alias - std::begin(kAliases));
}

}  // namespace gktune
