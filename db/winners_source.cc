#include "db/winners_source.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "db/database.h"

namespace gktune {
namespace {

// An application asks few kinds of questions.
constexpr std::size_t kMostTables = 256;

Result<WinnersByKernel> read_winners(const std::filesystem::path& path) {
  const auto database = Database::open(path, Database::Access::read);
  if (!database) return database.error();
  return (*database)->kernel_winners();
}

}  // namespace

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

Result<std::shared_ptr<WinnersSource>> WinnersSource::of_database(const std::filesystem::path& path) {
  // Taken before the file is read: a change meanwhile is read the next time.
  const FileState state = state_of(path);
  auto winners = read_winners(path);
  if (!winners) return winners.error();
  auto source = std::make_shared<WinnersSource>(*std::move(winners));
  source->path_ = path;
  source->read_state_ = state;
  return source;
}

bool WinnersSource::refresh() {
  if (path_.empty()) return false;
  const std::lock_guard one_at_a_time(refresh_mutex_);
  const FileState state = state_of(path_);  // before the file is read, as above
  if (state == read_state_) return false;
  read_state_ = state;
  auto winners = read_winners(path_);
  const std::lock_guard lock(mutex_);
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

void WinnersSource::follow(std::chrono::milliseconds interval) {
  follower_ = std::jthread([this, interval](const std::stop_token& stop) {
    while (true) {
      {
        std::unique_lock lock(pause_mutex_);
        pause_.wait_for(lock, stop, interval, [] { return false; });
      }
      if (stop.stop_requested()) return;
      refresh();
    }
  });
}

std::shared_ptr<const AnswerTable> WinnersSource::table(std::string_view kernel, const DeviceIdentity& device,
                                                        std::span<const std::string> axes,
                                                        const Freshness& freshness) const {
  const std::lock_guard lock(mutex_);
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
  const std::lock_guard lock(mutex_);
  return read_error_;
}

}  // namespace gktune
