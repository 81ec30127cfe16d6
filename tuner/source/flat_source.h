#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gktune/result.h"

namespace gktune {

// Returns the text of the file at this path, or the reason why it cannot be read.
using FileReader = std::function<Result<std::string>(const std::string& path)>;

// A FileReader for regular files of at most 16 MiB.
Result<std::string> read_whole_file(const std::string& path);

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
  int number = 0;       // number of its first line in the file
};

std::vector<SourceLine> split_source(std::string_view text);

bool is_blank(const SourceLine& line);
// Number of lines in the file.
int height_of(const SourceLine& line);

// A source whose includes of the author's own files are replaced with the files' texts, so that it does not
// depend on its folder. Lines of the kind `place` keep the file names and line numbers for diagnostics.
struct FlatSource {
  std::vector<SourceLine> lines;
  // Path and text of the author's files that it includes, directly or not, also of those that stay includes.
  std::map<std::string, std::string> files;
  // Parameters that set constants of the source: see replace_settings().
  std::set<std::string, std::less<>> constants;
  // Functions and variables of the host that drop_host_code() has removed.
  std::set<std::string, std::less<>> host_names;
};

// `keep`: files that <…> finds in the include folders stay includes, because a library may be large.
enum class AngleIncludes { keep, expand };

// Looks for "NAME" beside the file that includes it, then in the include folders; for <NAME> in the include
// folders only. Inserts a file as often as the preprocessor reads it: once if it has an include guard or
// #pragma once, else each time.
FlatSource flatten(const std::string& path, const std::string& text,
                   const std::vector<std::string>& include_dirs, AngleIncludes angles,
                   const FileReader& read = read_whole_file);

// For each line, true if no macro decides whether it is compiled: it is outside of all conditions except
// include guards (an #ifndef followed by the #define of its macro).
std::vector<bool> unconditional_lines(const FlatSource& source);

// The lines as one text.
std::string text_of(const FlatSource& source);
// "#line 7 \"reduce.cu\"\n"
std::string line_directive(int line, std::string_view file);

}  // namespace gktune
