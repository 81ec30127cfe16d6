#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gktune/result.h"
#include "tuner/core/fields.h"
#include "tuner/space/language/expression.h"

namespace gktune {

// A text in which {expression} is replaced with its value.
struct Pattern {
  struct Part {
    std::string literal;                   // comes first
    std::optional<Expression> expression;  // its value follows
  };
  std::vector<Part> parts;
  std::string text;  // as written

  Result<std::string, ExpressionError> format(const Scope& scope) const;
};

template <class Archive, Is<Pattern::Part> S>
void fields(Archive&& archive, S& part) {
  archive("literal", part.literal);
  archive("expression", part.expression);
}

template <class Archive, Is<Pattern> S>
void fields(Archive&& archive, S& pattern) {
  archive("parts", pattern.parts);
  archive("text", pattern.text);
}

// A part of a pattern's text: literal text, or the text between braces.
struct PatternPiece {
  enum class Kind { literal, expression };
  Kind kind = Kind::literal;
  std::string text;
  std::size_t offset = 0;  // of its first byte in the pattern
};

// Splits a pattern at its braces. {{ and }} mean literal braces.
Result<std::vector<PatternPiece>, ExpressionError> split_pattern(std::string_view text);

}  // namespace gktune
