#include "tuner/device/host/sanitize/thread_order.h"

#include <algorithm>

#include "tuner/device/host/execute/launch.h"

namespace gktune {
void ThreadOrder::begin_launch() {
  launch_begin_ = ++time_;
  blocks_.clear();
}

void ThreadOrder::begin_block(std::uint64_t block, unsigned threads) {
  threads_ = threads;
  barrier();
  block_begin_ = time_;
  block_acquired_ = 0;
  std::fill_n(acquired_.begin(), threads, Time{0});
  std::fill_n(read_.begin(), threads, Time{0});
  blocks_.push_back({time_, block});
}

void ThreadOrder::barrier() {
  barrier_ = ++time_;
  std::fill_n(epochs_.begin(), threads_, time_);
}

void ThreadOrder::meet(unsigned warp, unsigned lanes) {
  ++time_;
  std::array<Time, 32> seen{};
  Time acquired = 0;
  for_each_lane(lanes, [&](unsigned lane) {
    const unsigned rank = warp * 32 + lane;
    std::ranges::transform(seen, seen_[rank], seen.begin(), [](Time a, Time b) { return std::max(a, b); });
    acquired = std::max(acquired, acquired_[rank]);
  });
  for_each_lane(lanes, [&](unsigned lane) { seen[lane] = time_; });
  for_each_lane(lanes, [&](unsigned lane) {
    const unsigned rank = warp * 32 + lane;
    seen_[rank] = seen;
    acquired_[rank] = acquired;
    epochs_[rank] = time_;
  });
}

void ThreadOrder::release(unsigned rank) { released_ = epochs_[rank] = ++time_; }

void ThreadOrder::fence(unsigned rank) {
  acquire_until(rank, read_[rank]);
  release(rank);
}

void ThreadOrder::acquire_until(unsigned rank, Time released) {
  acquired_[rank] = std::max(acquired_[rank], released);
  block_acquired_ = std::max(block_acquired_, released);
}

std::uint64_t ThreadOrder::block_of(Time epoch) const {
  const auto after = std::ranges::upper_bound(blocks_, epoch, {}, &Block::begin);
  return after == blocks_.begin() ? 0 : std::prev(after)->index;
}

}  // namespace gktune
