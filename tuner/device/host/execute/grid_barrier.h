#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace gktune {

// The barrier of the blocks of a cooperative launch, each of which has a thread of the operating system.
class GridBarrier {
 public:
  explicit GridBarrier(std::uint64_t blocks) : blocks_(blocks) {}

  // Returns when all blocks have called. False: one has ended, and never will.
  bool wait() {
    std::unique_lock lock(mutex_);
    const std::uint64_t turn = turn_;
    if (++waiting_ == blocks_) {
      waiting_ = 0;
      ++turn_;
      changed_.notify_all();
      return true;
    }
    changed_.wait(lock, [&] { return turn_ != turn || ended_ > 0; });
    return turn_ != turn;
  }

  // A block has ended.
  void leave() {
    const std::lock_guard lock(mutex_);
    ++ended_;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::uint64_t blocks_;
  std::uint64_t turn_ = 0, waiting_ = 0, ended_ = 0;
};

}  // namespace gktune
