#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "gktune/element_type.h"
#include "gktune/values.h"
#include "tuner/measure/generator.h"

namespace gktune {

// Elements of any type in memory.

// Complex types are floating types too. The functions for bits and numbers take their parts.
bool is_floating(ElementType type);
bool is_signed_integer(ElementType type);

// The element's own bits; a signed integer's are widened to 64 with its sign.
std::uint64_t load_bits(ElementType type, const std::byte* element);
void store_bits(ElementType type, std::byte* element, std::uint64_t bits);

// Calls the function with ranges that cover 0 to count, on as many threads as the process has cores. A thread
// takes at least `least` items: fewer are not worth a thread.
template <class Function>
void in_parallel(std::size_t count, std::size_t least, const Function& function) {
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  const std::size_t parts = std::clamp<std::size_t>(count / least, 1, cores);
  std::vector<std::jthread> threads;
  for (std::size_t part = 1; part < parts; ++part) {
    const std::size_t first = count * part / parts, end = count * (part + 1) / parts;
    try {
      threads.emplace_back([&function, first, end] { function(first, end); });
    } catch (const std::system_error&) {  // the system has no more threads
      function(first, end);
    }
  }
  function(std::size_t{0}, count / parts);
}

// Fewer are not worth a thread of their own.
inline constexpr std::size_t kLeastElements = std::size_t{1} << 16;

// Sets all elements of a buffer, a complex one part by part, at the speed that `value_at` allows. `value_at`
// gives the bits of an element of this size, or the number of a floating-point element; several threads call
// it.
template <class T, class ValueAt>
void store_all(std::span<std::byte> buffer, ValueAt&& value_at) {
  in_parallel(buffer.size() / sizeof(T), kLeastElements, [&](std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
      const T value = static_cast<T>(value_at(i));
      std::memcpy(buffer.data() + i * sizeof(T), &value, sizeof(T));
    }
  });
}
template <class BitsAt>
void store_all_bits(ElementType type, std::span<std::byte> buffer, BitsAt&& bits_at) {
  switch (element_size(type)) {
    case 1:
      return store_all<std::uint8_t>(buffer, bits_at);
    case 2:
      return store_all<std::uint16_t>(buffer, bits_at);
    case 4:
      return store_all<std::uint32_t>(buffer, bits_at);
    default:
      return store_all<std::uint64_t>(buffer, bits_at);
  }
}
template <class ValueAt>
void store_all_reals(ElementType type, std::span<std::byte> buffer, ValueAt&& value_at) {
  const auto small = [&](int exponent_bits, int fraction_bits) {
    return [=, &value_at](std::size_t i) {
      return encode_small_float(value_at(i), exponent_bits, fraction_bits);
    };
  };
  switch (type) {
    case ElementType::float16:
      return store_all<std::uint16_t>(buffer, small(5, 10));
    case ElementType::bfloat16:
      return store_all<std::uint16_t>(buffer, small(8, 7));
    case ElementType::float8_e4m3:
      return store_all<std::uint8_t>(buffer, [&](std::size_t i) { return encode_float8_e4m3(value_at(i)); });
    case ElementType::float8_e5m2:
      return store_all<std::uint8_t>(buffer, small(5, 2));
    case ElementType::float32:
      return store_all<float>(buffer, value_at);
    default:
      return store_all<double>(buffer, value_at);
  }
}

// The value of a floating-point element, exact.
double load_real(ElementType type, const std::byte* element);
// Rounded to the nearest that the type has.
void store_real(ElementType type, std::byte* element, double value);

// A value of the type's own kind: an integer, or a number for a floating type.
void store_number(ElementType type, std::byte* element, const Value& number);

// The shortest text that distinguishes it from its neighbours: 3.5, -7, nan, 1+2i.
std::string element_text(ElementType type, const std::byte* element);
// The shortest text that reads as the same number: 0.5, 1e-07, inf.
std::string number_text(double value);

}  // namespace gktune
