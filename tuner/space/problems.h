#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tuner/space/definition.h"

namespace gktune {

// More problems than this in a file are a mistake.
constexpr std::size_t kMostProblems = 16'384;

// Number of problems that the axes' values combine to; kMostProblems + 1 stands for more.
std::size_t problem_count(const std::vector<Axis>& axes);

// All problems; the last axis varies fastest.
std::vector<Problem> cross_product(const std::vector<Axis>& axes);

// The problems that a kernel is to be tuned for.
std::vector<Problem> problems_of(const KernelDefinition& kernel);

// `problems` with an axis set to each of these values instead of its own, without duplicates.
std::vector<Problem> with_values(const std::vector<Problem>& problems, const std::string& axis,
                                 const std::vector<Value>& values);

}  // namespace gktune
