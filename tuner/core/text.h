#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gktune {

// Letters and digits of names in C++ and in expressions: ASCII, in any locale.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool is_word(char c) { return is_letter(c) || is_digit(c); }

// A character of UTF-8.
struct Character {
  std::uint32_t code;
  std::size_t length;
};
// The first character of the text; none if its first bytes are not UTF-8.
std::optional<Character> first_character(std::string_view text);
// Bytes in the character that this one begins; 0: it begins none.
std::size_t character_length(char first);
// The text with a replacement character for each byte that is no UTF-8.
std::string as_utf8(std::string text);

// True if C++20 reserves the word, also as another spelling of an operator (`and`).
bool is_cpp_keyword(std::string_view word);

inline std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

// The text without blanks at its ends.
inline std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n") {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

// The text as one word of a command line.
inline std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.,:/=@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) return std::string(text);
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + '\'';
}

// The texts of all items. `text` is a function or a member that gives the text of one.
template <class Items, class Text = std::identity>
std::string joined(const Items& items, std::string_view between = ", ", const Text& text = {}) {
  std::string all;
  for (const auto& item : items) {
    if (!all.empty()) all += between;
    all += std::invoke(text, item);
  }
  return all;
}

// The candidate that `word` most likely misspells. Nothing if none is close.
std::optional<std::string> closest(std::string_view word, std::span<const std::string> candidates);

// ", did you mean 'candidate'?", or nothing: the end of a message about an unknown word.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace gktune
