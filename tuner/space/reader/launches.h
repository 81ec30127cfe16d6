#pragma once

#include <vector>

#include "tuner/space/definition.h"
#include "tuner/space/reader/arguments.h"
#include "tuner/space/reader/names.h"

namespace gktune {

// The program that launches belong to. Expressions of references and verifiers may not use parameters.
enum class LaunchesOf { candidate, reference, verifier };
constexpr View view_of(LaunchesOf whose) {
  return whose == LaunchesOf::candidate ? View::candidate : View::problem;
}

std::vector<Launch> read_launches(const YamlNode& node, Language language, LaunchesOf whose,
                                  const std::vector<Axis>& axes,
                                  const std::vector<WrittenArgument>& arguments, Names& names,
                                  ErrorList& errors);

// True if a launch passes, fills or swaps the argument.
bool takes(const std::vector<Launch>& launches, const std::string& argument);

}  // namespace gktune
