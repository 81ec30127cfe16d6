#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gktune {

// A logical line: a backslash, a comment in a directive or a raw string can join several lines of the file.
struct SourceLine {
  enum class Kind {
    code,
    include,         // name: "x.h", <x.h> or a macro, as written
    system_include,  // an include of a header that is not the author's; split_source() never sets it
    define,          // name: the macro
    undef,           // name: the macro
    condition,       // a directive from #if to #endif; name: the directive
    once,            // #pragma once
    directive,       // any other
    place,           // a #line that flatten() adds; name: the file
  };
  Kind kind = Kind::code;
  std::string text;  // without comments; ends in a line feed; has as many lines as in the file
  std::string name;
  std::string written;  // with comments
  int number = 0;       // number of its first line in the file
};

std::vector<SourceLine> split_source(std::string_view text);

bool is_blank(const SourceLine& line);
// Number of lines in the file.
int height_of(const SourceLine& line);

}  // namespace gktune
