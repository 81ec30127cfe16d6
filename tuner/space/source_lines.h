#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gktune {

// A line of C++ as its preprocessor counts them: with the lines that a backslash joins to it.
struct SourceLine {
  enum class Kind {
    code,
    include,          // name: "x.h" or <x.h>, as written
    toolkit_include,  // the same, of a header that is none of the author's; split_source does not know which
                      // is
    define,           // name: of the macro
    condition,        // #if to #endif, #undef
    once,             // #pragma once
    directive,        // any other
  };
  Kind kind = Kind::code;
  std::string text;  // no comments; ends in a newline; as many lines as in the source
  std::string name;
};

std::vector<SourceLine> split_source(std::string_view text);

}  // namespace gktune
