#include "tuner/space/solver/listed_group.h"

#include <algorithm>
#include <span>
#include <utility>

#include "tuner/space/solver/node_table.h"

namespace gktune {
namespace {

// Adds the nodes for a sorted run of combinations that agree above a level.
class ListedTree {
 public:
  ListedTree(const std::vector<std::uint32_t>& members, GroupTree& tree) : members_(members), nodes_(tree) {}

  GroupTree::Node add(std::span<const Space::Ranks> run, std::size_t level) {
    if (level == members_.size()) return GroupTree::kLeaf;
    std::vector<GroupTree::Branch> branches;
    while (!run.empty()) {
      const std::uint32_t rank = run.front()[members_[level]];
      std::size_t alike = 1;
      while (alike < run.size() && run[alike][members_[level]] == rank) ++alike;
      branches.push_back({rank, add(run.first(alike), level + 1)});
      run = run.subspan(alike);
    }
    return nodes_.intern(branches);
  }

 private:
  const std::vector<std::uint32_t>& members_;
  NodeTable nodes_;
};

}  // namespace

Group listed_group(std::vector<std::uint32_t> members, std::vector<Space::Ranks> valid) {
  std::ranges::sort(valid);
  Group group{std::move(members), {}, false};
  ListedTree(group.members, group.tree).add(valid, 0);
  group.tree.finish();
  return group;
}

}  // namespace gktune
