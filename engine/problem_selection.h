#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/core/named_values.h"
#include "tuner/core/result.h"
#include "tuner/space/definition.h"

namespace gktune {

// The names and values of "n=1Mi,4Mi,T=float", as typed.
using AxisSelection = std::vector<std::pair<std::string, std::vector<std::string>>>;
// The message of an error shows `example`.
Result<AxisSelection> parse_selection(std::string_view text, std::string_view example);

// The problems of the space file that match any of the selections; all problems if there is no selection. An
// integer that the file does not list replaces the values of its axis. Other axes accept listed values only.
Result<std::vector<Problem>> select_problems(const KernelDefinition& kernel,
                                             const std::vector<std::string>& selections);

// Reads a problem to look up in the database. `known` gives the names and types of the axes.
Result<Problem> parse_problem(std::string_view text, const std::vector<Problem>& known);

// "n=1Mi,T=float", as parse_problem reads it.
std::string problem_text(const Problem& problem);

}  // namespace gktune
