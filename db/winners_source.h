#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "db/answer_table.h"
#include "gktune/result.h"

namespace gktune {

// Winners of one place, and the tables made from them. Those of a file can be read again when it changes.
class WinnersSource {
 public:
  // Winners that stay as they are.
  explicit WinnersSource(WinnersByKernel winners) : winners_(std::move(winners)) {}
  // The winners of a database, read again when it changes.
  static Result<std::shared_ptr<WinnersSource>> of_database(const std::filesystem::path& path);
  WinnersSource(const WinnersSource&) = delete;
  WinnersSource& operator=(const WinnersSource&) = delete;

  // Reads the file again if it has changed since. True: there are other winners. Keeps the earlier
  // ones while it cannot be read.
  bool refresh();
  // Does so after each interval, in a thread of its own.
  void follow(std::chrono::milliseconds interval);

  // Grows when the winners change.
  std::uint64_t version() const { return version_.load(std::memory_order_acquire); }
  // Makes the table at the first call.
  std::shared_ptr<const AnswerTable> table(std::string_view kernel, const DeviceIdentity& device,
                                           std::span<const std::string> axes,
                                           const Freshness& freshness) const;
  std::optional<std::string> read_error() const;

 private:
  struct Known {
    std::string kernel;
    DeviceIdentity device;
    std::vector<std::string> axes;
    Freshness freshness;
    std::shared_ptr<const AnswerTable> table;
  };

  // Sizes and times of the database's files.
  using FileState = std::array<std::int64_t, 8>;
  static FileState state_of(const std::filesystem::path& path);

  std::filesystem::path path_;  // of the database; empty: the winners stay as they are
  std::mutex refresh_mutex_;             // guards the next member
  std::optional<FileState> read_state_;  // of what was read
  std::atomic<std::uint64_t> version_{1};
  mutable std::mutex mutex_;  // guards the members below
  WinnersByKernel winners_;
  mutable std::vector<Known> tables_;
  std::optional<std::string> read_error_;
  std::mutex pause_mutex_;
  std::condition_variable_any pause_;
  std::jthread follower_;  // last: it ends before the other members do
};

}  // namespace gktune
