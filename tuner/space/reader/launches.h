#pragma once

#include <vector>

#include "tuner/space/definition.h"
#include "tuner/space/reader/arguments.h"
#include "tuner/space/reader/names.h"

namespace gktune {

// The steps of a candidate, or (seeing the problem alone) of the reference.
std::vector<Launch> read_launches(const YamlNode& node, Language language, View view,
                                  const std::vector<WrittenArgument>& arguments, Names& names,
                                  Complaints& complaints);

}  // namespace gktune
