#include "tuner/core/text.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace gktune {
namespace {

// A wrong case costs less than a wrong letter.
constexpr std::size_t kEdit = 4;
constexpr std::size_t kCase = 1;
constexpr std::size_t kLongestWord = 128;  // longer ones are not typed by hand

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::size_t substitution(char a, char b) {
  if (a == b) return 0;
  return lower(a) == lower(b) ? kCase : kEdit;
}

// Insertions, deletions, substitutions, and swaps of neighbours, over three rows of the table.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j * kEdit;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i * kEdit;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({above[j] + kEdit, row[j - 1] + kEdit, above[j - 1] + substitution(a[i - 1], b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + kEdit);
      }
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

}  // namespace

std::size_t character_length(char first) {
  const auto byte = static_cast<unsigned char>(first);
  if (byte < 0x80) return 1;
  if (byte >= 0xc2 && byte < 0xe0) return 2;
  if (byte >= 0xe0 && byte < 0xf0) return 3;
  return byte >= 0xf0 && byte < 0xf5 ? 4 : 0;
}

std::optional<Character> first_character(std::string_view text) {
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const std::size_t length = text.empty() ? 0 : character_length(text.front());
  if (length == 0 || length > text.size()) return std::nullopt;
  const auto first = static_cast<unsigned char>(text.front());
  if (length == 1) return Character{first, 1};
  std::uint32_t code = first & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return std::nullopt;
    code = code << 6 | (next & 0x3fu);
  }
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  if (code < kLeast[length] || is_surrogate || code > 0x10ffff) return std::nullopt;
  return Character{code, length};
}

std::string as_utf8(std::string text) {
  const auto is_plain = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::ranges::all_of(text, is_plain)) return text;
  std::string valid;
  for (std::string_view rest = text; !rest.empty();) {
    const auto character = first_character(rest);
    const std::size_t length = character ? character->length : 1;
    valid += character ? rest.substr(0, length) : "\xef\xbf\xbd";
    rest.remove_prefix(length);
  }
  return valid;
}

std::optional<std::string> closest(std::string_view word, std::span<const std::string> candidates) {
  if (word.empty() || word.size() > kLongestWord) return std::nullopt;
  const std::string* best = nullptr;
  std::size_t best_distance = kEdit * std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongestWord) continue;
    const std::size_t apart = distance(word, candidate);
    // Reject a guess that shares no letter with the word.
    if (apart >= best_distance || apart >= kEdit * std::max(word.size(), candidate.size())) continue;
    best_distance = apart;
    best = &candidate;
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const auto guess = closest(word, candidates);
  return guess ? ", did you mean '" + *guess + "'?" : std::string();
}

bool is_cpp_keyword(std::string_view word) {
  static constexpr std::string_view kKeywords[] = {
      "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case",
      "catch", "char", "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return", "co_yield",
      "compl", "concept", "const", "const_cast", "consteval", "constexpr", "constinit", "continue",
      "decltype", "default", "delete", "do", "double", "dynamic_cast", "else", "enum", "explicit", "export",
      "extern", "false", "float", "for", "friend", "goto", "if", "inline", "int", "long", "mutable",
      "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq", "private",
      "protected", "public", "register", "reinterpret_cast", "requires", "return", "short", "signed",
      "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template", "this",
      "thread_local", "throw", "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using",
      "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
  };
  return std::ranges::find(kKeywords, word) != std::end(kKeywords);
}

}  // namespace gktune
