#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace gktune {

// The order of a launch's accesses that barriers, operations of warps and atomics establish. Blocks
// are run one after the other, by one thread of the operating system.
//
// Time moves at each event that orders threads. A thread's epoch is the time of the last such event that it
// took part in, and all that it does until the next one has that epoch. Where releasing and acquiring meet,
// the releasing thread is not stored: a release by any thread counts. A race may be missed there, but none is
// reported wrongly.
class ThreadOrder {
 public:
  using Time = std::uint32_t;
  static constexpr unsigned kMaxThreads = 1024;

  void begin_launch();
  void begin_block(std::uint64_t block, unsigned threads);
  // All threads of the block wait for each other.
  void barrier();
  // These lanes of a warp wait for each other.
  void meet(unsigned warp, unsigned lanes);
  // An atomic write that others may wait for.
  void release(unsigned rank);
  // An atomic read: the thread sees everything released until now.
  void acquire(unsigned rank) { acquire_until(rank, released_); }
  // An atomic read that acquires nothing, unless a fence follows it.
  void note_relaxed_read(unsigned rank) { read_[rank] = released_; }
  // The thread sees what was released before its last atomic read, and releases what it did itself.
  void fence(unsigned rank);

  Time now() const { return time_; }
  Time epoch(unsigned rank) const { return epochs_[rank]; }
  // After the last barrier of the running block.
  bool is_since_barrier(Time epoch) const { return epoch >= barrier_; }
  bool is_this_block(Time epoch) const { return epoch >= block_begin_; }
  // True if an access of a thread of this launch, or of an earlier one, is ordered
  // before this thread's access now.
  bool precedes(Time epoch, unsigned rank, unsigned now) const {
    if (epoch < launch_begin_ || epoch < acquired_[now]) return true;
    if (epoch < block_begin_) return epoch < block_acquired_;
    if (epoch < barrier_) return true;
    return rank / 32 == now / 32 && epoch < seen_[now][rank % 32];
  }
  // The block, of this launch, that the epoch belongs to.
  std::uint64_t block_of(Time epoch) const;

 private:
  struct Block {
    Time begin;
    std::uint64_t index;
  };

  void acquire_until(unsigned rank, Time released);

  Time time_ = 0, launch_begin_ = 0, block_begin_ = 0, barrier_ = 0, released_ = 0, block_acquired_ = 0;
  unsigned threads_ = 0;
  std::array<Time, kMaxThreads> epochs_{};
  std::array<Time, kMaxThreads> acquired_{};
  std::array<Time, kMaxThreads> read_{};  // the last release before the thread's last atomic read
  std::array<std::array<Time, 32>, kMaxThreads> seen_{};  // of each lane of the thread's own warp
  std::vector<Block> blocks_;
};

}  // namespace gktune
