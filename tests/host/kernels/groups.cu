// Cooperative groups, cuda::std, pipelines and barriers in memory.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda_pipeline.h>

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
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

__global__ void blocks(const int* in, int* out) {
  const cg::thread_block block = cg::this_thread_block();
  __shared__ int values[64];
  values[block.thread_rank()] = in[block.thread_rank()];
  block.sync();
  out[block.thread_rank()] = values[block.size() - 1 - block.thread_rank()] + static_cast<int>(block.group_index().x) +
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
