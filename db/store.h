#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/identity.h"
#include "tuner/core/result.h"
#include "tuner/core/trial.h"

namespace gktune {

// One call of the program, and what it ran with.
struct Session {
  std::string tool_version, driver, runtime, compiler, host_name, command_line;
};

// The winner of a study.
struct Best {
  Study study;
  Trial trial;
  double median_us = 0;  // from the playoff where there was one, else the trial's own
  std::int64_t samples = 0;
  bool from_playoff = false;
  std::int64_t trials = 0, failed = 0;  // of the study
  std::int64_t updated_unix_ms = 0;
};

// Who won when the finalists of a study met, and its samples there.
struct Playoff {
  Config config;
  Samples samples;
};

// One line of `db ls`.
struct StudySummary {
  std::int64_t id = 0;
  Study study;
  std::int64_t trials = 0, failed = 0;
  std::optional<double> best_us;
  std::int64_t updated_unix_ms = 0;
};

// A trial, and what it was a part of.
struct StudiedTrial {
  Study study;
  Trial trial;
};

// The database of trials: SQLite in WAL, each trial written as it ends.
class Store {
 public:
  enum class Mode { read, write };
  // Creates the file, or migrates an older one, when writing. A file that is something else, or newer, is an
  // error. A lock that another program holds for longer than `patience` is one too.
  static Result<Store> open(const std::filesystem::path& path, Mode mode,
                            std::chrono::milliseconds patience = std::chrono::seconds(10));
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  Result<std::int64_t> begin_session(const Session& session);
  Result<void> end_session(std::int64_t session);

  Result<std::int64_t> study_id(const Study& study);            // made where it is new
  Result<std::vector<Trial>> trials(std::int64_t study) const;  // in the order they ended
  Result<std::optional<StudiedTrial>> trial(std::int64_t id) const;
  Result<void> add_trial(std::int64_t study, std::int64_t session,
                         const Trial& trial);  // one of a config: the last
  Result<void> set_best(std::int64_t study, const Config& config, const Samples& playoff);
  Result<std::optional<Playoff>> playoff(std::int64_t study) const;  // none since the last trial: nothing

  Result<std::vector<StudySummary>> studies() const;
  Result<std::optional<StudySummary>> study(std::int64_t id) const;
  Result<std::vector<Best>> best(
      const std::string& kernel) const;  // of every study of the kernel; empty: of all

 private:
  struct Body;
  explicit Store(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

}  // namespace gktune
