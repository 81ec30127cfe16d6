#include "tuner/search/strategy.h"

#include <fmt/format.h>

#include <optional>

#include "tuner/core/quantity.h"
#include "tuner/core/text.h"

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
  void expect(const Config& config) override { chosen_->expect(config); }
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
      auto_strategy(),   bayes_strategy(),      genetic_strategy(),
      random_strategy(), exhaustive_strategy(), external_strategy(),
  };
  return kStrategies;
}

Result<std::unique_ptr<Searcher>> make_searcher(std::string_view strategy, SearchTask task) {
  const auto found = std::ranges::find(strategies(), strategy, &Strategy::name);
  if (found == strategies().end())
    return Error{
        fmt::format("no strategy is called '{}'; there are {}", strategy, list_of_names(strategies()))};
  GKTUNE_TRY(complete_options(*found, task));
  return found->make(task);
}

}  // namespace gktune
