// Kernels that compute more than they read.
#include <cuComplex.h>
#include <cuda_fp16.h>

constexpr int kThreads = 64;

// Bodies in float4: x, y, z and mass.
__global__ void forces(const float4* bodies, float4* out, int n) {
  __shared__ float4 tile[kThreads];
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const float4 own = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
  float4 sum = make_float4(0, 0, 0, 0);
  for (int first = 0; first < n; first += kThreads) {
    const int mine = first + threadIdx.x;
    tile[threadIdx.x] = mine < n ? bodies[mine] : make_float4(0, 0, 0, 0);
    __syncthreads();
    for (int k = 0; k < kThreads; ++k) {
      const float x = tile[k].x - own.x, y = tile[k].y - own.y, z = tile[k].z - own.z;
      const float distance = x * x + y * y + z * z + 0.01f;
      const float factor = tile[k].w / (distance * sqrtf(distance));
      sum.x += factor * x;
      sum.y += factor * y;
      sum.z += factor * z;
    }
    __syncthreads();
  }
  if (i < n) out[i] = sum;
}
__global__ void forces_reference(const float4* bodies, float4* out, int n) {
  for (int i = 0; i < n; ++i) {
    double sum[3] = {0, 0, 0};
    for (int k = 0; k < n; ++k) {
      const double x = bodies[k].x - bodies[i].x, y = bodies[k].y - bodies[i].y, z = bodies[k].z - bodies[i].z;
      const double distance = x * x + y * y + z * z + 0.01, factor = bodies[k].w / (distance * sqrt(distance));
      sum[0] += factor * x;
      sum[1] += factor * y;
      sum[2] += factor * z;
    }
    out[i] = make_float4(static_cast<float>(sum[0]), static_cast<float>(sum[1]), static_cast<float>(sum[2]), 0);
  }
}

// Points of a quarter of a circle, with a generator of each thread's own.
__global__ void points_in_circle(unsigned seed, unsigned* out, int threads, int points) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= threads) return;
  unsigned state = seed + 2654435761u * static_cast<unsigned>(i), inside = 0;
  for (int k = 0; k < points; ++k) {
    state = state * 1664525u + 1013904223u;
    const unsigned x = state >> 17;
    state = state * 1664525u + 1013904223u;
    const unsigned y = state >> 17;
    inside += x * x + y * y < 1u << 30 ? 1 : 0;
  }
  out[i] = inside;
}

__global__ void complex_squares(const cuFloatComplex* in, cuFloatComplex* out, float* sizes, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= n) return;
  out[i] = cuCaddf(cuCmulf(in[i], in[i]), cuConjf(in[i]));
  sizes[i] = cuCabsf(in[i]);
}
__global__ void complex_squares_reference(const float* in, float* out, float* sizes, int n) {
  for (int i = 0; i < n; ++i) {
    const float x = in[2 * i], y = in[2 * i + 1];
    out[2 * i] = x * x - y * y + x;
    out[2 * i + 1] = 2 * x * y - y;
    sizes[i] = sqrtf(x * x + y * y);
  }
}

// Pairs of half-precision numbers; the last may have no partner.
__global__ void half_axpy(float a, const __half* x, __half* y, int n) {
  const int i = 2 * (blockIdx.x * kThreads + threadIdx.x);
  for (int k = i; k < i + 2 && k < n; ++k) y[k] = __float2half(a * __half2float(x[k]) + __half2float(y[k]));
}
__global__ void half_axpy_reference(float a, const __half* x, __half* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = __float2half(a * __half2float(x[i]) + __half2float(y[i]));
}
