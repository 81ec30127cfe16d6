#pragma once

#include <array>
#include <atomic>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "db/axis_table.h"
#include "runtime/prepared_launch.h"

namespace gktune {

// Launches by their problems. Threads find them without a lock while one thread sets some. When there is no
// room for another one, the least recently used go; those that own their code stay, because it cannot be
// unloaded.
class LaunchTable {
 public:
  LaunchTable(std::size_t axes, std::size_t most);

  // While it lives, no launch that the table finds is destroyed.
  class Reading {
   public:
    [[gnu::always_inline]] explicit Reading(const LaunchTable& table)
        : readers_(table.readers_of_this_thread()) {
      readers_.fetch_add(1);
    }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;
    [[gnu::always_inline]] ~Reading() { readers_.fetch_sub(1); }

   private:
    std::atomic<std::uint32_t>& readers_;
  };

  // Null: there is none. The launch counts as used.
  [[gnu::always_inline]] const PreparedLaunch* find(std::span<const AxisValue> problem) const {
    const PreparedLaunch* launch = launches_.load()->find(problem);
    if (launch == nullptr) return nullptr;
    // A launch in use is marked already: threads share its line of memory.
    const std::uint32_t now = now_.load(std::memory_order_relaxed);
    if (launch->last_use.load(std::memory_order_relaxed) != now)
      launch->last_use.store(now, std::memory_order_relaxed);
    return launch;
  }

  // One thread at a time calls the functions below.

  // Returns launches that left the table and that no thread reads any more.
  std::vector<SharedLaunch> set(std::span<const AxisValue> problem, const SharedLaunch& launch);
  template <class Function>
  void for_each_problem(const Function& function) const {
    owned_launches_->for_each(
        [&](const std::vector<Value>& problem, const PreparedLaunch&) { function(problem); });
  }
  // Leaves the table without owners.
  std::vector<SharedLaunch> take_all();

 private:
  using Launches = AxisTable<const PreparedLaunch>;

  static constexpr int kCounterBits = 5;
  static constexpr std::size_t kCounters = std::size_t{1} << kCounterBits;
  struct alignas(64) Counter {
    mutable std::atomic<std::uint32_t> readers{0};
  };
  // Threads that have begun to read before it was removed may still do so.
  struct Removed {
    std::vector<SharedLaunch> launches;
    std::unique_ptr<Launches> table = nullptr;
    std::bitset<kCounters> had_no_reader = {};  // at some time since
  };

  // Threads have stacks of their own.
  [[gnu::always_inline]] std::atomic<std::uint32_t>& readers_of_this_thread() const {
    const auto page = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)) >> 12;
    return counters_[(page * 0x9e3779b97f4a7c15u) >> (64 - kCounterBits)].readers;
  }
  void make_room();
  std::vector<SharedLaunch> without_readers();

  std::atomic<const Launches*> launches_{nullptr};
  std::atomic<std::uint32_t> now_{0};  // the number of calls of set()
  const std::size_t axes_, most_;
  std::unique_ptr<Launches> owned_launches_;
  std::set<SharedLaunch> removable_, staying_;
  std::vector<Removed> removed_;
  std::array<Counter, kCounters> counters_;
};

}  // namespace gktune
