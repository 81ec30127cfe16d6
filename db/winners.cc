#include "db/winners.h"

#include <algorithm>
#include <future>
#include <limits>
#include <optional>
#include <set>
#include <thread>
#include <unordered_map>

#include "db/device_figures.h"
#include "db/open.h"
#include "db/portfolio/known_wrong.h"
#include "db/portfolio/portfolio_json.h"
#include "db/session_row.h"
#include "db/sqlite/failure.h"
#include "db/sqlite/statement.h"
#include "db/sqlite/transaction.h"
#include "db/values_json.h"
#include "db/winners_source.h"
#include "tuner/core/device_info.h"

namespace gktune {
namespace {

// Constraints are stored as an object whose names count from 0; JSON sorts them as texts.
std::vector<std::string> texts_of(const NamedValues& numbered) {
  std::vector<std::string> texts;
  while (const Value* value = numbered.find(std::to_string(texts.size()))) texts.push_back(value->str());
  return texts;
}

NamedValues attributes_of(const DeviceIdentity& identity, std::string_view figures) {
  DeviceInfo device;
  device.kind = identity.kind;
  device.name = identity.name;
  device.architecture = identity.architecture;
  device.multiprocessors = identity.multiprocessors;
  set_figures(device, values_from_json(figures));
  return device.attributes();
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
  sqlite::Statement winners(database,
                            "SELECT study_id, session_id, median_us, config FROM winners"
                            " WHERE study_id BETWEEN ?1 AND ?2 ORDER BY study_id");
  sqlite::Statement studies(database,
                            "SELECT id, kernel, fingerprint, regime, objective, device_id, updated_ms, problem"
                            " FROM studies WHERE id BETWEEN ?1 AND ?2 ORDER BY id");
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
    const auto kernel = study.view(), fingerprint = study.view(), regime = study.view(), objective = study.view();
    const std::int64_t device = study.integer();
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
                               std::string(objective), device, 0, 0});
      }
      last_group = place->second;
    }
    Group& group = part.groups[*last_group];
    row.group = static_cast<std::uint32_t>(*last_group);
    row.updated_ms = study.integer();
    group.updated_ms = std::max(group.updated_ms, row.updated_ms);
    while (has_winner && winner_study < row.study) next_winner();  // its study is lost; the others answer
    if (!has_winner || winner_study != row.study) continue;
    row.session = winner.integer();
    row.time_us = winner.maybe_real().value_or(0);
    const auto problem = study.view(), config = winner.view();
    row.text_at = part.texts.size();
    row.problem_size = static_cast<std::uint32_t>(problem.size());
    row.config_size = static_cast<std::uint32_t>(config.size());
    part.texts.append(problem).append(config);
    part.rows.push_back(row);
    ++group.winners;
  }
  return part;
}

std::vector<Winners::Part> Winners::read_parts(sqlite::Database& database, const std::filesystem::path& path) {
  constexpr std::int64_t kLeast = 10'000;  // studies of a part: fewer are read before a thread has started
  constexpr std::int64_t kMostParts = 4;
  const auto number = [&](const char* select) {
    sqlite::Statement query(database, select);
    query.step();
    return query.row().maybe_integer().value_or(0);
  };
  const std::int64_t first = number("SELECT min(study_id) FROM winners"), last = number("SELECT max(study_id) FROM winners");
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
  sqlite::Statement devices(database, "SELECT id, kind, name, architecture, multiprocessors FROM devices");
  while (devices.step()) {
    auto row = devices.row();
    const std::int64_t id = row.integer();
    DeviceIdentity& device = devices_[id];
    device.kind = row.text(), device.name = row.text(), device.architecture = row.text();
    device.multiprocessors = row.integer();
  }
  sqlite::Statement sessions(
      database, "SELECT id, figures, tool_version, host_name, driver, runtime, compiler FROM sessions ORDER BY begun_ms, uuid");
  while (sessions.step()) {
    auto row = sessions.row();
    const std::int64_t id = row.integer();
    Session& session = sessions_[id];
    session.rank = sessions_.size();
    session.figures = row.text();
    session.environment = std::make_shared<const SessionEnvironment>(read_environment(row));
  }
  for (const auto& [id, device] : devices_) {
    try {
      if (auto latest = latest_environment(database, id))
        latest_[id] = std::make_shared<const SessionEnvironment>(*std::move(latest));
    } catch (const sqlite::Failure& failure) {
      if (!failure.is_damage()) throw;  // winners answer without their trials
    }
  }
  sqlite::Statement spaces(database,
                           "SELECT kernel, fingerprint, matching, constraints, default_config FROM spaces");
  while (spaces.step()) {
    auto row = spaces.row();
    std::string kernel = row.text(), version = row.text();
    Space& space = spaces_[{std::move(kernel), std::move(version)}];
    space.matching = row.text(), space.constraints = row.text(), space.default_config = row.text();
  }
  read_portfolios(database);
}

void Winners::read_portfolios(sqlite::Database& database) {
  KnownWrong known_wrong(database);
  // `fill` reads the body from its text, and returns false if it must not answer.
  const auto read_all = [&](const char* query, std::vector<ForAll>& to, const auto& fill) {
    sqlite::Statement select(database, query);
    while (select.step()) {
      auto row = select.row();
      ForAll each;
      each.group.kernel = row.text(), each.group.fingerprint = row.text(), each.group.regime = row.text();
      each.group.objective = row.text(), each.group.device = row.integer();
      each.body.kernel = each.group.kernel, each.body.fingerprint = each.group.fingerprint;
      each.body.objective = each.group.objective, each.body.made_unix_ms = row.integer();
      bool answers = true;
      try {
        each.body.regime = regime_from_name(each.group.regime).value_or(Regime::cold);
        answers = fill(row.text(), each);
      } catch (const sqlite::Failure& failure) {
        each.damage = failure.what();
      } catch (const SortedJson::exception& error) {
        each.damage = std::string("damaged: ") + error.what();
      }
      if (answers) to.push_back(std::move(each));
    }
  };
  // The store chooses configurations for all problems anew after each session.
  constexpr std::int64_t kChosenNow = std::numeric_limits<std::int64_t>::max();
  // Portfolios answer also where the trials are damaged.
  const auto unless_damaged = [](const auto& judge) {
    try {
      return judge();
    } catch (const sqlite::Failure& failure) {
      if (!failure.is_damage()) throw;
      return true;
    }
  };
  read_all("SELECT kernel, fingerprint, regime, objective, device_id, made_ms, body FROM portfolios", portfolios_,
           [&](const std::string& json, ForAll& each) {
             read_body(SortedJson::parse(json), each.body);
             return unless_damaged([&] { return known_wrong.judge(each.body, each.group.device); });
           });
  read_all("SELECT kernel, fingerprint, regime, objective, device_id, 0, config FROM general_configs", general_,
           [&](const std::string& json, ForAll& each) {
             each.body.configs = {values_from_json(json)};
             each.body.tree.emplace_back();
             const Group& group = each.group;
             return unless_damaged(
                 [&] { return !known_wrong.is_wrong(group.kernel, group.fingerprint, group.device, json, kChosenNow); });
           });
}

Result<Winners> Winners::read(const std::filesystem::path& path) {
  return sqlite::guarded(path.string(), [&] {
    auto database = open_for_reading(path, kLockPatience);
    Winners all;
    // Another process may write meanwhile: what winners refer to is read after them.
    all.parts_ = read_parts(database, path);
    all.read_others(database);
    bool is_empty = true, is_whole = true;
    for (const Part& part : all.parts_) {
      is_empty = is_empty && part.rows.empty();
      for (const Group& group : part.groups)
        is_whole = is_whole && (group.winners == 0 || all.devices_.contains(group.device));
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

bool Winners::has_later_version(const Group& group, std::int64_t updated_ms) const {
  return std::ranges::any_of(parts_, [&](const Part& part) {
    return std::ranges::any_of(part.groups, [&](const Group& other) {
      return other.updated_ms > updated_ms && other.device == group.device && other.fingerprint != group.fingerprint &&
             other.kernel == group.kernel;
    });
  });
}

KernelWinners Winners::of(std::string_view kernel) const {
  KernelWinners found;
  found.kernel = kernel;
  std::set<std::string> names;
  std::vector<std::pair<const Part*, const Row*>> latest_first;
  for (const Part& part : parts_) {
    for (const Group& group : part.groups) {
      if (group.winners > 0) names.insert(group.kernel);
    }
    for (const Row& row : part.rows) {
      if (part.groups[row.group].kernel == kernel) latest_first.emplace_back(&part, &row);
    }
  }
  found.known_kernels.assign(names.begin(), names.end());
  if (latest_first.empty()) return found;
  std::ranges::sort(latest_first, [](const auto& a, const auto& b) {
    return std::pair(a.second->updated_ms, a.second->study) > std::pair(b.second->updated_ms, b.second->study);
  });
  // A damaged row is left out.
  const auto parse = [&](const std::string& what, const auto& function) {
    try {
      function();
      return true;
    } catch (const sqlite::Failure& failure) {
      found.damage.push_back(what + ": " + failure.what());
      return false;
    }
  };
  const auto study_of = [&](const Group& group) {
    Study study;
    const auto regime = regime_from_name(group.regime);
    if (!regime) throw sqlite::Failure("damaged: the regime \"" + group.regime + '"');
    study.regime = *regime;
    study.kernel = group.kernel, study.fingerprint = group.fingerprint, study.objective = group.objective;
    const auto device = devices_.find(group.device);
    if (device == devices_.end()) throw sqlite::Failure("damaged: its device is missing");
    study.device = device->second;
    return study;
  };
  std::map<std::string_view, std::size_t> places;  // of the versions
  std::map<std::int64_t, const Session*> sessions;  // the latest of each device
  for (const auto& each : latest_first) {
    const Part& part = *each.first;
    const Row* row = each.second;
    const Group& group = part.groups[row->group];
    parse("study " + std::to_string(row->study), [&] {
      Winner winner;
      winner.study = study_of(group);
      winner.study.problem = values_from_json(part.problem(*row));
      winner.config = values_from_json(part.config(*row));
      winner.time_us = row->time_us;
      if (const auto session = sessions_.find(row->session); session != sessions_.end()) {
        winner.environment = session->second.environment;
      }
      if (const auto latest = latest_.find(group.device); latest != latest_.end()) winner.latest = latest->second;
      winner.has_later_version = has_later_version(group, row->updated_ms);
      const auto place = places.try_emplace(group.fingerprint, found.versions.size());
      if (place.second) found.versions.emplace_back();
      found.versions[place.first->second].winners.push_back(std::move(winner));
      if (const auto session = sessions_.find(row->session); session != sessions_.end()) {
        const Session*& latest = sessions[group.device];
        if (latest == nullptr || latest->rank < session->second.rank) latest = &session->second;
      }
    });
  }
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
  // Where nobody has made a portfolio: one of a single configuration.
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
      KernelSpace& parsed = found.versions[place].space;
      parsed.matching = values_from_json(space->second.matching);
      parsed.constraints = texts_of(values_from_json(space->second.constraints));
      parsed.default_config = values_from_json(space->second.default_config);
    });
  }
  for (const auto& [device, session] : sessions) {
    const auto identity = devices_.find(device);
    if (identity == devices_.end() || session->figures.empty()) continue;
    parse("a session on " + identity->second.name, [&] {
      found.devices.emplace_back(identity->second, attributes_of(identity->second, session->figures));
    });
  }
  return found;
}

}  // namespace gktune
