#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace gktune {

// The text without blanks at its ends.
inline std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n") {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
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

}  // namespace gktune
