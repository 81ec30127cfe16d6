#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "db/database.h"
#include "db/sql/failure.h"

namespace gktune {

// A file that keeps trials while the server that they are for cannot be reached. It is a database with the
// sessions and studies of these trials. The files of programs that were killed are delivered by the next
// program that opens the same database.
class TrialJournal {
 public:
  // For the database with this URI.
  TrialJournal(std::filesystem::path folder, const std::string& uri);
  TrialJournal(const TrialJournal&) = delete;
  TrialJournal& operator=(const TrialJournal&) = delete;
  ~TrialJournal();

  // Throws sql::Failure where it cannot be written.
  void add(const std::string& session_uuid, const Session& session, const Study& study, std::int64_t number,
           const Trial& trial);
  std::int64_t trials() const { return trials_; }
  const std::filesystem::path& path() const { return path_; }
  void clear();
  // The journals of programs that have ended. The lock of each is held by this object from then on.
  std::vector<std::filesystem::path> left_behind();
  void remove(const std::filesystem::path& left);

 private:
  bool lock(const std::filesystem::path& file);

  std::filesystem::path folder_, path_;
  std::string prefix_;  // of the names of the files for this database
  std::int64_t trials_ = 0;
  std::map<std::filesystem::path, int> locks_;  // file descriptors
};

// Bridges the time in which a server cannot be reached: statements wait for it, and trials go to a journal.
class Outage {
 public:
  // `deliver` stores the trials of the journal, or throws.
  Outage(OutageEvents events, std::filesystem::path folder, const std::string& uri,
         std::function<void(TrialJournal&)> deliver)
      : events_(std::move(events)), journal_(std::move(folder), uri), deliver_(std::move(deliver)) {}

  bool is_lost() const { return is_lost_; }
  TrialJournal& journal() { return journal_; }
  void note(const sql::Failure& failure);
  // Delivers the journal. Throws if the server is still away.
  void end();
  // Returns when it is time to try again. Throws the failure if told to stop.
  void wait(const sql::Failure& failure) const;
  // For a while after an outage, claims that have expired are left alone: their holders could not renew them.
  bool is_over_since(std::chrono::milliseconds time) const;

 private:
  using Clock = std::chrono::steady_clock;
  OutageEvents events_;
  TrialJournal journal_;
  std::function<void(TrialJournal&)> deliver_;
  bool is_lost_ = false;
  std::optional<Clock::time_point> ended_;
};

}  // namespace gktune
