#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "db/store/trial_store.h"

namespace gktune {

// A store for tests, with no file behind it.
class MemoryStore final : public TrialStore {
 public:
  Result<std::int64_t> begin_session(const Session& session) override;
  Result<void> end_session(std::int64_t session) override;
  Result<std::int64_t> study_id(const Study& study) override;
  Result<void> describe_space(const std::string& kernel, const std::string& fingerprint,
                              const KernelSpace& space) override;
  const std::map<std::pair<std::string, std::string>, KernelSpace>& spaces() const { return spaces_; }
  Result<std::vector<StudySummary>> studies() const override;
  Result<std::optional<StudySummary>> study(std::int64_t id) const override;
  Result<void> add_trial(std::int64_t study, std::int64_t session, const Trial& trial) override;
  Result<std::vector<Trial>> trials(std::int64_t study) const override;
  Result<std::optional<StudiedTrial>> trial(std::int64_t id) const override;
  Result<bool> claim(std::int64_t study, std::int64_t session, const std::optional<Config>& config,
                     std::chrono::milliseconds lease) override;
  Result<void> renew_claims(std::int64_t session, std::chrono::milliseconds lease) override;
  Result<void> release_claims(std::int64_t session) override;
  Result<std::vector<Trial>> trials_of_others(std::int64_t study, std::int64_t session,
                                              std::int64_t after_id) const override;
  Result<void> add_playoff(std::int64_t study, std::int64_t session, const Playoff& playoff) override;
  Result<std::optional<Playoff>> playoff(std::int64_t study) const override;
  Result<std::vector<Best>> best(const std::string& kernel) const override;

 private:
  struct StoredTrial {
    std::size_t study, session;
    Trial trial;
    bool is_current = true;
  };

  bool is_known(std::int64_t study, std::int64_t session) const;
  const StoredTrial* current(std::int64_t study, const Config& config) const;
  std::vector<const StoredTrial*> current_trials(std::int64_t study) const;
  StudySummary summary(std::int64_t study) const;
  std::optional<Best> winner(std::int64_t study) const;

  struct Claim {
    std::int64_t session = 0;
    std::chrono::system_clock::time_point expires;
  };

  mutable std::recursive_mutex mutex_;  // held by each public function
  // The id of each is its place plus one.
  std::vector<Session> sessions_;
  std::vector<Study> studies_;
  std::map<std::pair<std::string, std::string>, KernelSpace> spaces_;  // by kernel and fingerprint
  std::vector<StoredTrial> trials_;
  std::map<std::int64_t, std::vector<Playoff>> playoffs_;  // by study
  std::map<std::pair<std::int64_t, std::string>, Claim> claims_;  // by study and configuration
};

}  // namespace gktune
