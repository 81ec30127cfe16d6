// Adds one to every element of a vector of any length and alignment. Ways and parameters are those of saxpy.cu.

#include "common/elementwise.cuh"

struct Increment {
  int* values;

  template <int kWidth>
  __device__ gktune::Pack<int, kWidth> load(long long i) const {
    return gktune::load_pack<gktune::Hint::loadHint, kWidth>(values + i);
  }

  template <int kWidth>
  __device__ void store(long long i, gktune::Pack<int, kWidth> pack) const {
#pragma unroll
    for (int k = 0; k < kWidth; ++k) pack.at[k] += 1;
    gktune::store_pack<gktune::Hint::storeHint>(values + i, pack);
  }
};

__global__ void __launch_bounds__(threadsPerBlock) incr(int* values, long long n) {
  gktune::for_each_element<threadsPerBlock, vectorWidth, unroll>(Increment{values}, values, n, true);
}
