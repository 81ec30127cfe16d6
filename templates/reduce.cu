// The sum, minimum or maximum of a vector of 32- or 64-bit integers (sums modulo 2^32 or 2^64) or floats, of any length
// and from any address.
//
// The ways, values of `way`. The textbooks' first, one launch for the blocks' results and another, of one block, for
// the whole:
//   two_pass       a fixed grid strides over the vector an element a thread
//   two_pass_warp  the same, with the last 32 lanes of a block meeting without block barriers
//   library        the same by CUB: cub::BlockLoad brings a block batch after batch, cub::BlockReduce lets it meet
//   global_tree    each block halves batchSize blocks' worth of elements in global memory, in a copy of its own
//   shared_tree    the same in shared memory
//   dynamic_tree   the same in shared memory whose size the launch says
// Then those whose blocks meet at the result atomically, which has to hold what changes nothing before:
//   one_pass       one element a thread
//   batched        batchSize elements a thread before the block meets
//   vectorised     the same, vectorWidth elements a load
//   grid_stride    as many blocks as the GPU holds, each taking batch after batch until the vector is used up
// And those that are a single launch, because the last block to come ends the work:
//   last_block     as grid_stride, but the blocks leave their results, and the last one reduces those
//   counted        the same for sums of 32-bit integers: one atomic addition brings a block's sum and counts the block
//
// Parameters:
//   threadsPerBlock  a multiple of 32
//   batchSize        elements that a thread has in flight at once
//   vectorWidth      elements a load
//   layout           striped: neighbouring threads load neighbouring words; blocked: a thread's elements lie together
//   blocksPerSm      ways that stride: how many blocks a multiprocessor is given
//   tail             how the last 32 lanes meet: tree, syncwarp, shuffle, redux (see common/block_reduction.cuh)
//   loadHint         plain, streaming, bypass_l1 (see common/loads.cuh)
// The problem's `element` is int, int64, float or double, its `operation` sum, min or max.

#include "common/block_reduction.cuh"
#include "common/loads.cuh"

using int64 = long long;

// The preprocessor knows no enumerators: this is 1 where `way` is library, and the headers of CUB take their time.
#define REDUCE_WAY_library 1
#define REDUCE_JOINED(a, b) a##b
#define REDUCE_WAY(name) REDUCE_JOINED(REDUCE_WAY_, name)
#if REDUCE_WAY(way)
#include <cub/block/block_load.cuh>
#include <cub/block/block_reduce.cuh>
#endif

enum class Way {
  two_pass, two_pass_warp, library, global_tree, shared_tree, dynamic_tree, one_pass, batched, vectorised, grid_stride,
  last_block, counted
};
enum class Layout { striped, blocked };

constexpr Way kWay = Way::way;
constexpr Layout kLayout = Layout::layout;
constexpr gktune::Operation kOperation = gktune::Operation::operation;
constexpr gktune::Tail kTail = gktune::Tail::tail;
constexpr gktune::Hint kHint = gktune::Hint::loadHint;
constexpr bool kTwoPass = kWay == Way::two_pass || kWay == Way::two_pass_warp || kWay == Way::library;
constexpr int kPacksPerThread = batchSize / vectorWidth;
static_assert(batchSize % vectorWidth == 0, "a batch is made of whole loads");

using Partial = gktune::ReducedAs<kOperation, element>::Type;
using Reduction = gktune::Reduction<kOperation, Partial>;

__device__ inline Partial pack_reduction(const element* address) {
  const auto pack = gktune::load_pack<kHint, vectorWidth>(address);
  Partial result = static_cast<Partial>(pack.at[0]);
  for (int i = 1; i < vectorWidth; ++i) result = Reduction::combined(result, static_cast<Partial>(pack.at[i]));
  return result;
}

#if REDUCE_WAY(way)
// The same as below, by CUB.
__device__ inline Partial batch_reduction(const element* body, long long first, long long packs) {
  using Pack = gktune::Pack<element, vectorWidth>;
  using Load = cub::BlockLoad<Pack, threadsPerBlock, kPacksPerThread, cub::BLOCK_LOAD_STRIPED>;
  __shared__ typename Load::TempStorage storage;
  constexpr int kTile = threadsPerBlock * kPacksPerThread;
  const Pack* tile = reinterpret_cast<const Pack*>(body) + first;
  Pack mine[kPacksPerThread];
  if (first + kTile <= packs) {
    Load(storage).Load(tile, mine);
  } else {
    Pack nothing;
    for (int i = 0; i < vectorWidth; ++i) nothing.at[i] = static_cast<element>(Reduction::identity());
    Load(storage).Load(tile, mine, static_cast<int>(packs - first), nothing);
  }
  Partial result = Reduction::identity();
#pragma unroll
  for (int i = 0; i < kPacksPerThread; ++i) {
    for (int k = 0; k < vectorWidth; ++k) {
      result = Reduction::combined(result, static_cast<Partial>(mine[i].at[k]));
    }
  }
  return result;
}

__device__ inline Partial block_reduction(Partial value) {
  struct Combine {
    __device__ Partial operator()(Partial a, Partial b) const { return Reduction::combined(a, b); }
  };
  using Reduce = cub::BlockReduce<Partial, threadsPerBlock>;
  __shared__ typename Reduce::TempStorage storage;
  return Reduce(storage).Reduce(value, Combine());
}
#else
// The packs from `first` on that are this thread's share of one batch of its block. All loads of a whole batch are
// issued before the first is used.
__device__ inline Partial batch_reduction(const element* body, long long first, long long packs) {
  constexpr int kStep = kLayout == Layout::striped ? threadsPerBlock : 1;
  constexpr int kStart = kLayout == Layout::striped ? 1 : kPacksPerThread;
  const long long mine = first + static_cast<long long>(threadIdx.x) * kStart;
  Partial results[kPacksPerThread];
  if (first + static_cast<long long>(threadsPerBlock) * kPacksPerThread <= packs) {
#pragma unroll
    for (int i = 0; i < kPacksPerThread; ++i) results[i] = pack_reduction(body + (mine + i * kStep) * vectorWidth);
  } else {
#pragma unroll
    for (int i = 0; i < kPacksPerThread; ++i) {
      const long long pack = mine + i * kStep;
      results[i] = pack < packs ? pack_reduction(body + pack * vectorWidth) : Reduction::identity();
    }
  }
  Partial result = results[0];
#pragma unroll
  for (int i = 1; i < kPacksPerThread; ++i) result = Reduction::combined(result, results[i]);
  return result;
}

__device__ inline Partial block_reduction(Partial value) {
  return gktune::block_reduction<kOperation, threadsPerBlock, kTail>(value);
}
#endif

// The result of all that is the block's, in thread 0.
__device__ inline Partial share_of_block(const element* in, long long n) {
  const gktune::Split<element, vectorWidth> split(in, n);
  const element* body = in + split.before;
  constexpr long long kBatch = static_cast<long long>(threadsPerBlock) * kPacksPerThread;

  Partial result = Reduction::identity();
  for (long long first = blockIdx.x * kBatch; first < split.packs; first += gridDim.x * kBatch) {
    result = Reduction::combined(result, batch_reduction(body, first, split.packs));
  }
  if (blockIdx.x == 0) {  // a pack is at most 16 bytes: fewer elements are left than a warp has lanes
    const int thread = static_cast<int>(threadIdx.x);
    if (thread < split.before) result = Reduction::combined(result, static_cast<Partial>(in[thread]));
    if (thread < split.after) {
      result = Reduction::combined(result, static_cast<Partial>(in[n - split.after + thread]));
    }
  }
  return block_reduction(result);
}

// `out` is the result, or in two passes the blocks' results.
__global__ void __launch_bounds__(threadsPerBlock) reduce(const element* in, element* out, long long n) {
  const Partial result = share_of_block(in, n);
  if (threadIdx.x != 0) return;
  if constexpr (kTwoPass) {
    out[blockIdx.x] = static_cast<element>(result);
  } else {
    Reduction::combine_at(reinterpret_cast<Partial*>(out), result);
  }
}

// `work` is global memory of a value a thread, for the way that wants it.
__global__ void __launch_bounds__(threadsPerBlock)
    reduce_tree(const element* in, element* work, element* partial, long long n) {
  extern __shared__ double shared_by_launch[];
  __shared__ Partial shared[kWay == Way::shared_tree ? threadsPerBlock : 1];
  Partial* values = kWay == Way::shared_tree ? shared
                    : kWay == Way::dynamic_tree
                        ? reinterpret_cast<Partial*>(shared_by_launch)
                        : reinterpret_cast<Partial*>(work) + static_cast<long long>(blockIdx.x) * threadsPerBlock;

  const long long first = static_cast<long long>(blockIdx.x) * threadsPerBlock * batchSize + threadIdx.x;
  Partial result = Reduction::identity();
#pragma unroll
  for (int i = 0; i < batchSize; ++i) {
    const long long at = first + static_cast<long long>(i) * threadsPerBlock;
    if (at < n) result = Reduction::combined(result, static_cast<Partial>(in[at]));
  }
  values[threadIdx.x] = result;
  gktune::halve<kOperation, threadsPerBlock, 1>(values);
  if (threadIdx.x == 0) partial[blockIdx.x] = static_cast<element>(values[0]);
}

// The second pass: one block reduces the blocks' results.
__global__ void __launch_bounds__(threadsPerBlock) finish(const element* partial, element* out, int count) {
  Partial result = Reduction::identity();
  for (int i = static_cast<int>(threadIdx.x); i < count; i += threadsPerBlock) {
    result = Reduction::combined(result, static_cast<Partial>(partial[i]));
  }
  result = block_reduction(result);
  if (threadIdx.x == 0) *out = static_cast<element>(result);
}

__global__ void start(element* out) { *out = static_cast<element>(Reduction::identity()); }

// Each launch finds these at zero, and leaves them so.
__device__ unsigned int blocks_done = 0;
__device__ unsigned long long sum_and_blocks = 0;

__global__ void __launch_bounds__(threadsPerBlock)
    reduce_at_once(const element* in, element* partial, element* out, long long n) {
  Partial result = share_of_block(in, n);
  if constexpr (kWay == Way::counted) {
    // The count takes the low 16 bits, and the sum the others: less than 2^16 times 2^32.
    if (threadIdx.x != 0) return;
    const unsigned long long mine = static_cast<unsigned long long>(result) << 16 | 1;
    const unsigned long long before = atomicAdd(&sum_and_blocks, mine);
    if ((before & 0xffff) != gridDim.x - 1) return;
    *out = static_cast<element>(static_cast<unsigned int>((before + mine) >> 16));
    sum_and_blocks = 0;
  } else {
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
      partial[blockIdx.x] = static_cast<element>(result);
      __threadfence();
      is_last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    result = Reduction::identity();
    for (unsigned int i = threadIdx.x; i < gridDim.x; i += threadsPerBlock) {
      result = Reduction::combined(result, static_cast<Partial>(__ldcg(partial + i)));
    }
    result = block_reduction(result);
    if (threadIdx.x == 0) *out = static_cast<element>(result);
  }
}
