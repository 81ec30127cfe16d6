#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gktune/result.h"
#include "gktune/values.h"
#include "tuner/space/definition.h"

namespace gktune {

// The problems of the space file that match any of the selections; all problems if there is no selection. An
// integer that the file does not list replaces the values of its axis. Other axes accept listed values only.
Result<std::vector<Problem>> select_problems(const KernelDefinition& kernel,
                                             const std::vector<std::string>& selections);

// Removes the values that a selection does not list: "way=naive,coalesced,tileM=64" leaves two
// values of `way` and one of `tileM`. Parameters that no selection names keep all values. An
// unknown name or value is an error.
Result<void> select_values(std::vector<Parameter>& parameters, const std::vector<std::string>& selections);

// Reads a problem to look up in the database. `known` gives the names and types of the axes.
Result<Problem> parse_problem(std::string_view text, const std::vector<Problem>& known);

// "n=1Mi,T=float", as parse_problem reads it.
std::string problem_text(const Problem& problem);

}  // namespace gktune
