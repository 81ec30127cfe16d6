#pragma once

#include <span>
#include <string_view>

namespace gktune {

// A file of this project that travels inside the program: see cmake/embed.cmake.
struct EmbeddedFile {
  std::string_view path;
  std::string_view text;
};

}  // namespace gktune
