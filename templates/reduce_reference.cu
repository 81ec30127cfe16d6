// The plain sum that reduce.cu is held against: integers modulo 2^32, floats added up in double.

template <class Element>
struct WideOf { using Type = double; };
template <>
struct WideOf<int> { using Type = unsigned long long; };
using Wide = WideOf<element>::Type;

__global__ void reference_add(const element* in, unsigned long long* wide, long long n) {
  Wide sum = 0;
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
    sum += static_cast<Wide>(in[i]);
  }
  atomicAdd(reinterpret_cast<Wide*>(wide), sum);
}

__global__ void reference_store(const unsigned long long* wide, element* out) {
  *out = static_cast<element>(*reinterpret_cast<const Wide*>(wide));
}
