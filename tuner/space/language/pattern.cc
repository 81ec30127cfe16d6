#include "tuner/space/language/pattern.h"

namespace gktune {
namespace {

// Finds the brace that closes the one opened before `at`; ignores braces inside quoted strings.
std::size_t closing_brace(std::string_view text, std::size_t at) {
  char quote = '\0';
  for (; at < text.size(); ++at) {
    if (quote != '\0') {
      if (text[at] == '\\') {
        ++at;
      } else if (text[at] == quote) {
        quote = '\0';
      }
    } else if (text[at] == '"' || text[at] == '\'') {
      quote = text[at];
    } else if (text[at] == '}') {
      return at;
    }
  }
  return std::string_view::npos;
}

}  // namespace

Result<std::vector<PatternPiece>, ExpressionError> split_pattern(std::string_view text) {
  std::vector<PatternPiece> pieces;
  const auto add_literal = [&](char c, std::size_t offset) {
    if (pieces.empty() || pieces.back().kind != PatternPiece::Kind::literal) {
      pieces.push_back({PatternPiece::Kind::literal, {}, offset});
    }
    pieces.back().text += c;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c != '{' && c != '}') {
      add_literal(c, at);
    } else if (at + 1 < text.size() && text[at + 1] == c) {
      add_literal(c, at++);
    } else if (c == '}') {
      return ExpressionError{"unmatched closing brace; write }} for a brace", at, 1};
    } else {
      const std::size_t end = closing_brace(text, at + 1);
      if (end == std::string_view::npos) {
        return ExpressionError{"unclosed brace; write {{ for a brace", at, 1};
      }
      pieces.push_back(
          {PatternPiece::Kind::expression, std::string(text.substr(at + 1, end - at - 1)), at + 1});
      at = end;
    }
  }
  return pieces;
}

Result<std::string, ExpressionError> Pattern::format(const Scope& scope) const {
  std::string formatted;
  for (const Part& part : parts) {
    formatted += part.literal;
    if (!part.expression) continue;
    auto value = part.expression->evaluate(scope);
    if (!value) return std::move(value).error();
    formatted += value->str();
  }
  return formatted;
}

}  // namespace gktune
