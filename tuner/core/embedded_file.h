#pragma once

#include <span>
#include <string_view>

namespace gktune {

// A file of this project that is embedded in the program: see cmake/embed.cmake.
struct EmbeddedFile {
  std::string_view path;
  std::string_view text;
};

}  // namespace gktune
