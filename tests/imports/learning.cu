// Kernels of neural networks. A line `//@ name: …` begins each; see imports_test.cc.

//@ gelu: passes
#include <cuda_runtime.h>
#include <math.h>
#include <torch/extension.h>
template <typename T>
__global__ void gelu_forward(T *__restrict__ out, const T *__restrict__ in, int64_t n) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n) {
    float x = static_cast<float>(in[i]);
    out[i] = static_cast<T>(0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x))));
  }
}
template <typename T>
void launch_gelu(T *out, const T *in, int64_t n, cudaStream_t stream) {
  constexpr int kThreads = 256;
  gelu_forward<T><<<(n + kThreads - 1) / kThreads, kThreads, 0, stream>>>(out, in, n);
}
template void launch_gelu<float>(float *, const float *, int64_t, cudaStream_t);

//@ layer_norm: passes
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
__global__ void layernorm(float *out, float *mean, float *rstd, const float *inp, const float *weight,
    const float *bias, int N, int C) {
  extern __shared__ float shared[];
  int idx = blockIdx.x, tid = threadIdx.x;
  const float *x = inp + idx * C;
  float sum = 0;
  for (int i = tid; i < C; i += blockDim.x) sum += x[i];
  shared[tid] = sum;
  __syncthreads();
  for (int stride = blockDim.x / 2; stride >= 1; stride /= 2) {
    if (tid < stride) shared[tid] += shared[tid + stride];
    __syncthreads();
  }
  float m = shared[0] / C, v = 0;
  __syncthreads();
  for (int i = tid; i < C; i += blockDim.x) v += (x[i] - m) * (x[i] - m);
  shared[tid] = v;
  __syncthreads();
  for (int stride = blockDim.x / 2; stride >= 1; stride /= 2) {
    if (tid < stride) shared[tid] += shared[tid + stride];
    __syncthreads();
  }
  float s = 1.0f / sqrtf(shared[0] / C + 1e-5f);
  for (int i = tid; i < C; i += blockDim.x) out[idx * C + i] = (x[i] - m) * s * weight[i] + bias[i];
  if (tid == 0) mean[idx] = m, rstd[idx] = s;
}
int main(int argc, char **argv) {
  int B = 8, T = 128, C = 768;
  const int N = B * T;
  float *out, *mean, *rstd, *inp, *weight, *bias;
  cudaMalloc(&out, B * T * C * sizeof(float));
  cudaMalloc(&mean, B * T * sizeof(float));
  cudaMalloc(&rstd, B * T * sizeof(float));
  cudaMalloc(&inp, B * T * C * sizeof(float));
  cudaMalloc(&weight, C * sizeof(float));
  cudaMalloc(&bias, C * sizeof(float));
  int block_size = 128;
  assert(block_size <= 1024);
  layernorm<<<N, block_size, block_size * sizeof(float)>>>(out, mean, rstd, inp, weight, bias, N, C);
}

//@ add_bias: passes
#include <cuda_runtime.h>
#define FLOAT4(value) (reinterpret_cast<float4 *>(&(value))[0])
__global__ void add_bias_relu(float *x, float *bias, int rows, int cols) {
  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= rows * cols) return;
  float4 v = FLOAT4(x[i]), b = FLOAT4(bias[i % cols]);
  v.x = fmaxf(v.x + b.x, 0.f), v.y = fmaxf(v.y + b.y, 0.f), v.z = fmaxf(v.z + b.z, 0.f), v.w = fmaxf(v.w + b.w, 0.f);
  FLOAT4(x[i]) = v;
}
int main() {
  const int rows = 128, cols = 1024;
  static_assert(cols % 4 == 0, "rows are read by four elements");
  float *x, *bias;
  cudaMalloc(&x, rows * cols * sizeof(float));
  cudaMalloc(&bias, cols * sizeof(float));
  add_bias_relu<<<rows * cols / 4 / 256, 256>>>(x, bias, rows, cols);
}

//@ bias_gradient: passes
#include <cstdio>
template <typename scalar_t, int ROWS>
__global__ void column_sums(const scalar_t *__restrict__ dout, float *__restrict__ dbias, int rows, int cols) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col >= cols) return;
  float sum = 0;
  for (int r = blockIdx.y * ROWS; r < min(rows, (int)(blockIdx.y + 1) * ROWS);
      ++r) sum += (float)dout[(long)r * cols + col];
  atomicAdd(&dbias[col], sum);
}
template <typename scalar_t>
void bias_gradient(const scalar_t *dout, float *dbias, int rows, int cols) {
  dim3 grid((cols + 127) / 128, (rows + 63) / 64);
  column_sums<scalar_t, 64><<<grid, 128>>>(dout, dbias, rows, cols);
}
int main() {
  int rows = 1000, cols = 768;
  float *dout, *dbias;
  cudaMalloc(&dout, rows * cols * sizeof(float));
  cudaMalloc(&dbias, cols * sizeof(float));
  cudaMemset(dbias, 0, cols * sizeof(float));
  bias_gradient<float>(dout, dbias, rows, cols);
}

//@ attention_scores: passes
#include <iostream>
__global__ void scores(const float *q, const float *k, float *s, int heads, int T, int D, float scale) {
  int t2 = blockIdx.x * blockDim.x + threadIdx.x, t = blockIdx.y, h = blockIdx.z;
  if (t2 >= T) return;
  if (t2 > t) { s[(h * T + t) * T + t2] = -INFINITY; return; }
  float sum = 0;
  for (int d = 0; d < D; ++d) sum += q[(h * T + t) * D + d] * k[(h * T + t2) * D + d];
  s[(h * T + t) * T + t2] = sum * scale;
}
int main() {
  int heads = 4, T = 96, D = 32;
  float *q, *k, *s;
  cudaMalloc(&q, heads * T * D * sizeof(float));
  cudaMalloc(&k, heads * T * D * sizeof(float));
  cudaMalloc(&s, heads * T * T * sizeof(float));
  dim3 grid((T + 31) / 32, T, heads);
  scores<<<grid, 32>>>(q, k, s, heads, T, D, 0.176f);
}

//@ rms_norm: passes
#include <cuda_fp16.h>
__global__ void rmsnorm(__half *out, const __half *x, const __half *w, int dim) {
  __shared__ float total[32];
  int row = blockIdx.x;
  float sum = 0;
  for (int i = threadIdx.x; i < dim; i += blockDim.x) { float v = __half2float(x[row * dim + i]); sum += v * v; }
  for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(~0u, sum, o);
  if (threadIdx.x % 32 == 0) total[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  for (int w2 = 0; w2 < blockDim.x / 32; ++w2) sum += total[w2];
  float s = rsqrtf(sum / dim + 1e-6f);
  for (int i = threadIdx.x; i < dim; i += blockDim.x)
    out[row * dim + i] = __float2half(__half2float(x[row * dim + i]) * s * __half2float(w[i]));
}
int main() {
  int rows = 64, dim = 512;
  __half *out, *x, *w;
  cudaMalloc(&out, sizeof(__half) * rows * dim);
  cudaMalloc(&x, sizeof(__half) * rows * dim);
  cudaMalloc(&w, sizeof(__half) * dim);
  rmsnorm<<<rows, 128>>>(out, x, w, dim);
}
