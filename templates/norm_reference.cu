// One warp a row, in double precision.
#include <cuda_bf16.h>

__device__ inline double sum_over_warp(double value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
  return value;
}

template <bool kHasMean, class Element>
__global__ void reference_norm(const Element* in, const Element* weight, const Element* bias, Element* out,
                               long long columns, float epsilon) {
  const Element* from = in + blockIdx.x * columns;
  double mean = 0, squares = 0;
  if (kHasMean) {
    for (long long i = threadIdx.x; i < columns; i += 32) mean += static_cast<float>(from[i]);
    mean = sum_over_warp(mean) / columns;
  }
  for (long long i = threadIdx.x; i < columns; i += 32) {
    const double deviation = static_cast<float>(from[i]) - mean;
    squares += deviation * deviation;
  }
  const double factor = 1 / sqrt(sum_over_warp(squares) / columns + epsilon);
  for (long long i = threadIdx.x; i < columns; i += 32) {
    double value = (static_cast<float>(from[i]) - mean) * factor * static_cast<float>(weight[i]);
    if (kHasMean) value += static_cast<float>(bias[i]);
    out[blockIdx.x * columns + i] = static_cast<Element>(static_cast<float>(value));
  }
}
