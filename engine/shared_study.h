#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "db/store/trial_store.h"
#include "tuner/tune.h"

namespace gktune {

// The claims of one session on one study. Programs that tune the same study at the same time
// claim configurations, so that each is measured once. A thread renews the claims; if the
// program dies, they expire soon.
class SharedStudy {
 public:
  // The caller knows the trials up to `last_id`. The store must outlive this object.
  SharedStudy(TrialStore& store, std::int64_t study, std::int64_t session, std::int64_t last_id,
              std::chrono::milliseconds lease);
  SharedStudy(const SharedStudy&) = delete;
  SharedStudy& operator=(const SharedStudy&) = delete;
  ~SharedStudy();  // releases the claims

  // The hooks that tune() calls. They stop waiting for other sessions when `stop` returns true.
  Sharing sharing(std::function<bool()> stop);

  // The playoff of another session, if it decides the study.
  const std::optional<Playoff>& playoff_of_others() const { return playoff_of_others_; }
  // The first error of the store.
  const std::optional<std::string>& error() const { return error_; }

 private:
  bool claim(const std::optional<Config>& config);
  std::vector<Trial> learn();
  bool claim_playoff(const Config& best, const std::function<bool()>& stop);
  bool is_decided_by_others(const Config& best);
  void renew_until_stopped();
  void note(const Error& error) { error_ = error_ ? error_ : error.message; }

  TrialStore& store_;
  std::int64_t study_, session_, last_id_;
  std::chrono::milliseconds lease_;
  std::optional<Playoff> playoff_of_others_;
  std::optional<std::string> error_;
  std::mutex mutex_;  // protects is_over_
  std::condition_variable ended_;
  bool is_over_ = false;
  std::thread renewer_;
};

}  // namespace gktune
