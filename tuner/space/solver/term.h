#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "gktune/values.h"
#include "tuner/space/language/expression_node.h"
#include "tuner/space/solver/cell.h"

namespace gktune {

using TermId = std::uint32_t;

enum class TermOp {
  constant,
  parameter,  // the value of a parameter
  rank,       // the index of a parameter's value
  table,      // a function of one parameter, computed in advance for each value
  add,
  subtract,
  multiply,
  floor_divide,
  modulo,
  negate,
  minimum,
  maximum,
  equal,
  not_equal,
  less,
  less_equal,
  both,
  either,
  inverse,
  select,
  to_real,
  call,       // another operation on cells
  interpret,  // a whole condition, left to the evaluator of expressions
};

// A typed part of an expression. Equal terms are stored once.
struct Term {
  static constexpr int kNoLevel = -1;

  TermOp op = TermOp::constant;
  Operation operation = Operation::identity;  // a call's
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
  TermId unknown();
  TermId truth_constant(bool value);
  TermId parameter(int number, CellType type);
  TermId rank(int number);
  TermId table(int number, CellType type, std::vector<Cell> column);
  TermId interpret(const std::vector<TermId>& ranks);

  // Each returns kNone if the types of the operands do not allow it.
  TermId arithmetic(Operation operation, const std::vector<TermId>& operands);
  TermId compare(Operation operation, TermId left, TermId right);
  TermId truth(TermId term);
  // These require truths.
  TermId both(TermId left, TermId right);
  TermId either(TermId left, TermId right);
  TermId inverse(TermId term);
  TermId select(TermId condition, TermId then, TermId otherwise);

  bool is_constant(TermId id) const { return terms_[id].op == TermOp::constant; }
  Cell cell(const Value& value);
  const std::vector<Cell>& table_column(TermId id) const { return tables_.at(id); }
  // Decodes a cell for the evaluator of expressions. Requires an integer or a real.
  static Value value_of(CellType type, Cell cell);

 private:
  using Key = std::tuple<TermOp, Operation, CellType, Cell, int, std::vector<TermId>>;

  TermId intern(Term term);
  Term worked_out(const Term& term) const;
  TermId binary(TermOp op, CellType type, TermId left, TermId right);
  TermId to_real(TermId term);
  TermId negated(TermId term);
  TermId call(Operation operation, CellType type, const std::vector<TermId>& operands);

  std::deque<Term> terms_;  // addresses stay valid
  std::map<Key, TermId> known_;
  std::unordered_map<TermId, std::vector<Cell>> tables_;
  std::unordered_map<std::string, Cell> texts_;
};

}  // namespace gktune
