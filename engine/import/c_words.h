#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tuner/source/tokens.h"

namespace gktune {

// 256, 256u, 1'024, 0x40.
std::optional<std::int64_t> integer_of(const Token& token);

// The type of a cast, as far as it says integer or real: `unsigned int`, `const float`.
bool is_integer_cast(Tokens type);
bool is_real_cast(Tokens type);

// Words in front of a name that do not declare it: `return n = 3`.
bool declares_nothing(std::string_view word);

}  // namespace gktune
