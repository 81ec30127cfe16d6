#include "db/answer_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "db/distance.h"
#include "tuner/core/text.h"
#include "tuner/space/language/expression.h"

namespace gktune {
namespace {

// A different category is as far as a factor of a million in one size.
constexpr double kCategoryStep = 20;

// A value that differs from the question's adds this to the square of the distance.
double square_of_other(AxisMatching matching) {
  return matching == AxisMatching::categorical ? kCategoryStep * kCategoryStep
                                               : std::numeric_limits<double>::infinity();
}

bool has_same_architecture(const DeviceIdentity& asked, const DeviceIdentity& tuned) {
  return (asked.kind.empty() || asked.kind == tuned.kind) && !asked.architecture.empty() &&
         asked.architecture == tuned.architecture;
}

bool is_near(const DeviceIdentity& asked, const DeviceIdentity& tuned) {
  return fits(asked, tuned) || has_same_architecture(asked, tuned);
}

std::string described(const DeviceIdentity& device) {
  std::string text = device.name.empty() ? device.kind : device.name;
  if (!device.architecture.empty()) text += (text.empty() ? "" : ", ") + device.architecture;
  return text;
}

// "580" of "580.65.06".
std::string_view major_version(std::string_view version) { return version.substr(0, version.find('.')); }

// The reason why a winner no longer counts; no value if it does.
std::optional<std::string> refusal(const Winner& winner, const Freshness& freshness) {
  if (!freshness.fingerprint.empty() && winner.study.fingerprint != freshness.fingerprint)
    return "of other sources";
  const auto differs = [](const std::string& asked, const std::string& measured) {
    return !asked.empty() && !measured.empty() && major_version(asked) != major_version(measured);
  };
  const SessionEnvironment& measured = winner.environment;
  if (differs(freshness.driver, measured.driver)) return "measured with driver " + measured.driver;
  if (differs(freshness.runtime, measured.runtime)) return "measured with CUDA " + measured.runtime;
  return std::nullopt;
}

// The reason why a question that names these axes may have no answer.
std::string reason_for(const std::string& name, const KernelWinners& kernel,
                       const std::vector<std::string>& known_kernels, const DeviceIdentity& device,
                       std::span<const std::string> axes) {
  if (kernel.versions.empty())
    return "the database has no winner of kernel '" + name + "'" + did_you_mean(name, known_kernels);
  std::set<std::string> devices, names;
  std::map<std::string, std::set<std::string>> texts;
  for (const auto& version : kernel.versions) {
    for (const Winner& winner : version.winners) {
      devices.insert(described(winner.study.device));
      if (!is_near(device, winner.study.device)) continue;
      for (const auto& [axis, value] : winner.study.problem) {
        names.insert(axis);
        if (!value.is_number()) texts[axis].insert(value.str());
      }
      if (winner.study.problem.empty()) names.insert("");
    }
  }
  if (names.empty())
    return "'" + name + "' was not tuned on " + described(device) + "; it was tuned on " + joined(devices);
  for (const std::string& axis : axes) {
    if (!names.contains(axis)) return "'" + name + "' has no axis '" + axis + "'; it has " + joined(names);
  }
  std::string reason = "'" + name + "' was not tuned for such a problem";
  for (const auto& [axis, values] : texts) reason += "; " + axis + " was " + joined(values);
  return reason;
}

bool has_axis(const KernelWinners& kernel, const std::string& axis) {
  return std::ranges::any_of(kernel.versions, [&](const KernelVersion& version) {
    return std::ranges::any_of(version.winners, [&](const Winner& winner) {
      return winner.study.problem.find(axis) != nullptr;
    });
  });
}

// Says how many winners do not count, and why.
std::string refusals(const KernelWinners& kernel, const DeviceIdentity& device, const Freshness& freshness) {
  std::map<std::string, int> counts;
  for (const KernelVersion& version : kernel.versions) {
    for (const Winner& winner : version.winners) {
      if (!is_near(device, winner.study.device)) continue;
      if (const auto why = refusal(winner, freshness)) ++counts[*why];
    }
  }
  std::string text;
  for (const auto& [why, count] : counts)
    text += "; " + std::to_string(count) + (count == 1 ? " winner was " : " winners were ") + why;
  return text;
}

// The values of device.NAME in expressions on the asked device. An unknown device counts as one of its
// architecture.
NamedValues attributes_of(const KernelWinners& kernel, const DeviceIdentity& device) {
  for (const DeviceInfo& known : kernel.devices) {
    if (fits(device, identity_of(known))) return known.attributes();
  }
  for (const DeviceInfo& known : kernel.devices) {
    if (!has_same_architecture(device, identity_of(known))) continue;
    NamedValues own = known.attributes();
    if (!device.name.empty()) own.set("name", device.name);
    if (device.multiprocessors != 0) own.set("multiprocessors", device.multiprocessors);
    return own;
  }
  return {{"kind", device.kind},
          {"name", device.name},
          {"architecture", device.architecture},
          {"multiprocessors", device.multiprocessors}};
}

}  // namespace

bool is_beyond_integers(const AxisValue& value) {
  constexpr double kEnd = 9223372036854775808.0;  // 2^63
  return value.is_number() && (value.number() >= kEnd || value.number() < -kEnd);
}

std::vector<std::string> changes_since(const Winner& winner, const KernelWinners& kernel,
                                       const Freshness& freshness) {
  std::vector<std::string> changes;
  const bool has_later_version = std::ranges::find(winner.changes, kSourceChanged) != winner.changes.end();
  if (has_later_version && freshness.fingerprint.empty()) changes.emplace_back(kSourceChanged);
  const auto latest = kernel.latest.find(winner.study.device.name);
  SessionEnvironment now = latest != kernel.latest.end() ? latest->second : SessionEnvironment();
  const auto name = [](const std::string& asked, const std::string& measured, std::string& version) {
    if (!asked.empty()) version = measured.starts_with(asked) ? measured : asked;  // "580" names 580.65
  };
  name(freshness.driver, winner.environment.driver, now.driver);
  name(freshness.runtime, winner.environment.runtime, now.runtime);
  for (std::string& change : changes_between(winner.environment, now)) changes.push_back(std::move(change));
  return changes;
}

ConfigRules::ConfigRules(const KernelSpace& space, NamedValues device, std::span<const std::string> axes)
    : axes_(axes.begin(), axes.end()), device_(std::move(device)) {
  for (const std::string& text : space.constraints) {
    auto constraint = Expression::parse(text);
    if (!constraint) {
      is_unreadable_ = true;
      continue;
    }
    const bool is_of_problem = std::ranges::any_of(constraint->names(), [&](const Expression::NameUse& use) {
      return std::ranges::find(axes_, use.name) != axes_.end();
    });
    (is_of_problem ? of_problem_ : others_).push_back(*std::move(constraint));
  }
}

bool ConfigRules::allow(Which which, const Config& config, const Problem& tuned,
                        std::span<const AxisValue> values) const {
  if (is_unreadable_) return false;
  if (of_problem_.empty() && (which == Which::of_problem || others_.empty())) return true;
  Problem asked;
  for (std::size_t i = 0; i < axes_.size(); ++i) asked.set(axes_[i], values[i].value());
  Scope scope;
  scope.add(config).add(asked).add(tuned).add(device_, "device.");
  return all_hold(of_problem_, scope) && (which == Which::of_problem || all_hold(others_, scope));
}

AnswerTable::AnswerTable(std::string_view name, const KernelWinners& kernel,
                         const std::vector<std::string>& known_kernels, const DeviceIdentity& device,
                         std::span<const std::string> axes, const Freshness& freshness)
    : axes_(axes.begin(), axes.end()), matching_(axes.size(), AxisMatching::nearest), columns_(axes.size()),
      exact_(axes.size()) {
  const DeviceIdentity asked = device == DeviceIdentity{} && !kernel.versions.empty()
                                   ? kernel.versions.front().winners.front().study.device
                                   : device;
  reason_ = reason_for(std::string(name), kernel, known_kernels, asked, axes_) +
            refusals(kernel, asked, freshness);
  has_unknown_axis_ =
      std::ranges::any_of(axes_, [&](const std::string& axis) { return !has_axis(kernel, axis); });
  if (kernel.versions.empty() || has_unknown_axis_) return;
  // The latest version says how axes match.
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    const Value* declared = kernel.versions.front().space.matching.find(axes_[axis]);
    if (declared != nullptr && declared->str() == "categorical") matching_[axis] = AxisMatching::categorical;
    if (declared != nullptr && declared->str() == "exact") matching_[axis] = AxisMatching::exact;
  }
  const NamedValues attributes = attributes_of(kernel, asked);
  for (const KernelVersion& version : kernel.versions)
    rules_.push_back(std::make_unique<const ConfigRules>(version.space, attributes, axes_));
  for (const Match match : {Match::nearest_problem, Match::same_architecture}) {
    for (std::size_t version = 0; version < kernel.versions.size(); ++version)
      add_winners(kernel, version, asked, match, freshness);
  }
  add_spares(kernel, asked, freshness);
  index_exact_answers();
}

// Winners of a problem with fewer axes go before others, the cold regime before the hot one, and time before other
// objectives.
void AnswerTable::add_winners(const KernelWinners& kernel, std::size_t version, const DeviceIdentity& device,
                              Match match, const Freshness& freshness) {
  std::vector<const Winner*> admitted;
  for (const Winner& winner : kernel.versions[version].winners) {
    const DeviceIdentity& tuned = winner.study.device;
    const bool is_admitted =
        match == Match::nearest_problem ? fits(device, tuned) : has_same_architecture(device, tuned);
    if (is_admitted && !refusal(winner, freshness)) admitted.push_back(&winner);
  }
  std::ranges::stable_sort(admitted, {}, [](const Winner* winner) {
    const Study& study = winner->study;
    return std::tuple(study.problem.size(), study.regime != Regime::cold, study.objective != "time");
  });
  std::optional<std::size_t> axes_of_group;
  for (const Winner* winner : admitted) {
    const Study& study = winner->study;
    Candidate candidate;
    std::vector<AxisValue> values;
    for (const std::string& axis : axes_) {
      const Value* value = study.problem.find(axis);
      if (value == nullptr) break;
      candidate.values.push_back(*value);
      values.emplace_back(*value);
      if (!value->is_number()) categories_.emplace(value->json(), static_cast<double>(categories_.size() + 1));
    }
    const auto places = places_of(values);
    if (!places) continue;
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      columns_[axis].categories.push_back((*places)[axis].category);
      columns_[axis].numbers.push_back((*places)[axis].number);
    }
    if (axes_of_group != study.problem.size()) groups_.push_back(candidates_.size());
    axes_of_group = study.problem.size();
    candidate.group = groups_.size() - 1;
    candidate.rules = rules_[version].get();
    candidate.answer = {match,         winner->trial.config, winner->trial.timing.median_us,
                        study.problem, study.device,         {},
                        changes_since(*winner, kernel, freshness)};
    candidate.exact_answer = candidate.answer;
    if (match == Match::nearest_problem && study.problem.size() == axes_.size())
      candidate.exact_answer.match = Match::exact;
    candidates_.push_back(std::move(candidate));
  }
}

// An exact answer of the first group goes before all others.
void AnswerTable::index_exact_answers() {
  if (axes_.empty()) return;
  for (const Candidate& candidate : candidates_) {
    if (candidate.group != 0 || candidate.exact_answer.match != Match::exact) break;
    const std::vector<AxisValue> values(candidate.values.begin(), candidate.values.end());
    if (exact_.find(values) == nullptr) exact_.set(values, &candidate.exact_answer);
  }
}

void AnswerTable::add_spares(const KernelWinners& kernel, const DeviceIdentity& device,
                             const Freshness& freshness) {
  bool has_default = false;
  std::vector<Spare> defaults;
  for (std::size_t i = 0; i < kernel.versions.size(); ++i) {
    const KernelVersion& version = kernel.versions[i];
    if (!freshness.fingerprint.empty() &&
        version.winners.front().study.fingerprint != freshness.fingerprint) {
      continue;
    }
    for (const Portfolio& portfolio : version.portfolios) {
      if (!fits(device, portfolio.device)) continue;
      Spare& spare = spares_.emplace_back(Spare{{}, portfolio.tree, rules_[i].get()});
      // And the changes since any of its problems was measured.
      std::vector<std::string> stale = portfolio.stale;
      for (const Winner& winner : version.winners) {
        if (!portfolio.is_of(winner.study)) continue;
        for (std::string& change : changes_since(winner, kernel, freshness))
          add_change(stale, std::move(change));
      }
      for (const Config& config : portfolio.configs)
        spare.answers.push_back({Match::portfolio, config, 0, {}, portfolio.device, reason_, stale});
    }
    if (has_default || version.space.default_config.empty()) continue;
    has_default = true;
    defaults.push_back({{{Match::space_default, version.space.default_config, 0, {}, {}, reason_, {}}},
                        {},
                        rules_[i].get()});
  }
  spares_.insert(spares_.end(), defaults.begin(), defaults.end());
}

bool AnswerTable::may_answer(std::span<const AxisValue> values) const {
  return values.size() == axes_.size() && std::ranges::none_of(values, is_beyond_integers);
}

std::optional<std::vector<AnswerTable::Place>> AnswerTable::places_of(std::span<const AxisValue> values) const {
  if (values.size() != axes_.size()) return std::nullopt;
  std::vector<Place> places(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i].is_number()) {
      const auto known = categories_.find(values[i].value().json());
      places[i] = {known != categories_.end() ? known->second : -1, std::numeric_limits<double>::infinity()};
      continue;
    }
    places[i].number = place_of(values[i].number());
    if (!std::isfinite(places[i].number)) return std::nullopt;
  }
  return places;
}

// The loops have no branches, so that the compiler works on several candidates at once.
std::vector<double> AnswerTable::squares(std::span<const Place> places) const {
  const std::size_t count = candidates_.size();
  std::vector<double> all(count, 0.0);
  double* const sums = all.data();
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    const auto [category, number] = places[axis];
    const double* categories = columns_[axis].categories.data();
    const double* numbers = columns_[axis].numbers.data();
    if (category == 0 && matching_[axis] == AxisMatching::nearest) {
      for (std::size_t i = 0; i < count; ++i) sums[i] += (numbers[i] - number) * (numbers[i] - number);
    } else {
      const double other = square_of_other(matching_[axis]);
      for (std::size_t i = 0; i < count; ++i) {
        const bool is_same = (categories[i] == category) & (numbers[i] == number);
        sums[i] += is_same ? 0.0 : other;
      }
    }
  }
  return all;
}

std::optional<AnswerTable::Nearness> AnswerTable::nearness(std::size_t candidate,
                                                           std::span<const AxisValue> values,
                                                           std::span<const Place> places) const {
  Nearness nearness{.group = candidates_[candidate].group};
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    if (AxisValue(candidates_[candidate].values[axis]) == values[axis]) continue;
    nearness.is_different = true;
    const double step = columns_[axis].numbers[candidate] - places[axis].number;
    const bool are_sizes = columns_[axis].categories[candidate] == 0 && places[axis].category == 0 &&
                           matching_[axis] == AxisMatching::nearest;
    nearness.square += are_sizes ? step * step : square_of_other(matching_[axis]);
  }
  if (std::isinf(nearness.square)) return std::nullopt;
  return nearness;
}

std::vector<AnswerTable::Ranked> AnswerTable::ranking(std::span<const AxisValue> values,
                                                      std::span<const Place> places) const {
  std::vector<Ranked> ranking;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (const auto near = nearness(i, values, places)) ranking.emplace_back(*near, i);
  }
  std::ranges::sort(ranking);
  return ranking;
}

std::optional<AnswerTable::Ranked> AnswerTable::nearest(std::span<const AxisValue> values,
                                                        std::span<const Place> places) const {
  const std::vector<double> squares = this->squares(places);
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    const auto begin = squares.begin() + static_cast<std::ptrdiff_t>(groups_[group]);
    const auto end = group + 1 < groups_.size()
                         ? squares.begin() + static_cast<std::ptrdiff_t>(groups_[group + 1])
                         : squares.end();
    const auto least = std::min_element(begin, end);
    if (std::isinf(*least)) continue;
    const auto i = static_cast<std::size_t>(least - squares.begin());
    const auto near = nearness(i, values, places);
    if (near && near->square == *least && !(near->is_different && near->square == 0)) return Ranked(*near, i);
    break;
  }
  // The values differ although their places are the same.
  const auto ranked = ranking(values, places);
  return ranked.empty() ? std::nullopt : std::optional(ranked.front());
}

bool AnswerTable::is_allowed(const ConfigRules& rules, const Answer& answer,
                             std::span<const AxisValue> values) const {
  if (answer.match == Match::exact) return true;
  const auto which =
      answer.match == Match::nearest_problem ? ConfigRules::Which::of_problem : ConfigRules::Which::all;
  return rules.allow(which, answer.config, answer.problem, values);
}

const Answer* AnswerTable::allowed_answer(const Ranked& ranked, std::span<const AxisValue> values) const {
  const auto& [nearness, i] = ranked;
  const Answer& answer = nearness.is_different ? candidates_[i].answer : candidates_[i].exact_answer;
  return is_allowed(*candidates_[i].rules, answer, values) ? &answer : nullptr;
}

const Answer* AnswerTable::find(std::span<const AxisValue> values) const {
  if (const Answer* exact = exact_.find(values)) return exact;
  if (!may_answer(values)) return nullptr;
  if (const auto places = places_of(values)) {
    const auto first = nearest(values, *places);
    const Answer* answer = first ? allowed_answer(*first, values) : nullptr;
    if (answer != nullptr) return answer;
  }
  const Answer* found = nullptr;
  visit(values, [&](const Answer& answer) {
    found = &answer;
    return true;
  });
  return found;
}

bool AnswerTable::visit(std::span<const AxisValue> values, const Visit& visit) const {
  if (!may_answer(values)) return false;
  if (const auto places = places_of(values)) {
    for (const Ranked& ranked : ranking(values, *places)) {
      const Answer* answer = allowed_answer(ranked, values);
      if (answer != nullptr && visit(*answer)) return true;
    }
  }
  return std::ranges::any_of(spares_, [&](const Spare& spare) { return visit_spare(spare, values, visit); });
}

// Offers the choice of the tree, then the other configurations.
bool AnswerTable::visit_spare(const Spare& spare, std::span<const AxisValue> values,
                              const Visit& visit) const {
  if (values.size() != axes_.size()) return false;
  Problem asked;
  for (std::size_t i = 0; i < axes_.size(); ++i) asked.set(axes_[i], values[i].value());
  const PortfolioNode* leaf = find_leaf(spare.tree, asked);
  const std::size_t first = leaf != nullptr ? leaf->config : 0;
  const auto serves = [&](std::size_t place) {
    const Answer& answer = spare.answers[place];
    return is_allowed(*spare.rules, answer, values) && visit(answer);
  };
  if (serves(first)) return true;
  for (std::size_t place = 0; place < spare.answers.size(); ++place) {
    if (place != first && serves(place)) return true;
  }
  return false;
}

}  // namespace gktune
