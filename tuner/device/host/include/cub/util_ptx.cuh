#pragma once

// The place of a thread in its block and warp, and what lanes exchange.

#include "gktune/warp.h"

namespace cub {

inline unsigned LaneId() { return ::gktune::kernel::lane(); }
inline unsigned WarpId() { return ::gktune::kernel::thread_rank() / 32; }

}  // namespace cub

namespace gktune::kernel {

// The logical warp of `kWidth` lanes that the calling thread is in. The last one of a block may have fewer.
template <int kWidth>
class LogicalWarp {
  static_assert(kWidth > 0 && kWidth <= 32, "a logical warp has 1 to 32 lanes");

 public:
  explicit LogicalWarp(Site site) : site_(site), first_(lane() / kWidth * kWidth) {
    const dim3& block = block_dim();
    const unsigned left = block.x * block.y * block.z - (thread_rank() - lane()) - first_;
    size_ = static_cast<int>(left < kWidth ? left : kWidth);
    mask_ = (~0u >> (32 - size_)) << first_;
  }

  int rank() const { return static_cast<int>(lane() - first_); }
  int size() const { return size_; }
  // Bit 0 is that of the first lane.
  unsigned ballot(bool bit) const { return __ballot_sync(mask_, bit, site_.file, site_.line) >> first_; }

  // The value of the lane with this rank; the own one if there is none.
  template <class T>
  T from(const T& value, int rank) const {
    const unsigned source = rank >= 0 && rank < size_ ? first_ + static_cast<unsigned>(rank) : lane();
    T taken = value;
    for (unsigned at = 0; at < sizeof(T); at += 8) {
      const unsigned bytes = sizeof(T) - at < 8 ? sizeof(T) - at : 8;
      unsigned long long word = 0;
      __builtin_memcpy(&word, reinterpret_cast<const char*>(&value) + at, bytes);
      word = warp(WarpOp::shuffle, mask_, word, source, site_);
      __builtin_memcpy(reinterpret_cast<char*>(&taken) + at, &word, bytes);
    }
    return taken;
  }

 private:
  Site site_;
  unsigned first_;
  int size_;
  unsigned mask_;
};

}  // namespace gktune::kernel
