#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/source/file_reader.h"
#include "tuner/source/source_lines.h"

namespace gktune {

// A source whose includes of the author's own files are replaced with the files' texts, so that it does not
// depend on its folder. Lines of the kind `place` keep the file names and line numbers for diagnostics.
struct FlatSource {
  std::vector<SourceLine> lines;
  // Path and text of the author's files that it includes, directly or not, also of those that stay includes.
  std::map<std::string, std::string> files;
  // Parameters that set constants of the source: see replace_settings().
  std::set<std::string, std::less<>> constants;
};

// `keep`: files that <…> finds in the include folders stay includes, because a library may be large.
enum class AngleIncludes { keep, expand };

// Looks for "NAME" beside the file that includes it, then in the include folders; for <NAME> in the include
// folders only. Inserts a file as often as the preprocessor reads it: once if it has an include guard or
// #pragma once, else each time.
FlatSource flatten(const std::string& path, const std::string& text,
                   const std::vector<std::string>& include_dirs, AngleIncludes angles,
                   const FileReader& read = read_whole_file);

// For each line, true if it is compiled whatever macros are defined: it is inside no #if, or only inside
// include guards (an #ifndef followed by the #define of its macro).
std::vector<bool> unconditional_lines(const FlatSource& source);

// The lines as one text.
std::string text_of(const FlatSource& source);
// "#line 7 \"reduce.cu\"\n"
std::string line_directive(int line, std::string_view file);

}  // namespace gktune
