// Sums of segments: those of an array's elements, segment s from offsets[s] to before offsets[s + 1]. Segments have
// any length, and may be empty.
#pragma once

namespace gktune {

// The segment from `low` on that holds an element: the last one that begins at it or before. All lanes of a warp
// search for the same element, in steps of a 32nd.
__device__ inline int segment_of(const int* offsets, int low, int segments, int element) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  for (int high = segments; high - low > 1;) {
    const int step = (high - low + 31) / 32;
    const int mine = low + lane * step;
    const int count = __popc(__ballot_sync(0xffffffffu, mine < high && offsets[mine] <= element));
    low += (count - 1) * step;
    high = high - low < step ? high : low + step;
  }
  return low;
}

// The same for an element of the lane between two elements of the warp.
__device__ inline int segment_of_lane(const int* offsets, int segments, int first, int last, int element) {
  int low = segment_of(offsets, 0, segments, first);
  for (int high = segment_of(offsets, low, segments, last) + 1; high - low > 1;) {
    const int middle = low + (high - low) / 2;
    if (offsets[middle] <= element) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

// The sum of value(i) for i from `begin` on, by kLanes neighbouring threads; each of them gets it.
template <int kLanes, class Value>
__device__ inline float sum_by_lanes(int begin, int end, const Value& value) {
  float sum = 0;
  for (int i = begin + static_cast<int>(threadIdx.x) % kLanes; i < end; i += kLanes) sum += value(i);
#pragma unroll
  for (int offset = kLanes / 2; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  return sum;
}

// The sum of the segment that goes on behind this lane, over the lanes up to it; `begins`: the segment begins in the lane.
__device__ inline float sum_of_lanes(float sum, bool begins) {
#pragma unroll
  for (int offset = 1; offset < 32; offset *= 2) {
    const float before = __shfl_up_sync(0xffffffffu, sum, offset);
    const bool begins_before = __shfl_up_sync(0xffffffffu, begins, offset);
    if (static_cast<int>(threadIdx.x % 32) < offset) continue;
    if (!begins) sum += before;
    begins = begins || begins_before;
  }
  return sum;
}

// Adds values of neighbouring elements to the sums of their segments: each lane of a warp has kCount, those from
// `first` on, and the next lane those behind them. Places before the array and beyond it may be among them; their values
// are 0. A segment that lies in the warp's elements is stored, parts of others are added atomically: `sums` holds zeros.
template <int kCount>
__device__ inline void add_to_segments(const int* offsets, int segments, int elements, long long first,
                                       const float (&values)[kCount], float* sums) {
  constexpr unsigned kAll = 0xffffffffu;
  const auto inside = [=](long long place) {
    return static_cast<int>(place < 0 ? 0 : place < elements ? place : elements);
  };
  const int begin = inside(first), end = inside(first + kCount);
  const int begin_of_warp = __shfl_sync(kAll, begin, 0), end_of_warp = __shfl_sync(kAll, end, 31);
  if (begin_of_warp == end_of_warp) return;
  int segment = segment_of_lane(offsets, segments, begin_of_warp, end_of_warp - 1, begin);

  // The lane's first segment, if it ends here, and the sum of the one that goes on behind the lane.
  bool has_end = false, goes_on = begin < end;
  int ended = 0;
  float sum_of_ended = 0, sum = 0;
  const auto end_of = [=](int which) {
    const long long length = offsets[which + 1] - first;
    return static_cast<int>(length <= kCount ? length : kCount + 1);
  };
  int left = goes_on ? end_of(segment) : kCount + 1;
#pragma unroll
  for (int k = 0; k < kCount; ++k) {
    sum += values[k];
    if (k + 1 < left) continue;
    if (has_end) {
      sums[segment] = sum;
    } else {
      has_end = true;
      ended = segment;
      sum_of_ended = sum;
    }
    sum = 0;
    goes_on = first + k + 1 < end;
    do {
      left = goes_on ? end_of(++segment) : kCount + 1;
    } while (left <= k + 1);
  }

  sum = sum_of_lanes(sum, has_end);
  const float before = __shfl_up_sync(kAll, sum, 1);
  if (has_end) {
    if (threadIdx.x % 32 > 0) sum_of_ended += before;
    if (offsets[ended] >= begin_of_warp) {
      sums[ended] = sum_of_ended;
    } else {
      atomicAdd(sums + ended, sum_of_ended);
    }
  }
  // The last lane that has elements knows the segment that goes on behind the warp.
  if (goes_on && end == end_of_warp) atomicAdd(sums + segment, sum);
}

}  // namespace gktune
