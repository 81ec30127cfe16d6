#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "tuner/space/solver/group_plan.h"

namespace gktune {
namespace {

constexpr std::size_t kWordBits = 64;
constexpr std::size_t kChunkWords = 16 * 1024;  // of masks that are worked on at a time

template <class Visit>
void for_each_bit(const std::uint64_t* mask, std::size_t words, Visit visit) {
  for (std::size_t word = 0; word < words; ++word) {
    for (std::uint64_t left = mask[word]; left != 0; left &= left - 1) {
      visit(static_cast<std::uint32_t>(word * kWordBits + static_cast<std::size_t>(std::countr_zero(left))));
    }
  }
}

bool test_bit(const std::uint64_t* mask, std::uint32_t bit) {
  return (mask[bit / 64] >> (bit % 64) & 1) != 0;
}
void clear_bit(std::uint64_t* mask, std::uint32_t bit) { mask[bit / 64] &= ~(std::uint64_t{1} << bit % 64); }

void fill_mask(std::uint64_t* mask, std::size_t words, std::size_t bits) {
  std::fill_n(mask, words, ~std::uint64_t{0});
  if (bits % kWordBits != 0) mask[words - 1] = (std::uint64_t{1} << bits % kWordBits) - 1;
}

std::size_t capacity_bytes(const auto& vector) { return vector.capacity() * sizeof(vector[0]); }

// Numbers rows of cells. intern() gives equal rows the same number.
class CellTable {
 public:
  explicit CellTable(std::size_t width) : width_(width) {}

  std::uint32_t intern(const Cell* wanted) {
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < width_; ++i)
      hash = HashIndex::mixed(hash, static_cast<std::uint64_t>(wanted[i]));
    const auto is_same = [&](std::uint32_t number) {
      return std::equal(wanted, wanted + width_, row(number));
    };
    const auto [number, is_new] = rows_.find_or_add(hash, static_cast<std::uint32_t>(size_), is_same);
    return is_new ? add(wanted) : number;
  }
  // Gives a new number, also to an equal row.
  std::uint32_t add(const Cell* row) {
    cells_.insert(cells_.end(), row, row + width_);
    return static_cast<std::uint32_t>(size_++);
  }

  std::size_t size() const { return size_; }
  std::size_t width() const { return width_; }
  std::span<const Cell> cells() const { return cells_; }
  const Cell* row(std::size_t number) const { return cells_.data() + number * width_; }
  std::size_t bytes() const { return cells_.capacity() * sizeof(Cell) + rows_.bytes(); }

 private:
  std::size_t width_, size_ = 0;
  std::vector<Cell> cells_;
  HashIndex rows_;
};

// Builds the tree of one group, level by level from the root. A state has the cells of the terms of the
// levels above that the levels below use. Combinations with the same state have the same valid continuations,
// so that the builder expands states instead of combinations.
class GroupBuilder {
 public:
  GroupBuilder(Terms& terms, const std::vector<Parameter>& parameters, std::vector<std::uint32_t> members,
               std::span<const std::size_t> conditions, const SpaceLimits& limits)
      : terms_(terms), limits_(limits), plan_(terms, parameters, std::move(members), conditions) {
    for (const auto& level : plan_.levels()) layers_.emplace_back(level.slots.size());
  }

  Result<GroupTree, SpaceError> build() {
    const Cell nothing = 0;
    layers_[0].states.add(&nothing);
    layers_[0].parents = {kNobody};
    layers_[0].parent_ranks = {0};
    for (std::size_t level = 0; level < layers_.size(); ++level) {
      if (auto error = expand(level)) return *error;
    }
    GroupTree tree;
    std::vector<std::uint32_t> nodes;
    for (std::size_t level = layers_.size(); level-- > 0;) {
      if (auto error = collapse(level, nodes, tree)) return *error;
    }
    tree.finish();
    return tree;
  }

 private:
  using Branch = GroupTree::Branch;
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};

  // The states above a level, and the next state for each valid value.
  struct Layer {
    explicit Layer(std::size_t width) : states(width) {}
    CellTable states;
    std::vector<std::uint32_t> parents, parent_ranks;  // for each state, one way to reach it
    std::vector<std::size_t> begin{0};                 // the first branch of each state
    std::vector<Branch> branches;                      // lead to states of the next layer
  };
  // Some of a layer's states, each with a mask of the values that are still valid.
  struct Chunk {
    std::size_t level, first, count, words;
    std::vector<std::uint64_t> masks;
    std::uint64_t* mask(std::size_t state) { return masks.data() + state * words; }
  };
  // The verdicts of a condition on the states of a chunk. States that are equal in all terms
  // of the condition share a row.
  struct Verdicts {
    std::size_t condition = 0;
    std::vector<std::uint32_t> row_of;           // for each state
    std::vector<std::uint32_t> representatives;  // for each row, one of its states
    std::vector<std::uint64_t> masks;            // for each row, the values that are not known to fail
    std::vector<std::size_t> unknown_begin{0};   // for each row, its first entry of unknown_ranks
    std::vector<std::uint32_t> unknown_ranks;
  };
  // A branch for which a condition cannot be evaluated. It is an error if the branch
  // leads to a valid combination.
  struct Failing {
    std::size_t level, condition;
    std::uint32_t state, rank;
    ExpressionError error;
  };

  std::optional<SpaceError> over_limits() const {
    std::size_t bytes = 0;
    for (const Layer& layer : layers_) {
      bytes += layer.states.bytes() + capacity_bytes(layer.parents) + capacity_bytes(layer.parent_ranks) +
               capacity_bytes(layer.begin) + capacity_bytes(layer.branches);
    }
    bytes += capacity_bytes(failing_);
    const bool takes_too_long = evaluations_ > limits_.evaluations;
    if (bytes <= limits_.bytes && !takes_too_long) return std::nullopt;
    std::string names;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      if (i > 0) names += i + 1 == layers_.size() ? " and " : ", ";
      names += plan_.levels()[i].parameter->name;
    }
    return SpaceError{
        SpaceError::Kind::too_large,
        "the constraints tie " + names + " together in more ways than fit " +
            (takes_too_long ? "the time" : "the memory") +
            " there is; it takes fewer values, or an order of the parameters that puts those next to each "
            "other which a constraint uses",
        std::nullopt, 0, 0};
  }

  std::optional<SpaceError> expand(std::size_t k) {
    Layer& layer = layers_[k];
    Chunk chunk;
    chunk.level = k;
    chunk.words = (plan_.levels()[k].parameter->values.size() + kWordBits - 1) / kWordBits;
    const std::size_t most = std::max<std::size_t>(1, kChunkWords / chunk.words);
    for (chunk.first = 0; chunk.first < layer.states.size(); chunk.first += chunk.count) {
      chunk.count = std::min(most, layer.states.size() - chunk.first);
      decide(chunk);
      advance(chunk);
      if (auto error = over_limits()) return error;
    }
    layer.states = CellTable(0);
    return std::nullopt;
  }

  void decide(Chunk& chunk) {
    GroupPlan::Level& level = plan_.levels()[chunk.level];
    chunk.masks.resize(chunk.count * chunk.words);
    for (std::size_t state = 0; state < chunk.count; ++state) {
      fill_mask(chunk.mask(state), chunk.words, level.parameter->values.size());
    }
    std::vector<Verdicts> unsettled;
    for (GroupPlan::Check& check : level.checks) {
      Verdicts verdicts = judge(chunk, check);
      for (std::size_t state = 0; state < chunk.count; ++state) {
        const std::uint64_t* const row = verdicts.masks.data() + verdicts.row_of[state] * chunk.words;
        std::uint64_t* const mask = chunk.mask(state);
        for (std::size_t word = 0; word < chunk.words; ++word) mask[word] &= row[word];
      }
      if (!verdicts.unknown_ranks.empty()) unsettled.push_back(std::move(verdicts));
    }
    for (const Verdicts& verdicts : unsettled) settle_unknowns(chunk, verdicts);
  }

  // Evaluates the condition once for states that it cannot tell apart.
  void group_rows(const Chunk& chunk, const GroupPlan::Check& check, Verdicts& verdicts) const {
    const CellTable& states = layers_[chunk.level].states;
    const auto& slots = check.program.slots();
    const auto& terms = plan_.levels()[chunk.level].slots;
    const bool sees_all = slots.size() == states.width();
    CellTable rows(slots.size());
    std::vector<Cell> row(slots.size() + 1);
    verdicts.row_of.resize(chunk.count);
    for (std::size_t i = 0; i < chunk.count; ++i) {
      const auto state = static_cast<std::uint32_t>(chunk.first + i);
      bool is_known = !sees_all || slots.empty();
      for (std::size_t j = 0; is_known && j < slots.size(); ++j) {
        row[j] = states.row(state)[slots[j]];
        is_known = !is_unknown(terms_.graph[terms[slots[j]]].type, row[j]);
      }
      const auto fresh = static_cast<std::uint32_t>(verdicts.representatives.size());
      verdicts.row_of[i] = is_known ? rows.intern(row.data()) : rows.add(row.data());
      if (verdicts.row_of[i] == fresh) verdicts.representatives.push_back(state);
    }
  }

  Verdicts judge(const Chunk& chunk, GroupPlan::Check& check) {
    const Layer& layer = layers_[chunk.level];
    const auto values = static_cast<std::uint32_t>(plan_.levels()[chunk.level].parameter->values.size());
    Verdicts verdicts;
    verdicts.condition = check.decision.condition;
    group_rows(chunk, check, verdicts);
    const std::size_t rows = verdicts.representatives.size();
    verdicts.masks.resize(rows * chunk.words);

    std::vector<std::uint32_t> states(check.program.capacity()), ranks(check.program.capacity());
    std::uint32_t row = 0, rank = 0;                // the next to be put into a batch
    std::uint32_t judged_row = 0, judged_rank = 0;  // the next to be judged
    while (row < rows) {
      std::size_t count = 0;
      for (; count < states.size() && row < rows; ++count) {
        states[count] = verdicts.representatives[row];
        ranks[count] = rank;
        if (++rank == values) ++row, rank = 0;
      }
      check.program.run({layer.states.cells(), layer.states.width(), std::span(states).first(count),
                         std::span(ranks).first(count)});
      const Cell* const results = check.program.result(0);
      for (std::size_t i = 0; i < count; ++i) {
        std::uint64_t* const mask = verdicts.masks.data() + judged_row * chunk.words;
        mask[judged_rank / kWordBits] |= std::uint64_t{results[i] != 0} << judged_rank % kWordBits;
        if (results[i] == kUnknown && !check.decision.is_implied)
          verdicts.unknown_ranks.push_back(judged_rank);
        if (++judged_rank == values) {
          ++judged_row, judged_rank = 0;
          verdicts.unknown_begin.push_back(verdicts.unknown_ranks.size());
        }
      }
      evaluations_ += count;
    }
    return verdicts;
  }

  // Evaluates the expression, once per row, for the values that no other condition has rejected.
  void settle_unknowns(Chunk& chunk, const Verdicts& verdicts) {
    std::map<std::size_t, Result<bool, ExpressionError>> settled;  // by place among the unknown ranks
    const ExpressionNode& condition = *terms_.conditions[verdicts.condition].node;
    for (std::size_t i = 0; i < chunk.count; ++i) {
      const std::uint32_t row = verdicts.row_of[i];
      const auto state = static_cast<std::uint32_t>(chunk.first + i);
      for (std::size_t at = verdicts.unknown_begin[row]; at < verdicts.unknown_begin[row + 1]; ++at) {
        const std::uint32_t rank = verdicts.unknown_ranks[at];
        if (!test_bit(chunk.mask(i), rank)) continue;
        auto known = settled.find(at);
        if (known == settled.end()) {
          const NamedValues point = path(chunk.level, state, rank);
          known = settled.emplace(at, evaluate_truth(condition, Scope().add(point).add(*terms_.scope))).first;
        }
        const auto& verdict = known->second;
        if (!verdict) {
          failing_.push_back({chunk.level, verdicts.condition, state, rank, verdict.error()});
        } else if (!*verdict) {
          clear_bit(chunk.mask(i), rank);
        }
      }
    }
  }

  void advance(Chunk& chunk) {
    Layer& layer = layers_[chunk.level];
    if (chunk.level + 1 == layers_.size()) {
      for (std::size_t state = 0; state < chunk.count; ++state) {
        for_each_bit(chunk.mask(state), chunk.words, [&](std::uint32_t rank) {
          layer.branches.push_back({rank, GroupTree::kLeaf});
        });
        layer.begin.push_back(layer.branches.size());
      }
    } else {
      advance_each(chunk);
    }
  }

  std::uint32_t next_state(const Chunk& chunk, const Cell* row, std::uint32_t state, std::uint32_t rank) {
    Layer& next = layers_[chunk.level + 1];
    const auto& terms = plan_.levels()[chunk.level + 1].slots;
    bool is_known = true;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      is_known = is_known && !is_unknown(terms_.graph[terms[i]].type, row[i]);
    }
    // Two unknown values may differ, so never merge states that contain one.
    const std::uint32_t number = is_known ? next.states.intern(row) : next.states.add(row);
    if (number == next.parents.size()) {
      next.parents.push_back(state);
      next.parent_ranks.push_back(rank);
    }
    return number;
  }

  void advance_each(Chunk& chunk) {
    Layer& layer = layers_[chunk.level];
    ColumnProgram& program = *plan_.levels()[chunk.level].advance;
    const std::size_t width = plan_.levels()[chunk.level + 1].slots.size();
    std::vector<std::uint32_t> states, ranks;
    std::vector<Cell> row(width + 1);
    const auto flush = [&] {
      program.run({layer.states.cells(), layer.states.width(), states, ranks});
      evaluations_ += states.size();
      for (std::size_t i = 0; i < states.size(); ++i) {
        for (std::size_t slot = 0; slot < width; ++slot) row[slot] = program.result(slot)[i];
        layer.branches.push_back({ranks[i], next_state(chunk, row.data(), states[i], ranks[i])});
      }
      states.clear();
      ranks.clear();
    };
    std::size_t end = layer.branches.size();
    for (std::size_t i = 0; i < chunk.count; ++i) {
      for_each_bit(chunk.mask(i), chunk.words, [&](std::uint32_t rank) {
        states.push_back(static_cast<std::uint32_t>(chunk.first + i));
        ranks.push_back(rank);
        ++end;
        if (states.size() == program.capacity()) flush();
      });
      layer.begin.push_back(end);
    }
    flush();
  }

  // Turns a layer's states into nodes: removes branches without a valid end, and merges states with the same
  // future. `nodes` are those of the layer below, by state; kNobody for none.
  std::optional<SpaceError> collapse(std::size_t k, std::vector<std::uint32_t>& nodes, GroupTree& tree) {
    Layer& layer = layers_[k];
    const bool is_last = k + 1 == layers_.size();
    const std::size_t count = layer.begin.size() - 1;
    for (const Failing& failing : failing_) {
      if (failing.level != k) continue;
      for (std::size_t at = layer.begin[failing.state]; at < layer.begin[failing.state + 1]; ++at) {
        const Branch& branch = layer.branches[at];
        if (branch.rank == failing.rank && (is_last || nodes[branch.child] != kNobody))
          return failure(failing);
      }
    }
    std::vector<std::uint32_t> collapsed(count, kNobody);
    std::vector<Branch> kept;
    for (std::size_t state = 0; state < count; ++state) {
      kept.clear();
      for (std::size_t at = layer.begin[state]; at < layer.begin[state + 1]; ++at) {
        const Branch& branch = layer.branches[at];
        if (is_last) {
          kept.push_back(branch);
        } else if (nodes[branch.child] != kNobody) {
          kept.push_back({branch.rank, nodes[branch.child]});
        }
      }
      if (!kept.empty()) collapsed[state] = tree.add(kept);
    }
    nodes = std::move(collapsed);
    layer.branches = {};
    layer.begin = {};
    return std::nullopt;
  }

  // The values that lead to a branch.
  NamedValues path(std::size_t level, std::uint32_t state, std::uint32_t rank) const {
    std::vector<std::uint32_t> ranks = {rank};
    for (std::size_t k = level; k > 0; --k) {
      ranks.push_back(layers_[k].parent_ranks[state]);
      state = layers_[k].parents[state];
    }
    std::ranges::reverse(ranks);
    NamedValues values;
    for (std::size_t k = 0; k <= level; ++k) {
      const Parameter& parameter = *plan_.levels()[k].parameter;
      values.set(parameter.name, parameter.values[ranks[k]]);
    }
    return values;
  }

  SpaceError failure(const Failing& failing) const {
    const Condition& condition = terms_.conditions[failing.condition];
    const NamedValues all = path(failing.level, failing.state, failing.rank);
    NamedValues used;
    const auto visit = [&](const ExpressionNode& node, const auto& self) -> void {
      if (node.kind == ExpressionNode::Kind::name) {
        if (const Value* value = all.find(node.name)) used.set(node.name, *value);
      }
      for (const NodePtr& operand : node.operands) self(*operand, self);
    };
    visit(*condition.node, visit);
    return {SpaceError::Kind::bad_constraint, failing.error.message + " for " + used.str(),
            condition.constraint, failing.error.offset, failing.error.length};
  }

  Terms& terms_;
  const SpaceLimits& limits_;
  GroupPlan plan_;
  std::vector<Layer> layers_;
  std::vector<Failing> failing_;
  std::uint64_t evaluations_ = 0;
};

}  // namespace

Result<GroupTree, SpaceError> build_group(Terms& terms, const std::vector<Parameter>& parameters,
                                          std::vector<std::uint32_t> members,
                                          std::span<const std::size_t> conditions,
                                          const SpaceLimits& limits) {
  return GroupBuilder(terms, parameters, std::move(members), conditions, limits).build();
}

}  // namespace gktune
