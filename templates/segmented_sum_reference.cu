// One thread a segment, in double precision.
#include "common/verify_segments.cuh"

__global__ void reference_segmented_sum(const int* offsets, const float* in, float* out, int segments) {
  const int segment = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (segment >= segments) return;
  double sum = 0;
  for (int i = offsets[segment]; i < offsets[segment + 1]; ++i) sum += in[i];
  out[segment] = static_cast<float>(sum);
}

__global__ void verify_segmented_sum(const int* offsets, const float* out, const float* expected, int segments,
                                     unsigned long long* verdict) {
  verify_segment(offsets, out, expected, segments, verdict);
}
