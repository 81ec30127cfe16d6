#include "tuner/source/edits.h"

#include <algorithm>
#include <utility>

namespace gktune {

void Edits::replace(const Token& first, const Token& last, std::string replacement) {
  const auto begin = static_cast<std::size_t>(first.text.data() - text_.data());
  const auto end = static_cast<std::size_t>(last.text.data() - text_.data()) + last.text.size();
  const std::string_view replaced = text_.substr(begin, end - begin);
  replacement.append(static_cast<std::size_t>(std::ranges::count(replaced, '\n')), '\n');
  edits_.push_back({replaced, std::move(replacement)});
}

std::string Edits::apply() const {
  std::string result;
  std::size_t at = 0;
  for (const Edit& edit : edits_) {
    const auto begin = static_cast<std::size_t>(edit.replaced.data() - text_.data());
    result += text_.substr(at, begin - at);
    result += edit.replacement;
    at = begin + edit.replaced.size();
  }
  result += text_.substr(at);
  return result;
}

}  // namespace gktune
