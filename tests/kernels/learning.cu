// Kernels of neural networks.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

constexpr int kThreads = 64;
constexpr unsigned kAll = 0xffffffffu;

template <typename Op>
__device__ float over_warp(float value, Op op) {
  for (int offset = 16; offset > 0; offset /= 2) value = op(value, __shfl_xor_sync(kAll, value, offset));
  return value;
}
struct Add {
  __device__ float operator()(float a, float b) const { return a + b; }
};

// Four products of bytes at once.
__global__ void byte_product(const int* a, const int* b, int* c, int rows, int columns, int words) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= rows * columns) return;
  int sum = 0;
  for (int k = 0; k < words; ++k) sum = __dp4a(a[i / columns * words + k], b[i % columns * words + k], sum);
  c[i] = sum;
}
__global__ void byte_product_reference(const int* words_a, const int* words_b, int* c, int rows, int columns,
                                       int words) {
  const signed char* a = reinterpret_cast<const signed char*>(words_a);
  const signed char* b = reinterpret_cast<const signed char*>(words_b);
  const int bytes = 4 * words;
  for (int i = 0; i < rows * columns; ++i) {
    c[i] = 0;
    for (int k = 0; k < bytes; ++k) c[i] += a[i / columns * bytes + k] * b[i % columns * bytes + k];
  }
}

// A warp for each row of a bfloat16 matrix, two elements at a time.
__global__ void brain_vector(const __nv_bfloat162* a, const __nv_bfloat162* x, float* y, int rows,
                             int pairs) {
  const int row = (blockIdx.x * kThreads + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int i = lane; i < pairs; i += 32) {
    const float2 left = __bfloat1622float2(a[row * pairs + i]), right = __bfloat1622float2(x[i]);
    sum = fmaf(left.x, right.x, fmaf(left.y, right.y, sum));
  }
  sum = over_warp(sum, Add());
  if (lane == 0) y[row] = sum;
}
__global__ void brain_vector_reference(const __nv_bfloat16* a, const __nv_bfloat16* x, float* y, int rows,
                                       int columns) {
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
    for (int i = 0; i < columns; ++i) sum += static_cast<double>(float(a[row * columns + i])) * float(x[i]);
    y[row] = static_cast<float>(sum);
  }
}

__global__ void half_pairs(const __half2* x, const __half2* y, __half2* out, int pairs) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < pairs) out[i] = __hfma2(x[i], y[i], __hmul2(x[i], __float2half2_rn(0.5f)));
}
__global__ void half_pairs_reference(const __half* x, const __half* y, __half* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = __float2half(float(x[i]) * float(y[i]) + 0.5f * float(x[i]));
}

// One query for each warp: the softmax is corrected as greater scores are met.
__global__ void attention(const float* queries, const float* keys, const float* values, float* out,
                          int length, int width) {
  const int query = (blockIdx.x * kThreads + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const float own = queries[query * width + lane];
  float most = -1e30f, total = 0, sum = 0;
  for (int k = 0; k < length; ++k) {
    const float score = over_warp(own * keys[k * width + lane], Add());
    const float next = fmaxf(most, score);
    const float keep = expf(most - next), weight = expf(score - next);
    total = total * keep + weight;
    sum = sum * keep + weight * values[k * width + lane];
    most = next;
  }
  out[query * width + lane] = sum / total;
}
__global__ void attention_reference(const float* queries, const float* keys, const float* values, float* out,
                                    int length, int width, int count) {
  for (int i = 0; i < count * width; ++i) {
    double total = 0, sum = 0;
    for (int k = 0; k < length; ++k) {
      double score = 0;
      for (int j = 0; j < width; ++j)
        score += static_cast<double>(queries[i / width * width + j]) * keys[k * width + j];
      total += exp(score);
      sum += exp(score) * values[k * width + i % width];
    }
    out[i] = static_cast<float>(sum / total);
  }
}

// Four numbers at a time, kept in registers between the two passes.
__global__ void rms_norm(const float4* in, const float4* scale, float4* out, int quads) {
  __shared__ float sums[kThreads / 32];
  const int i = blockIdx.x * quads + threadIdx.x, thread = threadIdx.x;
  const float4 own = thread < quads ? in[i] : make_float4(0, 0, 0, 0);
  const float sum = over_warp(own.x * own.x + own.y * own.y + own.z * own.z + own.w * own.w, Add());
  if (thread % 32 == 0) sums[thread / 32] = sum;
  __syncthreads();
  float total = 0;
  for (int warp = 0; warp < kThreads / 32; ++warp) total += sums[warp];
  const float factor = rsqrtf(total / (4 * quads) + 1e-6f);
  if (thread >= quads) return;
  const float4 by = __ldg(scale + thread);
  out[i] =
      make_float4(own.x * factor * by.x, own.y * factor * by.y, own.z * factor * by.z, own.w * factor * by.w);
}
__global__ void rms_norm_reference(const float* in, const float* scale, float* out, int columns, int rows) {
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
    for (int i = 0; i < columns; ++i)
      sum += static_cast<double>(in[row * columns + i]) * in[row * columns + i];
    for (int i = 0; i < columns; ++i)
      out[row * columns + i] =
          static_cast<float>(in[row * columns + i] * scale[i] / sqrt(sum / columns + 1e-6));
  }
}

// Vectors as far as they go, single numbers behind them.
template <int kWidth>
struct alignas(4 * kWidth) Pack {
  float values[kWidth];
};
__device__ float gelu_of(float x) { return 0.5f * x * (1 + erff(x * 0.70710678f)); }
__global__ void gelu(const float* in, float* out, int n) {
  using Quad = Pack<4>;
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (4 * i + 3 < n) {
    const Quad x = reinterpret_cast<const Quad*>(in)[i];
    Quad y;
#pragma unroll
    for (int k = 0; k < 4; ++k) y.values[k] = gelu_of(x.values[k]);
    reinterpret_cast<Quad*>(out)[i] = y;
  } else {
    for (int k = 4 * i; k < n; ++k) out[k] = gelu_of(in[k]);
  }
}
__global__ void gelu_reference(const float* in, float* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = static_cast<float>(0.5 * in[i] * erfc(-in[i] / sqrt(2.0)));
}

// The place of a row's greatest number: pairs are compared, the lower place wins.
struct Best {
  float value;
  int place;
};
__device__ Best better(Best a, Best b) {
  return b.value > a.value || (b.value == a.value && b.place < a.place) ? b : a;
}
__global__ void best_places(const float* in, int* out, int columns) {
  __shared__ Best best[kThreads];
  Best own{-1e30f, columns};
  for (int i = threadIdx.x; i < columns; i += kThreads)
    own = better(own, Best{in[blockIdx.x * columns + i], i});
  best[threadIdx.x] = own;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) best[threadIdx.x] = better(best[threadIdx.x], best[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) out[blockIdx.x] = best[0].place;
}
__global__ void best_places_reference(const float* in, int* out, int columns, int rows) {
  for (int row = 0; row < rows; ++row) {
    out[row] = 0;
    for (int i = 1; i < columns; ++i) {
      if (in[row * columns + i] > in[row * columns + out[row]]) out[row] = i;
    }
  }
}

// The three greatest of each row: each lane keeps its own three, and the warp takes the best three times.
__global__ void top_three(const int* in, int* out, int columns) {
  const int row = blockIdx.x * (kThreads / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  int own[3] = {-1, -1, -1};
  for (int i = lane; i < columns; i += 32) {
    int value = in[row * columns + i];
    for (int k = 0; k < 3; ++k) {
      const int kept = max(own[k], value);
      value = min(own[k], value);
      own[k] = kept;
    }
  }
  for (int k = 0; k < 3; ++k) {
    const int most = __reduce_max_sync(kAll, own[0]);
    const unsigned owners = __ballot_sync(kAll, own[0] == most);
    if (lane == __ffs(owners) - 1) {
      own[0] = own[1];
      own[1] = own[2];
      own[2] = -1;
    }
    if (lane == 0) out[row * 3 + k] = most;
  }
}
__global__ void top_three_reference(const int* in, int* out, int columns, int rows) {
  for (int row = 0; row < rows; ++row) {
    for (int k = 0; k < 3; ++k) {
      int most = -1;
      for (int i = 0; i < columns; ++i) {
        int greater = 0;
        for (int j = 0; j < columns; ++j)
          greater += in[row * columns + j] > in[row * columns + i] ||
                     (in[row * columns + j] == in[row * columns + i] && j < i);
        if (greater == k) most = in[row * columns + i];
      }
      out[row * 3 + k] = most;
    }
  }
}

// Rows as bytes with a scale of their own.
__global__ void quantized(const float* in, signed char* out, float* scales, int columns) {
  __shared__ unsigned most;  // bits of positive numbers are in their order
  if (threadIdx.x == 0) most = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < columns; i += kThreads)
    atomicMax(&most, __float_as_uint(fabsf(in[blockIdx.x * columns + i])));
  __syncthreads();
  const float scale = __uint_as_float(most) / 127;
  for (int i = threadIdx.x; i < columns; i += kThreads)
    out[blockIdx.x * columns + i] =
        static_cast<signed char>(__float2int_rn(in[blockIdx.x * columns + i] / scale));
  if (threadIdx.x == 0) scales[blockIdx.x] = scale;
}
__global__ void quantized_reference(const float* in, signed char* out, float* scales, int columns, int rows) {
  for (int row = 0; row < rows; ++row) {
    float most = 0;
    for (int i = 0; i < columns; ++i) most = fmaxf(most, fabsf(in[row * columns + i]));
    scales[row] = most / 127;
    for (int i = 0; i < columns; ++i)
      out[row * columns + i] = static_cast<signed char>(rintf(in[row * columns + i] / scales[row]));
  }
}
