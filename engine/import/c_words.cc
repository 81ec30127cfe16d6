#include "engine/import/c_words.h"

#include <algorithm>
#include <string>

#include "tuner/core/quantity.h"

namespace gktune {
namespace {

constexpr std::string_view kIntegerWords[] = {"int",      "unsigned", "signed",  "long",     "short",
                                              "char",     "size_t",   "int32_t", "uint32_t", "int64_t",
                                              "uint64_t", "uint",     "const"};
constexpr std::string_view kRealWords[] = {"float", "double", "real", "const"};

template <std::size_t N>
bool are_all(Tokens tokens, const std::string_view (&words)[N]) {
  return !tokens.empty() && std::ranges::all_of(tokens, [&](const Token& each) {
    return std::ranges::find(words, each.text) != std::end(words);
  });
}

}  // namespace

std::optional<std::int64_t> integer_of(const Token& token) {
  if (token.kind != Token::Kind::number) return std::nullopt;
  std::string digits;
  for (const char c : token.text) {
    if (c != '\'') digits += c;
  }
  while (!digits.empty() && std::string_view("uUlLzZ").find(digits.back()) != std::string_view::npos)
    digits.pop_back();
  if (digits.find_first_of(".eE") != std::string::npos && !digits.starts_with("0x")) return std::nullopt;
  const auto value = parse_integer(digits);
  return value ? std::optional(*value) : std::nullopt;
}

bool is_integer_cast(Tokens type) { return are_all(type, kIntegerWords); }
bool is_real_cast(Tokens type) { return are_all(type, kRealWords); }

bool declares_nothing(std::string_view word) {
  return is_any_of(word, {"return", "else", "goto", "case", "do", "delete", "new", "throw", "sizeof"});
}

}  // namespace gktune
