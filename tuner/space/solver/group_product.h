#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tuner/space/solver/group_tree.h"

namespace gktune {

// The numbers of a group's parameters, ascending, and their valid combinations.
struct Group {
  std::vector<std::uint32_t> members;
  GroupTree tree;
  bool is_free = false;  // it has one parameter, and all values are valid
};

// The product of all groups. A combination has a rank for each parameter. Combinations are numbered in the
// lexicographic order of their ranks, even if parameters of one group lie between those of another.
class GroupProduct {
 public:
  GroupProduct() = default;
  // A parameter in no group has one value.
  GroupProduct(std::vector<Group> groups, std::size_t parameters);

  const Count& size() const { return size_; }
  bool is_wide() const { return is_wide_; }
  std::size_t bytes() const;

  // Writes the ranks of the combination at an index. `ranks` has an element for each
  // parameter. Requires index < size().
  void ranks_at(std::uint64_t index, std::span<std::uint32_t> ranks) const;
  void ranks_at(const Count& index, std::span<std::uint32_t> ranks) const;
  std::optional<Count> index_of(std::span<const std::uint32_t> ranks) const;
  // The valid ranks of one parameter if all others keep theirs.
  std::vector<std::uint32_t> choices(std::span<const std::uint32_t> ranks, std::uint32_t parameter) const;
  // The nearest valid combination: the fewest parameters differ, then by the fewest steps.
  std::vector<std::uint32_t> closest(std::span<const std::uint32_t> ranks) const;

 private:
  // One digit of an index.
  struct Step {
    std::uint32_t parameter, group;
    bool is_free;                     // the group is free
    bool is_first;                    // the first parameter of its group
    bool is_apart;                    // no parameter of another group lies between those of its group
    Count wide_later;                 // number of combinations of the groups that begin later
    std::uint64_t later;              // the same number, if the size is not wide
    std::vector<std::uint32_t> open;  // groups that began before it and end after it
  };
  // The position in a group's tree while a combination is looked up.
  template <class Number>
  struct Place {
    GroupTree::Node node;
    Number count;   // number of the node's combinations
    Number within;  // index among them, if the group lies apart
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
  std::vector<std::uint32_t> group_of_;  // for each parameter; kNoGroup if it has one value
  std::vector<Step> steps_;
  Count size_ = 1;
  bool is_wide_ = false;
};

}  // namespace gktune
