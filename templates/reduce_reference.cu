// The plain reduction that reduce.cu is held against: sums of floats are added up in double.

using int64 = long long;

enum class Operation { sum, min, max };
constexpr Operation kOperation = Operation::operation;
constexpr bool kIsInteger = static_cast<element>(0.5f) == element(0);

template <bool kInteger>
struct WideOf { using Type = double; };
template <>
struct WideOf<true> { using Type = long long; };
using Wide = WideOf<kIsInteger>::Type;

__device__ inline unsigned long long bits_of(double value) {
  return static_cast<unsigned long long>(__double_as_longlong(value));
}
__device__ inline unsigned long long bits_of(long long value) { return static_cast<unsigned long long>(value); }
__device__ inline void read(unsigned long long bits, double* value) {
  *value = __longlong_as_double(static_cast<long long>(bits));
}
__device__ inline void read(unsigned long long bits, long long* value) { *value = static_cast<long long>(bits); }

__device__ inline Wide combined(Wide a, Wide b) {
  if (kOperation == Operation::min) return b < a ? b : a;
  if (kOperation == Operation::max) return a < b ? b : a;
  if constexpr (kIsInteger) {
    return static_cast<Wide>(static_cast<unsigned long long>(a) + static_cast<unsigned long long>(b));
  } else {
    return a + b;
  }
}

// The neutral element of minimum and maximum: the type's highest or lowest value.
__device__ inline Wide identity() {
  if (kOperation == Operation::sum) return Wide(0);
  if constexpr (kIsInteger) {
    const long long highest = sizeof(element) == 4 ? 0x7fffffffll : 0x7fffffffffffffffll;
    return kOperation == Operation::min ? highest : -highest - 1;
  } else {
    const double infinity = __longlong_as_double(0x7ff0000000000000ll);
    return kOperation == Operation::min ? infinity : -infinity;
  }
}

__global__ void reference_start(unsigned long long* wide) { *wide = bits_of(identity()); }

// For blocks of 256 threads.
__global__ void reference_combine(const element* in, unsigned long long* wide, long long n) {
  Wide result = identity();
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
    result = combined(result, static_cast<Wide>(in[i]));
  }
  // One thread a block meets the others: a hundred thousand at one address take seconds.
  __shared__ Wide results[256];
  const int thread = static_cast<int>(threadIdx.x);
  results[thread] = result;
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (thread < half) results[thread] = combined(results[thread], results[thread + half]);
  }
  if (thread != 0) return;
  result = results[0];
  unsigned long long seen = *static_cast<volatile unsigned long long*>(wide);
  while (true) {
    Wide other;
    read(seen, &other);
    const unsigned long long before = atomicCAS(wide, seen, bits_of(combined(other, result)));
    if (before == seen) return;
    seen = before;
  }
}

__global__ void reference_store(const unsigned long long* wide, element* out) {
  Wide result;
  read(*wide, &result);
  *out = static_cast<element>(result);
}
