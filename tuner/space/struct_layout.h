#pragma once

#include <cstddef>
#include <vector>

#include "tuner/space/plan.h"

namespace gktune {

// The bytes of a parameter, as C++ lays out a struct. Any other parameter has one part.
struct StructLayout {
  struct Part {
    std::size_t offset = 0, bytes = 0;
    int index = 0;  // of a scalar or a buffer; see passed_argument()
  };
  std::size_t bytes = 0, alignment = 1;
  std::vector<Part> parts;
};
StructLayout layout_of(const std::vector<ArgumentPlan>& arguments, const ProgramPlan& program, int index);

}  // namespace gktune
