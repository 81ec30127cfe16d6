#include <algorithm>
#include <map>
#include <tuple>

#include "db/answers/axis_value.h"
#include "db/open.h"
#include "db/portfolio/known_wrong.h"
#include "db/portfolio/make_portfolio.h"
#include "db/portfolio/portfolio_json.h"
#include "db/portfolio/portfolio_row.h"
#include "db/row_sums.h"
#include "db/sqlite/failure.h"
#include "db/sqlite/transaction.h"
#include "db/store/study_identity.h"
#include "db/store/trial_row.h"
#include "db/study_row.h"
#include "db/values_json.h"

namespace gktune {
namespace {

using sqlite::Failure;
using sqlite::Statement;

// Lower is better, and positive: the objective is negative where a metric is maximized.
double cost_of(double objective) { return objective < 0 ? 1 / -objective : objective; }

struct StudyCosts {
  StudyRow study;
  std::map<std::string, double> costs;  // by the JSON of the configuration
  std::string winner;
};

// The configurations of their JSON; without a value where it is damaged.
using ParsedConfigs = std::map<std::string, std::optional<Config>>;

bool is_config(const std::string& json, ParsedConfigs& parsed) {
  const auto [known, is_new] = parsed.try_emplace(json);
  if (is_new) known->second = sqlite::unless_damaged([&] { return values_from_json(json); });
  return known->second.has_value();
}

StudyCosts read_study_costs(const sqlite::Database& database, StudyRow study, ParsedConfigs& parsed) {
  StudyCosts read{.study = std::move(study)};
  Statement select(
      database,
      "SELECT config, objective FROM trials WHERE study_id = ? AND is_current = 1 AND status = 'ok' AND "
      "objective IS NOT NULL AND " +
          kTrialIsSound);
  select.bind(read.study.id);
  while (select.step()) {
    auto row = select.row();
    const auto config = row.text();
    if (is_config(config, parsed)) read.costs[config] = cost_of(row.real());
  }
  Statement winner(database,
                   "SELECT config FROM winners WHERE study_id = ? AND " + is_sound(summed::kWinners));
  if (winner.bind(read.study.id).step()) read.winner = winner.row().text();
  if (!read.costs.contains(read.winner) && !read.costs.empty()) {  // its row is damaged
    const auto cost = [](const auto& each) { return each.second; };
    read.winner = std::ranges::min_element(read.costs, {}, cost)->first;
  }
  return read;
}

double weight_of(const Problem& problem, const std::vector<ProblemWeight>& weights) {
  double weight = 1;
  for (const ProblemWeight& each : weights) {
    if (each.applies_to(problem)) weight = each.weight;
  }
  return weight;
}

CostTable cost_table(const std::vector<StudyCosts>& studies, const ParsedConfigs& parsed,
                     const std::vector<ProblemWeight>& weights) {
  CostTable table;
  std::map<std::string, std::size_t> places;
  for (const StudyCosts& study : studies) {
    for (const auto& [config, cost] : study.costs) {
      if (places.emplace(config, places.size()).second) table.configs.push_back(*parsed.at(config));
    }
  }
  for (const StudyCosts& study : studies) {
    table.problems.push_back(study.study.study.problem);
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

Result<std::vector<PortfolioSource>> read_costs(const std::filesystem::path& path, const std::string& kernel,
                                                const std::vector<ProblemWeight>& weights,
                                                std::size_t fewest) {
  return sqlite::guarded(path.string(), [&] {
    auto database = open_for_reading(path, kLockPatience);
    sqlite::Transaction snapshot(database, sqlite::Transaction::Kind::read);
    Statement select(database, "SELECT " + study_columns() +
                                   " FROM study_view WHERE kernel = ? AND trials > failed"
                                   " ORDER BY updated_ms DESC, study_id DESC");
    // Each group has the version that was tuned last for a device, regime and objective.
    std::vector<std::vector<StudyRow>> groups;
    select.bind(kernel);
    while (select.step()) {
      auto row = select.row();
      auto study = sqlite::unless_damaged([&] { return read_study(row); });
      if (!study) continue;
      const auto group = std::ranges::find_if(groups, [&](const std::vector<StudyRow>& known) {
        const Study& first = known.front().study;
        return std::tie(first.device, first.regime, first.objective) ==
               std::tie(study->study.device, study->study.regime, study->study.objective);
      });
      if (group == groups.end()) {
        groups.push_back({*std::move(study)});
      } else if (group->front().study.fingerprint == study->study.fingerprint &&
                 has_axes_of(group->front().study.problem, study->study.problem)) {
        group->push_back(*std::move(study));
      }
    }
    std::vector<PortfolioSource> sources;
    ParsedConfigs parsed;
    for (std::vector<StudyRow>& group : groups) {
      std::ranges::sort(group, {}, [](const StudyRow& each) { return sort_key(each.study.problem); });
      std::vector<StudyCosts> costs;
      for (StudyRow& study : group) {
        costs.push_back(read_study_costs(database, std::move(study), parsed));
        if (costs.back().winner.empty() || !(costs.back().costs[costs.back().winner] > 0)) costs.pop_back();
      }
      if (costs.size() < fewest) continue;
      PortfolioSource& source = sources.emplace_back();
      const Study& first = costs.front().study.study;
      source.identity.kernel = first.kernel;
      source.identity.fingerprint = first.fingerprint;
      source.identity.device = first.device;
      source.identity.regime = first.regime;
      source.identity.objective = first.objective;
      source.table = cost_table(costs, parsed, weights);
    }
    if (sources.empty())
      throw Failure("'" + kernel + "' has no " +
                    (fewest > 1 ? "two tuned problems on one device" : "tuned problem"));
    return sources;
  });
}

Result<std::vector<Portfolio>> read_portfolios(const std::filesystem::path& path, const std::string& kernel) {
  return sqlite::guarded(path.string(), [&] {
    auto database = open_for_reading(path, kLockPatience);
    sqlite::Transaction snapshot(database, sqlite::Transaction::Kind::read);
    KnownWrong known_wrong(database);
    Statement select(
        database,
        "SELECT p.device_id, p.kernel, p.fingerprint, d.kind, d.name, d.architecture, d.multiprocessors, "
        "p.regime, p.objective, p.within, p.made_ms, p.body FROM portfolios p JOIN devices d ON d.id = "
        "p.device_id WHERE (?1 = '' OR p.kernel = ?1) AND " +
            is_sound(summed::kPortfolios, "p.") + " AND " + is_sound(summed::kDevices, "d.") +
            " ORDER BY p.made_ms DESC, p.id DESC");
    std::vector<Portfolio> portfolios;
    select.bind(kernel);
    while (select.step()) {
      auto row = select.row();
      Portfolio portfolio;
      const auto device = row.integer();
      portfolio.kernel = row.text();
      portfolio.fingerprint = row.text();
      portfolio.device.kind = row.text();
      portfolio.device.name = row.text();
      portfolio.device.architecture = row.text();
      portfolio.device.multiprocessors = row.integer();
      const auto regime = regime_from_name(row.text());
      portfolio.regime = regime.value_or(Regime::cold);
      portfolio.objective = row.text();
      portfolio.within = row.real();
      portfolio.made_unix_ms = row.integer();
      if (!regime || !sqlite::unless_damaged([&] { read_body_text(row.text(), portfolio); })) continue;
      if (known_wrong.judge(portfolio, device)) portfolios.push_back(std::move(portfolio));
    }
    return portfolios;
  });
}

Result<void> store_portfolio(const std::filesystem::path& path, const Portfolio& portfolio) {
  return sqlite::guarded(path.string(), [&] {
    auto database = open_for_writing(path, kLockPatience);
    const DeviceIdentity& device = portfolio.device;
    sqlite::Transaction transaction(database, sqlite::Transaction::Kind::write);
    const auto device_id = find_device(database, device);
    if (!device_id) throw Failure("the device '" + device.name + "' is not in the database");
    write_portfolio(
        database,
        {portfolio.kernel, portfolio.fingerprint, *device_id, std::string(regime_name(portfolio.regime)),
         portfolio.objective, portfolio.within, portfolio.made_unix_ms, body_json(portfolio).dump()},
        Kept::given);
    transaction.commit();
  });
}

}  // namespace gktune
