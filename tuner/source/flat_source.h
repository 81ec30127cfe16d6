#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/source/file_reader.h"
#include "tuner/source/source_lines.h"

namespace gktune {

// A source with the author's own files in place of their includes. It is one text that does not
// depend on its folder. `place` lines keep the file names and line numbers that diagnostics show.
struct FlatSource {
  std::vector<SourceLine> lines;
  // The author's files that it includes, directly or not: path and text. Also those that stay includes.
  std::map<std::string, std::string> files;
  // Parameters whose values constants of the source take: see replace_settings().
  std::set<std::string, std::less<>> constants;
};

// Files found by <…> in the include folders stay includes: a library may be large.
enum class AngleIncludes { keep, expand };

// A quoted name is searched beside the file that includes it, then in the include folders; a name in <…> in
// the folders only. A file is inserted as often as the preprocessor would read it: once if it has an include
// guard or #pragma once, else each time.
FlatSource flatten(const std::string& path, const std::string& text,
                   const std::vector<std::string>& include_dirs, AngleIncludes angles,
                   const FileReader& read = read_whole_file);

// True for each line that is compiled with any macros: under no #if, or only under those of include guards,
// which are an #ifndef with the #define of its macro in the next line.
std::vector<bool> unconditional_lines(const FlatSource& source);

// The lines as one text.
std::string text_of(const FlatSource& source);
// "#line 7 \"reduce.cu\"\n"
std::string line_directive(int line, std::string_view file);

}  // namespace gktune
