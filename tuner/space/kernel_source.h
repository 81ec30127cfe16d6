#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tuner/source/flat_source.h"
#include "tuner/space/plan.h"

namespace gktune {

// Removes host code from a CUDA source and lets macros replace settings of the source. All variants
// have macros of the same names.
void keep_kernels(FlatSource& source, std::span<const SourcePlan* const> variants);
void keep_kernels(FlatSource& source, const SourcePlan& variant);

// The variant's macros, with the names that the source uses after keep_kernels().
std::vector<std::pair<std::string, std::string>> macros_for(const FlatSource& source,
                                                            const SourcePlan& variant);

}  // namespace gktune
