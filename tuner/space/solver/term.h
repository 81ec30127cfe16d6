#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "gktune/values.h"
#include "tuner/space/language/expression.h"

namespace gktune {

// A value encoded in 64 bits, so that constraints are decided on many combinations at once: an integer
// (booleans are 0 and 1), the bits of a double, or the number of a text.
using Cell = std::int64_t;

enum class CellType {
  integer,
  real,
  text,
  none,  // the kind of value differs between combinations; cells cannot encode it
};

// Marks results that cells cannot encode: an overflow, a division by zero. The evaluator of
// expressions decides these. It also decides combinations whose true value is the smallest integer or
// NaN; that is slower and equally correct.
constexpr Cell kUnknown = std::numeric_limits<Cell>::min();

inline double real_of(Cell cell) { return std::bit_cast<double>(cell); }
inline Cell cell_of(double real) { return std::bit_cast<Cell>(real); }
inline Cell unknown_of(CellType type) {
  return type == CellType::real ? cell_of(std::numeric_limits<double>::quiet_NaN()) : kUnknown;
}
inline bool is_unknown(CellType type, Cell cell) {
  return type == CellType::real ? std::isnan(real_of(cell)) : cell == kUnknown;
}

using TermId = std::uint32_t;

// A typed part of an expression. Equal terms are stored once.
struct Term {
  enum class Kind {
    constant,
    parameter,  // the value of a parameter
    rank,       // the index of a parameter's value
    table,      // a function of one parameter, computed in advance for each value
    apply,      // an operation on the operands: arithmetic, or equal, not_equal, less, less_equal
    both,       // the left operand decides whether the right one counts, as in the evaluator
    either,
    inverse,
    select,     // operands: condition, then, else
    interpret,  // a whole condition, left to the evaluator of expressions
  };
  static constexpr int kNoLevel = -1;

  Kind kind = Kind::constant;
  Operation operation = Operation::identity;
  CellType type = CellType::integer;
  std::vector<TermId> operands;
  Cell cell = 0;          // a constant's value
  int level = kNoLevel;   // the number of its last parameter
  bool is_single = true;  // it depends on no other parameter
  bool is_truth = false;  // its value is 0, 1 or unknown
};

// Builds and simplifies terms.
class TermGraph {
 public:
  static constexpr TermId kNone = 0;  // cells cannot express the term

  TermGraph();

  const Term& operator[](TermId id) const { return terms_[id]; }
  std::size_t size() const { return terms_.size(); }

  TermId constant(const Value& value);
  TermId unknown() { return intern({.cell = kUnknown}); }
  TermId truth_constant(bool value) { return constant(Value(value ? 1 : 0)); }
  TermId parameter(int number, CellType type);
  TermId rank(int number) { return intern({.kind = Term::Kind::rank, .level = number}); }
  TermId table(int number, CellType type, std::vector<Cell> column);
  TermId interpret(const std::vector<TermId>& ranks);

  // Each returns kNone if the types of the operands do not allow it.
  TermId arithmetic(Operation operation, std::vector<TermId> operands);
  TermId compare(Operation operation, TermId left, TermId right);
  TermId truth(TermId term);
  // These require truths.
  TermId both(TermId left, TermId right) { return junction(Term::Kind::both, left, right); }
  TermId either(TermId left, TermId right) { return junction(Term::Kind::either, left, right); }
  TermId inverse(TermId term);
  TermId select(TermId condition, TermId then, TermId otherwise);

  bool is_constant(TermId id) const { return terms_[id].kind == Term::Kind::constant; }
  Cell cell(const Value& value);
  const std::vector<Cell>& table_column(TermId id) const { return tables_.at(id); }

 private:
  using Key = std::tuple<Term::Kind, Operation, CellType, Cell, int, std::vector<TermId>>;

  TermId intern(Term term);
  Term folded(const Term& term) const;
  TermId apply(Operation operation, CellType type, std::vector<TermId> operands);
  TermId to_real(TermId term);
  TermId junction(Term::Kind kind, TermId left, TermId right);

  std::deque<Term> terms_;  // addresses stay valid
  std::map<Key, TermId> known_;
  std::unordered_map<TermId, std::vector<Cell>> tables_;
  std::unordered_map<std::string, Cell> texts_;
};

// Computes a term with operands for many combinations. `operands` has a column of cells for each operand, as
// long as `out`.
void fill_column(const TermGraph& graph, const Term& term, std::span<const Cell* const> operands,
                 std::span<Cell> out);

}  // namespace gktune
