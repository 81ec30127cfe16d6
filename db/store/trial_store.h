#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/answers/identity.h"
#include "db/answers/kernel_space.h"
#include "tuner/core/device_info.h"
#include "tuner/core/result.h"
#include "tuner/core/trial.h"

namespace gktune {

// One call of the program on one device.
struct Session {
  std::string tool_version;
  std::string host_name;
  std::string command_line;
  DeviceInfo device;
};

// The winner of a study.
struct Best {
  std::int64_t study_id = 0;
  Study study;
  // The winner has the samples, timing, objective and metrics of the playoff that it won, else its own.
  Trial trial;
  bool from_playoff = false;
  std::int64_t trials = 0, failed = 0;  // configurations of the study
  std::int64_t updated_unix_ms = 0;
};

// The finalists of a study, measured in turn under the same conditions.
struct Playoff {
  // Best first. Each is its trial with the samples, timing, objective and metrics of the playoff.
  std::vector<Trial> finalists;
  std::int64_t held_unix_ms = 0;  // when it ended
};

// A study and its counts. A configuration measured twice counts once, with its latest result.
struct StudySummary {
  std::int64_t id = 0;
  Study study;
  std::int64_t trials = 0, failed = 0;
  std::optional<double> best_us;
  std::int64_t updated_unix_ms = 0;  // when its latest trial ended
};

// A trial with its study and where it was measured.
struct StudiedTrial {
  Study study;
  Trial trial;
  std::optional<DeviceInfo> device;  // nothing: recorded by a version that stored the identity only
  std::string host_name;
};

// Keeps every trial. Several threads may use it at once. The latest trial of a configuration is the current
// one; earlier ones stay in the store and are found by their id alone.
class TrialStore {
 public:
  virtual ~TrialStore() = default;

  virtual Result<std::int64_t> begin_session(const Session& session) = 0;
  virtual Result<void> end_session(std::int64_t session) = 0;

  // Adds the study if it is new.
  virtual Result<std::int64_t> study_id(const Study& study) = 0;
  // Stores what the lookup needs of this version of a kernel. Replaces an earlier description.
  virtual Result<void> describe_space(const std::string& kernel, const std::string& fingerprint,
                                      const KernelSpace& space) = 0;
  virtual Result<std::vector<StudySummary>> studies() const = 0;
  virtual Result<std::optional<StudySummary>> study(std::int64_t id) const = 0;

  virtual Result<void> add_trial(std::int64_t study, std::int64_t session, const Trial& trial) = 0;
  // The current trial of each configuration, in the order in which they ended.
  virtual Result<std::vector<Trial>> trials(std::int64_t study) const = 0;
  virtual Result<std::optional<StudiedTrial>> trial(std::int64_t id) const = 0;

  // Several sessions share a study by claims. A session claims what it is about to measure; no value as the
  // configuration means the playoff. False: another session has claimed it, or the configuration has a trial.
  // A claim ends with the trial, with the session, with release_claims(), or at the end of its lease, which
  // renew_claims() begins anew.
  virtual Result<bool> claim(std::int64_t study, std::int64_t session, const std::optional<Config>& config,
                             std::chrono::milliseconds lease) = 0;
  virtual Result<void> renew_claims(std::int64_t session, std::chrono::milliseconds lease) = 0;
  virtual Result<void> release_claims(std::int64_t session) = 0;
  // The current trials that other sessions added after the trial with this id, in the order of their ids.
  virtual Result<std::vector<Trial>> trials_of_others(std::int64_t study, std::int64_t session,
                                                      std::int64_t after_id) const = 0;

  // Each finalist needs a current trial that is ok.
  virtual Result<void> add_playoff(std::int64_t study, std::int64_t session, const Playoff& playoff) = 0;
  // The latest playoff if it decides the study: the winner was not measured again, and no later trial has a
  // better objective than the winner's trial.
  virtual Result<std::optional<Playoff>> playoff(std::int64_t study) const = 0;
  // The winner of each study of the kernel, or of all kernels if the name is empty. Without a deciding
  // playoff the best current trial wins: by not being cut off, then by objective, samples and time.
  virtual Result<std::vector<Best>> best(const std::string& kernel) const = 0;
};

}  // namespace gktune
