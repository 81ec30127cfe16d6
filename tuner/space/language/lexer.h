#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "gktune/result.h"
#include "gktune/values.h"
#include "tuner/space/language/expression.h"

namespace gktune {

// A token of the expression language.
struct ExpressionToken {
  enum class Kind { end, name, value, symbol };
  Kind kind = Kind::end;
  std::string text;  // a name, a keyword or a symbol
  Value value;       // a literal
  std::size_t offset = 0, length = 0;

  bool is(std::string_view word) const {
    return (kind == Kind::name || kind == Kind::symbol) && text == word;
  }
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  Result<ExpressionToken, ExpressionError> next();

 private:
  using Lexed = Result<ExpressionToken, ExpressionError>;
  Lexed number();
  Lexed literal();
  Lexed name();
  Lexed symbol();
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  ExpressionError error(std::string message, std::size_t from) const;

  std::string_view text_;
  std::size_t at_ = 0;
};

bool is_keyword(std::string_view word);

}  // namespace gktune
