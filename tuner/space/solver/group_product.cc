#include "tuner/space/solver/group_product.h"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

namespace gktune {
namespace {

constexpr std::uint32_t kNoGroup = ~std::uint32_t{0};

template <class Number>
Number before(const GroupTree& tree, GroupTree::Edge edge) {
  if constexpr (std::is_same_v<Number, Count>) {
    return tree.wide_before(edge);
  } else {
    return tree.narrow_before(edge);
  }
}

// Distance of a combination from a wanted one: parameters that differ, then steps between their values.
struct Distance {
  std::uint64_t parameters = 0, steps = 0;
  friend auto operator<=>(const Distance&, const Distance&) = default;
};

Distance apart(std::uint32_t a, std::uint32_t b) { return {a != b ? 1u : 0u, a < b ? b - a : a - b}; }

}  // namespace

GroupProduct::GroupProduct(std::vector<Group> groups, std::size_t parameters)
    : groups_(std::move(groups)), group_of_(parameters, kNoGroup) {
  for (std::uint32_t group = 0; group < groups_.size(); ++group) {
    for (const std::uint32_t member : groups_[group].members) group_of_[member] = group;
    size_ *= groups_[group].tree.size();
  }
  is_wide_ = size_ > std::numeric_limits<std::uint64_t>::max();
  for (std::uint32_t parameter = 0; parameter < parameters; ++parameter) {
    if (group_of_[parameter] == kNoGroup) continue;
    const auto& own = groups_[group_of_[parameter]].members;
    Step step{parameter, group_of_[parameter], false, parameter == own.front(), true, 1, 0, {}};
    step.is_free = groups_[step.group].is_free;
    for (std::uint32_t other = 0; other < groups_.size(); ++other) {
      const auto& members = groups_[other].members;
      if (other != step.group && members.front() < own.back() && own.front() < members.back()) {
        step.is_apart = false;
      }
      if (members.front() > parameter) {
        step.wide_later *= groups_[other].tree.size();
      } else if (other != step.group && members.back() > parameter) {
        step.open.push_back(other);
      }
    }
    if (!is_wide_) step.later = static_cast<std::uint64_t>(step.wide_later);
    steps_.push_back(std::move(step));
  }
}

std::size_t GroupProduct::bytes() const {
  std::size_t bytes = steps_.capacity() * sizeof(Step) + group_of_.capacity() * sizeof(std::uint32_t);
  for (const Step& step : steps_) bytes += step.open.capacity() * sizeof(std::uint32_t);
  for (const Group& group : groups_) {
    bytes += sizeof(Group) + group.members.capacity() * sizeof(std::uint32_t) + group.tree.bytes();
  }
  return bytes;
}

template <class Number>
GroupProduct::Places<Number> GroupProduct::roots() const {
  Places<Number> places;
  for (const Group& group : groups_) {
    places.push_back({group.tree.root(), static_cast<Number>(group.tree.size()), 0});
  }
  return places;
}

// Number of combinations of all other groups for each combination of this step.
template <class Number>
Number GroupProduct::weight(const Step& step, const Places<Number>& places) const {
  Number weight;
  if constexpr (std::is_same_v<Number, Count>) {
    weight = step.wide_later;
  } else {
    weight = step.later;
  }
  for (const std::uint32_t group : step.open) weight *= places[group].count;
  return weight;
}

template <class Number>
void GroupProduct::follow(Place<Number>& place, const GroupTree& tree, GroupTree::Edge edge) const {
  Number end = place.count;
  if (edge + 1 != tree.end(place.node)) end = before<Number>(tree, edge + 1);
  place.count = end - before<Number>(tree, edge);
  place.node = tree.branch(edge).child;
}

template <class Number>
void GroupProduct::find_ranks(Number index, std::span<std::uint32_t> ranks) const {
  std::ranges::fill(ranks, 0u);
  auto places = roots<Number>();
  for (const Step& step : steps_) {
    const GroupTree& tree = groups_[step.group].tree;
    Place<Number>& place = places[step.group];
    if (!step.is_apart) {
      const Number each = weight<Number>(step, places);
      const GroupTree::Edge edge = tree.edge_at(place.node, index / each);
      ranks[step.parameter] = tree.branch(edge).rank;
      index -= before<Number>(tree, edge) * each;
      follow(place, tree, edge);
      continue;
    }
    // One division is enough for all of the group.
    if (step.is_first) {
      const Number each = weight<Number>(step, places);
      place.within = index / each;
      index -= place.within * each;
    }
    if (step.is_free) {
      ranks[step.parameter] = static_cast<std::uint32_t>(place.within);
      continue;
    }
    const GroupTree::Edge edge = tree.edge_at(place.node, place.within);
    ranks[step.parameter] = tree.branch(edge).rank;
    place.within -= before<Number>(tree, edge);
    place.node = tree.branch(edge).child;
  }
}

void GroupProduct::ranks_at(std::uint64_t index, std::span<std::uint32_t> ranks) const {
  if (is_wide_) return find_ranks<Count>(index, ranks);
  find_ranks<std::uint64_t>(index, ranks);
}

void GroupProduct::ranks_at(const Count& index, std::span<std::uint32_t> ranks) const {
  if (!is_wide_) return ranks_at(static_cast<std::uint64_t>(index), ranks);
  find_ranks<Count>(index, ranks);
}

template <class Number>
std::optional<Count> GroupProduct::find_index(std::span<const std::uint32_t> ranks) const {
  Number index = 0;
  auto places = roots<Number>();
  for (const Step& step : steps_) {
    const GroupTree& tree = groups_[step.group].tree;
    Place<Number>& place = places[step.group];
    const auto edge = tree.edge_of(place.node, ranks[step.parameter]);
    if (!edge) return std::nullopt;
    index += before<Number>(tree, *edge) * weight<Number>(step, places);
    follow(place, tree, *edge);
  }
  return Count(index);
}

std::optional<Count> GroupProduct::index_of(std::span<const std::uint32_t> ranks) const {
  return is_wide_ ? find_index<Count>(ranks) : find_index<std::uint64_t>(ranks);
}

std::vector<std::uint32_t> GroupProduct::choices(std::span<const std::uint32_t> ranks,
                                                 std::uint32_t parameter) const {
  if (group_of_[parameter] == kNoGroup) return {0};
  const auto& members = groups_[group_of_[parameter]].members;
  const GroupTree& tree = groups_[group_of_[parameter]].tree;
  GroupTree::Node node = tree.root();
  std::size_t level = 0;
  for (; members[level] != parameter; ++level) {
    const auto edge = tree.edge_of(node, ranks[members[level]]);
    if (!edge) return {};
    node = tree.branch(*edge).child;
  }
  const auto goes_on = [&](GroupTree::Node below) {
    for (std::size_t k = level + 1; k < members.size(); ++k) {
      const auto edge = tree.edge_of(below, ranks[members[k]]);
      if (!edge) return false;
      below = tree.branch(*edge).child;
    }
    return true;
  };
  std::vector<std::uint32_t> found;
  for (const auto& branch : tree.branches(node)) {
    if (goes_on(branch.child)) found.push_back(branch.rank);
  }
  return found;
}

std::vector<std::uint32_t> GroupProduct::closest(std::span<const std::uint32_t> ranks) const {
  std::vector<std::uint32_t> found(ranks.size(), 0);
  for (const auto& [members, tree, is_free] : groups_) {
    // Children have lower numbers than their parents.
    std::vector<std::uint32_t> levels(tree.node_count(), 0);
    for (GroupTree::Node node = tree.root(); node > 0; --node) {
      for (const auto& branch : tree.branches(node)) {
        if (branch.child != GroupTree::kLeaf) levels[branch.child] = levels[node] + 1;
      }
    }
    std::vector<Distance> distances(tree.node_count());
    std::vector<GroupTree::Branch> best(tree.node_count());
    for (GroupTree::Node node = 0; node < tree.node_count(); ++node) {
      bool is_first = true;
      for (const auto& branch : tree.branches(node)) {
        Distance distance = apart(branch.rank, ranks[members[levels[node]]]);
        if (branch.child != GroupTree::kLeaf) {
          distance.parameters += distances[branch.child].parameters;
          distance.steps += distances[branch.child].steps;
        }
        if (!is_first && distance >= distances[node]) continue;
        distances[node] = distance;
        best[node] = branch;
        is_first = false;
      }
    }
    GroupTree::Node node = tree.root();
    for (const std::uint32_t member : members) {
      found[member] = best[node].rank;
      node = best[node].child;
    }
  }
  return found;
}

}  // namespace gktune
