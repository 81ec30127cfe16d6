#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/answer_table.h"
#include "gktune/result.h"

namespace gktune {

// Winners of one place, and the tables made from them. Those of a file can be read again when it changes. A process
// may fork at any time: the child has the sources of its parent.
class WinnersSource {
 public:
  // Winners that stay as they are.
  explicit WinnersSource(WinnersByKernel winners) : winners_(std::move(winners)) {}
  // The winners of a database, read again when it changes.
  // `files`: paths with bytes, which are read instead of these files.
  static Result<std::shared_ptr<WinnersSource>> of_database(const std::filesystem::path& path,
                                                            const std::map<std::string, std::string>& files);
  WinnersSource(const WinnersSource&) = delete;
  WinnersSource& operator=(const WinnersSource&) = delete;

  // Reads the file again if it has changed since. True: there are other winners. Keeps the earlier
  // ones while it cannot be read.
  bool refresh() const;
  // Does so when it is asked for the version, but at most once per interval.
  void follow(std::chrono::milliseconds interval) { interval_ = interval; }

  // Grows when the winners change.
  std::uint64_t version() const {
    if (interval_.count() > 0) [[unlikely]]
      look_if_due();
    return version_.load(std::memory_order_acquire);
  }
  // Makes the table at the first call.
  std::shared_ptr<const AnswerTable> table(std::string_view kernel, const DeviceIdentity& device,
                                           std::span<const std::string> axes,
                                           const Freshness& freshness) const;
  std::optional<std::string> read_error() const;
  // Equal digests: equal answers.
  std::string digest() const;

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

  void look_if_due() const;
  // With the lock for reading held.
  bool read_again() const;

  std::filesystem::path path_;  // of the database; empty: the winners stay as they are
  std::chrono::milliseconds interval_{0};  // 0: it is not followed
  mutable std::atomic<std::int64_t> next_look_ms_{0};
  mutable std::atomic<std::uint64_t> version_{1};
  mutable std::optional<FileState> read_state_;  // of what was read; under the lock for reading
  // Under the lock for tables.
  mutable WinnersByKernel winners_;
  mutable std::vector<Known> tables_;
  mutable std::optional<std::string> read_error_;
};

}  // namespace gktune
