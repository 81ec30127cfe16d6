// out[s] = the sum of in[i] for i from offsets[s] to before offsets[s + 1]: sums of the segments of an array of any
// size in single precision, of equal or very different lengths.
//
// The ways, values of `way`:
//   lanes  lanesPerSegment neighbouring threads share a segment: as fast as the longest one lets it be
//   split  a thread takes perThread packs, wherever segments begin, and a warp combines the sums of its threads (see
//          common/segments.cuh); segments of several warps are added to atomically. The lengths hardly matter
//
// Parameters:
//   threadsPerBlock  a multiple of 32
//   lanesPerSegment  lanes: threads that share a segment
//   perThread        split: loads of a thread
//   vectorWidth      split: elements of a load
//   loadHint         plain, streaming (see common/loads.cuh)

#include "common/loads.cuh"
#include "common/segments.cuh"

enum class Way { lanes, split };

constexpr gktune::Hint kHint = gktune::Hint::loadHint;
constexpr int kCount = perThread * vectorWidth;

// The elements from `first` on, where an aligned pack begins; zeros beyond the ends of the array.
__device__ inline void load(const float* in, int elements, long long first, float (&values)[kCount]) {
#pragma unroll
  for (int k = 0; k < perThread; ++k) {
    const long long begin = first + k * vectorWidth;
    if (begin >= 0 && begin + vectorWidth <= elements) {
      const auto pack = gktune::load_pack<kHint, vectorWidth>(in + begin);
#pragma unroll
      for (int i = 0; i < vectorWidth; ++i) values[k * vectorWidth + i] = pack.at[i];
    } else {
#pragma unroll
      for (int i = 0; i < vectorWidth; ++i)
        values[k * vectorWidth + i] = begin + i >= 0 && begin + i < elements ? in[begin + i] : 0;
    }
  }
}

__global__ void __launch_bounds__(threadsPerBlock)
    segmented_sum(const int* offsets, const float* in, float* out, int segments, int elements) {
  const long long thread = blockIdx.x * static_cast<long long>(threadsPerBlock) + threadIdx.x;
  if constexpr (Way::way == Way::split) {
    // The first pack may begin before the array.
    const auto past = reinterpret_cast<unsigned long long>(in) % (sizeof(float) * vectorWidth) / sizeof(float);
    const long long first = thread * kCount - static_cast<long long>(past);
    float values[kCount];
    load(in, elements, first, values);
    gktune::add_to_segments(offsets, segments, elements, first, values, out);
  } else {
    // All lanes of the warp meet, also those without a segment.
    const long long segment = thread / lanesPerSegment;
    const bool is_there = segment < segments;
    const int begin = is_there ? offsets[segment] : 0, end = is_there ? offsets[segment + 1] : 0;
    const float sum = gktune::sum_by_lanes<lanesPerSegment>(
        begin, end, [=](int i) { return gktune::load_word<kHint>(in + i); });
    if (is_there && thread % lanesPerSegment == 0) out[segment] = sum;
  }
}
