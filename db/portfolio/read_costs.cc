#include <algorithm>
#include <map>
#include <tuple>

#include "db/database.h"
#include "db/portfolio/make_portfolio.h"

namespace gktune {
namespace {

// Lower is better, and positive: the objective is negative where a metric is maximized.
double cost_of(const Trial& trial) { return trial.objective < 0 ? 1 / -trial.objective : trial.objective; }

// Adds the problem of a study with the costs of its configurations; nothing if the winner's cost is unknown.
// `places`: of configurations in the table, by their JSON.
void add_study(const Winner& winner, const std::vector<Trial>& trials, const std::vector<ProblemWeight>& weights,
               std::map<std::string, std::size_t>& places, CostTable& table) {
  std::map<std::string, const Trial*> known;  // by the JSON of the configuration
  for (const Trial& trial : trials) {
    if (trial.ok() && trial.objective != 0) known[trial.config.json()] = &trial;
  }
  const std::string best = winner.trial.config.json();
  if (!known.contains(best)) return;
  auto& loss = table.loss.emplace_back();
  for (const auto& [key, trial] : known) {
    const auto [place, is_new] = places.try_emplace(key, places.size());
    if (is_new) table.configs.push_back(trial->config);
    loss.resize(table.configs.size(), CostTable::kUnmeasured);
    loss[place->second] = std::max(cost_of(*trial) / cost_of(*known.at(best)) - 1, 0.0);
  }
  table.problems.push_back(winner.study.problem);
  table.winners.push_back(places.at(best));
  double& weight = table.weights.emplace_back(1);
  for (const ProblemWeight& each : weights) {
    if (each.applies_to(winner.study.problem)) weight = each.weight;
  }
}

// The values in the order of their names.
std::vector<Value> sort_key(const Winner* winner) {
  const Problem& problem = winner->study.problem;
  const std::map<std::string, Value> sorted(problem.begin(), problem.end());
  std::vector<Value> key;
  for (const auto& [name, value] : sorted) key.push_back(value);
  return key;
}

// The winners of the version that was tuned last, for each device, regime and objective.
std::vector<std::vector<const Winner*>> groups_of(const std::vector<Winner>& winners) {
  std::vector<std::vector<const Winner*>> groups;
  for (const Winner& winner : winners) {
    const auto group = std::ranges::find_if(groups, [&](const auto& known) {
      const Study& first = known.front()->study;
      return std::tie(first.device, first.regime, first.objective) ==
             std::tie(winner.study.device, winner.study.regime, winner.study.objective);
    });
    if (group == groups.end()) {
      groups.push_back({&winner});
    } else if (const Study& first = group->front()->study; first.fingerprint == winner.study.fingerprint &&
                                                           has_names_of(first.problem, winner.study.problem)) {
      group->push_back(&winner);
    }
  }
  for (auto& group : groups) std::ranges::sort(group, {}, sort_key);
  return groups;
}

}  // namespace

bool has_names_of(const NamedValues& a, const NamedValues& b) {
  return a.size() == b.size() &&
         std::ranges::all_of(a, [&](const auto& each) { return b.find(each.first) != nullptr; });
}

bool ProblemWeight::applies_to(const Problem& other) const {
  return std::ranges::all_of(problem, [&](const auto& asked) {
    const Value* own = other.find(asked.first);
    return own != nullptr && AxisValue(*own) == AxisValue(asked.second);
  });
}

Result<std::vector<PortfolioSource>> read_costs(const Database& database, const std::string& kernel,
                                                const std::vector<ProblemWeight>& weights, std::size_t fewest) {
  auto winners = database.winners(kernel);
  if (!winners) return winners.error();
  std::ranges::sort(*winners, std::greater(),
                    [](const Winner& winner) { return std::pair(winner.updated_unix_ms, winner.study_id); });
  std::vector<PortfolioSource> sources;
  for (const auto& group : groups_of(*winners)) {
    const Study& study = group.front()->study;
    PortfolioSource source;
    source.identity.kernel = study.kernel;
    source.identity.fingerprint = study.fingerprint;
    source.identity.device = study.device;
    source.identity.regime = study.regime;
    source.identity.objective = study.objective;
    std::map<std::string, std::size_t> places;
    for (const Winner* winner : group) {
      const auto trials = database.trials(winner->study_id);
      if (!trials) return trials.error();
      add_study(*winner, *trials, weights, places, source.table);
    }
    for (auto& loss : source.table.loss) loss.resize(places.size(), CostTable::kUnmeasured);
    if (source.table.problems.size() >= fewest) sources.push_back(std::move(source));
  }
  if (sources.empty())
    return Error{"'" + kernel + "' has no " + (fewest > 1 ? "two tuned problems on one device" : "tuned problem")};
  return sources;
}

}  // namespace gktune
