// Programs with much host code. A line `//@ name: …` begins each; see imports_test.cc.

//@ raii: passes
#include <cuda_runtime.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
template <class T>
class DeviceBuffer {
 public:
  explicit DeviceBuffer(std::size_t n) : size_(n) {
    if (cudaMalloc(&data_, n * sizeof(T)) != cudaSuccess)
      throw std::runtime_error("no memory for " + std::to_string(n));
  }
  ~DeviceBuffer() { cudaFree(data_); }
  T *get() const { return data_; }

 private:
  T *data_ = nullptr;
  std::size_t size_;
};
__global__ void scale(const float *in, float *out, float factor, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i < n) out[i] = in[i] * factor;
}
int main() {
  try {
    const std::size_t n = 1 << 16;
    std::vector<float> host(n, 1.0f);
    DeviceBuffer<float> in(n), out(n);
    cudaMemcpy(in.get(), host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    scale<<<(n + 255) / 256, 256>>>(in.get(), out.get(), 2.0f, n);
  } catch (const std::exception &e) {
    return 1;
  }
}

//@ options_of_the_program: passes
#include <getopt.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
struct Options { int n; int repeat; bool verbose; };
static Options parse(int argc, char **argv) {
  Options o{65536, 10, false};
  int c;
  while ((c = getopt(argc, argv, "n:r:v")) != -1) {
    if (c == 'n') o.n = atoi(optarg);
    if (c == 'r') o.repeat = atoi(optarg);
    if (c == 'v') o.verbose = true;
  }
  return o;
}
__global__ void fill(int *out, int n, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = value + i;
}
int main(int argc, char **argv) {
  Options o = parse(argc, argv);
  int *out;
  cudaMalloc(&out, o.n * sizeof(int));
  for (int i = 0; i < o.repeat; ++i) fill<<<(o.n + 127) / 128, 128>>>(out, o.n, i);
  if (o.verbose) printf("%d\n", o.n);
}

//@ namespaces: passes
#include <algorithm>
#include <array>
namespace tools {
namespace detail {
template <typename T, int N>
__device__ T polynomial(const T (&c)[N], T x) {
  T r = c[N - 1];
  for (int i = N - 2; i >= 0; --i) r = r * x + c[i];
  return r;
}
}  // namespace detail
template <typename T>
__global__ void evaluate(const T *x, T *y, int count) {
  const T c[4] = {1, 2, 3, 4};
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = detail::polynomial(c, x[i]);
}
template <typename T>
void evaluate_all(const T *x, T *y, int count) {
  evaluate<T><<<(count + 63) / 64, 64>>>(x, y, count);
}
}  // namespace tools
int main() {
  const int count = 3000;
  double *x, *y;
  cudaMalloc(&x, count * sizeof(double));
  cudaMalloc(&y, count * sizeof(double));
  tools::evaluate_all<double>(x, y, count);
}

//@ pipeline: passes
#include <chrono>
#include <iostream>
__global__ void stage_one(const float *in, float *mid, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) mid[i] = sqrtf(in[i]);
}
__global__ void stage_two(const float *mid, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = mid[i] + (i > 0 ? mid[i - 1] : 0) + (i < n - 1 ? mid[i + 1] : 0);
}
int main() {
  int n = 100000;
  float *in, *mid, *out;
  cudaMalloc(&in, n * sizeof(float)); cudaMalloc(&mid, n * sizeof(float)); cudaMalloc(&out, n * sizeof(float));
  auto begin = std::chrono::steady_clock::now();
  stage_one<<<(n + 255) / 256, 256>>>(in, mid, n);
  stage_two<<<(n + 255) / 256, 256>>>(mid, out, n);
  std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  std::cout << taken.count() << '\n';
}

//@ precision_of_the_build: passes
#include <cstdio>
#if defined(USE_HALF)
#include <cuda_fp16.h>
typedef __half number;
#else
typedef double number;
#endif
#ifdef USE_INDEX64
using position = long long;
#else
using position = int;
#endif
__global__ void axpby(number a, const number *x, number b, number *y, position n) {
  for (position i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
      i += (position)blockDim.x * gridDim.x) y[i] = a * x[i] + b * y[i];
}
int main() {
  position n = 5000;
  number *x, *y;
  cudaMalloc(&x, n * sizeof(number));
  cudaMalloc(&y, n * sizeof(number));
  axpby<<<20, 256>>>(2.0, x, 0.5, y, n);
}

//@ enumerators: passes
enum { TILE_W = 16, TILE_H = 8, HALO = 1 };
__global__ void blur(const unsigned char *in, unsigned char *out, int w, int h) {
  __shared__ int tile[TILE_H + 2 * HALO][TILE_W + 2 * HALO];
  int x0 = blockIdx.x * TILE_W - HALO, y0 = blockIdx.y * TILE_H - HALO;
  for (int i = threadIdx.y * TILE_W + threadIdx.x; i < (TILE_W + 2 * HALO) * (TILE_H + 2 * HALO);
      i += TILE_W * TILE_H) {
    int x = min(max(x0 + i % (TILE_W + 2 * HALO), 0), w - 1), y = min(max(y0 + i / (TILE_W + 2 * HALO), 0), h - 1);
    tile[i / (TILE_W + 2 * HALO)][i % (TILE_W + 2 * HALO)] = in[y * w + x];
  }
  __syncthreads();
  int x = x0 + HALO + threadIdx.x, y = y0 + HALO + threadIdx.y, sum = 0;
  if (x >= w || y >= h) return;
  for (int dy = 0; dy <= 2 * HALO; ++dy)
    for (int dx = 0; dx <= 2 * HALO; ++dx) sum += tile[threadIdx.y + dy][threadIdx.x + dx];
  out[y * w + x] = sum / 9;
}
int main() {
  int w = 640, h = 480;
  unsigned char *in, *out;
  cudaMalloc(&in, w * h);
  cudaMalloc(&out, w * h);
  dim3 block(TILE_W, TILE_H), grid((w + TILE_W - 1) / TILE_W, (h + TILE_H - 1) / TILE_H);
  blur<<<grid, block>>>(in, out, w, h);
}

//@ launch_by_call: passes
#include <cuda_runtime_api.h>
__global__ void halve(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 0.5f;
}
int main() {
  int n = 2048;
  float *x;
  cudaMalloc((void **)&x, n * sizeof(float));
  void *arguments[] = {&x, &n};
  cudaLaunchKernel((const void *)halve, dim3((n + 127) / 128), dim3(128), arguments, 0, 0);
}

//@ functors: passes
#include <functional>
struct Add { __device__ float operator()(float a, float b) const { return a + b; } };
struct Multiply { __device__ float operator()(float a, float b) const { return a * b; } };
template <class Op>
__global__ void combine(const float *a, const float *b, float *c, int n, Op op) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = op(a[i], b[i]);
}
__global__ void combine_both(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = Add()(Multiply()(a[i], b[i]), a[i]);
}
int main() {
  int n = 7777;
  float *a, *b, *c;
  cudaMalloc(&a, n * sizeof(float)); cudaMalloc(&b, n * sizeof(float)); cudaMalloc(&c, n * sizeof(float));
  combine_both<<<(n + 255) / 256, 256>>>(a, b, c, n);
}

//@ c_linkage: passes
#include <stdio.h>
extern "C" __global__ void gray(const unsigned char *rgb, unsigned char *out, int pixels);
__device__ int weigh(int r, int g, int b) { return (77 * r + 150 * g + 29 * b) >> 8; }
extern "C" __global__ void gray(const unsigned char *rgb, unsigned char *out, int pixels) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pixels) out[i] = weigh(rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2]);
}
int main() {
  int pixels = 640 * 480;
  unsigned char *rgb, *out;
  cudaMalloc(&rgb, 3 * pixels);
  cudaMalloc(&out, pixels);
  gray<<<(pixels + 255) / 256, 256>>>(rgb, out, pixels);
}

//@ multiprocessors: passes
#include <cstdio>
#include <string>
__global__ void count_set(const unsigned *words, int n, int *total) {
  int mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += __popc(words[i]);
  for (int o = 16; o; o >>= 1) mine += __shfl_down_sync(0xffffffffu, mine, o);
  if (threadIdx.x % 32 == 0) atomicAdd(total, mine);
}
int main() {
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  std::string name = p.name;
  int n = 1 << 18, *total;
  unsigned *words;
  cudaMalloc(&words, n * sizeof(unsigned));
  cudaMalloc(&total, sizeof(int));
  cudaMemset(total, 0, sizeof(int));
  count_set<<<4 * p.multiProcessorCount, 256>>>(words, n, total);
}

//@ nested_structs: passes
struct Vec { float x, y, z; };
struct Plane { Vec point, normal; };
__device__ float dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__global__ void distances(const float *points, float *out, Plane plane, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Vec d = {points[3 * i] - plane.point.x, points[3 * i + 1] - plane.point.y, points[3 * i + 2] - plane.point.z};
  out[i] = dot(d, plane.normal);
}
int main() {
  int n = 10000;
  Plane plane;
  plane.normal.z = 1;
  float *points, *out;
  cudaMalloc(&points, 3 * n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  distances<<<(n + 127) / 128, 128>>>(points, out, plane, n);
}

//@ kernels_alone: passes
// No program launches it here.
#define BLOCK 256
extern "C" __global__ void clamp_all(float *x, const int n, const float low, const float high) {
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += BLOCK * gridDim.x) x[i] = fminf(fmaxf(x[i], low), high);
}

//@ headers_of_the_host: passes
#include <cublas_v2.h>
#include <cuda_gl_interop.h>
#include <curand.h>
#include <thrust/device_vector.h>
#include <thrust/sort.h>
#include <opencv2/opencv.hpp>
#include "helper_cuda.h"
__global__ void invert(unsigned char *pixels, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) pixels[i] = 255 - pixels[i];
}
int main() {
  thrust::device_vector<unsigned char> d(4096);
  int n = 4096;
  invert<<<(n + 63) / 64, 64>>>(thrust::raw_pointer_cast(d.data()), n);
}
