#pragma once

// Cooperative groups, as far as thread_block, thread_block_tile,
// coalesced_group, and thread_group of these go.

#include "gktune/cuda.h"

namespace cooperative_groups {

class thread_block {
 public:
  GKTUNE_ALWAYS_INLINE static void sync(GKTUNE_SITE_PARAMETERS) { __syncthreads(file_, line_); }
  GKTUNE_ALWAYS_INLINE static void barrier_wait(GKTUNE_SITE_PARAMETERS) { __syncthreads(file_, line_); }
  static unsigned thread_rank() { return ::gktune::kernel::thread_rank(); }
  static dim3 thread_index() { return ::gktune::kernel::thread_index(); }
  static dim3 group_index() { return ::gktune::kernel::block_index(); }
  static dim3 dim_threads() { return ::gktune::kernel::block_dim(); }
  static dim3 group_dim() { return ::gktune::kernel::block_dim(); }
  static unsigned size() { return num_threads(); }
  static unsigned num_threads() {
    const dim3& block = ::gktune::kernel::block_dim();
    return block.x * block.y * block.z;
  }
};

inline thread_block this_thread_block() { return {}; }

// The whole grid. Its barrier needs a cooperative launch.
class grid_group {
 public:
  static unsigned long long size() { return num_blocks() * thread_block::num_threads(); }
  static unsigned long long num_threads() { return size(); }
  static unsigned long long num_blocks() {
    const dim3& grid = ::gktune::kernel::grid_dim();
    return static_cast<unsigned long long>(grid.x) * grid.y * grid.z;
  }
  static unsigned long long block_rank() {
    const dim3& grid = ::gktune::kernel::grid_dim();
    const uint3& block = ::gktune::kernel::block_index();
    return (static_cast<unsigned long long>(block.z) * grid.y + block.y) * grid.x + block.x;
  }
  static unsigned long long thread_rank() {
    return block_rank() * thread_block::num_threads() + ::gktune::kernel::thread_rank();
  }
  static dim3 group_dim() { return ::gktune::kernel::grid_dim(); }
  static dim3 dim_blocks() { return ::gktune::kernel::grid_dim(); }
  static dim3 block_index() { return ::gktune::kernel::block_index(); }
  static bool is_valid() { return gktune_thread.is_cooperative; }
  GKTUNE_ALWAYS_INLINE static void sync(GKTUNE_SITE_PARAMETERS) {
    __syncthreads(file_, line_);
    if (::gktune::kernel::thread_rank() == 0) gktune_thread.services->grid_barrier(GKTUNE_SITE);
    __syncthreads(file_, line_);
  }
};

inline grid_group this_grid() { return {}; }

// Declared for the message alone.
class cluster_group {
 public:
  static void sync() {}
  static unsigned block_rank() { return 0; }
  static unsigned num_blocks() { return 1; }
  static unsigned thread_rank() { return 0; }
  static unsigned num_threads() { return 1; }
  static dim3 block_index() { return {}; }
  static dim3 dim_blocks() { return {}; }
  template <class T>
  static T* map_shared_rank(T* address, unsigned) {
    return address;
  }
};
cluster_group this_cluster() __attribute__((error("thread-block clusters cannot run on the host device")));

// Lanes of one warp, by their mask: what tiles and coalesced groups are.
class coalesced_group {
 public:
  explicit coalesced_group(unsigned mask) : mask_(mask) {}

  void sync(GKTUNE_SITE_PARAMETERS) const { __syncwarp(mask_, file_, line_); }
  unsigned num_threads() const { return static_cast<unsigned>(__builtin_popcount(mask_)); }
  unsigned size() const { return num_threads(); }
  unsigned thread_rank() const { return rank_of(::gktune::kernel::lane()); }
  unsigned meta_group_rank() const { return 0; }
  unsigned meta_group_size() const { return 1; }

  template <class T>
  T shfl(T value, int rank, GKTUNE_SITE_PARAMETERS) const {
    return ::gktune::kernel::take_from(mask_, value, lane_of(static_cast<unsigned>(rank) % size()),
                                       GKTUNE_SITE);
  }
  template <class T>
  T shfl_up(T value, unsigned delta, GKTUNE_SITE_PARAMETERS) const {
    const unsigned rank = thread_rank();
    return ::gktune::kernel::take_from(mask_, value, lane_of(rank >= delta ? rank - delta : rank),
                                       GKTUNE_SITE);
  }
  template <class T>
  T shfl_down(T value, unsigned delta, GKTUNE_SITE_PARAMETERS) const {
    const unsigned rank = thread_rank();
    return ::gktune::kernel::take_from(mask_, value, lane_of(rank + delta < size() ? rank + delta : rank),
                                       GKTUNE_SITE);
  }
  template <class T>
  T shfl_xor(T value, unsigned lane_mask, GKTUNE_SITE_PARAMETERS) const {
    const unsigned rank = thread_rank(), other = rank ^ lane_mask;
    return ::gktune::kernel::take_from(mask_, value, lane_of(other < size() ? other : rank), GKTUNE_SITE);
  }
  unsigned ballot(int predicate, GKTUNE_SITE_PARAMETERS) const {
    return pack(__ballot_sync(mask_, predicate, file_, line_));
  }
  int any(int predicate, GKTUNE_SITE_PARAMETERS) const { return __any_sync(mask_, predicate, file_, line_); }
  int all(int predicate, GKTUNE_SITE_PARAMETERS) const { return __all_sync(mask_, predicate, file_, line_); }
  template <class T>
  unsigned match_any(T value, GKTUNE_SITE_PARAMETERS) const {
    return pack(__match_any_sync(mask_, value, file_, line_));
  }
  template <class T>
  unsigned match_all(T value, int& is_same, GKTUNE_SITE_PARAMETERS) const {
    return pack(__match_all_sync(mask_, value, &is_same, file_, line_));
  }
  template <class T>
  coalesced_group of_label(T label, GKTUNE_SITE_PARAMETERS) const {
    return coalesced_group(__match_any_sync(mask_, label, file_, line_));
  }

 private:
  unsigned rank_of(unsigned lane) const {
    return static_cast<unsigned>(__builtin_popcount(mask_ & ((1u << lane) - 1)));
  }
  unsigned lane_of(unsigned rank) const {
    unsigned left = mask_;
    for (; rank > 0; --rank) left &= left - 1;
    return static_cast<unsigned>(__builtin_ctz(left));
  }
  // From a bit for each lane to a bit for each rank.
  unsigned pack(unsigned lanes) const {
    unsigned packed = 0;
    for (unsigned left = mask_, rank = 0; left != 0; left &= left - 1, ++rank) {
      packed |= (lanes >> __builtin_ctz(left) & 1u) << rank;
    }
    return packed;
  }
  friend coalesced_group tiled_partition(const coalesced_group& group, unsigned size, const char* file,
                                         int line);
  unsigned mask_;
};

// The group of the threads with the same label.
template <class T>
coalesced_group labeled_partition(const coalesced_group& group, T label, GKTUNE_SITE_PARAMETERS) {
  return group.of_label(label, file_, line_);
}

inline coalesced_group coalesced_threads(GKTUNE_SITE_PARAMETERS) {
  return coalesced_group(__activemask(file_, line_));
}

inline coalesced_group binary_partition(const coalesced_group& group, bool label, GKTUNE_SITE_PARAMETERS) {
  return labeled_partition(group, static_cast<int>(label), file_, line_);
}

namespace details {
inline void check_tile_size(unsigned size, const char* file_, int line_) {
  if (size >= 1 && size <= 32 && (size & (size - 1)) == 0) return;
  gktune_thread.services->abort("a tile of another size than 1, 2, 4, 8, 16 or 32 threads", GKTUNE_SITE);
}

// The lanes of the calling thread's tile. The last warp of a block may have fewer of them.
inline unsigned tile_mask(unsigned size) {
  const unsigned all = size == 32 ? ~0u : (1u << size) - 1;
  return all << (::gktune::kernel::lane() & ~(size - 1));
}
template <unsigned kSize>
inline unsigned tile_mask() {
  static_assert(kSize >= 1 && kSize <= 32 && (kSize & (kSize - 1)) == 0,
                "a tile has 1, 2, 4, 8, 16 or 32 threads");
  return tile_mask(kSize);
}
}  // namespace details

// A tile of `size` neighbours by rank.
inline coalesced_group tiled_partition(const coalesced_group& group, unsigned size, GKTUNE_SITE_PARAMETERS) {
  details::check_tile_size(size, file_, line_);
  unsigned mask = 0;
  const unsigned first = group.thread_rank() / size * size;
  for (unsigned rank = first; rank < first + size && rank < group.coalesced_group::size(); ++rank) {
    mask |= 1u << group.lane_of(rank);
  }
  return coalesced_group(mask);
}

template <unsigned kSize, class Parent = void>
class thread_block_tile : public coalesced_group {
 public:
  thread_block_tile(unsigned meta_group_rank, unsigned meta_group_size)
      : coalesced_group(details::tile_mask<kSize>()),
        meta_rank_(meta_group_rank),
        meta_size_(meta_group_size) {}
  static constexpr unsigned size() { return kSize; }
  static constexpr unsigned num_threads() { return kSize; }
  static unsigned thread_rank() { return ::gktune::kernel::lane() % kSize; }
  // The number of this tile in its parent.
  unsigned meta_group_rank() const { return meta_rank_; }
  unsigned meta_group_size() const { return meta_size_; }
  // The type of a parameter that accepts a tile of any parent.
  operator thread_block_tile<kSize, void>() const { return {meta_rank_, meta_size_}; }

 private:
  unsigned meta_rank_, meta_size_;
};

template <unsigned kSize, class Parent>
thread_block_tile<kSize, Parent> tiled_partition(const Parent& parent) {
  return {parent.thread_rank() / kSize, (parent.num_threads() + kSize - 1) / kSize};
}

// A block or a part of a warp, for functions that take either.
class thread_group {
 public:
  thread_group(const thread_block&) : is_block_(true) {}
  thread_group(const coalesced_group& lanes) : lanes_(lanes) {}

  GKTUNE_ALWAYS_INLINE void sync(GKTUNE_SITE_PARAMETERS) const {
    is_block_ ? thread_block::sync(file_, line_) : lanes_.sync(file_, line_);
  }
  unsigned num_threads() const { return is_block_ ? thread_block::num_threads() : lanes_.num_threads(); }
  unsigned size() const { return num_threads(); }
  unsigned thread_rank() const { return is_block_ ? thread_block::thread_rank() : lanes_.thread_rank(); }

 private:
  friend thread_group tiled_partition(const thread_group& group, unsigned size, const char* file, int line);
  bool is_block_ = false;
  coalesced_group lanes_{0};
};

inline thread_group tiled_partition(const thread_block&, unsigned size, GKTUNE_SITE_PARAMETERS) {
  details::check_tile_size(size, file_, line_);
  return coalesced_group(details::tile_mask(size));
}

inline thread_group tiled_partition(const thread_group& group, unsigned size, GKTUNE_SITE_PARAMETERS) {
  if (group.is_block_) return tiled_partition(thread_block(), size, file_, line_);
  return tiled_partition(group.lanes_, size, file_, line_);
}

template <class Group>
GKTUNE_ALWAYS_INLINE void sync(const Group& group, GKTUNE_SITE_PARAMETERS) {
  group.sync(file_, line_);
}
template <class Group>
unsigned thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
unsigned group_size(const Group& group) {
  return group.size();
}

template <class Group, class F>
void invoke_one(const Group& group, F&& act) {
  if (group.thread_rank() == 0) act();
}

}  // namespace cooperative_groups
