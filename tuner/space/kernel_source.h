#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tuner/source/flat_source.h"
#include "tuner/space/plan.h"

namespace gktune {

// Leaves the part of a CUDA source that kernels use, and lets the macros of its variants, which all have the same
// names, replace settings of the source.
void keep_kernels(FlatSource& source, std::span<const SourcePlan* const> variants);
void keep_kernels(FlatSource& source, const SourcePlan& variant);

// The variant's macros by the names under which the prepared source uses them.
std::vector<std::pair<std::string, std::string>> macros_for(const FlatSource& source, const SourcePlan& variant);

}  // namespace gktune
