#include "tuner/space/language/lexer.h"

#include <algorithm>
#include <array>

#include "tuner/core/letters.h"
#include "tuner/core/quantity.h"

namespace gktune {
namespace {

// The longest first.
constexpr std::array<std::string_view, 23> kSymbols = {"**", "//", "<=", ">=", "==", "!=", "(", ")",
                                                       "[",  "]",  ",",  "+",  "-",  "*",  "/", "%",
                                                       "<",  ">",  "&&", "||", "!",  "=",  "^"};

// Advice on operators of other languages.
std::string_view advice(std::string_view symbol) {
  if (symbol == "&&") return "unknown operator '&&'; write 'and'";
  if (symbol == "||") return "unknown operator '||'; write 'or'";
  if (symbol == "!") return "unknown operator '!'; write 'not'";
  if (symbol == "=") return "unknown operator '='; write '==' to compare";
  if (symbol == "^") return "unknown operator '^'; write '**' for a power";
  return {};
}

std::string shown(char c) {
  static constexpr char kHex[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x20 && byte < 0x7f) return {'\'', c, '\''};
  return std::string("byte 0x") + kHex[byte >> 4] + kHex[byte & 15];
}

}  // namespace

bool is_keyword(std::string_view word) {
  return word == "and" || word == "or" || word == "not" || word == "in" || word == "if" || word == "else";
}

ExpressionError Lexer::error(std::string message, std::size_t from) const {
  return {std::move(message), from, std::max<std::size_t>(1, at_ - from)};
}

Result<ExpressionToken, ExpressionError> Lexer::next() {
  while (at_ < text_.size() && (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r')) ++at_;
  if (at_ == text_.size()) {
    ExpressionToken end;
    end.offset = at_;
    return end;
  }
  if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) return number();
  if (is_letter(peek())) return name();
  if (peek() == '"' || peek() == '\'') return literal();
  return symbol();
}

Lexer::Lexed Lexer::number() {
  const std::size_t start = at_;
  const bool is_decimal = !is_letter(peek(1)) || peek(1) == 'e' || peek(1) == 'E';
  while (is_word(peek()) || peek() == '.') {
    const bool is_exponent = is_decimal && (peek() == 'e' || peek() == 'E');
    ++at_;
    if (is_exponent && (peek() == '+' || peek() == '-') && is_digit(peek(1))) ++at_;
  }
  auto number = parse_number(text_.substr(start, at_ - start));
  if (!number) return error(number.error().message, start);
  ExpressionToken token;
  token.kind = ExpressionToken::Kind::value;
  token.value = *std::move(number);
  token.offset = start;
  token.length = at_ - start;
  return token;
}

Lexer::Lexed Lexer::literal() {
  const std::size_t start = at_;
  const char quote = peek();
  std::string content;
  for (++at_; at_ < text_.size() && peek() != quote; ++at_) {
    if (peek() == '\\') {
      ++at_;
      if (peek() != '\\' && peek() != '\'' && peek() != '"') {
        --at_;
        const std::size_t backslash = at_;
        at_ = std::min(at_ + 2, text_.size());
        return error("only a quote or a backslash can follow a backslash", backslash);
      }
    }
    content += peek();
  }
  if (at_ == text_.size()) return error("this string is not closed", start);
  ++at_;
  ExpressionToken token;
  token.kind = ExpressionToken::Kind::value;
  token.value = std::move(content);
  token.offset = start;
  token.length = at_ - start;
  return token;
}

Lexer::Lexed Lexer::name() {
  const std::size_t start = at_;
  while (is_word(peek()) || (peek() == '.' && is_letter(peek(1)))) ++at_;
  ExpressionToken token;
  token.kind = ExpressionToken::Kind::name;
  token.text = std::string(text_.substr(start, at_ - start));
  token.offset = start;
  token.length = at_ - start;
  if (token.text == "True" || token.text == "true" || token.text == "False" || token.text == "false") {
    token.kind = ExpressionToken::Kind::value;
    token.value = token.text == "True" || token.text == "true";
  }
  return token;
}

Lexer::Lexed Lexer::symbol() {
  const std::size_t start = at_;
  const auto* known = std::ranges::find_if(
      kSymbols, [&](std::string_view symbol) { return text_.substr(start).starts_with(symbol); });
  if (known == kSymbols.end()) {
    ++at_;
    return error("unexpected " + shown(text_[start]), start);
  }
  at_ += known->size();
  if (const auto words = advice(*known); !words.empty()) return error(std::string(words), start);
  ExpressionToken token;
  token.kind = ExpressionToken::Kind::symbol;
  token.text = std::string(*known);
  token.offset = start;
  token.length = known->size();
  return token;
}

}  // namespace gktune
