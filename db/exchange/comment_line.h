#pragma once

#include <algorithm>
#include <string>

namespace gktune {

// A name as part of a comment line in C++: nothing in it ends or continues the line.
inline std::string comment_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\\'; }, ' ');
  return text;
}

}  // namespace gktune
