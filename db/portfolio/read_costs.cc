#include <algorithm>
#include <map>
#include <tuple>

#include "db/database.h"
#include "db/portfolio/make_portfolio.h"
#include "gktune/values.h"

namespace gktune {
namespace {

// Lower is better, and positive: the objective is negative where a metric is maximized.
double cost_of(double objective) { return objective < 0 ? 1 / -objective : objective; }

struct StudyCosts {
  Study study;
  std::map<std::string, double> costs;  // by the JSON of the configuration
  std::string winner;
};

double weight_of(const Problem& problem, const std::vector<ProblemWeight>& weights) {
  double weight = 1;
  for (const ProblemWeight& each : weights) {
    if (each.applies_to(problem)) weight = each.weight;
  }
  return weight;
}

CostTable cost_table(const std::vector<StudyCosts>& studies, const std::map<std::string, Config>& parsed,
                     const std::vector<ProblemWeight>& weights) {
  CostTable table;
  std::map<std::string, std::size_t> places;
  for (const StudyCosts& study : studies) {
    for (const auto& [config, cost] : study.costs) {
      if (places.emplace(config, places.size()).second) table.configs.push_back(parsed.at(config));
    }
  }
  for (const StudyCosts& study : studies) {
    table.problems.push_back(study.study.problem);
    table.weights.push_back(weight_of(table.problems.back(), weights));
    table.winners.push_back(places.at(study.winner));
    auto& loss = table.loss.emplace_back(table.configs.size(), CostTable::kUnmeasured);
    const double best = study.costs.at(study.winner);
    for (const auto& [config, cost] : study.costs) loss[places.at(config)] = std::max(cost / best - 1, 0.0);
  }
  return table;
}

std::vector<Value> sort_key(const Problem& problem) {
  std::map<std::string, Value> sorted;
  for (const auto& [name, value] : problem) sorted[name] = value;
  std::vector<Value> key;
  for (const auto& [name, value] : sorted) key.push_back(value);
  return key;
}

bool has_axes_of(const Problem& a, const Problem& b) {
  return a.size() == b.size() &&
         std::ranges::all_of(a, [&](const auto& axis) { return b.find(axis.first) != nullptr; });
}

}  // namespace

bool ProblemWeight::applies_to(const Problem& other) const {
  return std::ranges::all_of(problem, [&](const auto& asked) {
    const Value* own = other.find(asked.first);
    return own != nullptr && AxisValue(*own) == AxisValue(asked.second);
  });
}

Result<std::vector<PortfolioSource>> read_costs(const Database& database, const std::string& kernel,
                                                const std::vector<ProblemWeight>& weights,
                                                std::size_t fewest) {
  auto winners = database.winners(kernel);
  if (!winners) return winners.error();
  std::ranges::sort(*winners, [](const Winner& a, const Winner& b) {
    return std::pair(a.updated_unix_ms, a.study_id) > std::pair(b.updated_unix_ms, b.study_id);
  });
  // Each group has the version that was tuned last for a device, regime and objective.
  std::vector<std::vector<const Winner*>> groups;
  for (const Winner& winner : *winners) {
    const auto group = std::ranges::find_if(groups, [&](const auto& known) {
      const Study& first = known.front()->study;
      return std::tie(first.device, first.regime, first.objective) ==
             std::tie(winner.study.device, winner.study.regime, winner.study.objective);
    });
    if (group == groups.end()) {
      groups.push_back({&winner});
    } else if (group->front()->study.fingerprint == winner.study.fingerprint &&
               has_axes_of(group->front()->study.problem, winner.study.problem)) {
      group->push_back(&winner);
    }
  }
  std::vector<PortfolioSource> sources;
  for (auto& group : groups) {
    std::ranges::sort(group, {}, [](const Winner* each) { return sort_key(each->study.problem); });
    std::map<std::string, Config> configs;  // by their JSON
    std::vector<StudyCosts> costs;
    for (const Winner* winner : group) {
      const auto trials = database.trials(winner->study_id);
      if (!trials) return trials.error();
      StudyCosts study{.study = winner->study, .costs = {}, .winner = winner->trial.config.json()};
      for (const Trial& trial : *trials) {
        if (!trial.ok() || trial.objective == 0) continue;
        const std::string key = trial.config.json();
        study.costs[key] = cost_of(trial.objective);
        configs.emplace(key, trial.config);
      }
      if (study.costs[study.winner] > 0) costs.push_back(std::move(study));
    }
    if (costs.size() < fewest) continue;
    PortfolioSource& source = sources.emplace_back();
    const Study& first = costs.front().study;
    source.identity.kernel = first.kernel;
    source.identity.fingerprint = first.fingerprint;
    source.identity.device = first.device;
    source.identity.regime = first.regime;
    source.identity.objective = first.objective;
    source.table = cost_table(costs, configs, weights);
  }
  if (sources.empty())
    return Error{"'" + kernel + "' has no " +
                 (fewest > 1 ? "two tuned problems on one device" : "tuned problem")};
  return sources;
}

}  // namespace gktune
