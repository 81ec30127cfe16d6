#include "tuner/search/strategy.h"

#include <fmt/format.h>

#include <cmath>
#include <deque>
#include <map>
#include <numeric>
#include <optional>

#include "tuner/core/quantity.h"
#include "tuner/core/text.h"
#include "tuner/search/untried.h"

namespace gktune {
namespace {

std::string_view kind_name(Value::Kind kind) {
  return kind == Value::Kind::boolean   ? "true or false"
         : kind == Value::Kind::integer ? "a whole number"
         : kind == Value::Kind::real    ? "a number"
                                        : "a text";
}

template <class T>
std::string list_of_names(const std::vector<T>& named) {
  return joined(named, ", ", &T::name);
}

std::string bounds_text(const StrategyOption& option) {
  const auto text = [](double bound) { return std::isinf(bound) ? "any" : fmt::format("{}", bound); };
  return text(option.least) + " to " + text(option.most);
}

// Gives the task every option of the strategy.
Result<void> complete_options(const Strategy& strategy, SearchTask& task) {
  NamedValues options;
  for (const StrategyOption& option : strategy.options) options.set(option.name, option.default_value);
  for (const auto& [name, value] : task.options) {
    const auto option = std::ranges::find(strategy.options, name, &StrategyOption::name);
    if (option == strategy.options.end())
      return Error{
          fmt::format("strategy '{}' has no option '{}'{}", strategy.name, name,
                      strategy.options.empty() ? "" : "; it has " + list_of_names(strategy.options))};
    const Value::Kind kind = option->default_value.kind();
    const Value given = kind == Value::Kind::real && value.is_integer() ? Value(value.number()) : value;
    if (given.kind() != kind)
      return Error{fmt::format("option '{}' of strategy '{}' is '{}', not {}", name, strategy.name,
                               value.str(), kind_name(kind))};
    if (given.is_number() && !(given.number() >= option->least && given.number() <= option->most))
      return Error{fmt::format("option '{}' of strategy '{}' is {}, not within {}", name, strategy.name,
                               value.str(), bounds_text(*option))};
    options.set(name, given);
  }
  task.options = std::move(options);
  return {};
}

// Chooses a strategy by the size of the space and the budget.
class Auto : public Searcher {
 public:
  explicit Auto(const SearchTask& task) {
    const std::string size = format_count(task.space.size().str());
    if (fits(task)) {
      chosen_ = make_searcher("exhaustive", task).value();
      description_ = "all " + size + " configurations fit the budget: each is tried";
    } else {
      chosen_ = make_searcher("bayes", task).value();
      description_ = chosen_->description() + " among " + size + " configurations";
    }
  }
  std::optional<Config> ask() override { return chosen_->ask(); }
  void tell(const Trial& trial) override { chosen_->tell(trial); }
  std::string description() const override { return description_; }
  std::optional<double> expected_gain() const override { return chosen_->expected_gain(); }

 private:
  // True if all configurations are tried. Before the first trial, a limit in seconds does not tell how many
  // fit.
  static bool fits(const SearchTask& task) {
    const Count& size = task.space.size();
    return size < kModelled || (task.budget.seconds <= 0 && task.budget.trials > 0 &&
                                size <= static_cast<std::uint64_t>(task.budget.trials));
  }
  static constexpr int kModelled = 16;  // a model of fewer configurations would come too late

  std::unique_ptr<Searcher> chosen_;
  std::string description_;
};

}  // namespace

Strategy auto_strategy() {
  return {.name = "auto",
          .summary = "every configuration where the budget allows, else bayes",
          .make = make_strategy<Auto>};
}

const std::vector<Strategy>& strategies() {
  static const std::vector<Strategy> kStrategies = {
      auto_strategy(),
      bayes_strategy(),
      trees_strategy(),
      classifier_strategy(),
      climb_strategy(),
      local_search_strategy(),
      genetic_strategy(),
      differential_evolution_strategy(),
      particle_swarm_strategy(),
      annealing_strategy(),
      pattern_search_strategy(),
      bandit_strategy(),
      latin_hypercube_strategy(),
      random_strategy(),
      exhaustive_strategy(),
      external_strategy(),
  };
  return kStrategies;
}

Result<std::unique_ptr<Searcher>> make_searcher(std::string_view strategy, SearchTask task) {
  const auto found = std::ranges::find(strategies(), strategy, &Strategy::name);
  if (found == strategies().end())
    return Error{
        fmt::format("no strategy is called '{}'; there are {}", strategy, list_of_names(strategies()))};
  if (auto completed = complete_options(*found, task); !completed) return completed.error();
  return found->make(task);
}

namespace {

// Several techniques take turns. A technique is asked more often while its proposals improve on the best: its
// credit is the area under the curve of its improvements within a window of results, plus a bonus for those
// that were rarely asked. Every technique sees every result.
class Bandit : public Searcher {
 public:
  explicit Bandit(const SearchTask& task)
      : untried_(task.space), window_(task.count("window", 1)), exploration_(task.real("exploration")) {
    for (const char* name :
         {"local-search", "genetic", "pattern-search", "differential-evolution", "annealing"}) {
      SearchTask of_technique{
          .space = task.space, .seed = task.seed * 31 + techniques_.size(), .budget = task.budget};
      techniques_.push_back(*make_searcher(name, std::move(of_technique)));
    }
  }

  std::optional<Config> ask() override {
    if (untried_.empty()) return std::nullopt;
    for (const std::size_t technique : by_credit()) {
      while (auto config = techniques_[technique]->ask()) {
        // Another technique may have it in flight.
        if (!untried_.take(*config)) continue;
        in_flight_[config->json()] = technique;
        return config;
      }
    }
    return std::nullopt;
  }

  void tell(const Trial& trial) override {
    if (!untried_.space().contains(trial.config)) return;
    untried_.take(trial.config);
    for (const auto& technique : techniques_) technique->tell(trial);
    const bool is_better = trial.ok() && (!best_ || trial.objective < *best_);
    if (is_better) best_ = trial.objective;
    const auto asked = in_flight_.find(trial.config.json());
    if (asked == in_flight_.end()) return;
    results_.push_back({asked->second, is_better});
    if (results_.size() > window_) results_.pop_front();
    in_flight_.erase(asked);
  }

 private:
  struct Outcome {
    std::size_t technique;
    bool is_better;
  };

  // The one with the most credit first.
  std::vector<std::size_t> by_credit() const {
    std::vector<double> asked(techniques_.size()), area(techniques_.size());
    for (const Outcome& result : results_) {
      asked[result.technique] += 1;
      if (result.is_better) area[result.technique] += asked[result.technique];
    }
    std::vector<double> waiting(techniques_.size());
    for (const auto& [config, technique] : in_flight_) waiting[technique] += 1;
    std::vector<double> credit(techniques_.size());
    for (std::size_t i = 0; i < credit.size(); ++i) {
      const double count = asked[i] + waiting[i];
      credit[i] =
          count == 0
              ? 1e9
              : 2 * area[i] / (std::max(asked[i], 1.0) * (asked[i] + 1)) +
                    exploration_ * std::sqrt(2 * std::log(1 + static_cast<double>(results_.size())) / count);
    }
    std::vector<std::size_t> order(credit.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t each) { return credit[each]; });
    return order;
  }

  Untried untried_;
  std::size_t window_;
  double exploration_;
  std::vector<std::unique_ptr<Searcher>> techniques_;
  std::map<std::string, std::size_t> in_flight_;  // the technique that proposed a configuration
  std::deque<Outcome> results_;
  std::optional<double> best_;
};

}  // namespace

Strategy bandit_strategy() {
  return {
      .name = "bandit",
      .summary = "several of these take turns; those that find improvements are asked more often",
      .options = {{"window", "results that count", 100, {50, 100, 200}},
                  {"exploration", "the bonus of techniques that were seldom asked", 0.1, {0.05, 0.1, 0.3}}},
      .make = make_strategy<Bandit>};
}

}  // namespace gktune
