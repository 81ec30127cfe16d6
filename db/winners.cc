#include "db/winners.h"

#include <algorithm>
#include <future>
#include <limits>
#include <optional>
#include <set>
#include <thread>
#include <unordered_map>

#include "db/answers/device_figures.h"
#include "db/answers/winners_source.h"
#include "db/open.h"
#include "db/portfolio/known_wrong.h"
#include "db/portfolio/portfolio_json.h"
#include "db/row_sums.h"
#include "db/session_row.h"
#include "db/sqlite/checksum.h"
#include "db/sqlite/failure.h"
#include "db/sqlite/statement.h"
#include "db/sqlite/transaction.h"
#include "db/values_json.h"
#include "tuner/core/device_info.h"

namespace gktune {
namespace {

// Constraints are stored as an object whose names count from 0; JSON sorts them as texts.
std::vector<std::string> texts_of(const NamedValues& numbered) {
  std::vector<std::string> texts;
  while (const Value* value = numbered.find(std::to_string(texts.size()))) texts.push_back(value->str());
  return texts;
}

}  // namespace

Winners::Part Winners::read_part(sqlite::Database& database, std::int64_t first, std::int64_t last,
                                 std::size_t expected) {
  constexpr std::size_t kTextBytes = 120;  // of a winner, mostly
  const sqlite::Transaction snapshot(database, sqlite::Transaction::Kind::read);
  Part part;
  part.rows.reserve(expected);
  part.texts.reserve(kTextBytes * expected);
  // Two scans in the order of the studies cost less than a join.
  sqlite::Statement winners(
      database,
      "SELECT study_id, checksum, trial_id, finalist_id, session_id, config, median_us FROM winners WHERE "
      "study_id BETWEEN ?1 AND ?2 ORDER BY study_id");
  sqlite::Statement studies(
      database,
      "SELECT id, checksum, kernel, fingerprint, device_id, problem, regime, objective, updated_ms, recorded "
      "FROM studies WHERE id BETWEEN ?1 AND ?2 ORDER BY id");
  winners.bind(first, last);
  studies.bind(first, last);
  std::unordered_map<std::string, std::size_t> places;  // of the groups
  std::string key;
  std::optional<std::size_t> last_group;
  bool has_winner = true;
  std::int64_t winner_study = std::numeric_limits<std::int64_t>::min();
  sqlite::Row winner = winners.row();
  const auto next_winner = [&] {
    has_winner = winners.step();
    winner = winners.row();
    if (has_winner) winner_study = winner.integer();
  };
  while (studies.step()) {
    auto study = studies.row();
    Row row;
    row.study = study.integer();
    row.study_sum = study.integer();
    const auto kernel = study.view(), fingerprint = study.view();
    const std::int64_t device = study.integer();
    const auto problem = study.view(), regime = study.view(), objective = study.view();
    row.updated_ms = study.integer();
    const auto recorded = study.maybe_view();
    const auto is_of = [&](const Group& group) {
      return group.device == device && group.kernel == kernel && group.fingerprint == fingerprint &&
             group.regime == regime && group.objective == objective;
    };
    if (!last_group || !is_of(part.groups[*last_group])) {
      key.clear();
      for (std::string_view text : {kernel, fingerprint, regime, objective}) (key += text) += '\0';
      key += std::to_string(device);
      const auto [place, is_new] = places.try_emplace(key, part.groups.size());
      if (is_new) {
        part.groups.push_back({std::string(kernel), std::string(fingerprint), std::string(regime),
                               std::string(objective), device, 0});
      }
      last_group = place->second;
    }
    Group& group = part.groups[*last_group];
    row.group = static_cast<std::uint32_t>(*last_group);
    while (has_winner && winner_study < row.study) next_winner();  // its study is lost; the others answer
    std::string_view config;
    row.has_winner = has_winner && winner_study == row.study;
    if (row.has_winner) {
      row.winner_sum = winner.integer();
      row.trial = winner.integer();
      row.finalist = winner.maybe_integer();
      row.session = winner.integer();
      config = winner.view();
      row.time_us = winner.maybe_real();
      ++group.winners;
    }
    row.text_at = part.texts.size();
    row.problem_size = static_cast<std::uint32_t>(problem.size());
    row.config_size = static_cast<std::uint32_t>(config.size());
    part.texts.append(problem).append(config);
    if (recorded) {
      row.has_record = true;
      row.recorded_size = static_cast<std::uint32_t>(recorded->size());
      part.texts.append(*recorded);
    }
    part.rows.push_back(row);
  }
  return part;
}

bool Winners::Part::is_study_sound(const Row& row) const {
  static_assert(summed::kStudies.columns ==
                "kernel, fingerprint, device_id, problem, regime, objective, updated_ms, recorded");
  const Group& group = groups[row.group];
  sqlite::Checksum sum;
  sum.add(std::string_view(group.kernel));
  sum.add(std::string_view(group.fingerprint));
  sum.add(group.device);
  sum.add(problem(row));
  sum.add(std::string_view(group.regime));
  sum.add(std::string_view(group.objective));
  sum.add(row.updated_ms);
  sum.add(recorded(row));
  return sum.value() == row.study_sum;
}

bool Winners::Part::is_winner_sound(const Row& row) const {
  static_assert(summed::kWinners.columns == "study_id, trial_id, finalist_id, session_id, config, median_us");
  sqlite::Checksum sum;
  sum.add(row.study);
  sum.add(row.trial);
  sum.add(row.finalist);
  sum.add(row.session);
  sum.add(config(row));
  sum.add(row.time_us);
  return sum.value() == row.winner_sum;
}

std::vector<Winners::Part> Winners::read_parts(sqlite::Database& database,
                                               const std::filesystem::path& path) {
  constexpr std::int64_t kLeast = 10'000;  // studies of a part: fewer are read before a thread has started
  constexpr std::int64_t kMostParts = 4;
  const auto number = [&](const char* select) {
    sqlite::Statement query(database, select);
    query.step();
    return query.row().maybe_integer().value_or(0);
  };
  const std::int64_t first = number("SELECT min(study_id) FROM winners"),
                     last = number("SELECT max(study_id) FROM winners");
  const std::int64_t most = std::clamp<std::int64_t>(std::thread::hardware_concurrency(), 1, kMostParts);
  const std::int64_t count = first < 0 ? 1 : std::clamp<std::int64_t>((last - first) / kLeast, 1, most);
  const auto from = [&](std::int64_t part) { return first + (last - first) / count * part; };
  const auto expected = static_cast<std::size_t>(number("SELECT count(*) FROM winners") / count + 1);
  std::vector<std::future<Part>> others;
  for (std::int64_t part = 1; part < count; ++part) {
    auto own = open_again(path, kLockPatience);
    if (!own) break;  // the copy of an older database
    const std::int64_t end = part + 1 < count ? from(part + 1) - 1 : std::numeric_limits<std::int64_t>::max();
    // Deferred where the system has no thread for it.
    others.push_back(std::async(std::launch::async | std::launch::deferred,
                                [own = *std::move(own), begin = from(part), end, expected]() mutable {
                                  return read_part(own, begin, end, expected);
                                }));
  }
  const std::int64_t own_end = others.empty() ? std::numeric_limits<std::int64_t>::max() : from(1) - 1;
  std::vector<Part> parts;
  parts.push_back(read_part(database, std::numeric_limits<std::int64_t>::min(), own_end, expected));
  for (auto& other : others) parts.push_back(other.get());
  return parts;
}

void Winners::read_others(sqlite::Database& database) {
  const sqlite::Transaction snapshot(database, sqlite::Transaction::Kind::read);
  sqlite::Statement devices(database, "SELECT id, " + is_sound(summed::kDevices) +
                                          ", kind, name, architecture, multiprocessors FROM devices");
  while (devices.step()) {
    auto row = devices.row();
    const std::int64_t id = row.integer();
    std::optional<DeviceIdentity>& known = devices_[id];
    if (!row.boolean()) continue;
    DeviceIdentity& device = known.emplace();
    device.kind = row.text(), device.name = row.text(), device.architecture = row.text();
    device.multiprocessors = row.integer();
  }
  sqlite::Statement sessions(database, "SELECT c.id, c.figures, " + kEnvironmentColumns +
                                           " FROM sessions c ORDER BY c.begun_ms, c.uuid");
  while (sessions.step()) {
    auto row = sessions.row();
    const std::int64_t id = row.integer();
    Session& session = sessions_[id];
    auto figures = row.text();
    auto environment = read_environment(row);
    if (!environment) continue;
    session.rank = sessions_.size();
    session.figures = std::move(figures);
    session.environment = std::make_shared<const SessionEnvironment>(*std::move(environment));
  }
  for (const auto& [id, device] : devices_) {
    // Winners answer without their trials.
    auto latest = sqlite::unless_damaged([&] { return latest_environment(database, id); });
    if (latest && *latest) latest_[id] = std::make_shared<const SessionEnvironment>(**std::move(latest));
  }
  sqlite::Statement spaces(database, "SELECT kernel, fingerprint, " + is_sound(summed::kSpaces) +
                                         ", matching, constraints, default_config FROM spaces");
  while (spaces.step()) {
    auto row = spaces.row();
    std::string kernel = row.text(), version = row.text();
    Space& space = spaces_[{std::move(kernel), std::move(version)}];
    space.is_sound = row.boolean();
    space.matching = row.text(), space.constraints = row.text(), space.default_config = row.text();
  }
  read_portfolios(database);
}

void Winners::read_portfolios(sqlite::Database& database) {
  KnownWrong known_wrong(database);
  // `fill` reads the body from its text, and returns false if it must not answer.
  const auto read_all = [&](const std::string& query, std::vector<ForAll>& to, const auto& fill) {
    sqlite::Statement select(database, query);
    while (select.step()) {
      auto row = select.row();
      ForAll each;
      each.group.kernel = row.text(), each.group.fingerprint = row.text(), each.group.regime = row.text();
      each.group.objective = row.text(), each.group.device = row.integer();
      each.body.kernel = each.group.kernel, each.body.fingerprint = each.group.fingerprint;
      each.body.objective = each.group.objective, each.body.made_unix_ms = row.integer();
      const auto answers = sqlite::unless_damaged(
          [&] {
            if (!row.boolean()) throw sqlite::Failure("damaged: its checksum differs");
            each.body.regime = regime_from_name(each.group.regime).value_or(Regime::cold);
            return fill(row.text(), each);
          },
          [&](const sqlite::Failure& failure) { each.damage = failure.what(); });
      if (answers.value_or(true)) to.push_back(std::move(each));
    }
  };
  // The store chooses configurations for all problems anew after each session.
  constexpr std::int64_t kChosenNow = std::numeric_limits<std::int64_t>::max();
  // Portfolios answer also where the trials are damaged.
  const auto unless_damaged = [](const auto& judge) { return sqlite::unless_damaged(judge).value_or(true); };
  read_all("SELECT kernel, fingerprint, regime, objective, device_id, made_ms, " +
               is_sound(summed::kPortfolios) + ", body FROM portfolios",
           portfolios_, [&](const std::string& json, ForAll& each) {
             read_body_text(json, each.body);
             return unless_damaged([&] { return known_wrong.judge(each.body, each.group.device); });
           });
  read_all("SELECT kernel, fingerprint, regime, objective, device_id, 0, " +
               is_sound(summed::kGeneralConfigs) + ", config FROM general_configs",
           general_, [&](const std::string& json, ForAll& each) {
             each.body.configs = {values_from_json(json)};
             each.body.tree.emplace_back();
             const Group& group = each.group;
             return unless_damaged([&] {
               return !known_wrong.is_wrong(group.kernel, group.fingerprint, group.device, json, kChosenNow);
             });
           });
}

Result<Winners> Winners::read(const std::filesystem::path& path) {
  return sqlite::guarded(path.string(), [&] {
    auto database = open_for_reading(path, kLockPatience);
    Winners all;
    // Another process may write meanwhile: what winners refer to is read after them.
    all.parts_ = read_parts(database, path);
    all.read_others(database);
    // An overwritten page may look like an empty one, and hide the winners or their devices.
    bool is_empty = true, is_whole = true;
    for (const Part& part : all.parts_) {
      for (const Row& row : part.rows) {
        if (!row.has_winner) continue;
        is_empty = false;
        if (!all.devices_.contains(part.groups[row.group].device))
          is_whole = is_whole && !part.is_study_sound(row);
      }
    }
    if (is_empty || !is_whole) database.verify();
    return all;
  });
}

Result<std::shared_ptr<WinnersSource>> open_winners(const std::filesystem::path& path) {
  return WinnersSource::of_file(path, [path]() -> Result<std::shared_ptr<const WinnerSet>> {
    auto winners = Winners::read(path);
    if (!winners) return winners.error();
    return std::shared_ptr<const WinnerSet>(std::make_shared<const Winners>(*std::move(winners)));
  });
}

KernelWinners Winners::of(std::string_view kernel) const {
  KernelWinners found;
  found.kernel = kernel;
  std::set<std::string> names;
  std::vector<std::pair<const Part*, const Row*>> latest_first;
  // The time of the latest tuning, for each version on each device.
  std::map<std::pair<std::int64_t, std::string_view>, std::int64_t> tuned_ms;
  for (const Part& part : parts_) {
    for (const Group& group : part.groups) {
      if (group.winners > 0) names.insert(group.kernel);
    }
    for (const Row& row : part.rows) {
      const Group& group = part.groups[row.group];
      if (group.kernel != kernel) continue;
      if (!part.is_study_sound(row)) {
        found.damage.push_back("study " + std::to_string(row.study) + ": damaged: its checksum differs");
        continue;
      }
      std::int64_t& updated_ms = tuned_ms[{group.device, group.fingerprint}];
      updated_ms = std::max(updated_ms, row.updated_ms);
      if (row.has_winner) latest_first.emplace_back(&part, &row);
    }
  }
  found.known_kernels.assign(names.begin(), names.end());
  if (latest_first.empty()) return found;
  std::ranges::sort(latest_first, [](const auto& a, const auto& b) {
    return std::pair(a.second->updated_ms, a.second->study) >
           std::pair(b.second->updated_ms, b.second->study);
  });
  // A damaged row is left out.
  const auto parse = [&](const std::string& what, const auto& function) {
    sqlite::unless_damaged(function, [&](const sqlite::Failure& failure) {
      found.damage.push_back(what + ": " + failure.what());
    });
  };
  const auto study_of = [&](const Group& group) {
    Study study;
    const auto regime = regime_from_name(group.regime);
    if (!regime) throw sqlite::Failure("damaged: the regime \"" + group.regime + '"');
    study.regime = *regime;
    study.kernel = group.kernel, study.fingerprint = group.fingerprint, study.objective = group.objective;
    const auto device = devices_.find(group.device);
    if (device == devices_.end()) throw sqlite::Failure("damaged: its device is missing");
    if (!device->second) throw sqlite::Failure("damaged: the checksum of its device differs");
    study.device = *device->second;
    return study;
  };
  std::map<std::string_view, std::size_t> places;  // of the versions
  std::map<std::int64_t, const Session*> sessions;  // the latest of each device
  std::set<std::int64_t> damaged_sessions;
  for (const auto& each : latest_first) {
    const Part& part = *each.first;
    const Row* row = each.second;
    const Group& group = part.groups[row->group];
    parse("study " + std::to_string(row->study), [&] {
      if (!part.is_winner_sound(*row)) throw sqlite::Failure("damaged: the checksum of its winner differs");
      Winner winner;
      winner.study = study_of(group);
      winner.study.problem = values_from_json(part.problem(*row));
      winner.config = values_from_json(part.config(*row));
      winner.time_us = row->time_us.value_or(0);
      if (const auto session = sessions_.find(row->session); session != sessions_.end()) {
        winner.environment = session->second.environment;
      }
      if (const auto latest = latest_.find(group.device); latest != latest_.end())
        winner.latest = latest->second;
      winner.has_later_version = std::ranges::any_of(tuned_ms, [&](const auto& version) {
        return version.second > row->updated_ms && version.first.first == group.device &&
               version.first.second != group.fingerprint;
      });
      const auto place = places.try_emplace(group.fingerprint, found.versions.size());
      if (place.second) found.versions.emplace_back();
      found.versions[place.first->second].winners.push_back(std::move(winner));
      if (const auto session = sessions_.find(row->session); session != sessions_.end()) {
        if (session->second.environment == nullptr) damaged_sessions.insert(row->session);
        const Session*& latest = sessions[group.device];
        if (latest == nullptr || latest->rank < session->second.rank) latest = &session->second;
      }
    });
  }
  for (const std::int64_t session : damaged_sessions)
    found.damage.push_back("session " + std::to_string(session) + ": damaged: its checksum differs");
  const auto add_portfolio = [&](const ForAll& each) {
    const auto place = places.find(each.group.fingerprint);
    if (each.group.kernel != kernel || place == places.end()) return;
    parse("a portfolio", [&] {
      if (!each.damage.empty()) throw sqlite::Failure(each.damage);
      Portfolio portfolio = each.body;
      portfolio.device = study_of(each.group).device;
      std::vector<Portfolio>& known = found.versions[place->second].portfolios;
      const bool is_known = std::ranges::any_of(known, [&](const Portfolio& other) {
        return other.device == portfolio.device && other.regime == portfolio.regime &&
               other.objective == portfolio.objective;
      });
      if (is_known) return;
      known.push_back(std::move(portfolio));
    });
  };
  for (const ForAll& each : portfolios_) add_portfolio(each);
  // A portfolio of a single configuration stands in for one that was never made.
  for (const ForAll& each : general_) add_portfolio(each);
  for (KernelVersion& version : found.versions) {
    std::ranges::stable_sort(version.portfolios, {}, [](const Portfolio& each) {
      return std::pair(each.regime != Regime::cold, each.objective != "time");
    });
  }
  for (const auto& [version, place] : places) {
    const auto space = spaces_.find({std::string(kernel), std::string(version)});
    if (space == spaces_.end()) continue;
    parse("the space", [&] {
      if (!space->second.is_sound) throw sqlite::Failure("damaged: its checksum differs");
      KernelSpace& parsed = found.versions[place].space;
      parsed.matching = values_from_json(space->second.matching);
      parsed.constraints = texts_of(values_from_json(space->second.constraints));
      parsed.default_config = values_from_json(space->second.default_config);
    });
  }
  for (const auto& [device, session] : sessions) {
    const auto identity = devices_.find(device);
    if (identity == devices_.end() || !identity->second || session->figures.empty()) continue;
    const DeviceIdentity& known = *identity->second;
    parse("a session on " + known.name, [&] {
      found.devices.emplace_back(known, device_info(known, values_from_json(session->figures)).attributes());
    });
  }
  return found;
}

}  // namespace gktune
