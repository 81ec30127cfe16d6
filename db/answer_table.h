#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/answer.h"
#include "db/axis_value.h"
#include "db/winners.h"

namespace gktune {

// The answers to all questions about one kernel and device that name the same axes.
//
// Preference: the asked device before others of its architecture; then the latest version of the kernel that
// has an answer; then problems that have no axis besides the asked ones; then the nearest problem; then the cold
// regime, time as the objective, and the latest winner.
class AnswerTable {
 public:
  AnswerTable(const Winners& winners, std::string_view kernel, const DeviceIdentity& device,
              std::span<const std::string> axes);

  // Null: there is no answer. One value per axis.
  const Answer* find(std::span<const AxisValue> values) const;
  // The reason why a question has no answer.
  const std::string& reason() const { return reason_; }

 private:
  // Winners with the same texts and booleans, and the same number of axes that questions do not name. Sorted
  // by their place along `pivot`.
  struct Cluster {
    int left_out = 0;
    std::vector<Value> categories;  // one per axis; numbers are 0
    std::size_t pivot = 0;          // the numeric axis with the most different values
    // One item or row per winner: its place along the pivot and along each axis, on a log scale; its sizes; its
    // preference among equally near ones, where less is better.
    std::vector<double> pivots, places;
    std::vector<Value> numbers;
    std::vector<std::size_t> ranks;
    std::vector<Answer> answers, exact_answers;
    // Divides the range of the pivots into equal parts, one per winner, and holds the first winner of each part.
    std::vector<std::uint32_t> parts;
    double parts_per_place = 0;

    std::size_t part_of(double place) const;
    std::size_t first_not_below(double place) const;
  };
  // Winners that are preferred to those of the next tier.
  struct Tier {
    std::vector<Cluster> clusters;     // those with fewer axes left out first
    std::vector<std::uint32_t> slots;  // a hash table of clusters by their texts; kNoCluster: free
  };

  void add_tier(const std::vector<Winner>& version, const DeviceIdentity& device, Match match);
  const Answer* find_in(const Cluster& cluster, std::span<const AxisValue> values,
                        std::span<const double> places) const;
  bool belongs(const Cluster& cluster, std::span<const AxisValue> values) const;

  std::vector<std::string> axes_;
  std::vector<Tier> tiers_;
  std::string reason_;
};

}  // namespace gktune
