#include "engine/import/python_text.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "tuner/core/text.h"

namespace gktune {

// The end of the literal at this quote, behind its closing quote.
std::size_t end_of_python_literal(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string triple(3, quote);
  if (text.substr(at, 3) == triple) {
    const std::size_t end = text.find(triple, at + 3);
    return end == std::string_view::npos ? text.size() : end + 3;
  }
  for (++at; at < text.size() && text[at] != quote && text[at] != '\n'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

// Statements without comments: lines in brackets and in literals of several lines are one.
std::vector<std::string> python_statements(std::string_view text) {
  std::vector<std::string> all;
  std::string statement;
  int depth = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (is_quote(c)) {
      const std::size_t end = end_of_python_literal(text, i);
      statement += text.substr(i, end - i);
      i = end;
      continue;
    }
    if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == '\\' && i + 1 < text.size() && text[i + 1] == '\n') {
      i += 2;
      continue;
    }
    ++i;
    if (c != '\n' && c != ';') {
      statement += c;
    } else if (depth > 0) {
      statement += ' ';
    } else {
      all.push_back(std::exchange(statement, {}));
    }
  }
  all.push_back(statement);
  return all;
}

// The parts between separators outside of brackets and literals.
std::vector<std::string> split_python(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (is_quote(text[i])) {
      i = end_of_python_literal(text, i);
      continue;
    }
    if (text[i] == '(' || text[i] == '[' || text[i] == '{') ++depth;
    if (text[i] == ')' || text[i] == ']' || text[i] == '}') --depth;
    if (text[i] == separator && depth == 0) {
      parts.emplace_back(trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    }
    ++i;
  }
  const std::string last(trimmed(text.substr(begin)));
  if (!last.empty() || parts.empty()) parts.push_back(last);
  return parts;
}

std::vector<std::string> python_items(std::string_view list) {
  std::vector<std::string> items;
  for (std::string& item : split_python(list, ',')) {
    const bool is_open =
        !items.empty() && items.back().starts_with("lambda ") && split_python(items.back(), ':').size() == 1;
    if (is_open) {
      items.back() += ", " + item;
    } else if (!item.empty()) {
      items.push_back(std::move(item));
    }
  }
  return items;
}

// The list in the brackets that the text ends with: of f(a, b), [a, b], (a, b).
std::optional<std::string> python_list(std::string_view text, std::string_view open) {
  if (!text.starts_with(open)) return std::nullopt;
  int depth = 0;
  for (std::size_t i = open.size() - 1; i < text.size();) {
    if (is_quote(text[i])) {
      i = end_of_python_literal(text, i);
      continue;
    }
    if (text[i] == '(' || text[i] == '[' || text[i] == '{') ++depth;
    if (text[i] == ')' || text[i] == ']' || text[i] == '}') {
      if (--depth == 0) {
        if (i + 1 != text.size()) return std::nullopt;
        return std::string(text.substr(open.size(), i - open.size()));
      }
    }
    ++i;
  }
  return std::nullopt;
}

std::optional<std::string> python_literal(std::string_view text) {
  std::size_t prefix = 0;
  while (prefix < text.size() && prefix < 2 && std::isalpha(static_cast<unsigned char>(text[prefix])) != 0)
    ++prefix;
  text.remove_prefix(prefix);
  if (text.empty() || !is_quote(text[0]) || end_of_python_literal(text, 0) != text.size() || text.size() < 2)
    return std::nullopt;
  const std::size_t width = text.size() >= 6 && text.substr(0, 3) == std::string(3, text[0]) ? 3 : 1;
  return std::string(text.substr(width, text.size() - 2 * width));
}

}  // namespace gktune
