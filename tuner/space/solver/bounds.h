#pragma once

#include <optional>
#include <unordered_map>

#include "tuner/space/solver/column_program.h"
#include "tuner/space/solver/term.h"

namespace gktune {

// Ranges of integer terms, and conditions that follow from them: if `a * b * c <= 1024` and no c is less than
// 2, then `a * b * 2 <= 1024` holds as soon as a and b are known.
class Bounds {
 public:
  // Both must outlive it.
  Bounds(TermGraph& graph, ValueColumns& columns) : graph_(graph), columns_(columns) {}

  // A condition on parameters up to `level` that holds wherever this one can. kNone if nothing follows;
  // nothing does from a condition that might fail to evaluate.
  TermId implied(TermId condition, int level);

 private:
  struct Range {
    Cell low, high;
  };
  enum class Side { low, high };

  // Empty if the term might fail or is not an integer.
  std::optional<Range> range(TermId term);
  std::optional<Range> worked_out(TermId term);
  std::optional<Range> range_of_single(TermId term);
  // A term on parameters up to `level` that is never above (below) this one, whose range is known.
  TermId bound(TermId term, int level, Side side);
  TermId bound_of_product(const Term& term, int level, Side side);
  TermId together(TermId one, TermId other);
  TermId comparison(TermOp op, TermId left, TermId right, int level);

  TermGraph& graph_;
  ValueColumns& columns_;
  std::unordered_map<TermId, std::optional<Range>> ranges_;
};

}  // namespace gktune
