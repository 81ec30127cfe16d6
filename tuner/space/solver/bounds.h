#pragma once

#include <optional>
#include <unordered_map>

#include "tuner/space/solver/column_program.h"
#include "tuner/space/solver/term.h"

namespace gktune {

// Computes ranges of integer terms, and derives conditions that can be decided earlier: if c is at least 2,
// then `a * b * c <= 1024` implies `a * b * 2 <= 1024`, which needs a and b only.
class Bounds {
 public:
  // Both must outlive it.
  Bounds(TermGraph& graph, ValueColumns& columns) : graph_(graph), columns_(columns) {}

  // A condition on the parameters up to `level` that the given condition implies. kNone if there is none. A
  // condition that might fail to evaluate implies nothing.
  TermId implied(TermId condition, int level);

 private:
  struct Range {
    Cell low, high;
  };
  enum class Side { low, high };

  // Empty if the term is not an integer or might fail to evaluate.
  std::optional<Range> range(TermId term);
  std::optional<Range> worked_out(TermId term);
  std::optional<Range> range_of_single(TermId term);
  // A lower (upper) bound of the term that uses only parameters up to `level`. Requires a term with a range.
  TermId bound(TermId term, int level, Side side);
  TermId bound_of_product(const Term& term, int level, Side side);
  TermId together(TermId one, TermId other);
  TermId comparison(TermOp op, TermId left, TermId right, int level);

  TermGraph& graph_;
  ValueColumns& columns_;
  std::unordered_map<TermId, std::optional<Range>> ranges_;
};

}  // namespace gktune
