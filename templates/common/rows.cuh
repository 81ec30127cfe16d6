// Rows of a matrix, each shared by neighbouring threads of a block: the part of a row that a thread keeps in registers, and
// one value of each thread combined over a row. A row has any length and any alignment.
#pragma once

#include "loads.cuh"
#include "reduction.cuh"

namespace gktune {

// The elements of a row that one of its kThreads threads has at once: kPacks packs of kWidth elements, and one of the
// elements at the row's ends that no aligned pack covers. A longer row is gone through in several batches.
template <class Element, int kWidth, int kThreads, int kPacks>
class RowPart {
 public:
  static constexpr int kCount = kPacks * kWidth + (kWidth > 1 ? 1 : 0);
  static_assert(kThreads >= 2 * (kWidth - 1), "a thread has at most one element of the ends");

  __device__ RowPart(const Element* row, long long length, int thread) : split_(row, length), thread_(thread) {}

  __device__ long long batches() const {
    const long long batches = (split_.packs + kThreads * kPacks - 1) / (kThreads * kPacks);
    return batches > 1 ? batches : 1;
  }
  // The following calls are about this batch.
  __device__ void begin(long long batch) {
    first_ = batch * (kThreads * kPacks) + thread_;
    has_end_ = batch == 0 && thread_ < split_.before + split_.after;
  }

  // True if values[i] is an element of the row.
  __device__ bool has(int i) const {
    return i < kPacks * kWidth ? pack(i / kWidth) < split_.packs : has_end_;
  }
  // Where that element is in the row.
  __device__ long long place(int i) const {
    return i < kPacks * kWidth ? split_.before + pack(i / kWidth) * kWidth + i % kWidth : end();
  }

  // The number of elements that this thread has.
  __device__ int count() const {
    int packs = 0;
#pragma unroll
    for (int k = 0; k < kPacks; ++k) packs += pack(k) < split_.packs ? 1 : 0;
    return packs * kWidth + (has_end_ ? 1 : 0);
  }
  // Calls body(value) for each value that is an element of the row.
  template <class Body>
  __device__ void for_each(const float (&values)[kCount], const Body& body) const {
#pragma unroll
    for (int k = 0; k < kPacks; ++k) {
      if (pack(k) >= split_.packs) continue;
#pragma unroll
      for (int i = 0; i < kWidth; ++i) body(values[k * kWidth + i]);
    }
    if constexpr (kWidth > 1) {
      if (has_end_) body(values[kCount - 1]);
    }
  }

  // Elements that the row does not have become `missing`. Any vector of the row's length can be loaded.
  template <Hint kHint>
  __device__ void load(const Element* row, float (&values)[kCount], float missing) const {
    const Element* body = row + split_.before;
    if (is_aligned(body)) {
      Pack<Element, kWidth> packs[kPacks];
#pragma unroll
      for (int k = 0; k < kPacks; ++k) {
        if (pack(k) < split_.packs) packs[k] = load_pack<kHint, kWidth>(body + pack(k) * kWidth);
      }
#pragma unroll
      for (int i = 0; i < kPacks * kWidth; ++i)
        values[i] = has(i) ? static_cast<float>(packs[i / kWidth].at[i % kWidth]) : missing;
    } else {
#pragma unroll
      for (int i = 0; i < kPacks * kWidth; ++i)
        values[i] = has(i) ? static_cast<float>(body[pack(i / kWidth) * kWidth + i % kWidth]) : missing;
    }
    if constexpr (kWidth > 1) values[kCount - 1] = has_end_ ? static_cast<float>(row[end()]) : missing;
  }

  // Calls body(value, elements…) for each value and the same element of other vectors of the row's length. Those are loaded
  // pack by pack, so that few registers hold them.
  template <class Body, class... Vectors>
  __device__ void with(float (&values)[kCount], const Body& body, const Vectors*... vectors) const {
#pragma unroll
    for (int k = 0; k < kPacks; ++k) {
      if (pack(k) < split_.packs) each(&values[k * kWidth], body, any_pack(vectors, k)...);
    }
    if constexpr (kWidth > 1) {
      if (has_end_) body(values[kCount - 1], static_cast<float>(vectors[end()])...);
    }
  }

  template <Hint kHint>
  __device__ void store(Element* row, const float (&values)[kCount]) const {
    Element* body = row + split_.before;
    const bool in_packs = is_aligned(body);
#pragma unroll
    for (int k = 0; k < kPacks; ++k) {
      if (pack(k) >= split_.packs) continue;
      Pack<Element, kWidth> rounded;
#pragma unroll
      for (int i = 0; i < kWidth; ++i) rounded.at[i] = static_cast<Element>(values[k * kWidth + i]);
      if (in_packs) {
        store_pack<kHint>(body + pack(k) * kWidth, rounded);
      } else {
#pragma unroll
        for (int i = 0; i < kWidth; ++i) body[pack(k) * kWidth + i] = rounded.at[i];
      }
    }
    if constexpr (kWidth > 1) {
      if (has_end_) row[end()] = static_cast<Element>(values[kCount - 1]);
    }
  }

 private:
  static __device__ bool is_aligned(const Element* address) {
    return reinterpret_cast<unsigned long long>(address) % (sizeof(Element) * kWidth) == 0;
  }
  template <class Body, class... Packs>
  static __device__ void each(float* values, const Body& body, const Packs&... packs) {
#pragma unroll
    for (int i = 0; i < kWidth; ++i) body(values[i], static_cast<float>(packs.at[i])...);
  }
  // Pack k, from any alignment.
  __device__ Pack<Element, kWidth> any_pack(const Element* vector, int k) const {
    const Element* address = vector + split_.before + pack(k) * kWidth;
    if (is_aligned(address)) return load_pack<Hint::plain, kWidth>(address);
    Pack<Element, kWidth> pack;
#pragma unroll
    for (int i = 0; i < kWidth; ++i) pack.at[i] = address[i];
    return pack;
  }
  __device__ long long pack(int k) const { return first_ + static_cast<long long>(k) * kThreads; }
  __device__ long long end() const { return thread_ < split_.before ? thread_ : thread_ + split_.packs * kWidth; }

  Split<Element, kWidth> split_;
  int thread_;
  long long first_ = 0;
  bool has_end_ = false;
};

// One value of each of the kThreads threads of a row, a float or a struct of floats, combined; every thread gets the
// result. All threads of the block call it: kRows rows, whose numbers are threadIdx.y.
template <int kThreads, int kRows, class Value, class Combined>
__device__ inline Value over_row(Value value, const Combined& combined) {
  value = over_lanes<32>(value, combined);
  if constexpr (kThreads > 32) {
    constexpr int kWarps = kThreads / 32;
    static_assert((kWarps & (kWarps - 1)) == 0, "lanes are combined in halves");
    __shared__ Value values[kRows][kWarps];
    __syncthreads();  // of an earlier use
    if (threadIdx.x % 32 == 0) values[threadIdx.y][threadIdx.x / 32] = value;
    __syncthreads();
    value = over_lanes<kWarps>(values[threadIdx.y][threadIdx.x % kWarps], combined);
  }
  return value;
}

template <Operation kOperation, int kThreads, int kRows>
__device__ inline float over_row(float value) {
  return over_row<kThreads, kRows>(
      value, [](float a, float b) { return Reduction<kOperation, float>::combined(a, b); });
}

}  // namespace gktune
