#pragma once

#include <vector>

#include "tuner/space/definition.h"
#include "tuner/space/reader/arguments.h"
#include "tuner/space/reader/names.h"

namespace gktune {

// The launches of a candidate or, with View::problem, of the reference.
std::vector<Launch> read_launches(const YamlNode& node, Language language, View view, const std::vector<Axis>& axes,
                                  const std::vector<WrittenArgument>& arguments, Names& names, ErrorList& errors);

// True if one of the launches passes, fills or swaps this argument.
bool takes(const std::vector<Launch>& launches, const std::string& argument);

}  // namespace gktune
