#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/core/named_values.h"
#include "tuner/core/result.h"
#include "tuner/space/definition.h"

namespace gktune {

// "n=1Mi,4Mi,T=float": names with their values as typed.
using AxisSelection = std::vector<std::pair<std::string, std::vector<std::string>>>;
// An error shows `example`.
Result<AxisSelection> parse_selection(std::string_view text, std::string_view example);

// The problems of the file that match a selection; all without one. An integer that the file does not list
// replaces the values of its axis; other axes accept listed values only.
Result<std::vector<Problem>> select_problems(const KernelDefinition& kernel,
                                             const std::vector<std::string>& selections);

// One problem to look up in the database. The known problems give the names and types of the axes.
Result<Problem> parse_problem(std::string_view text, const std::vector<Problem>& known);

// "n=1Mi,T=float", as parse_problem reads it.
std::string problem_text(const Problem& problem);

}  // namespace gktune
