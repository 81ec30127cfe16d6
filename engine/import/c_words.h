#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tuner/source/tokens.h"

namespace gktune {

// Reads an integer literal: 256, 256u, 1'024, 0x40.
std::optional<std::int64_t> integer_of(const Token& token);

// True for casts to an integer type (`unsigned int`) or to a real type (`const float`).
bool is_integer_cast(Tokens type);
bool is_real_cast(Tokens type);

// True for words that may precede a name without declaring it: the `return` of `return n = 3`.
bool declares_nothing(std::string_view word);

}  // namespace gktune
