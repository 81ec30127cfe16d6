#include "db/winners_source.h"

#include <pthread.h>
#include <sys/stat.h>
#include <time.h>

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "db/database.h"
#include "tuner/core/content_key.h"
#include "tuner/core/fields_json.h"

namespace gktune {
namespace {

// An application asks few kinds of questions.
constexpr std::size_t kMostTables = 256;

// The locks of all sources. A fork waits for them, so that no other thread is in SQLite or changes a source when the
// child gets its copy. Tables are locked while reading is, and never the other way round.
struct Locks {
  std::mutex reading, tables;
};

Locks& locks() {
  static Locks& all = [] () -> Locks& {
    const auto release = [] {
      locks().tables.unlock();
      locks().reading.unlock();
    };
    ::pthread_atfork(
        [] {
          locks().reading.lock();
          locks().tables.lock();
        },
        release, release);
    return *new Locks;
  }();
  return all;
}

// Its resolution of a few milliseconds is enough, and reading it takes 5 ns.
std::int64_t coarse_clock_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

Result<WinnersByKernel> read_winners(const std::filesystem::path& path) {
  const auto database = GKTUNE_TRY(Database::open(path, Database::Access::read));
  return database->kernel_winners();
}

}  // namespace

std::string WinnersSource::digest() const {
  version();  // looks at the file
  const std::lock_guard lock(locks().tables);
  std::string text;
  const auto add = [&](const auto& part) {
    text += written<SortedJson>(part).dump(-1, ' ', false, SortedJson::error_handler_t::replace) + '\n';
  };
  for (const auto& [name, kernel] : winners_) {
    add(name);
    for (const KernelVersion& version : kernel.versions) {
      add(version.space);
      for (const Winner& winner : version.winners) {
        add(winner.study), add(winner.trial.config), add(winner.trial.timing.median_us);
        add(winner.environment), add(winner.changes);
      }
      for (const Portfolio& portfolio : version.portfolios) {
        add(portfolio.device), add(body_text(portfolio)), add(portfolio.stale);
      }
    }
    for (const auto& [device, environment] : kernel.latest) add(device), add(environment);
    for (const DeviceInfo& device : kernel.devices) add(identity_of(device)), add(device.attributes());
  }
  return content_key(text);
}

// Changes whenever a program writes to the database: SQLite writes to the file or to its log. Readers make
// and remove logs that are empty.
WinnersSource::FileState WinnersSource::state_of(const std::filesystem::path& path) {
  FileState state{};
  std::size_t at = 0;
  std::error_code error;
  // The log is beside what a link names.
  std::filesystem::path file = std::filesystem::canonical(path, error);
  if (error) file = path;
  for (const char* suffix : {"", "-wal"}) {
    struct stat status {};
    if (::stat((file.string() + suffix).c_str(), &status) == 0 && status.st_size > 0) {
      state[at] = static_cast<std::int64_t>(status.st_ino);
      state[at + 1] = status.st_size;
      state[at + 2] = status.st_mtim.tv_sec;
      state[at + 3] = status.st_mtim.tv_nsec;
    }
    at += 4;
  }
  return state;
}

Result<std::shared_ptr<WinnersSource>> WinnersSource::of_database(const std::filesystem::path& path,
                                                                  const std::map<std::string, std::string>& files) {
  const std::lock_guard reading(locks().reading);
  if (const auto bytes = files.find(path.string()); bytes != files.end()) {
    const auto database = GKTUNE_TRY(Database::from_bytes(path, bytes->second));
    auto winners = GKTUNE_TRY(database->kernel_winners());
    return std::make_shared<WinnersSource>(std::move(winners));
  }
  // Taken before the file is read: a change meanwhile is read the next time.
  const FileState state = state_of(path);
  auto winners = GKTUNE_TRY(read_winners(path));
  auto source = std::make_shared<WinnersSource>(std::move(winners));
  source->path_ = path;
  source->read_state_ = state;
  return source;
}

bool WinnersSource::refresh() const {
  const std::lock_guard reading(locks().reading);
  return read_again();
}

bool WinnersSource::read_again() const {
  if (path_.empty()) return false;
  const FileState state = state_of(path_);  // before the file is read, as above
  if (state == read_state_) return false;
  read_state_ = state;
  auto winners = read_winners(path_);
  const std::lock_guard lock(locks().tables);
  if (!winners) {
    read_error_ = winners.error().message;
    read_state_.reset();
    return false;
  }
  winners_ = *std::move(winners);
  tables_.clear();
  read_error_.reset();
  version_.fetch_add(1, std::memory_order_release);
  return true;
}

// While another thread reads, the earlier winners answer.
void WinnersSource::look_if_due() const {
  const std::int64_t now_ms = coarse_clock_ms();
  if (now_ms < next_look_ms_.load(std::memory_order_relaxed)) return;
  const std::unique_lock reading(locks().reading, std::try_to_lock);
  if (!reading || now_ms < next_look_ms_.load(std::memory_order_relaxed)) return;
  next_look_ms_.store(now_ms + interval_.count(), std::memory_order_relaxed);
  read_again();
}

std::shared_ptr<const AnswerTable> WinnersSource::table(std::string_view kernel, const DeviceIdentity& device,
                                                        std::span<const std::string> axes,
                                                        const Freshness& freshness) const {
  const std::lock_guard lock(locks().tables);
  for (const Known& known : tables_) {
    if (known.kernel == kernel && known.device == device && known.freshness == freshness &&
        std::ranges::equal(known.axes, axes)) {
      return known.table;
    }
  }
  const auto known = winners_.find(kernel);
  std::vector<std::string> names;
  for (const auto& each : winners_) names.push_back(each.first);
  auto table = std::make_shared<const AnswerTable>(
      kernel, known != winners_.end() ? known->second : KernelWinners(), names, device, axes, freshness);
  if (tables_.size() == kMostTables) tables_.clear();
  tables_.push_back({std::string(kernel), device, {axes.begin(), axes.end()}, freshness, table});
  return table;
}

std::optional<std::string> WinnersSource::read_error() const {
  version();  // looks at the file
  const std::lock_guard lock(locks().tables);
  return read_error_;
}

}  // namespace gktune
