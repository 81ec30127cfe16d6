#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tuner/device/host/include/gktune/abi.h"

namespace gktune {

// "(3,0,0)"
std::string format_index(kernel::uint3 index);
// "reduce.cu:42"
std::string format_site(kernel::Site site);

// The lanes of a warp's set, one bit each, from the lowest.
template <class Do>
void for_each_lane(unsigned lanes, Do&& act) {
  for (unsigned left = lanes; left != 0; left &= left - 1) act(static_cast<unsigned>(__builtin_ctz(left)));
}

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

class MemoryWatch;

// The orders in which threads of a block start: natural, or a few random ones that the blocks alternate.
class ThreadOrders {
 public:
  // Without a seed: natural.
  ThreadOrders(kernel::dim3 block, std::optional<std::uint64_t> seed);

  const kernel::ThreadIndex* of_block(std::uint64_t block) const {
    return orders_.data() + block % (orders_.size() / count_) * count_;
  }
  std::uint32_t count() const { return static_cast<std::uint32_t>(count_); }

 private:
  std::size_t count_;
  std::vector<kernel::ThreadIndex> orders_;
};

// The order of blocks: the i-th is start + i·step, modulo their number.
struct BlockOrder {
  std::uint64_t count = 1, start = 0, step = 1;

  // Without a seed: natural.
  BlockOrder(std::uint64_t blocks, std::optional<std::uint64_t> seed);
  std::uint64_t at(std::uint64_t i) const;
};

// One launch of a kernel, shared by the threads that run its blocks.
struct KernelLaunch {
  const kernel::Entry* entry;
  void* const* arguments;
  kernel::dim3 grid, block;
  unsigned shared_bytes;
  const ThreadOrders* thread_orders;
  BlockOrder block_order;
  MemoryWatch* watch = nullptr;         // of an instrumented kernel
  GridBarrier* grid_barrier = nullptr;  // of a cooperative launch

  kernel::uint3 block_index(std::uint64_t number) const {
    const std::uint64_t row = number / grid.x;
    return {static_cast<unsigned>(number % grid.x), static_cast<unsigned>(row % grid.y),
            static_cast<unsigned>(row / grid.y)};
  }
};

}  // namespace gktune
