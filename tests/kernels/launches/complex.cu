// Squares of complex numbers, turned and scaled by another one.
#include <cuComplex.h>
#include <cuda/std/complex>

__device__ cuFloatComplex product(cuFloatComplex a, cuFloatComplex b) { return cuCmulf(a, b); }
__device__ cuDoubleComplex product(cuDoubleComplex a, cuDoubleComplex b) { return cuCmul(a, b); }
__device__ cuda::std::complex<float> product(cuda::std::complex<float> a, cuda::std::complex<float> b) { return a * b; }

template <class T>
__global__ void square_and_turn(const T* in, const T* turn, T* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = product(product(in[i], in[i]), *turn);
}
template <class T>
__global__ void plain_square_and_turn(const T* in, const T* turn, T* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = product(*turn, product(in[i], in[i]));
}
