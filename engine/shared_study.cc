#include "engine/shared_study.h"

#include <algorithm>
#include <utility>

namespace gktune {
namespace {

constexpr std::chrono::milliseconds kPlayoffInterval{100};
// A lease is renewed so many times while it lasts.
constexpr int kRenewals = 5;

}  // namespace

SharedStudy::SharedStudy(TrialStore& store, std::int64_t study, std::int64_t session, std::int64_t last_id,
                         std::chrono::milliseconds lease)
    : store_(store), study_(study), session_(session), last_id_(last_id), lease_(lease) {
  renewer_ = std::thread([this] { renew_until_stopped(); });
}

SharedStudy::~SharedStudy() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  ended_.notify_all();
  renewer_.join();
  (void)store_.release_claims(session_);  // else they end with their lease
}

void SharedStudy::renew_until_stopped() {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, lease_ / kRenewals, [this] { return is_over_; })) {
    lock.unlock();
    (void)store_.renew_claims(session_, lease_);  // the tuning itself notes that the store fails
    lock.lock();
  }
}

Sharing SharedStudy::sharing(std::function<bool()> stop) {
  return {.claim = [this](const Config& config) { return claim(config); },
          .learn = [this] { return learn(); },
          .claim_playoff =
              [this, stop = std::move(stop)](const Config& best) { return claim_playoff(best, stop); }};
}

bool SharedStudy::claim(const std::optional<Config>& config) {
  const auto granted = store_.claim(study_, session_, config, lease_);
  if (!granted) note(granted.error());
  return granted && *granted;
}

std::vector<Trial> SharedStudy::learn() {
  auto trials = store_.trials_of_others(study_, session_, last_id_);
  if (!trials) {
    note(trials.error());
    return {};
  }
  if (!trials->empty()) last_id_ = trials->back().id;
  return *std::move(trials);
}

// The search of this session is over: it measures nothing that it has claimed.
bool SharedStudy::claim_playoff(const Config& best, const std::function<bool()>& stop) {
  if (auto released = store_.release_claims(session_); !released) note(released.error());
  while (!error_ && !stop()) {
    const bool is_granted = claim(std::nullopt);
    if (is_decided_by_others(best)) return false;
    if (is_granted) return true;
    std::this_thread::sleep_for(kPlayoffInterval);
  }
  return false;
}

bool SharedStudy::is_decided_by_others(const Config& best) {
  auto held = store_.playoff(study_);
  if (!held) {
    note(held.error());
    return false;
  }
  if (!*held) return false;
  const auto trials = store_.trials(study_);
  if (!trials) return false;
  const bool has_best =
      std::ranges::find((*held)->finalists, best, &Trial::config) != (*held)->finalists.end();
  const bool is_latest = std::ranges::none_of(
      *trials, [&](const Trial& trial) { return trial.ended_unix_ms > (*held)->held_unix_ms; });
  if (!has_best || !is_latest) return false;
  playoff_of_others_ = *std::move(held);
  return true;
}

}  // namespace gktune
