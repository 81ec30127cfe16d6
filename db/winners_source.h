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
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "db/answer_table.h"

namespace gktune {

// The winners of one file, and the tables made from them. Reads the file again when it changes, if it is to be
// followed.
class WinnersSource {
 public:
  // Without an interval the file is read once.
  static Result<std::shared_ptr<const WinnersSource>> read(const std::filesystem::path& path,
                                                           std::optional<std::chrono::milliseconds> interval);
  WinnersSource(const WinnersSource&) = delete;
  WinnersSource& operator=(const WinnersSource&) = delete;

  // Grows when the winners change.
  std::uint64_t version() const { return version_.load(std::memory_order_acquire); }
  // Makes the table at the first call.
  std::shared_ptr<const AnswerTable> table(std::string_view kernel, const DeviceIdentity& device,
                                           std::span<const std::string> axes, const Freshness& freshness) const;
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

  explicit WinnersSource(Winners winners) : winners_(std::make_shared<const Winners>(std::move(winners))) {}
  static FileState state_of(const std::filesystem::path& path);
  void follow(const std::stop_token& stop, const std::filesystem::path& path, std::chrono::milliseconds interval,
              std::optional<FileState> read_state);

  std::atomic<std::uint64_t> version_{1};
  mutable std::shared_mutex mutex_;  // guards the members below
  std::shared_ptr<const Winners> winners_;
  mutable std::vector<Known> tables_;
  std::optional<std::string> read_error_;
  std::mutex pause_mutex_;
  std::condition_variable_any pause_;
  std::jthread follower_;  // last: it ends before the other members do
};

}  // namespace gktune
