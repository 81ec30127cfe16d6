#include "tuner/space/language/lexer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

#include "tuner/core/letters.h"

namespace gktune {
namespace {

// The longest first.
constexpr std::array<std::string_view, 23> kSymbols = {"**", "//", "<=", ">=", "==", "!=", "(", ")",
                                                       "[",  "]",  ",",  "+",  "-",  "*",  "/", "%",
                                                       "<",  ">",  "&&", "||", "!",  "=",  "^"};

// What people write who come from another language.
std::string_view advice(std::string_view symbol) {
  if (symbol == "&&") return "write 'and' for '&&'";
  if (symbol == "||") return "write 'or' for '||'";
  if (symbol == "!") return "write 'not' for '!'";
  if (symbol == "=") return "write '==' to compare";
  if (symbol == "^") return "write '**' for a power";
  return {};
}

std::optional<int> suffix_shift(std::string_view suffix) {
  if (suffix == "Ki") return 10;
  if (suffix == "Mi") return 20;
  if (suffix == "Gi") return 30;
  return std::nullopt;
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

Result<Token, ExpressionError> Lexer::next() {
  while (at_ < text_.size() && (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r')) ++at_;
  if (at_ == text_.size()) {
    Token end;
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
  Token token;
  token.kind = Token::Kind::value;
  token.offset = start;
  int base = 10;
  if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) base = 16;
  if (peek() == '0' && (peek(1) == 'b' || peek(1) == 'B')) base = 2;
  if (base != 10) at_ += 2;

  std::string digits;
  bool is_real = false;
  for (; at_ < text_.size(); ++at_) {
    const char c = peek();
    if (c == '_' && is_word(peek(1))) continue;
    if (base == 10) {
      const bool is_exponent = (c == 'e' || c == 'E') && !digits.empty();
      const bool has_sign = is_exponent && (peek(1) == '+' || peek(1) == '-');
      if (is_exponent && is_digit(peek(has_sign ? 2 : 1))) {
        digits += c;
        if (has_sign) digits += text_[++at_];
        is_real = true;
        continue;
      }
      if (c == '.') {
        is_real = true;
      } else if (!is_digit(c)) {
        break;
      }
    } else if (!is_word(c) || (base == 2 && !is_digit(c))) {
      break;
    }
    digits += c;
  }
  const std::size_t digits_end = at_;
  while (is_word(peek())) ++at_;
  token.length = at_ - start;
  const std::string_view suffix = text_.substr(digits_end, at_ - digits_end);

  const char* const last = digits.data() + digits.size();
  if (is_real) {
    double value = 0;
    const auto [end, status] = std::from_chars(digits.data(), last, value);
    if (status == std::errc::result_out_of_range) return error("this number does not fit in a double", start);
    if (end != last || !suffix.empty()) return error("this is not a number", start);
    token.value = value;
    return token;
  }
  std::int64_t value = 0;
  const auto [end, status] = std::from_chars(digits.data(), last, value, base);
  const auto shift = suffix_shift(suffix);
  if (digits.empty() || (status == std::errc() && end != last)) return error("this is not a number", start);
  if (!suffix.empty() && !shift) {
    return error("this is not a number: only Ki, Mi and Gi can follow its digits", start);
  }
  if (status == std::errc::result_out_of_range ||
      value > std::numeric_limits<std::int64_t>::max() >> shift.value_or(0)) {
    return error("this number does not fit in 64 bits", start);
  }
  token.value = value << shift.value_or(0);
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
  Token token;
  token.kind = Token::Kind::value;
  token.value = std::move(content);
  token.offset = start;
  token.length = at_ - start;
  return token;
}

Lexer::Lexed Lexer::name() {
  const std::size_t start = at_;
  while (is_word(peek()) || (peek() == '.' && is_letter(peek(1)))) ++at_;
  Token token;
  token.kind = Token::Kind::name;
  token.text = std::string(text_.substr(start, at_ - start));
  token.offset = start;
  token.length = at_ - start;
  if (token.text == "True" || token.text == "true" || token.text == "False" || token.text == "false") {
    token.kind = Token::Kind::value;
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
    return error(shown(text_[start]) + " has no meaning here", start);
  }
  at_ += known->size();
  if (const auto words = advice(*known); !words.empty()) return error(std::string(words), start);
  Token token;
  token.kind = Token::Kind::symbol;
  token.text = std::string(*known);
  token.offset = start;
  token.length = known->size();
  return token;
}

}  // namespace gktune
