#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/source/flat_source.h"
#include "tuner/source/kernel_code.h"

namespace gktune {

// A name that a source uses as a constant and does not declare: a tuner defines it as a macro.
struct UnsetName {
  std::string name;
  std::vector<std::int64_t> compared_with;  // the numbers of `#if NAME == 2`, in their order
  bool is_in_directive = false;             // an #if or a #pragma names it
};

// Those of #if conditions that compare them with numbers, and those of `used` that the code only reads, in
// their order. A name that anything might declare is none.
std::vector<UnsetName> unset_names(const FlatSource& source, const NameSet& used);

}  // namespace gktune
