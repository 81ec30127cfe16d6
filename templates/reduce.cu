// The sum of a vector of 32-bit integers (modulo 2^32) or floats, of any length and from any address.
//
// The ways, from the textbook's first to the one that reaches a GPU's memory bandwidth:
//   two_pass       a fixed grid strides over the vector an element a thread; each block's sum goes to `partial`,
//                  and a second launch of one block adds those up
//   two_pass_warp  the same, with the last 32 lanes of a block meeting without block barriers
//   one_pass       one element a thread; each block adds its sum to `out` atomically
//   batched        batchSize elements a thread before the block meets
//   vectorised     the same, vectorWidth elements a load
//   grid_stride    as many blocks as the GPU holds, each taking batch after batch until the vector is used up
//
// Parameters:
//   threadsPerBlock  a multiple of 32
//   batchSize        elements that a thread has in flight at once
//   vectorWidth      elements a load
//   layout           striped: neighbouring threads load neighbouring words; blocked: a thread's elements lie together
//   blocksPerSm      grid_stride, two_pass: how many blocks a multiprocessor is given
//   tail             how the last 32 lanes meet: tree, syncwarp, shuffle, redux (see common/block_sum.cuh)
//   loadHint         plain, streaming, bypass_l1 (see common/loads.cuh)
// The problem's `element` is int or float.
//
// `out` must be zero before a way that adds to it atomically: the clearing is a launch of the candidate.

#include "common/block_sum.cuh"
#include "common/loads.cuh"

enum class Way { two_pass, two_pass_warp, one_pass, batched, vectorised, grid_stride };
enum class Layout { striped, blocked };

constexpr Way kWay = Way::way;
constexpr Layout kLayout = Layout::layout;
constexpr gktune::Tail kTail = gktune::Tail::tail;
constexpr gktune::Hint kHint = gktune::Hint::loadHint;
constexpr bool kTwoPass = kWay == Way::two_pass || kWay == Way::two_pass_warp;
constexpr int kPacksPerThread = batchSize / vectorWidth;
static_assert(batchSize % vectorWidth == 0, "a batch is made of whole loads");

// Integers add up in unsigned arithmetic, where wrapping around is defined.
template <class Element>
struct SumOf { using Type = Element; };
template <>
struct SumOf<int> { using Type = unsigned int; };
using Sum = SumOf<element>::Type;

__device__ inline Sum pack_sum(const element* address) {
  const auto pack = gktune::load_pack<kHint, vectorWidth>(address);
  Sum sum = 0;
  for (int i = 0; i < vectorWidth; ++i) sum += static_cast<Sum>(pack.at[i]);
  return sum;
}

// The packs from `first` on that are this thread's share of one batch of its block. All loads of a whole batch are
// issued before the first is used.
__device__ inline Sum batch_sum(const element* body, long long first, long long packs) {
  constexpr int kStep = kLayout == Layout::striped ? threadsPerBlock : 1;
  constexpr int kStart = kLayout == Layout::striped ? 1 : kPacksPerThread;
  const long long mine = first + static_cast<long long>(threadIdx.x) * kStart;
  Sum sums[kPacksPerThread];
  if (first + static_cast<long long>(threadsPerBlock) * kPacksPerThread <= packs) {
#pragma unroll
    for (int i = 0; i < kPacksPerThread; ++i) sums[i] = pack_sum(body + (mine + i * kStep) * vectorWidth);
  } else {
#pragma unroll
    for (int i = 0; i < kPacksPerThread; ++i) {
      const long long pack = mine + i * kStep;
      sums[i] = pack < packs ? pack_sum(body + pack * vectorWidth) : Sum(0);
    }
  }
  Sum sum = 0;
#pragma unroll
  for (int i = 0; i < kPacksPerThread; ++i) sum += sums[i];
  return sum;
}

// `out` is the result, or in two passes the blocks' sums.
__global__ void __launch_bounds__(threadsPerBlock) reduce(const element* in, element* out, long long n) {
  const gktune::Split<element, vectorWidth> split(in, n);
  const element* body = in + split.before;
  constexpr long long kBatch = static_cast<long long>(threadsPerBlock) * kPacksPerThread;

  Sum sum = 0;
  for (long long first = blockIdx.x * kBatch; first < split.packs; first += gridDim.x * kBatch) {
    sum += batch_sum(body, first, split.packs);
  }
  if (blockIdx.x == 0) {  // a pack is at most 16 bytes: fewer elements are left than a warp has lanes
    const int thread = static_cast<int>(threadIdx.x);
    if (thread < split.before) sum += static_cast<Sum>(in[thread]);
    if (thread < split.after) sum += static_cast<Sum>(in[n - split.after + thread]);
  }

  sum = gktune::block_sum<threadsPerBlock, kTail>(sum);
  if (threadIdx.x == 0) {
    if constexpr (kTwoPass) {
      out[blockIdx.x] = static_cast<element>(sum);
    } else {
      atomicAdd(reinterpret_cast<Sum*>(out), sum);
    }
  }
}

// The second pass: one block adds up the blocks' sums.
__global__ void __launch_bounds__(threadsPerBlock) finish(const element* partial, element* out, int count) {
  Sum sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += threadsPerBlock) sum += static_cast<Sum>(partial[i]);
  sum = gktune::block_sum<threadsPerBlock, kTail>(sum);
  if (threadIdx.x == 0) *out = static_cast<element>(sum);
}
