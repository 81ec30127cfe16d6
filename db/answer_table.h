#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "db/axis_table.h"
#include "db/kernel_winners.h"
#include "gktune/answer.h"
#include "gktune/values.h"
#include "tuner/space/language/expression.h"

namespace gktune {

// The words for a worst acceptable match in settings and flags, in the order of Match.
inline constexpr std::string_view kWorstMatches[] = {"exact", "nearest", "architecture", "portfolio", "default"};

// How the value of an axis in a question matches that of a tuned problem.
enum class AxisMatching {
  nearest,      // the nearest number on a log scale; the default for numbers
  exact,        // the same value only; the default for texts and booleans
  categorical,  // the same value first, then any other: all are equally far
};

// The changes since a winner was measured. The versions of the question are those of the machine that asks;
// where it names none, those of the latest session on the device count.
std::vector<std::string> changes_since(const Winner& winner, const KernelWinners& kernel,
                                       const Freshness& freshness);

// True for a number that no integer can be: such a size is not answered.
bool is_beyond_integers(const AxisValue& value);

// The constraints of a space on one device.
class ConfigRules {
 public:
  // The axes are those that questions name. A constraint that cannot be read is never met.
  ConfigRules(const KernelSpace& space, NamedValues device, std::span<const std::string> axes);

  // `of_problem`: the constraints that depend on an axis; the others hold for what was tuned on the same
  // device.
  enum class Which { of_problem, all };
  // True if the configuration is valid for a question with these values. Axes that the question does not name
  // have the values of the tuned problem.
  bool allow(Which which, const Config& config, const Problem& tuned,
             std::span<const AxisValue> values) const;

 private:
  std::vector<std::string> axes_;
  std::vector<Expression> of_problem_, others_;
  NamedValues device_;
  bool is_unreadable_ = false;
};

// The answers to all questions about one kernel and device that name the same axes.
//
// Preference: the asked device before others of its architecture; then the latest version of the kernel that
// has an answer; then problems that have no axis besides the asked ones; then the nearest problem; then the
// cold regime, time as the objective, and the latest winner. After all of these: the portfolio of the device,
// and the default of the space file. All but exact answers have to meet the constraints.
class AnswerTable {
 public:
  // `known_kernels`: for the reason where the kernel has no winner.
  AnswerTable(std::string_view name, const KernelWinners& kernel, const std::vector<std::string>& known_kernels,
              const DeviceIdentity& device, std::span<const std::string> axes, const Freshness& freshness);

  // Null: there is no answer. One value per axis.
  const Answer* find(std::span<const AxisValue> values) const;
  // Calls `visit` with all answers in order of preference until it returns true.
  using Visit = std::function<bool(const Answer&)>;
  bool visit(std::span<const AxisValue> values, const Visit& visit) const;
  // The reason why a question has no answer from a winner.
  const std::string& reason() const { return reason_; }

 private:
  // A winner. Candidates stand in order of preference among equally near ones.
  struct Candidate {
    std::size_t group = 0;
    const ConfigRules* rules = nullptr;
    std::vector<Value> values;  // one per axis
    Answer answer, exact_answer;
  };
  // A value on its axis.
  struct Place {
    double category = 0;  // 0: a number; else the number of a text or boolean
    double number = 0;    // on a log scale; infinite for texts and booleans
  };
  // The places of all candidates on an axis, side by side: a search reads every one.
  struct Column {
    std::vector<double> categories, numbers;
  };
  // Configurations for any problem, and the tree that chooses among them; without one the first is preferred.
  struct Spare {
    std::vector<Answer> answers;
    std::vector<PortfolioNode> tree;
    const ConfigRules* rules = nullptr;
  };
  // Less is better.
  struct Nearness {
    std::size_t group = 0;      // of candidates that are preferred to those of later groups
    double square = 0;          // of the distance
    bool is_different = false;  // from the question
    friend auto operator<=>(const Nearness&, const Nearness&) = default;
  };

  void add_winners(const KernelWinners& kernel, std::size_t version, const DeviceIdentity& device, Match match,
                   const Freshness& freshness);
  void add_spares(const KernelWinners& kernel, const DeviceIdentity& device, const Freshness& freshness);
  void index_exact_answers();
  // False: nothing answers such a question.
  bool may_answer(std::span<const AxisValue> values) const;
  // No value: the values cannot be compared with those of winners.
  std::optional<std::vector<Place>> places_of(std::span<const AxisValue> values) const;
  // For each candidate the square of its distance. Infinite: it has other texts or booleans. Values whose
  // places are the same count as equal.
  std::vector<double> squares(std::span<const Place> places) const;
  // No value: the candidate has other texts or booleans.
  std::optional<Nearness> nearness(std::size_t candidate, std::span<const AxisValue> values,
                                   std::span<const Place> places) const;
  using Ranked = std::pair<Nearness, std::size_t>;  // a candidate by its number
  std::vector<Ranked> ranking(std::span<const AxisValue> values, std::span<const Place> places) const;
  // The first of the ranking, without the ranking.
  std::optional<Ranked> nearest(std::span<const AxisValue> values, std::span<const Place> places) const;
  // Null: the constraints of the candidate do not allow it.
  const Answer* allowed_answer(const Ranked& ranked, std::span<const AxisValue> values) const;
  bool is_allowed(const ConfigRules& rules, const Answer& answer, std::span<const AxisValue> values) const;
  bool visit_spare(const Spare& spare, std::span<const AxisValue> values, const Visit& visit) const;

  std::vector<std::string> axes_;
  std::vector<AxisMatching> matching_;  // of the axes; nearest: as the kind of the values has it
  std::vector<std::unique_ptr<const ConfigRules>> rules_;  // of the versions
  std::unordered_map<std::string, double> categories_;  // of the texts and booleans of winners, as JSON
  std::vector<Candidate> candidates_;
  std::vector<std::size_t> groups_;  // the first candidate of each: one device match, version and number of axes
  std::vector<Column> columns_;      // of the axes
  std::vector<Spare> spares_;
  bool has_unknown_axis_ = false;  // among the asked ones: nothing answers then
  std::string reason_;
  AxisTable<const Answer> exact_;
};

}  // namespace gktune
