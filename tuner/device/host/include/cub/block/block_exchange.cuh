#pragma once

#include "cub/util_ptx.cuh"
#include "cub/util_type.cuh"

namespace cub {

// Arrangements of a block's elements. Blocked: each thread has neighbours. Striped: neighbours are in
// neighbouring threads, of the block or of each warp.
template <class T, int kX, int kItems, bool = false, int kY = 1, int kZ = 1, int = 0>
class BlockExchange {
  static constexpr int kThreads = kX * kY * kZ;
  static constexpr int kWarp = kThreads < 32 ? kThreads : 32;

 public:
  using TempStorage = ::gktune::kernel::SharedItems<T, kThreads * kItems>;

  explicit BlockExchange(TempStorage& storage = ::gktune::kernel::own_storage<TempStorage>(),
                         GKTUNE_SITE_PARAMETERS)
      : storage_(storage), site_(GKTUNE_SITE) {}

#define GKTUNE_EXCHANGE(name, from, to)                \
  template <class Out>                                 \
  void name(const T(&in)[kItems], Out(&out)[kItems]) { \
    exchange(in, out, from, to);                       \
  }                                                    \
  void name(T(&items)[kItems]) { name(items, items); }
  GKTUNE_EXCHANGE(StripedToBlocked, striped, blocked)
  GKTUNE_EXCHANGE(BlockedToStriped, blocked, striped)
  GKTUNE_EXCHANGE(WarpStripedToBlocked, warp_striped, blocked)
  GKTUNE_EXCHANGE(BlockedToWarpStriped, blocked, warp_striped)
#undef GKTUNE_EXCHANGE

  // Each element goes to the place that its rank names.
#define GKTUNE_SCATTER(name, to)                                             \
  template <class Out, class Rank>                                           \
  void name(const T(&in)[kItems], Out(&out)[kItems], Rank(&ranks)[kItems]) { \
    exchange(                                                                \
        in, out, [&](int i) { return static_cast<int>(ranks[i]); }, to);     \
  }                                                                          \
  template <class Rank>                                                      \
  void name(T(&items)[kItems], Rank(&ranks)[kItems]) {                       \
    name(items, items, ranks);                                               \
  }
  GKTUNE_SCATTER(ScatterToBlocked, blocked)
  GKTUNE_SCATTER(ScatterToStriped, striped)
#undef GKTUNE_SCATTER

 private:
  static int rank() { return static_cast<int>(::gktune::kernel::thread_rank()); }
  static int blocked(int i) { return rank() * kItems + i; }
  static int striped(int i) { return rank() + i * kThreads; }
  static int warp_striped(int i) { return rank() / kWarp * kWarp * kItems + rank() % kWarp + i * kWarp; }

  template <class Out, class From, class To>
  void exchange(const T (&in)[kItems], Out (&out)[kItems], From from, To to) {
    for (int i = 0; i < kItems; ++i) storage_[from(i)] = in[i];
    __syncthreads(site_.file, site_.line);
    for (int i = 0; i < kItems; ++i) out[i] = storage_[to(i)];
  }

  TempStorage& storage_;
  ::gktune::kernel::Site site_;
};

}  // namespace cub
