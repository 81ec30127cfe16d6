#pragma once

#include "cub/thread/thread_reduce.cuh"
#include "cub/util_ptx.cuh"
#include "cub/util_type.cuh"

namespace cub {

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

// Each thread has one value or an array. Totals leave initial values and prefixes out.
template <class T, int kX, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int kY = 1, int kZ = 1, int = 0>
class BlockScan {
  static constexpr int kThreads = kX * kY * kZ;

 public:
  struct TempStorage {
    ::gktune::kernel::SharedItems<T, kThreads> sums;  // of each thread and those before it
    ::gktune::kernel::SharedItems<T, 1> prefix;       // what goes before the block
  };

  explicit BlockScan(TempStorage& storage = ::gktune::kernel::own_storage<TempStorage>(),
                     GKTUNE_SITE_PARAMETERS)
      : storage_(storage), site_(GKTUNE_SITE) {}

  template <class In, class Out>
  void InclusiveSum(const In& in, Out& out) {
    InclusiveScan(in, out, cub::Sum());
  }
  // `other`: gets the block's total; or a function that takes it and returns what goes before the block.
  template <class In, class Out, class Other>
  void InclusiveSum(const In& in, Out& out, Other& other) {
    InclusiveScan(in, out, cub::Sum(), other);
  }
  template <class In, class Out>
  void ExclusiveSum(const In& in, Out& out) {
    ExclusiveScan(in, out, T{}, cub::Sum());
  }
  template <class In, class Out>
  void ExclusiveSum(const In& in, Out& out, T& total) {
    ExclusiveScan(in, out, T{}, cub::Sum(), total);
  }
  template <class In, class Out, class Prefix>
  void ExclusiveSum(const In& in, Out& out, Prefix& prefix) {
    ExclusiveScan(in, out, cub::Sum(), prefix);
  }

#define GKTUNE_SCANS(name, is_inclusive)                              \
  template <class In, class Out, class Op>                            \
  void name(const In& in, Out& out, Op op) {                          \
    scan<is_inclusive>(copied(in), array(out), op, nullptr);          \
  }                                                                   \
  template <class In, class Out, class Op>                            \
  void name(const In& in, Out& out, Op op, T& total) {                \
    total = scan<is_inclusive>(copied(in), array(out), op, nullptr);  \
  }                                                                   \
  template <class In, class Out, class Op>                            \
  void name(const In& in, Out& out, T initial, Op op) {               \
    scan<is_inclusive>(copied(in), array(out), op, &initial);         \
  }                                                                   \
  template <class In, class Out, class Op>                            \
  void name(const In& in, Out& out, T initial, Op op, T& total) {     \
    total = scan<is_inclusive>(copied(in), array(out), op, &initial); \
  }                                                                   \
  template <class In, class Out, class Op, class Prefix>              \
  void name(const In& in, Out& out, Op op, Prefix& prefix) {          \
    scan<is_inclusive>(copied(in), array(out), op, nullptr, &prefix); \
  }
  GKTUNE_SCANS(InclusiveScan, true)
  GKTUNE_SCANS(ExclusiveScan, false)
#undef GKTUNE_SCANS

 private:
  template <int kItems>
  struct Items {
    T at[kItems];
  };
  template <int kItems>
  static Items<kItems> copied(const T (&items)[kItems]) {
    Items<kItems> copy;
    for (int i = 0; i < kItems; ++i) copy.at[i] = items[i];
    return copy;
  }
  static Items<1> copied(const T& item) { return {{item}}; }
  template <int kItems>
  static T (&array(T (&items)[kItems]))[kItems] {
    return items;
  }
  static T (&array(T& item))[1] { return reinterpret_cast<T(&)[1]>(item); }

  void meet() { __syncthreads(site_.file, site_.line); }

  struct NoPrefix {
    T operator()(const T& total) const { return total; }
  };
  // Returns the block's total.
  template <bool kIsInclusive, int kItems, class Op, class Prefix = NoPrefix>
  T scan(const Items<kItems>& in, T (&out)[kItems], Op op, const T* initial, Prefix* prefix = nullptr) {
    const int rank = static_cast<int>(::gktune::kernel::thread_rank());
    storage_.sums[rank] = ThreadReduce(in.at, op);
    meet();
    for (int i = 1; rank == 0 && i < kThreads; ++i)
      storage_.sums[i] = op(storage_.sums[i - 1], storage_.sums[i]);
    meet();
    const T total = storage_.sums[kThreads - 1];
    if (prefix != nullptr) {
      if (rank < 32) {
        const T given = (*prefix)(total);
        if (rank == 0) storage_.prefix[0] = given;
      }
      meet();
      initial = &storage_.prefix[0];
    }
    T carry = rank > 0 ? storage_.sums[rank - 1] : in.at[0];
    bool has_carry = rank > 0;
    if (initial != nullptr) carry = has_carry ? op(*initial, carry) : *initial;
    has_carry = has_carry || initial != nullptr;
    for (int i = 0; i < kItems; ++i) {
      const T sum = has_carry ? op(carry, in.at[i]) : in.at[i];
      out[i] = kIsInclusive ? sum : carry;
      carry = sum;
      has_carry = true;
    }
    return total;
  }

  TempStorage& storage_;
  ::gktune::kernel::Site site_;
};

}  // namespace cub
