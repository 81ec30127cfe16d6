#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tuner/space/solver/count.h"

namespace gktune {

// Finds the numbers of items by the hashes of the items, which are stored elsewhere.
class HashIndex {
 public:
  static std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
  }

  // The number of the equal item, or `next` if there is none, which is added then. The second value tells
  // whether it was added.
  template <class IsEqual>
  std::pair<std::uint32_t, bool> find_or_add(std::uint64_t hash, std::uint32_t next, IsEqual is_equal) {
    if (buckets_.size() <= size_ * 2) grow();
    const auto short_hash = static_cast<std::uint32_t>(hash);
    for (std::size_t at = short_hash;; ++at) {
      Bucket& bucket = buckets_[at & (buckets_.size() - 1)];
      if (bucket.number == kEmpty) {
        bucket = {short_hash, next};
        ++size_;
        return {next, true};
      }
      if (bucket.hash == short_hash && is_equal(bucket.number)) return {bucket.number, false};
    }
  }
  std::size_t bytes() const { return buckets_.capacity() * sizeof(Bucket); }

 private:
  static constexpr std::uint32_t kEmpty = ~std::uint32_t{0};
  struct Bucket {
    std::uint32_t hash = 0, number = kEmpty;
  };

  void grow() {
    std::vector<Bucket> larger(std::max<std::size_t>(64, buckets_.size() * 2));
    for (const Bucket& bucket : buckets_) {
      if (bucket.number == kEmpty) continue;
      std::size_t at = bucket.hash;
      while (larger[at & (larger.size() - 1)].number != kEmpty) ++at;
      larger[at & (larger.size() - 1)] = bucket;
    }
    buckets_ = std::move(larger);
  }

  std::size_t size_ = 0;
  std::vector<Bucket> buckets_;  // a power of two
};

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

  // Adds a node, or finds the equal one. Add the nodes of the last level first and the root last.
  Node add(std::span<const Branch> branches);
  // Call it after adding all nodes. A tree without nodes is empty.
  void finish();

  Node root() const { return static_cast<Node>(begin_.size() - 2); }
  std::size_t node_count() const { return begin_.size() - 1; }
  Edge end(Node node) const { return begin_[node + 1]; }
  const Branch& branch(Edge edge) const { return branches_[edge]; }
  std::span<const Branch> branches(Node node) const {
    return std::span(branches_).subspan(begin_[node], end(node) - begin_[node]);
  }
  std::optional<Edge> edge_of(Node node, std::uint32_t rank) const;

  const Count& size() const { return size_; }
  const Count& before(Edge edge) const { return before_[edge]; }
  // The edge that leads to the combination with this index in the node.
  Edge edge_at(Node node, const Count& index) const;

 private:
  std::vector<Edge> begin_{0};
  std::vector<Branch> branches_;
  std::vector<Count> before_;
  Count size_ = 0;
  HashIndex nodes_;  // until finish()
};

// The numbers of a group's parameters, ascending, and their valid combinations.
struct Group {
  std::vector<std::uint32_t> members;
  GroupTree tree;
};

// The product of all groups. A combination has a rank for each parameter. Combinations are numbered in the
// lexicographic order of their ranks, even if parameters of one group lie between those of another.
class GroupProduct {
 public:
  GroupProduct() = default;
  // A parameter in no group has one value.
  GroupProduct(std::vector<Group> groups, std::size_t parameters);

  const Count& size() const { return size_; }

  // The ranks of the combination at an index below size().
  std::vector<std::uint32_t> ranks_at(Count index) const;
  std::optional<Count> index_of(std::span<const std::uint32_t> ranks) const;
  // The valid ranks of one parameter if all others keep theirs.
  std::vector<std::uint32_t> choices(std::span<const std::uint32_t> ranks, std::uint32_t parameter) const;
  // A valid combination near these ranks: each parameter in turn has the nearest value that the earlier ones
  // allow.
  std::vector<std::uint32_t> closest(std::span<const std::uint32_t> ranks) const;

 private:
  // One digit of an index.
  struct Step {
    std::uint32_t parameter, group;
    Count later;                      // number of combinations of the groups that begin later
    std::vector<std::uint32_t> open;  // groups that began before it and end after it
  };
  // The position in a group's tree while a combination is looked up.
  struct Place {
    GroupTree::Node node;
    Count count;  // number of the node's combinations
  };

  std::vector<Place> roots() const;
  Count weight(const Step& step, const std::vector<Place>& places) const;
  static void follow(Place& place, const GroupTree& tree, GroupTree::Edge edge);

  std::vector<Group> groups_;
  std::vector<std::uint32_t> group_of_;  // for each parameter; kNoGroup if it has one value
  std::vector<Step> steps_;
  Count size_ = 1;
};

}  // namespace gktune
