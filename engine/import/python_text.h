#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Functions on the text of Python scripts.
namespace gktune {

inline bool is_quote(char c) { return c == '"' || c == '\''; }

// The position behind the closing quote of the literal that begins at this quote.
std::size_t end_of_python_literal(std::string_view text, std::size_t at);

// The statements, without comments. A statement continues over lines inside brackets and literals.
std::vector<std::string> python_statements(std::string_view text);

// The parts between separators outside of brackets and literals.
std::vector<std::string> split_python(std::string_view text, char separator);

// The items of a list. Commas between the parameters of a lambda separate no items.
std::vector<std::string> python_items(std::string_view list);

// The text between the opening bracket and the closing bracket at the end: "a, b"
// of f(a, b), [a, b] or (a, b).
std::optional<std::string> python_list(std::string_view text, std::string_view open);

// The characters of a literal; nothing if the text is something else.
std::optional<std::string> python_literal(std::string_view text);

}  // namespace gktune
