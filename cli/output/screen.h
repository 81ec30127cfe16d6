#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>

namespace gktune {

// The abilities of a stream's reader.
struct Screen {
  bool is_terminal = false;
  bool has_colour = false;
  std::size_t columns = 80;
};

enum class Ink { none, bold, dim, red, green, yellow, cyan };

// A text in an ink. Only the stream that prints it sees a colour code: strings never hold any.
struct Painted {
  Ink ink;
  std::string text;
};
std::ostream& operator<<(std::ostream& stream, const Painted& painted);

// The text in that ink, or as it is where the screen has no colour.
Painted paint(const Screen& screen, Ink ink, std::string_view text);

// Empties the terminal's current line and moves to its beginning.
void erase_line(std::ostream& stream);

// Number of columns that the text takes: one for each code point.
std::size_t columns_of(std::string_view text);

// The text, cut to this many columns; an ellipsis marks the cut.
std::string cut(std::string_view text, std::size_t columns);

}  // namespace gktune
