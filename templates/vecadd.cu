// c = a + b over vectors of any length and alignment.
//
// The ways, values of `way`, both of them the textbook's. The kernel is one and the same: the launch tells them apart.
//   one_each     a grid that covers the vectors: each thread takes vectorWidth x unroll elements, one as the textbook has it,
//                and ends
//   grid_stride  blocksPerSm blocks a multiprocessor, which stride over the vectors until they are used up
//
// Parameters:
//   threadsPerBlock  threads in a block
//   vectorWidth      elements a load and a store
//   unroll           packs that a thread loads before it stores the first
//   blocksPerSm      grid_stride: how many blocks a multiprocessor is given
//   loadHint         plain, streaming, bypass_l1 (see common/loads.cuh)
//   storeHint        the same for what is written

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
  gktune::for_each_element<threadsPerBlock, vectorWidth, unroll>(Add{a, b, c}, a, n,
                                                                 gktune::aligned_alike<vectorWidth>(a, b, c));
}
