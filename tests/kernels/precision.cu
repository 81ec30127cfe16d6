// Kernels with numbers of several sizes, and plain references.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

constexpr int kThreads = 128;

__device__ int own_index() { return blockIdx.x * blockDim.x + threadIdx.x; }

__device__ float warp_sum(float value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(~0u, value, offset);
  return value;
}
__device__ float warp_maximum(float value) {
  for (int offset = 16; offset > 0; offset /= 2) value = fmaxf(value, __shfl_xor_sync(~0u, value, offset));
  return value;
}

// A warp for each row.
__global__ void half_softmax(const __half* in, __half* out, int columns, int rows) {
  const int row = own_index() / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float largest = -INFINITY, sum = 0;
  for (int i = lane; i < columns; i += 32) largest = fmaxf(largest, __half2float(in[row * columns + i]));
  largest = warp_maximum(largest);
  for (int i = lane; i < columns; i += 32) sum += expf(__half2float(in[row * columns + i]) - largest);
  sum = warp_sum(sum);
  for (int i = lane; i < columns; i += 32)
    out[row * columns + i] = __float2half(expf(__half2float(in[row * columns + i]) - largest) / sum);
}
__global__ void half_softmax_reference(const __half* in, __half* out, int columns, int rows) {
  for (int row = 0; row < rows; ++row) {
    float sum = 0;
    for (int i = 0; i < columns; ++i) sum += expf(__half2float(in[row * columns + i]));
    for (int i = 0; i < columns; ++i)
      out[row * columns + i] = __float2half(expf(__half2float(in[row * columns + i])) / sum);
  }
}

__global__ void brain_line(const __nv_bfloat162* x, __nv_bfloat162* y, int pairs) {
  const __nv_bfloat162 factor = __float2bfloat162_rn(1.5f), offset = __float2bfloat162_rn(0.25f);
  const int i = own_index();
  if (i < pairs) y[i] = __hfma2(x[i], factor, offset);
}
__global__ void brain_line_reference(const __nv_bfloat16* x, __nv_bfloat16* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = __float2bfloat16(__bfloat162float(x[i]) * 1.5f + 0.25f);
}

// Four small integers are read at once; each row has its own scale.
__global__ void widened(const char4* in, const float* scales, float4* out, int quads, int quads_of_row) {
  const int i = own_index();
  if (i >= quads) return;
  const char4 four = in[i];
  const float scale = scales[i / quads_of_row];
  out[i] = make_float4(scale * four.x, scale * four.y, scale * four.z, scale * four.w);
}
__global__ void widened_reference(const signed char* in, const float* scales, float* out, int quads,
                                  int quads_of_row) {
  for (int i = 0; i < 4 * quads; ++i) out[i] = scales[i / (4 * quads_of_row)] * in[i];
}
