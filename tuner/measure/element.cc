#include "tuner/measure/element.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <type_traits>

#include "tuner/measure/comparison.h"

namespace gktune {
namespace {

template <class T>
std::string shortest(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) return "nan";  // its sign has no meaning
  }
  std::array<char, 32> buffer{};
  auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return std::string(buffer.data(), end);
}

}  // namespace

bool is_floating(ElementType type) { return type >= ElementType::float16; }

bool is_signed_integer(ElementType type) {
  return type == ElementType::int8 || type == ElementType::int16 || type == ElementType::int32 ||
         type == ElementType::int64;
}

std::uint64_t load_bits(ElementType type, const std::byte* element) {
  std::uint64_t bits = 0;
  const std::size_t size = element_size(type);
  std::memcpy(&bits, element, size);
  if (is_signed_integer(type) && size < 8) {
    const std::uint64_t sign = std::uint64_t{1} << (size * 8 - 1);
    bits = (bits ^ sign) - sign;
  }
  return bits;
}

void store_bits(ElementType type, std::byte* element, std::uint64_t bits) {
  std::memcpy(element, &bits, element_size(type));
}

double load_real(ElementType type, const std::byte* element) {
  const std::uint64_t bits = load_bits(type, element);
  switch (type) {
    case ElementType::float16:
      return decode_small_float(static_cast<unsigned>(bits), 5, 10);
    case ElementType::bfloat16:
      return decode_small_float(static_cast<unsigned>(bits), 8, 7);
    case ElementType::float8_e4m3:
      return decode_float8_e4m3(static_cast<unsigned>(bits));
    case ElementType::float8_e5m2:
      return decode_small_float(static_cast<unsigned>(bits), 5, 2);
    case ElementType::float32:
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    default:
      return std::bit_cast<double>(bits);
  }
}

void store_real(ElementType type, std::byte* element, double value) {
  store_all_reals(type, {element, element_size(type)}, [value](std::size_t) { return value; });
}

void store_number(ElementType type, std::byte* element, const Value& number) {
  if (is_floating(type)) {
    store_real(type, element, number.number());
  } else {
    store_bits(type, element, static_cast<std::uint64_t>(number.integer()));
  }
}

std::string element_text(ElementType type, const std::byte* element) {
  if (is_complex(type)) {
    const ElementType part = part_type(type);
    const std::string imaginary = element_text(part, element + element_size(part));
    return element_text(part, element) + (imaginary.front() == '-' ? "" : "+") + imaginary + 'i';
  }
  if (type == ElementType::float64) return shortest(load_real(type, element));
  if (is_floating(type)) return shortest(static_cast<float>(load_real(type, element)));
  const std::uint64_t bits = load_bits(type, element);
  return is_signed_integer(type) ? shortest(static_cast<std::int64_t>(bits)) : shortest(bits);
}

std::string number_text(double value) {
  std::array<char, 32> buffer{};
  auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, 6);
  return std::string(buffer.data(), end);
}

}  // namespace gktune
