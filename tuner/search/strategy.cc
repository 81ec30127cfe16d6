#include "tuner/search/strategy.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "tuner/core/text.h"
#include "tuner/search/auto.h"
#include "tuner/search/bayes/bayes.h"
#include "tuner/search/bayes/forest_strategies.h"
#include "tuner/search/classic/strategies.h"
#include "tuner/search/climb.h"
#include "tuner/search/exhaustive.h"
#include "tuner/search/external/external.h"
#include "tuner/search/random.h"

namespace gktune {
namespace {

std::string_view kind_name(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::boolean:
      return "true or false";
    case Value::Kind::integer:
      return "a whole number";
    case Value::Kind::real:
      return "a number";
    case Value::Kind::text:
      break;
  }
  return "a text";
}

template <class T>
std::string list_of_names(const std::vector<T>& named) {
  return joined(named, ", ", &T::name);
}

std::string bounds_text(const StrategyOption& option) {
  const auto text = [](double bound) -> std::string {
    if (std::isinf(bound)) return "any";
    const bool is_whole = bound == std::floor(bound) && std::abs(bound) < 1e15;
    return is_whole ? std::to_string(static_cast<std::int64_t>(bound)) : Value(bound).str();
  };
  return text(option.least) + " to " + text(option.most);
}

// The task with every option of the strategy.
std::optional<Error> complete_options(const Strategy& strategy, SearchTask& task) {
  NamedValues options;
  for (const StrategyOption& option : strategy.options) options.set(option.name, option.default_value);
  for (const auto& [name, value] : task.options) {
    const auto option = std::ranges::find(strategy.options, name, &StrategyOption::name);
    if (option == strategy.options.end()) {
      return Error{"strategy '" + std::string(strategy.name) + "' has no option '" + name + "'" +
                   (strategy.options.empty() ? "" : "; it has " + list_of_names(strategy.options))};
    }
    const Value::Kind kind = option->default_value.kind();
    const Value given = kind == Value::Kind::real && value.is_integer() ? Value(value.number()) : value;
    if (given.kind() != kind) {
      return Error{"option '" + name + "' of strategy '" + std::string(strategy.name) + "' is '" +
                   value.str() + "', not " + std::string(kind_name(kind))};
    }
    if (kind != Value::Kind::text && kind != Value::Kind::boolean &&
        !(given.number() >= option->least && given.number() <= option->most)) {
      return Error{"option '" + name + "' of strategy '" + std::string(strategy.name) + "' is " +
                   value.str() + ", not within " + bounds_text(*option)};
    }
    options.set(name, given);
  }
  task.options = std::move(options);
  return std::nullopt;
}

}  // namespace

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
  if (found == strategies().end()) {
    return Error{"no strategy is called '" + std::string(strategy) + "'; there are " +
                 list_of_names(strategies())};
  }
  if (auto error = complete_options(*found, task)) return *std::move(error);
  return found->make(task);
}

}  // namespace gktune
