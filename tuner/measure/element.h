#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "gktune/element_type.h"
#include "gktune/values.h"

namespace gktune {

// Elements of any type in memory.

// Complex types are floating types too. The functions for bits and numbers take their parts.
bool is_floating(ElementType type);
bool is_signed_integer(ElementType type);

// The element's own bits; a signed integer's are widened to 64 with its sign.
std::uint64_t load_bits(ElementType type, const std::byte* element);
void store_bits(ElementType type, std::byte* element, std::uint64_t bits);

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
