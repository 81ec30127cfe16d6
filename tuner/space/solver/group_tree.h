#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tuner/space/solver/count.h"

namespace gktune {

// The valid combinations of the parameters of a group. It has a level for each parameter. A node has an
// edge for each value that leads to a valid combination, in the order of the values. Nodes with equal
// subtrees are stored once. An edge stores the number of combinations before it in its node; the sum along
// a path is the combination's index.
class GroupTree {
 public:
  using Node = std::uint32_t;
  using Edge = std::uint32_t;
  static constexpr Node kLeaf = ~Node{0};  // below the last level
  struct Branch {
    std::uint32_t rank;  // the value's
    Node child;          // in the level below
    friend bool operator==(const Branch&, const Branch&) = default;
  };

  // A tree of one parameter whose values are all valid.
  static GroupTree of_free_parameter(std::size_t values);

  // Adds a node. Add the nodes of the last level first and the root last.
  Node add(std::span<const Branch> branches);
  // Call it after adding all nodes. A tree without nodes is empty.
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
  // True if counts need more than 64 bits. If false, use the narrow functions.
  bool is_wide() const { return !wide_before_.empty(); }
  std::uint64_t narrow_before(Edge edge) const { return before_[edge]; }
  Count wide_before(Edge edge) const { return is_wide() ? wide_before_[edge] : Count(before_[edge]); }
  // The edge that leads to the combination with this index in the node.
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
