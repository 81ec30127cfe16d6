// Judges sums of segments of numbers that are 1/4 to 1/2 on average, of both signs.
#pragma once

// Counts wrong sums. The sum of the first k elements is about sqrt(k) / 2, and is rounded each time: if a whole
// segment is added up one by one, the roundings add up to about its length / 4 times 2^-24. The tolerance is sixteen
// times that, because a sum may wander off. A missing element is found in segments of up to a million.
__device__ inline void verify_segment(const int* offsets, const float* sums, const float* expected, int segments,
                                      unsigned long long* verdict) {
  const int segment = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (segment >= segments) return;
  const float tolerance = static_cast<float>(offsets[segment + 1] - offsets[segment] + 16) / (1 << 22);
  if (fabsf(sums[segment] - expected[segment]) <= tolerance) return;
  atomicAdd(&verdict[0], 1ull);
  atomicMin(&verdict[1], static_cast<unsigned long long>(segment));
}
