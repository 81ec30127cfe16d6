// Cooperative groups, cuda::std, pipelines and barriers in memory.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_pipeline.h>

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/atomic>
#include <cuda/std/bit>
#include <cuda/std/cstdint>
#include <cuda/std/limits>
#include <cuda/std/type_traits>

namespace cg = cooperative_groups;

template <int kSize>
__global__ void tiles(const int* in, int* out) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<kSize>(block);
  const int mine = in[block.thread_rank()];
  int* row = out + block.thread_rank() * 8;
  row[0] = tile.thread_rank();
  row[1] = tile.meta_group_rank();
  row[2] = tile.shfl(mine, kSize - 1);
  row[3] = tile.shfl_xor(mine, 1);
  row[4] = static_cast<int>(tile.ballot(mine % 2 == 0));
  row[5] = tile.any(mine == 3) != 0;
  row[6] = cg::reduce(tile, mine, cg::plus<int>());
  row[7] = cg::reduce(tile, mine, cg::greater<int>());
  tile.sync();
}

__device__ int last_rank(cg::thread_block_tile<8> tile) { return tile.shfl(tile.thread_rank(), 7); }
__device__ int rank_and_size(cg::thread_group group) {
  group.sync();
  return static_cast<int>(group.thread_rank() * 100 + group.size());
}

__global__ void parts(const int* in, int* out) {
  const cg::thread_block block = cg::this_thread_block();
  const auto eight = cg::tiled_partition<8>(block);
  const auto two = cg::tiled_partition<2>(eight);
  int* row = out + block.thread_rank() * 8;
  row[0] = last_rank(eight);
  row[1] = static_cast<int>(two.meta_group_rank() * 100 + two.meta_group_size());
  row[2] = rank_and_size(block);
  row[3] = rank_and_size(eight);
  row[4] = rank_and_size(cg::tiled_partition(block, 16));
  row[5] = rank_and_size(cg::labeled_partition(eight, in[block.thread_rank()] % 3));
  row[6] = rank_and_size(cg::binary_partition(eight, in[block.thread_rank()] % 2 == 0));
  const cg::thread_group whole = cg::labeled_partition(eight, 0);
  row[7] = rank_and_size(cg::tiled_partition(whole, 4));
}

__global__ void scans(const int* in, int* out) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const int mine = in[threadIdx.x];
  int* row = out + threadIdx.x * 4;
  row[0] = cg::inclusive_scan(tile, mine);
  row[1] = cg::exclusive_scan(tile, mine);
  row[2] = cg::inclusive_scan(tile, mine, cg::greater<int>());
  row[3] = cg::inclusive_scan(cg::coalesced_threads(), mine, cg::plus<int>());
}

__global__ void blocks(const int* in, int* out) {
  const cg::thread_block block = cg::this_thread_block();
  __shared__ int values[64];
  values[block.thread_rank()] = in[block.thread_rank()];
  block.sync();
  out[block.thread_rank()] = values[block.size() - 1 - block.thread_rank()] +
                             static_cast<int>(block.group_index().x) +
                             static_cast<int>(block.thread_index().x);
}

__global__ void coalesced(const int* in, int* out) {
  out[threadIdx.x] = -1;
  if (in[threadIdx.x] % 3 == 0) {
    const cg::coalesced_group together = cg::coalesced_threads();
    const int first = together.shfl(in[threadIdx.x], 0);
    out[threadIdx.x] = static_cast<int>(together.thread_rank()) + 1000 * first;
  }
}

__global__ void asynchronous(const int4* in, int* out) {
  __shared__ int4 tile[64];
  __shared__ int4 other[64];
  __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int4));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  auto stages = cuda::make_pipeline();
  stages.producer_acquire();
  cuda::memcpy_async(&other[threadIdx.x], &in[threadIdx.x], sizeof(int4), stages);
  stages.producer_commit();
  stages.consumer_wait();
  __syncthreads();
  const int4 mine = tile[63 - threadIdx.x], theirs = other[(threadIdx.x + 1) % 64];
  out[threadIdx.x] = mine.x + mine.w + theirs.y;
  stages.consumer_release();
}

// Stages that a whole block fills and empties, and a copy that a group makes.
__global__ void stages_of_a_block(const int* in, int* out) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ int tile[2][64];
  __shared__ int whole[64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const cg::thread_block block = cg::this_thread_block();
  auto stages = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int round = 0; round < 4; ++round) {
    stages.producer_acquire();
    cuda::memcpy_async(block, tile[round % 2], in + 64 * round, 64 * sizeof(int), stages);
    stages.producer_commit();
    stages.consumer_wait();
    sum += tile[round % 2][63 - threadIdx.x];
    stages.consumer_release();
  }
  cg::memcpy_async(block, whole, in, 64 * sizeof(int));
  cg::wait(block);
  out[threadIdx.x] = sum + whole[(threadIdx.x + 1) % 64];
}

__global__ void barriers(const int* in, int* out) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> meeting;
  __shared__ int values[64];
  if (threadIdx.x == 0) init(&meeting, blockDim.x);
  __syncthreads();
  values[threadIdx.x] = in[threadIdx.x];
  meeting.arrive_and_wait();
  const int next = values[(threadIdx.x + 1) % 64];
  meeting.arrive_and_wait();
  values[threadIdx.x] = next;
  auto token = meeting.arrive();
  meeting.wait(static_cast<decltype(token)&&>(token));
  out[threadIdx.x] = values[(threadIdx.x + 1) % 64];
}

__global__ void standard(const int* in, int* out) {
  static_assert(cuda::std::is_same<cuda::std::uint32_t, unsigned>::value, "");
  cuda::atomic_ref<int, cuda::thread_scope_device> sum(out[0]);
  sum.fetch_add(in[threadIdx.x], cuda::std::memory_order_relaxed);
  cuda::atomic_ref<int, cuda::thread_scope_device> most(out[1]);
  most.fetch_max(in[threadIdx.x]);
  if (threadIdx.x == 0) out[2] = cuda::std::numeric_limits<int>::max();
}

__global__ void standard_bits(const unsigned* in, unsigned* out) {
  static_assert(cuda::std::bit_ceil(5u) == 8u && cuda::std::endian::native == cuda::std::endian::little, "");
  const unsigned x = in[threadIdx.x];
  unsigned* row = out + threadIdx.x * 10;
  row[0] = static_cast<unsigned>(cuda::std::popcount(x));
  row[1] = static_cast<unsigned>(cuda::std::countl_zero(x));
  row[2] = static_cast<unsigned>(cuda::std::countr_zero(x));
  row[3] = static_cast<unsigned>(cuda::std::countl_one(x));
  row[4] = static_cast<unsigned>(cuda::std::countr_one(x));
  row[5] = static_cast<unsigned>(cuda::std::bit_width(x));
  row[6] = cuda::std::has_single_bit(x);
  row[7] = cuda::std::bit_floor(x);
  row[8] = cuda::std::rotl(x, 5) ^ cuda::std::rotr(x, 3);
  row[9] = cuda::std::bit_cast<unsigned>(1.0f) +
           static_cast<unsigned>(cuda::std::countl_zero(static_cast<unsigned char>(x)));
}

__global__ void standard_atomics(const int* in, int* out) {
  cuda::std::atomic_ref<int> sum(*out);
  sum.fetch_add(in[threadIdx.x], cuda::std::memory_order_relaxed);
  cuda::std::atomic_thread_fence(cuda::std::memory_order_seq_cst);
}

// A thread waits for another one of its warp, and for time to pass.
__global__ void waiting(int* flag, int* out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
  const long long start = clock64();
  if (threadIdx.x == 0) {
    while (ready.load() != 31) __nanosleep(20);
    out[0] = clock64() >= start;
  } else {
    ready.fetch_add(1);
  }
}
