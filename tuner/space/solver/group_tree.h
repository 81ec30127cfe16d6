#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tuner/space/solver/count.h"

namespace gktune {

// The valid combinations of the parameters that constraints tie together. A level for each parameter; a
// node's edges are the values that lead somewhere, in their order; nodes with the same future are one. An
// edge stores how many combinations come before it in its node; their sum along a path is the index.
class GroupTree {
 public:
  using Node = std::uint32_t;
  using Edge = std::uint32_t;
  static constexpr Node kLeaf = ~Node{0};  // below the last level
  struct Branch {
    std::uint32_t rank;  // of the value
    Node child;          // on the level below
    friend bool operator==(const Branch&, const Branch&) = default;
  };

  // One parameter, any of its values.
  static GroupTree of_free_parameter(std::size_t values);

  // Grows from its leaves: first the nodes of the last level, at last the root.
  Node add(std::span<const Branch> branches);
  // Call it when all nodes are added. A tree without nodes is empty.
  void finish();

  Node root() const { return static_cast<Node>(begin_.size() - 2); }
  std::size_t node_count() const { return begin_.size() - 1; }
  Edge begin(Node node) const { return begin_[node]; }
  Edge end(Node node) const { return begin_[node + 1]; }
  const Branch& branch(Edge edge) const { return branches_[edge]; }
  std::span<const Branch> branches(Node node) const {
    return std::span(branches_).subspan(begin(node), end(node) - begin(node));
  }
  std::optional<Edge> edge_of(Node node, std::uint32_t rank) const;

  const Count& size() const { return size_; }
  // True if counts need more than 64 bits; otherwise the narrow functions may be used.
  bool is_wide() const { return !wide_before_.empty(); }
  std::uint64_t narrow_before(Edge edge) const { return before_[edge]; }
  Count wide_before(Edge edge) const { return is_wide() ? wide_before_[edge] : Count(before_[edge]); }
  // The edge under which a node's combination of that number lies.
  Edge edge_at(Node node, std::uint64_t index) const;
  Edge edge_at(Node node, const Count& index) const;

  std::size_t bytes() const;

 private:
  bool count_narrow();
  void count_wide();

  std::vector<Edge> begin_{0};
  std::vector<Branch> branches_;
  std::vector<std::uint64_t> before_;
  std::vector<Count> wide_before_;
  Count size_ = 0;
};

}  // namespace gktune
