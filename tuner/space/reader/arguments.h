#pragma once

#include <string>
#include <vector>

#include "tuner/space/definition.h"
#include "tuner/space/reader/names.h"

namespace gktune {

// How the outputs of a file are to be judged where it does not say so.
enum class Check { unsaid, none, wanted };

// An argument as it is written; faulty parts are left out.
struct WrittenArgument {
  Argument argument;
  Check check = Check::unsaid;
  const YamlNode* key = nullptr;
};

// `folder` is where the space file lies: what .npy files are relative to.
std::vector<WrittenArgument> read_arguments(const YamlNode& node, const std::vector<Axis>& axes,
                                            const std::string& folder, Names& names, Complaints& complaints);

}  // namespace gktune
