#include "tests/db/memory_store.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace gktune {
namespace {

bool is_same(const Study& a, const Study& b) {
  return a.kernel == b.kernel && a.fingerprint == b.fingerprint && a.device == b.device &&
         a.problem == b.problem && a.regime == b.regime && a.objective == b.objective;
}

bool can_win(const Trial& trial) { return trial.ok() && !std::isnan(trial.objective); }

bool is_better(const Trial& a, const Trial& b) {
  const auto rank = [](const Trial& trial) {
    return std::tuple(trial.is_dropped_early, trial.objective, -std::ssize(trial.samples_us),
                      -trial.ended_unix_ms, trial.config.json());
  };
  return rank(a) < rank(b);
}

template <class T>
bool has_place(const std::vector<T>& list, std::int64_t id) {
  return id >= 1 && id <= std::ssize(list);
}

template <class T>
const T& at(const std::vector<T>& list, std::int64_t id) {
  return list.at(static_cast<std::size_t>(id - 1));
}

}  // namespace

Result<std::int64_t> MemoryStore::begin_session(const Session& session) {
  const std::lock_guard lock(mutex_);
  sessions_.push_back(session);
  return std::ssize(sessions_);
}

Result<void> MemoryStore::end_session(std::int64_t session) { return release_claims(session); }

Result<std::int64_t> MemoryStore::study_id(const Study& study) {
  const std::lock_guard lock(mutex_);
  const auto known = std::ranges::find_if(studies_, [&](const Study& each) { return is_same(each, study); });
  if (known != studies_.end()) return known - studies_.begin() + 1;
  studies_.push_back(study);
  return std::ssize(studies_);
}

bool MemoryStore::is_known(std::int64_t study, std::int64_t session) const {
  return has_place(studies_, study) && has_place(sessions_, session);
}

const MemoryStore::StoredTrial* MemoryStore::current(std::int64_t study, const Config& config) const {
  for (const StoredTrial* each : current_trials(study)) {
    if (each->trial.config.json() == config.json()) return each;
  }
  return nullptr;
}

std::vector<const MemoryStore::StoredTrial*> MemoryStore::current_trials(std::int64_t study) const {
  std::vector<const StoredTrial*> found;
  for (const StoredTrial& each : trials_) {
    if (std::cmp_equal(each.study, study) && each.is_current) found.push_back(&each);
  }
  std::ranges::stable_sort(found, {}, [](const auto* each) { return each->trial.ended_unix_ms; });
  return found;
}

StudySummary MemoryStore::summary(std::int64_t study) const {
  StudySummary summary{.id = study, .study = at(studies_, study)};
  for (const StoredTrial* each : current_trials(study)) {
    ++summary.trials;
    if (!each->trial.ok()) ++summary.failed;
    summary.updated_unix_ms = std::max(summary.updated_unix_ms, each->trial.ended_unix_ms);
  }
  if (auto best = winner(study)) summary.best_us = best->trial.timing.median_us;
  return summary;
}

Result<void> MemoryStore::describe_space(const std::string& kernel, const std::string& fingerprint,
                                         const KernelSpace& space) {
  const std::lock_guard lock(mutex_);
  spaces_[{kernel, fingerprint}] = space;
  return {};
}

Result<std::vector<StudySummary>> MemoryStore::studies() const {
  const std::lock_guard lock(mutex_);
  std::vector<StudySummary> summaries;
  for (std::int64_t id = 1; id <= std::ssize(studies_); ++id) summaries.push_back(summary(id));
  return summaries;
}

Result<std::optional<StudySummary>> MemoryStore::study(std::int64_t id) const {
  const std::lock_guard lock(mutex_);
  if (!has_place(studies_, id)) return std::optional<StudySummary>();
  return std::optional(summary(id));
}

Result<void> MemoryStore::add_trial(std::int64_t study, std::int64_t session, const Trial& trial) {
  const std::lock_guard lock(mutex_);
  if (!is_known(study, session)) return Error{"no such study or session"};
  StoredTrial stored{static_cast<std::size_t>(study), static_cast<std::size_t>(session), trial};
  stored.trial.id = std::ssize(trials_) + 1;
  stored.trial.problem = at(studies_, study).problem;
  stored.trial.regime = at(studies_, study).regime;
  if (const StoredTrial* before = current(study, trial.config)) {
    if (before->trial.ended_unix_ms > trial.ended_unix_ms) {
      stored.is_current = false;
    } else {
      trials_[static_cast<std::size_t>(before->trial.id - 1)].is_current = false;
    }
  }
  trials_.push_back(std::move(stored));
  const auto claimed = claims_.find({study, trial.config.json()});
  if (claimed != claims_.end() && claimed->second.session == session) claims_.erase(claimed);
  return {};
}

Result<bool> MemoryStore::claim(std::int64_t study, std::int64_t session, const std::optional<Config>& config,
                                std::chrono::milliseconds lease) {
  const std::lock_guard lock(mutex_);
  if (!is_known(study, session)) return Error{"no such study or session"};
  if (config && current(study, *config) != nullptr) return false;
  const auto now = std::chrono::system_clock::now();
  Claim& claim = claims_[{study, config ? config->json() : ""}];
  if (claim.session != 0 && claim.session != session && claim.expires > now) return false;
  claim = {session, now + lease};
  return true;
}

Result<void> MemoryStore::renew_claims(std::int64_t session, std::chrono::milliseconds lease) {
  const std::lock_guard lock(mutex_);
  for (auto& [key, claim] : claims_) {
    if (claim.session == session) claim.expires = std::chrono::system_clock::now() + lease;
  }
  return {};
}

Result<void> MemoryStore::release_claims(std::int64_t session) {
  const std::lock_guard lock(mutex_);
  std::erase_if(claims_, [&](const auto& each) { return each.second.session == session; });
  return {};
}

Result<std::vector<Trial>> MemoryStore::trials_of_others(std::int64_t study, std::int64_t session,
                                                         std::int64_t after_id) const {
  const std::lock_guard lock(mutex_);
  std::vector<Trial> found;
  for (const StoredTrial& each : trials_) {
    const bool is_others = std::cmp_equal(each.study, study) && std::cmp_not_equal(each.session, session);
    if (is_others && each.is_current && each.trial.id > after_id) found.push_back(each.trial);
  }
  return found;
}

Result<std::vector<Trial>> MemoryStore::trials(std::int64_t study) const {
  const std::lock_guard lock(mutex_);
  std::vector<Trial> found;
  for (const StoredTrial* each : current_trials(study)) found.push_back(each->trial);
  return found;
}

Result<std::optional<StudiedTrial>> MemoryStore::trial(std::int64_t id) const {
  const std::lock_guard lock(mutex_);
  if (!has_place(trials_, id)) return std::optional<StudiedTrial>();
  const StoredTrial& stored = at(trials_, id);
  const Session& session = sessions_.at(stored.session - 1);
  return std::optional(
      StudiedTrial{studies_.at(stored.study - 1), stored.trial, session.device, session.host_name});
}

Result<void> MemoryStore::add_playoff(std::int64_t study, std::int64_t session, const Playoff& playoff) {
  const std::lock_guard lock(mutex_);
  if (!is_known(study, session)) return Error{"no such study or session"};
  Playoff stored{{}, playoff.held_unix_ms};
  for (const Trial& finalist : playoff.finalists) {
    const StoredTrial* trial = current(study, finalist.config);
    if (trial == nullptr || !trial->trial.ok()) {
      return Error{"study " + std::to_string(study) + " has no successful trial of " + finalist.config.str()};
    }
    stored.finalists.push_back(trial->trial);
    stored.finalists.back().samples_us = finalist.samples_us;
    stored.finalists.back().timing = finalist.timing;
    stored.finalists.back().objective = finalist.objective;
    stored.finalists.back().metrics = finalist.metrics;
  }
  playoffs_[study].push_back(std::move(stored));
  return {};
}

Result<std::optional<Playoff>> MemoryStore::playoff(std::int64_t study) const {
  const std::lock_guard lock(mutex_);
  const std::optional<Playoff> nothing;
  const auto held = playoffs_.find(study);
  if (held == playoffs_.end()) return nothing;
  const Playoff* latest = &held->second.front();
  for (const Playoff& each : held->second) {
    if (each.held_unix_ms >= latest->held_unix_ms) latest = &each;
  }
  const StoredTrial& winner = at(trials_, latest->finalists.front().id);
  if (!winner.is_current) return nothing;
  for (const StoredTrial* each : current_trials(study)) {
    const bool is_later = each->trial.ended_unix_ms > latest->held_unix_ms;
    if (is_later && can_win(each->trial) && !each->trial.is_dropped_early &&
        each->trial.objective < winner.trial.objective) {
      return nothing;
    }
  }
  return std::optional(*latest);
}

std::optional<Best> MemoryStore::winner(std::int64_t study) const {
  Best best{.study_id = study, .study = at(studies_, study)};
  if (auto held = *playoff(study)) {
    best.trial = held->finalists.front();
    best.from_playoff = true;
    return best;
  }
  const Trial* leader = nullptr;
  for (const StoredTrial* each : current_trials(study)) {
    if (!can_win(each->trial)) continue;
    if (leader == nullptr || is_better(each->trial, *leader)) leader = &each->trial;
  }
  if (leader == nullptr) return std::nullopt;
  best.trial = *leader;
  return best;
}

Result<std::vector<Best>> MemoryStore::best(const std::string& kernel) const {
  const std::lock_guard lock(mutex_);
  std::vector<Best> winners;
  for (std::int64_t id = 1; id <= std::ssize(studies_); ++id) {
    if (!kernel.empty() && at(studies_, id).kernel != kernel) continue;
    auto best = winner(id);
    if (!best) continue;
    const StudySummary counts = summary(id);
    best->trials = counts.trials;
    best->failed = counts.failed;
    best->updated_unix_ms = counts.updated_unix_ms;
    winners.push_back(*std::move(best));
  }
  std::ranges::stable_sort(winners, {}, [](const Best& best) { return best.study.kernel; });
  return winners;
}

}  // namespace gktune
