#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "db/database.h"
#include "engine/portfolio/make_portfolio.h"

namespace gktune {
namespace {

constexpr std::size_t kFewestProblems = 2;

// Lower is better, and positive: the objective is negative where a metric is maximized.
double cost_of(const Trial& trial) { return trial.objective < 0 ? 1 / -trial.objective : trial.objective; }

// A configuration with its loss, by its JSON.
using LossesByConfig = std::map<std::string, std::pair<Config, double>>;

// The trials of a study, and the finalists of its playoff.
struct Measured {
  const Winner* winner;
  std::vector<Trial> trials, finalists;
};

// Sets the losses against the trial of the winning configuration; nothing if its cost is unknown.
void set_losses(const std::vector<Trial>& trials, const Config& winner, LossesByConfig& losses) {
  const auto best = std::ranges::find(trials, winner, &Trial::config);
  if (best == trials.end() || best->objective == 0) return;
  for (const Trial& trial : trials) {
    if (trial.ok() && trial.objective != 0)
      losses[trial.config.json()] = {trial.config, std::max(cost_of(trial) / cost_of(*best) - 1, 0.0)};
  }
}

LossesByConfig losses_of(const Measured& measured) {
  LossesByConfig losses;
  set_losses(measured.trials, measured.winner->trial.config, losses);
  set_losses(measured.finalists, measured.winner->trial.config, losses);
  return losses;
}

// The configurations, as JSON, that were right on some problem in an execution that could know of no other. A
// configuration that never was may be fast only because it reuses results.
std::set<std::string> proven_in(const std::vector<Measured>& studies) {
  std::set<std::string> proven;
  for (const Measured& study : studies) {
    for (const Trial& trial : study.trials)
      if (trial.ok() && trial.fresh_us >= 0) proven.insert(trial.config.json());
    for (const Trial& finalist : study.finalists)
      if (finalist.ok()) proven.insert(finalist.config.json());
  }
  return proven;
}

// Adds the problem of a study. `proven`: the configurations that count; empty: all. `places`: of configurations
// in the table, by their JSON.
void add_problem(const Measured& measured, const std::set<std::string>& proven,
                 std::map<std::string, std::size_t>& places, CostTable& table) {
  const Winner& winner = *measured.winner;
  const LossesByConfig losses = losses_of(measured);
  if (losses.empty()) return;
  auto& own = table.loss.emplace_back();
  for (const auto& [key, config_and_loss] : losses) {
    if (!proven.empty() && !proven.contains(key) && key != winner.trial.config.json()) continue;
    const auto [place, is_new] = places.try_emplace(key, places.size());
    if (is_new) table.configs.push_back(config_and_loss.first);
    own.resize(table.configs.size(), CostTable::kUnmeasured);
    own[place->second] = config_and_loss.second;
  }
  table.problems.push_back(winner.study.problem);
  table.winners.push_back(places.at(winner.trial.config.json()));
}

// The winners of the version that was tuned last, for each device, regime and objective, in the order of their
// problems. The database sorts the names of axes.
std::vector<std::vector<const Winner*>> groups_of(const std::vector<Winner>& winners) {
  std::vector<std::vector<const Winner*>> groups;
  for (const Winner& winner : winners) {
    const Study& study = winner.study;
    const auto group = std::ranges::find_if(groups, [&](const auto& known) {
      const Study& first = known.front()->study;
      return std::tie(first.device, first.regime, first.objective) ==
             std::tie(study.device, study.regime, study.objective);
    });
    if (group == groups.end()) {
      groups.push_back({&winner});
    } else if (const Study& first = group->front()->study;
               first.fingerprint == study.fingerprint &&
               std::ranges::equal(first.problem.names(), study.problem.names())) {
      group->push_back(&winner);
    }
  }
  for (auto& group : groups) {
    std::ranges::sort(group, [](const Winner* a, const Winner* b) {
      return std::ranges::lexicographical_compare(a->study.problem, b->study.problem);
    });
  }
  return groups;
}

}  // namespace

Result<std::vector<CostTable>> read_costs(const Database& database, const std::string& kernel) {
  auto winners = GKTUNE_TRY(database.winners(kernel));
  std::ranges::sort(winners, std::greater(),
                    [](const Winner& winner) { return std::pair(winner.updated_unix_ms, winner.study_id); });
  std::vector<CostTable> tables;
  for (const auto& group : groups_of(winners)) {
    std::vector<Measured> studies;
    for (const Winner* winner : group) {
      auto trials = GKTUNE_TRY(database.trials(winner->study_id));
      auto playoff = GKTUNE_TRY(database.playoff(winner->study_id));
      studies.push_back(
          {winner, std::move(trials), playoff ? std::move(playoff->finalists) : std::vector<Trial>()});
    }
    CostTable table{.study = group.front()->study};
    std::map<std::string, std::size_t> places;
    const std::set<std::string> proven = proven_in(studies);
    for (const Measured& measured : studies) add_problem(measured, proven, places, table);
    for (auto& loss : table.loss) loss.resize(places.size(), CostTable::kUnmeasured);
    if (table.problems.size() >= kFewestProblems) tables.push_back(std::move(table));
  }
  if (tables.empty()) return Error{"'" + kernel + "' has no two tuned problems on one device"};
  return tables;
}

}  // namespace gktune
