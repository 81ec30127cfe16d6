// A body applied to every element of vectors of any length and alignment: what saxpy, vecadd and incr share.
#pragma once

#include "loads.cuh"

namespace gktune {

// True if all vectors reach an aligned pack after the same number of elements, so that packs can be loaded from each.
template <int kWidth, class Element, class... Others>
__device__ inline bool aligned_alike(const Element* a, const Others*... others) {
  constexpr unsigned long long kPackBytes = sizeof(Element) * kWidth;
  const auto begin = reinterpret_cast<unsigned long long>(a);
  return (((begin - reinterpret_cast<unsigned long long>(others)) % kPackBytes == 0) && ...);
}

// The body has load<kWidth>(i), which brings what it needs for elements i to i + kWidth - 1, and
// store<kWidth>(i, operands), which finishes them. A thread loads kInFlight packs before it stores the first. The grid
// may have any size: it strides over what its blocks do not cover at once. `alike` says that packs may be used;
// `begin` is any of the vectors.
template <int kThreads, int kWidth, int kInFlight, class Element, class Body>
__device__ inline void for_each_element(const Body& body, const Element* begin, long long count, bool alike) {
  const Split<Element, kWidth> split(begin, count);
  const long long packs = alike ? split.packs : 0;
  constexpr long long kBatch = static_cast<long long>(kThreads) * kInFlight;

  for (long long first = blockIdx.x * kBatch; first < packs; first += gridDim.x * kBatch) {
    const long long mine = first + threadIdx.x;
    decltype(body.template load<kWidth>(0)) operands[kInFlight];
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) {
      const long long pack = mine + static_cast<long long>(i) * kThreads;
      if (pack < packs) operands[i] = body.template load<kWidth>(split.before + pack * kWidth);
    }
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) {
      const long long pack = mine + static_cast<long long>(i) * kThreads;
      if (pack < packs) body.template store<kWidth>(split.before + pack * kWidth, operands[i]);
    }
  }

  // One at a time: the ends of vectors that are aligned alike, all of those that are not.
  const long long before = alike ? split.before : 0;
  const long long covered = packs * kWidth;
  const long long stride = static_cast<long long>(gridDim.x) * kThreads;
  for (long long i = blockIdx.x * static_cast<long long>(kThreads) + threadIdx.x; i < count - covered; i += stride) {
    const long long element = i < before ? i : i + covered;
    body.template store<1>(element, body.template load<1>(element));
  }
}

}  // namespace gktune
