#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gktune {

// What a stream can show.
struct Screen {
  bool is_terminal = false;
  bool has_colour = false;
  std::size_t columns = 80;
};

enum class Ink { bold, dim, red, green, yellow, cyan };

// The text in that ink, where the screen has colour.
std::string paint(const Screen& screen, Ink ink, std::string_view text);

// How many columns the text takes: code points, colour codes aside.
std::size_t columns_of(std::string_view text);

// The text, cut to so many columns; an ellipsis stands for what is missing.
std::string cut(std::string_view text, std::size_t columns);

}  // namespace gktune
