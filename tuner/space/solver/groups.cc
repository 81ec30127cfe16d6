#include "tuner/space/solver/groups.h"

#include <algorithm>
#include <utility>

namespace gktune {
namespace {

constexpr std::uint32_t kNoGroup = ~std::uint32_t{0};

std::uint32_t apart(std::uint32_t a, std::uint32_t b) { return a < b ? b - a : a - b; }

}  // namespace

GroupTree GroupTree::of_free_parameter(std::size_t values) {
  std::vector<Branch> branches;
  for (std::uint32_t rank = 0; rank < values; ++rank) branches.push_back({rank, kLeaf});
  GroupTree tree;
  tree.add(branches);
  tree.finish();
  return tree;
}

GroupTree::Node GroupTree::add(std::span<const Branch> branches) {
  std::uint64_t hash = branches.size();
  for (const Branch& branch : branches)
    hash = HashIndex::mixed(hash, std::uint64_t{branch.rank} << 32 | branch.child);
  const auto is_same = [&](Node node) { return std::ranges::equal(this->branches(node), branches); };
  const auto [node, is_new] = nodes_.find_or_add(hash, static_cast<Node>(node_count()), is_same);
  if (!is_new) return node;
  branches_.insert(branches_.end(), branches.begin(), branches.end());
  begin_.push_back(static_cast<Edge>(branches_.size()));
  return node;
}

void GroupTree::finish() {
  nodes_ = {};
  begin_.shrink_to_fit();
  branches_.shrink_to_fit();
  std::vector<Count> counts(node_count());
  before_.reserve(branches_.size());
  for (Node node = 0; node < node_count(); ++node) {
    Count count = 0;
    for (const Branch& branch : branches(node)) {
      before_.push_back(count);
      count += branch.child == kLeaf ? Count(1) : counts[branch.child];
    }
    counts[node] = count;
  }
  size_ = counts.empty() ? 0 : counts.back();
}

std::optional<GroupTree::Edge> GroupTree::edge_of(Node node, std::uint32_t rank) const {
  const auto among = branches(node);
  const auto found = std::ranges::lower_bound(among, rank, {}, &Branch::rank);
  if (found == among.end() || found->rank != rank) return std::nullopt;
  return begin_[node] + static_cast<Edge>(found - among.begin());
}

GroupTree::Edge GroupTree::edge_at(Node node, const Count& index) const {
  const auto first = before_.begin() + begin_[node], last = before_.begin() + end(node);
  return static_cast<Edge>(std::upper_bound(first, last, index) - before_.begin()) - 1;
}

GroupProduct::GroupProduct(std::vector<Group> groups, std::size_t parameters)
    : groups_(std::move(groups)), group_of_(parameters, kNoGroup) {
  for (std::uint32_t group = 0; group < groups_.size(); ++group) {
    for (const std::uint32_t member : groups_[group].members) group_of_[member] = group;
    size_ *= groups_[group].tree.size();
  }
  for (std::uint32_t parameter = 0; parameter < parameters; ++parameter) {
    if (group_of_[parameter] == kNoGroup) continue;
    Step step{parameter, group_of_[parameter], 1, {}};
    for (std::uint32_t other = 0; other < groups_.size(); ++other) {
      const auto& members = groups_[other].members;
      if (members.front() > parameter) {
        step.later *= groups_[other].tree.size();
      } else if (other != step.group && members.back() > parameter) {
        step.open.push_back(other);
      }
    }
    steps_.push_back(std::move(step));
  }
}

std::vector<GroupProduct::Place> GroupProduct::roots() const {
  std::vector<Place> places;
  places.reserve(groups_.size());
  for (const Group& group : groups_) places.push_back({group.tree.root(), group.tree.size()});
  return places;
}

// Number of combinations of all other groups for each combination of this step.
Count GroupProduct::weight(const Step& step, const std::vector<Place>& places) const {
  Count weight = step.later;
  for (const std::uint32_t group : step.open) weight *= places[group].count;
  return weight;
}

void GroupProduct::follow(Place& place, const GroupTree& tree, GroupTree::Edge edge) {
  const Count end = edge + 1 == tree.end(place.node) ? place.count : tree.before(edge + 1);
  place = {tree.branch(edge).child, end - tree.before(edge)};
}

std::vector<std::uint32_t> GroupProduct::ranks_at(Count index) const {
  std::vector<std::uint32_t> ranks(group_of_.size(), 0);
  auto places = roots();
  for (const Step& step : steps_) {
    const GroupTree& tree = groups_[step.group].tree;
    Place& place = places[step.group];
    const Count each = weight(step, places);
    const GroupTree::Edge edge = tree.edge_at(place.node, index / each);
    ranks[step.parameter] = tree.branch(edge).rank;
    index -= tree.before(edge) * each;
    follow(place, tree, edge);
  }
  return ranks;
}

std::optional<Count> GroupProduct::index_of(std::span<const std::uint32_t> ranks) const {
  Count index = 0;
  auto places = roots();
  for (const Step& step : steps_) {
    const GroupTree& tree = groups_[step.group].tree;
    Place& place = places[step.group];
    const auto edge = tree.edge_of(place.node, ranks[step.parameter]);
    if (!edge) return std::nullopt;
    index += tree.before(*edge) * weight(step, places);
    follow(place, tree, *edge);
  }
  return index;
}

std::vector<std::uint32_t> GroupProduct::choices(std::span<const std::uint32_t> ranks,
                                                 std::uint32_t parameter) const {
  if (group_of_[parameter] == kNoGroup) return {0};
  const auto& group = groups_[group_of_[parameter]];
  const auto& members = group.members;
  const auto& tree = group.tree;
  // Follows the ranks of the members from `first` to before `last`.
  const auto follow_ranks = [&](std::optional<GroupTree::Node> node, std::size_t first, std::size_t last) {
    for (std::size_t k = first; node && k < last; ++k) {
      const auto edge = tree.edge_of(*node, ranks[members[k]]);
      node = edge ? std::optional(tree.branch(*edge).child) : std::nullopt;
    }
    return node;
  };
  const auto level = static_cast<std::size_t>(std::ranges::find(members, parameter) - members.begin());
  std::vector<std::uint32_t> found;
  const auto node = follow_ranks(tree.root(), 0, level);
  if (!node) return found;
  for (const auto& branch : tree.branches(*node)) {
    if (follow_ranks(branch.child, level + 1, members.size())) found.push_back(branch.rank);
  }
  return found;
}

std::vector<std::uint32_t> GroupProduct::closest(std::span<const std::uint32_t> ranks) const {
  std::vector<std::uint32_t> found(ranks.size(), 0);
  for (const auto& [members, tree] : groups_) {
    GroupTree::Node node = tree.root();
    for (const std::uint32_t member : members) {
      const auto& branch = *std::ranges::min_element(
          tree.branches(node), {},
          [&](const GroupTree::Branch& each) { return apart(each.rank, ranks[member]); });
      found[member] = branch.rank;
      node = branch.child;
    }
  }
  return found;
}

}  // namespace gktune
