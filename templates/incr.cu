// Adds one to every element of a vector of any length and alignment.
//
// The ways, values of `way`, both of them the textbook's. The kernel is one and the same: the launch tells them apart.
//   one_each     a grid that covers the vector: each thread takes vectorWidth x unroll elements, one as the textbook has it,
//                and ends
//   grid_stride  blocksPerSm blocks a multiprocessor, which stride over the vector until it is used up
//
// Parameters:
//   threadsPerBlock  threads in a block
//   vectorWidth      elements a load and a store
//   unroll           packs that a thread loads before it stores the first
//   blocksPerSm      grid_stride: how many blocks a multiprocessor is given
//   loadHint         plain, streaming, bypass_l1 (see common/loads.cuh)
//   storeHint        the same for what is written

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
