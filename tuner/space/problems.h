#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tuner/space/definition.h"

namespace gktune {

// A file with more problems is an error.
constexpr std::size_t kMostProblems = 16'384;

// Number of combinations of the axes' values, at most kMostProblems + 1.
std::size_t problem_count(const std::vector<Axis>& axes);

// All problems; the last axis varies fastest.
std::vector<Problem> cross_product(const std::vector<Axis>& axes);

// The problems that a kernel is to be tuned for.
std::vector<Problem> problems_of(const KernelDefinition& kernel);

// The problems with each of these values of an axis instead of their own. No duplicates.
std::vector<Problem> with_values(const std::vector<Problem>& problems, const std::string& axis,
                                 const std::vector<Value>& values);

}  // namespace gktune
