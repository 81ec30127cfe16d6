#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tuner/space/solver/group_tree.h"

namespace gktune {

// Adds nodes to one level of a tree, equal nodes once.
class NodeTable {
 public:
  explicit NodeTable(GroupTree& tree) : tree_(tree) {}
  GroupTree::Node intern(std::span<const GroupTree::Branch> branches);

 private:
  static std::size_t hash(std::span<const GroupTree::Branch> branches);
  void grow();

  GroupTree& tree_;
  std::size_t size_ = 0;
  std::vector<std::uint32_t> buckets_;  // nodes plus one, by hash; 0 is empty
};

}  // namespace gktune
