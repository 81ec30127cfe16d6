// c = a + b over vectors of any length and alignment. Ways and parameters are those of saxpy.cu.

#include "common/elementwise.cuh"

struct Add {
  const float* a;
  const float* b;
  float* c;

  template <int kWidth>
  struct Operands {
    gktune::Pack<float, kWidth> a, b;
  };

  template <int kWidth>
  __device__ Operands<kWidth> load(long long i) const {
    return {gktune::load_pack<gktune::Hint::loadHint, kWidth>(a + i),
            gktune::load_pack<gktune::Hint::loadHint, kWidth>(b + i)};
  }

  template <int kWidth>
  __device__ void store(long long i, Operands<kWidth> operands) const {
#pragma unroll
    for (int k = 0; k < kWidth; ++k) operands.a.at[k] += operands.b.at[k];
    gktune::store_pack<gktune::Hint::storeHint>(c + i, operands.a);
  }
};

__global__ void __launch_bounds__(threadsPerBlock) vecadd(const float* a, const float* b, float* c, long long n) {
  const bool alike = gktune::aligned_alike<vectorWidth>(a, b) && gktune::aligned_alike<vectorWidth>(a, c);
  gktune::for_each_element<threadsPerBlock, vectorWidth, unroll>(Add{a, b, c}, a, n, alike);
}
