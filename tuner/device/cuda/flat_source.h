#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/space/source_lines.h"

namespace gktune {

// A source with what it includes by "…" put in its place, as far as that is found: from there on the source
// is one text, whatever its folder holds. #line directives keep the places that diagnostics name.
struct FlatSource {
  std::vector<SourceLine> lines;
  // What it includes by <…> from the given directories: name and text. Part of what it is, but left where it
  // lies.
  std::string included;
};

FlatSource flatten(const std::string& path, const std::string& text,
                   const std::vector<std::string>& include_dirs);

}  // namespace gktune
