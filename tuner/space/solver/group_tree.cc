#include "tuner/space/solver/group_tree.h"

#include <algorithm>

namespace gktune {

GroupTree GroupTree::of_free_parameter(std::size_t values) {
  std::vector<Branch> branches;
  for (std::size_t rank = 0; rank < values; ++rank) {
    branches.push_back({static_cast<std::uint32_t>(rank), kLeaf});
  }
  GroupTree tree;
  tree.add(branches);
  tree.finish();
  return tree;
}

GroupTree::Node GroupTree::add(std::span<const Branch> branches) {
  branches_.insert(branches_.end(), branches.begin(), branches.end());
  begin_.push_back(static_cast<Edge>(branches_.size()));
  return root();
}

void GroupTree::finish() {
  begin_.shrink_to_fit();
  branches_.shrink_to_fit();
  if (!count_narrow()) count_wide();
}

bool GroupTree::count_narrow() {
  std::vector<std::uint64_t> counts(node_count());
  before_.resize(branches_.size());
  for (Node node = 0; node < node_count(); ++node) {
    std::uint64_t count = 0;
    for (Edge edge = begin(node); edge < end(node); ++edge) {
      before_[edge] = count;
      const Node child = branches_[edge].child;
      if (__builtin_add_overflow(count, child == kLeaf ? 1 : counts[child], &count)) {
        before_ = {};
        return false;
      }
    }
    counts[node] = count;
  }
  size_ = counts.empty() ? 0 : counts.back();
  return true;
}

void GroupTree::count_wide() {
  std::vector<Count> counts(node_count());
  wide_before_.resize(branches_.size());
  for (Node node = 0; node < node_count(); ++node) {
    Count count = 0;
    for (Edge edge = begin(node); edge < end(node); ++edge) {
      wide_before_[edge] = count;
      const Node child = branches_[edge].child;
      count += child == kLeaf ? Count(1) : counts[child];
    }
    counts[node] = count;
  }
  size_ = counts.back();
}

std::optional<GroupTree::Edge> GroupTree::edge_of(Node node, std::uint32_t rank) const {
  const auto among = branches(node);
  const auto found = std::ranges::lower_bound(among, rank, {}, &Branch::rank);
  if (found == among.end() || found->rank != rank) return std::nullopt;
  return begin(node) + static_cast<Edge>(found - among.begin());
}

GroupTree::Edge GroupTree::edge_at(Node node, std::uint64_t index) const {
  Edge found = begin(node);
  // The direction is unpredictable, so the loop's own branch is the only one.
  for (Edge left = end(node) - found; left > 1;) {
    const Edge half = left / 2;
    found += before_[found + half] <= index ? half : 0;
    left -= half;
  }
  return found;
}

GroupTree::Edge GroupTree::edge_at(Node node, const Count& index) const {
  Edge low = begin(node), high = end(node);  // before(low) <= index < before(high)
  while (high - low > 1) {
    const Edge middle = low + (high - low) / 2;
    (wide_before(middle) <= index ? low : high) = middle;
  }
  return low;
}

std::size_t GroupTree::bytes() const {
  return begin_.capacity() * sizeof(Edge) + branches_.capacity() * sizeof(Branch) +
         before_.capacity() * sizeof(std::uint64_t) + wide_before_.capacity() * sizeof(Count);
}

}  // namespace gktune
