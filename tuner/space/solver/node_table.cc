#include "tuner/space/solver/node_table.h"

#include <algorithm>

namespace gktune {

std::size_t NodeTable::hash(std::span<const GroupTree::Branch> branches) {
  std::uint64_t mixed = branches.size();
  for (const auto& branch : branches) {
    mixed = (mixed ^ (std::uint64_t{branch.rank} << 32 | branch.child)) * 0x9e3779b97f4a7c15u;
    mixed ^= mixed >> 29;
  }
  return static_cast<std::size_t>(mixed);
}

void NodeTable::grow() {
  const std::size_t mask = std::max<std::size_t>(64, buckets_.size() * 2) - 1;
  std::vector<std::uint32_t> old(mask + 1);
  std::swap(old, buckets_);
  for (const std::uint32_t node : old) {
    if (node == 0) continue;
    std::size_t at = hash(tree_.branches(node - 1)) & mask;
    while (buckets_[at] != 0) at = (at + 1) & mask;
    buckets_[at] = node;
  }
}

GroupTree::Node NodeTable::intern(std::span<const GroupTree::Branch> branches) {
  if (buckets_.size() <= size_ * 2) grow();
  const std::size_t mask = buckets_.size() - 1;
  std::size_t at = hash(branches) & mask;
  for (; buckets_[at] != 0; at = (at + 1) & mask) {
    const GroupTree::Node known = buckets_[at] - 1;
    if (std::ranges::equal(tree_.branches(known), branches)) return known;
  }
  const GroupTree::Node added = tree_.add(branches);
  buckets_[at] = added + 1;
  ++size_;
  return added;
}

}  // namespace gktune
