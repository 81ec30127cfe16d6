#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/answers/answer.h"
#include "db/answers/axis_table.h"
#include "db/answers/axis_value.h"
#include "db/answers/config_rules.h"
#include "db/answers/freshness.h"
#include "db/answers/kernel_winners.h"

namespace gktune {

// The changes since a winner was measured. The versions of the question are those of the machine that asks;
// where it names none, those of the latest session on the device count.
std::vector<std::string> changes_since(const Winner& winner, const Freshness& freshness);

// The answers to all questions about one kernel and device that name the same axes.
//
// Preference: the asked device before others of its architecture; then the latest version of the kernel that
// has an answer; then problems that have no axis besides the asked ones; then the nearest problem; then the
// cold regime, time as the objective, and the latest winner. After all of these: the portfolio of the device,
// and the default of the space file. All but exact answers have to meet the constraints.
class AnswerTable {
 public:
  AnswerTable(const KernelWinners& winners, const DeviceIdentity& device, std::span<const std::string> axes,
              const Freshness& freshness = {});

  // Null: there is no answer. One value per axis.
  const Answer* find(std::span<const AxisValue> values) const;
  // Calls `visit` with all answers in order of preference until it returns true.
  using Visit = std::function<bool(const Answer&)>;
  void visit(std::span<const AxisValue> values, const Visit& visit) const;
  // The same with the answers of the stored portfolio of the version that has the nearest
  // problem. True if one returned true. There are none where no problem of the device has the
  // texts and booleans of the question.
  bool visit_portfolios(std::span<const AxisValue> values, const Visit& visit) const;
  // The reason why a question has no answer from a winner.
  const std::string& reason() const { return reason_; }

 private:
  // Winners with the same texts and booleans, and the same number of axes that questions do not name. Sorted
  // by their places along `pivot`, then along `second`.
  struct Cluster {
    int left_out = 0;
    std::vector<Value> categories;  // one per axis; numbers that need not be equal are 0
    std::size_t pivot = 0, second = 0;  // the numeric axes with the most different values
    // One per different place along the pivot: the place, and the first row with it;
    // at the end the number of rows.
    std::vector<double> pivots;
    std::vector<std::uint32_t> first_rows;
    // One item or row per winner: its places along the second and along all axes, on a log scale; its values;
    // its preference among equally near ones, where less is better.
    std::vector<double> seconds, places;
    std::vector<Value> values;
    std::vector<std::size_t> ranks;
    std::vector<Answer> answers, exact_answers;
    // Divides the range of the pivots into equal parts, one per pivot, and holds
    // the first pivot of each part.
    std::vector<std::uint32_t> parts;
    double parts_per_place = 0;

    std::size_t part_of(double place) const;
    std::size_t first_not_below(double place) const;
  };
  // Winners that are preferred to those of the next tier.
  struct Tier {
    std::vector<Cluster> clusters;     // those with fewer axes left out first
    std::vector<std::uint32_t> slots;  // a hash table of clusters by their categories; kNoCluster: free
    const ConfigRules* rules = nullptr;
  };
  // Configurations for any problem, and the tree that chooses among them; without one the first is preferred.
  struct Spare {
    std::vector<Answer> answers;
    std::vector<PortfolioNode> tree;
    const ConfigRules* rules = nullptr;
    bool is_stored_portfolio = false;
  };
  // The place of a row in a ranking; less is better.
  struct Nearness {
    double square = 0;
    bool is_different = false;  // from the question
    std::size_t rank = 0;
    friend auto operator<=>(const Nearness&, const Nearness&) = default;
  };
  // A question on a log scale.
  struct Places;

  void add_tier(const KernelVersion& version, const ConfigRules& rules, const DeviceIdentity& device,
                Match match, const Freshness& freshness);
  // The configurations for any problem, and the default.
  void add_spares(const KernelWinners& winners, const DeviceIdentity& device, const Freshness& freshness);
  void note_damage(const KernelWinners& winners, const DeviceIdentity& device, const Freshness& freshness);
  // False: the question has no place.
  bool find_places(std::span<const AxisValue> values, Places& places) const;
  // The squared distance along all axes.
  double square(const Cluster& cluster, std::size_t row, std::span<const AxisValue> values,
                const Places& places) const;
  Nearness nearness(const Cluster& cluster, std::size_t row, std::span<const AxisValue> values,
                    double square) const;
  const Answer& answer_of(const Cluster& cluster, std::size_t row, const Nearness& nearness) const {
    return nearness.is_different ? cluster.answers[row] : cluster.exact_answers[row];
  }
  const Answer* nearest_in(const Cluster& cluster, std::span<const AxisValue> values,
                           const Places& places) const;
  void visit_spares(std::span<const AxisValue> values, const Visit& visit) const;
  bool visit_spare(const Spare& spare, std::span<const AxisValue> values, const Visit& visit) const;
  bool visit_cluster(const Tier& tier, const Cluster& cluster, std::span<const AxisValue> values,
                     const Places& places, const Visit& visit) const;
  // The clusters whose categories are those of the question, until the function returns true.
  template <class Function>
  bool for_clusters(std::span<const AxisValue> values, const Function& function) const;
  bool belongs(const Cluster& cluster, std::span<const AxisValue> values) const;
  bool is_allowed(const ConfigRules& rules, const Answer& answer, std::span<const AxisValue> values) const {
    if (answer.match == Match::exact) return true;
    const auto which =
        answer.match == Match::nearest_problem ? ConfigRules::Which::of_problem : ConfigRules::Which::all;
    return rules.allow(which, answer.config, answer.problem, values);
  }

  std::vector<std::string> axes_;
  std::vector<AxisMatching> matching_;  // of the axes; nearest: as the kind of the values has it
  bool is_declared_ = false;            // the space declares how an axis matches
  std::vector<std::unique_ptr<const ConfigRules>> rules_;
  std::vector<Tier> tiers_;
  std::vector<Spare> spares_;
  std::string reason_;

  AxisTable<const Answer> exact_;  // of the first tier
  void index_exact_answers();
};

}  // namespace gktune
