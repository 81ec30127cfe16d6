#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tuner/space/solver/group_tree.h"

namespace gktune {

// The parameters of a group, by number, with their valid combinations. Parameters ascend.
struct Group {
  std::vector<std::uint32_t> members;
  GroupTree tree;
  bool is_free = false;  // one parameter, and any of its values
};

// All groups together. A combination is a rank for each parameter; combinations are numbered in lexicographic
// order of their ranks, though the members of one group may lie between those of another.
class GroupProduct {
 public:
  GroupProduct() = default;
  // Parameters in no group have one value.
  GroupProduct(std::vector<Group> groups, std::size_t parameters);

  const Count& size() const { return size_; }
  bool is_wide() const { return is_wide_; }
  std::size_t bytes() const;

  // `ranks` has a place for each parameter. Requires an index below the size.
  void ranks_at(std::uint64_t index, std::span<std::uint32_t> ranks) const;
  void ranks_at(const Count& index, std::span<std::uint32_t> ranks) const;
  std::optional<Count> index_of(std::span<const std::uint32_t> ranks) const;
  // The ranks that one parameter can have when all others keep theirs.
  std::vector<std::uint32_t> choices(std::span<const std::uint32_t> ranks, std::uint32_t parameter) const;
  // The valid combination that differs from this one in the fewest parameters, by the fewest steps.
  std::vector<std::uint32_t> closest(std::span<const std::uint32_t> ranks) const;

 private:
  // One digit of an index.
  struct Step {
    std::uint32_t parameter, group;
    bool is_free;                     // its group is
    bool is_first;                    // of its group
    bool is_apart;                    // no parameter of another group lies between those of its group
    Count wide_later;                 // combinations of the groups that begin after it
    std::uint64_t later;              // the same, where the size is not wide
    std::vector<std::uint32_t> open;  // groups that began before it and end after it
  };
  // The number of groups that have been visited.
  template <class Number>
  struct Place {
    GroupTree::Node node;
    Number count;   // of the node's combinations
    Number within;  // which of them, of a group that lies apart
  };
  template <class Number>
  using Places = boost::container::small_vector<Place<Number>, 16>;

  template <class Number>
  Places<Number> roots() const;
  template <class Number>
  Number weight(const Step& step, const Places<Number>& places) const;
  template <class Number>
  void follow(Place<Number>& place, const GroupTree& tree, GroupTree::Edge edge) const;
  template <class Number>
  void find_ranks(Number index, std::span<std::uint32_t> ranks) const;
  template <class Number>
  std::optional<Count> find_index(std::span<const std::uint32_t> ranks) const;

  std::vector<Group> groups_;
  std::vector<std::uint32_t> group_of_;  // of each parameter; kNoGroup for one with a single value
  std::vector<Step> steps_;
  Count size_ = 1;
  bool is_wide_ = false;
};

}  // namespace gktune
