// half and bfloat16, by their bits.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <class T>
struct Bits {
  static __device__ unsigned short of(T x) { return *reinterpret_cast<unsigned short*>(&x); }
};

__global__ void half_from_float(const float* in, unsigned short* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned short* row = out + i * 6;
  row[0] = __half_as_ushort(__float2half(in[i]));
  row[1] = __half_as_ushort(__float2half_rz(in[i]));
  row[2] = __half_as_ushort(__float2half_ru(in[i]));
  row[3] = __half_as_ushort(__float2half_rd(in[i]));
  row[4] = Bits<__nv_bfloat16>::of(__float2bfloat16(in[i]));
  row[5] = Bits<__nv_bfloat16>::of(__float2bfloat16_rz(in[i]));
}

__global__ void float_from_half(float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[2 * i] = __half2float(__ushort_as_half(static_cast<unsigned short>(i)));
  out[2 * i + 1] = __bfloat162float(__ushort_as_bfloat16(static_cast<unsigned short>(i)));
}

template <class T>
__device__ void arithmetic(T x, T y, unsigned short* row) {
  row[0] = Bits<T>::of(__hadd(x, y));
  row[1] = Bits<T>::of(__hsub(x, y));
  row[2] = Bits<T>::of(__hmul(x, y));
  row[3] = Bits<T>::of(__hdiv(x, y));
  row[4] = Bits<T>::of(__hfma(x, y, x));
  row[5] = Bits<T>::of(__hmax(x, y));
  row[6] = Bits<T>::of(__hmin(x, y));
  row[7] = Bits<T>::of(__hneg(x));
  row[8] = Bits<T>::of(__habs(x));
  row[9] = static_cast<unsigned short>(__hlt(x, y) + 2 * __hle(x, y) + 4 * __heq(x, y) + 8 * __hgt(x, y) +
                                       16 * __hge(x, y) + 32 * __hne(x, y));
  row[10] = Bits<T>::of(x + y * x);
}

__global__ void half_arithmetic(const float* a, const float* b, unsigned short* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  arithmetic(__float2half(a[i]), __float2half(b[i]), out + i * 11);
}
__global__ void bfloat16_arithmetic(const float* a, const float* b, unsigned short* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  arithmetic(__float2bfloat16(a[i]), __float2bfloat16(b[i]), out + i * 11);
}

__global__ void half_pairs(const float* in, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const half2 x = __floats2half2_rn(in[2 * i], in[2 * i + 1]), three = __float2half2_rn(3.0f);
  float* row = out + i * 10;
  row[0] = __low2float(__hadd2(x, three));
  row[1] = __high2float(__hmul2(x, three));
  const float2 both = __half22float2(__hfma2(x, three, x));
  row[2] = both.x;
  row[3] = both.y;
  row[4] = __half2float(__low2half(x)) + __half2float(__high2half(x));
  row[5] = __low2float(__lowhigh2highlow(x));
  row[6] = __low2float(__halves2half2(__high2half(x), __low2half(x)));
  row[7] = __half2float((x * three).y);
  const __nv_bfloat162 brain = __floats2bfloat162_rn(in[2 * i], in[2 * i + 1]);
  row[8] = __low2float(__hadd2(brain, brain));
  row[9] = __bfloat1622float2(brain).y;
}

// Sums in shared memory, shuffles and atomics of the narrow types.
__global__ void half_sum(const float* in, half* out, __nv_bfloat16* brain) {
  __shared__ half values[64];
  values[threadIdx.x] = __float2half(in[threadIdx.x]);
  __syncthreads();
  half sum = values[63 - threadIdx.x];
  for (int delta = 16; delta > 0; delta /= 2) sum += __shfl_down_sync(0xffffffffu, sum, delta);
  if (threadIdx.x % 32 == 0) {
    atomicAdd(out, sum);
    atomicAdd(brain, __float2bfloat16(__half2float(sum)));
  }
}
