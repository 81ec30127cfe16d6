#include "db/outage.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <thread>

#include "db/database_parts.h"
#include "db/open.h"
#include "db/schema.h"
#include "tuner/core/content_key.h"

namespace gktune {

namespace fs = std::filesystem;

TrialJournal::TrialJournal(fs::path folder, const std::string& uri)
    : folder_(std::move(folder)), prefix_(content_key(uri).substr(0, 16) + '-') {
  path_ = folder_ / (prefix_ + new_uuid() + ".db");
}

TrialJournal::~TrialJournal() {
  if (trials_ == 0 && locks_.contains(path_)) remove(path_);
  for (const auto& [file, descriptor] : locks_) ::close(descriptor);
}

// The system frees the lock when the program ends in any way.
bool TrialJournal::lock(const fs::path& file) {
  if (locks_.contains(file)) return true;
  const int descriptor = ::open((file.string() + ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor < 0) return false;
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    ::close(descriptor);
    return false;
  }
  locks_.emplace(file, descriptor);
  return true;
}

void TrialJournal::add(const std::string& session_uuid, const Session& session, const Study& study,
                       std::int64_t number, const Trial& trial) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (!lock(path_)) throw Failure("no journal of trials can be written in " + folder_.string());
  sqlite::Connection file = open_for_writing(path_, kLockPatience);
  Transaction transaction(file, Transaction::Kind::write);
  const auto session_id = add_session(file, session_uuid, session);
  insert_trial(file, add_study(file, study), session_id, number, trial);
  transaction.commit();
  ++trials_;
}

void TrialJournal::clear() {
  remove(path_);
  trials_ = 0;
}

std::vector<fs::path> TrialJournal::left_behind() {
  std::vector<fs::path> left;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    const fs::path& file = entry.path();
    const bool is_journal = file.filename().string().starts_with(prefix_) && file.extension() == ".db";
    if (is_journal && file != path_ && lock(file)) left.push_back(file);
  }
  return left;
}

void TrialJournal::remove(const fs::path& left) {
  remove_database(left);
  std::error_code ignored;
  fs::remove(left.string() + ".lock", ignored);
  const auto lock = locks_.find(left);
  if (lock == locks_.end()) return;
  ::close(lock->second);
  locks_.erase(lock);
}

void Outage::note(const Failure& failure) {
  if (is_lost_) return;
  is_lost_ = true;
  if (events_.on_lost) events_.on_lost(failure.what());
}

void Outage::end() {
  const std::int64_t trials = journal_.trials();
  deliver_(journal_);
  journal_.clear();
  is_lost_ = false;
  ended_ = Clock::now();
  if (events_.on_back) events_.on_back(trials);
}

void Outage::wait(const Failure& failure) const {
  constexpr std::chrono::milliseconds kStep{50};
  constexpr int kSteps = 10;
  for (int i = 0; i < kSteps; ++i) {
    if (events_.stop && events_.stop()) throw failure;
    std::this_thread::sleep_for(kStep);
  }
}

bool Outage::is_over_since(std::chrono::milliseconds time) const {
  return !ended_ || Clock::now() - *ended_ >= time;
}

}  // namespace gktune
