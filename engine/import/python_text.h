#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The text of Python scripts, which are read and never run.
namespace gktune {

inline bool is_quote(char c) { return c == '"' || c == '\''; }

// The end of the literal at this quote, behind its closing quote.
std::size_t end_of_python_literal(std::string_view text, std::size_t at);

// Statements without comments: lines in brackets and in literals of several lines are one.
std::vector<std::string> python_statements(std::string_view text);

// The parts between separators outside of brackets and literals.
std::vector<std::string> split_python(std::string_view text, char separator);

// The items of a list; a comma between the names of a lambda separates none.
std::vector<std::string> python_items(std::string_view list);

// The list in the brackets that the text ends with: of f(a, b), [a, b], (a, b).
std::optional<std::string> python_list(std::string_view text, std::string_view open);

// The characters of a literal; nothing if the text is something else.
std::optional<std::string> python_literal(std::string_view text);

}  // namespace gktune
