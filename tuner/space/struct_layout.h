#pragma once

#include <cstddef>
#include <vector>

#include "tuner/space/plan.h"

namespace gktune {

// The layout of a function's parameter. A struct has the offsets that C++ gives its
// members; others have one part.
struct StructLayout {
  struct Part {
    std::size_t offset = 0, bytes = 0;
    int index = 0;  // a scalar or a buffer; see passed_argument()
  };
  std::size_t bytes = 0, alignment = 1;
  std::vector<Part> parts;
};
StructLayout layout_of(const std::vector<ArgumentPlan>& arguments, const ProgramPlan& program, int index);

}  // namespace gktune
