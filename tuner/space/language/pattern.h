#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/result.h"
#include "tuner/space/language/expression.h"

namespace gktune {

// Text in which {expression} stands for its value. Plain text has no expressions in it.
struct Pattern {
  struct Part {
    std::string literal;                   // then
    std::optional<Expression> expression;  // its value
  };
  std::vector<Part> parts;
  std::string text;  // as written

  Result<std::string, ExpressionError> format(const Scope& scope) const;
};

// A piece of a pattern's text: literal, or what stands in braces.
struct PatternPiece {
  enum class Kind { literal, expression };
  Kind kind = Kind::literal;
  std::string text;
  std::size_t offset = 0;  // in the pattern; of a literal with doubled braces: of its first byte
};

// {{ and }} stand for braces.
Result<std::vector<PatternPiece>, ExpressionError> split_pattern(std::string_view text);

}  // namespace gktune
