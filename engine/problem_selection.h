#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/core/named_values.h"
#include "tuner/core/result.h"
#include "tuner/space/definition.h"

namespace gktune {

// "n=1Mi,4Mi,T=float": names with the values that were asked for, as they were typed.
using Selection = std::vector<std::pair<std::string, std::vector<std::string>>>;
// `example` shows how one is written, where this one is not.
Result<Selection> parse_selection(std::string_view text, std::string_view example);

// The file's problems, or those of them that a selection means: that have the values it names. An integer
// that none of them has takes the place of theirs; of other kinds of axes only what the file lists will do.
Result<std::vector<Problem>> select_problems(const KernelDefinition& kernel,
                                             const std::vector<std::string>& selections);

// One problem, for a question to the database. What is known there says what the axes are called and hold.
Result<Problem> parse_problem(std::string_view text, const std::vector<Problem>& known);

// As it is typed: n=1Mi,T=float.
std::string problem_text(const Problem& problem);

}  // namespace gktune
