#pragma once

#include <cstddef>
#include <span>

#include "tuner/space/solver/term.h"

namespace gktune {

// Computes one term for many combinations. `operands` has a column of cells for
// each operand, as long as `out`.
void fill_column(const TermGraph& graph, const Term& term, std::span<const Cell* const> operands,
                 std::span<Cell> out);

}  // namespace gktune
