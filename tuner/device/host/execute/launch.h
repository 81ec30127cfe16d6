#pragma once

#include <cstdint>
#include <vector>

#include "tuner/device/host/include/gktune/abi.h"

namespace gktune {

class GridBarrier;
class MemoryWatch;

// The orders in which threads of a block start: natural, or a few random ones that the blocks alternate.
class ThreadOrders {
 public:
  static ThreadOrders natural(kernel::dim3 block);
  static ThreadOrders shuffled(kernel::dim3 block, std::uint64_t seed);

  const kernel::ThreadIndex* of_block(std::uint64_t block) const {
    return orders_.data() + block % (orders_.size() / count_) * count_;
  }
  std::uint32_t count() const { return static_cast<std::uint32_t>(count_); }

 private:
  explicit ThreadOrders(kernel::dim3 block);

  std::size_t count_;
  std::vector<kernel::ThreadIndex> orders_;
};

// The order of blocks: the i-th is start + i·step, modulo their number.
struct BlockOrder {
  std::uint64_t count = 1, start = 0, step = 1;

  static BlockOrder natural(std::uint64_t count) { return {count, 0, 1}; }
  static BlockOrder shuffled(std::uint64_t count, std::uint64_t seed);
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
