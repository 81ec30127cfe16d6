#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gktune {

// A line of the preprocessor: it includes the lines that a backslash, a comment in a directive or
// a raw string joins to it.
struct SourceLine {
  enum class Kind {
    code,
    include,         // name: "x.h", <x.h> or a macro, as written
    system_include,  // an include of a header that is not the author's; split_source leaves this open
    define,          // name: of the macro
    undef,           // name: of the macro
    condition,       // #if to #endif; name: of the directive
    once,            // #pragma once
    directive,       // any other
    place,           // a #line that flatten() adds; name: of the file
  };
  Kind kind = Kind::code;
  std::string text;  // without comments; ends in a line feed; as many lines as in the source
  std::string name;
  std::string written;  // with its comments
  int number = 0;       // of its first line in its file
};

std::vector<SourceLine> split_source(std::string_view text);

bool is_blank(const SourceLine& line);
// Number of lines that it spans.
int height_of(const SourceLine& line);

}  // namespace gktune
