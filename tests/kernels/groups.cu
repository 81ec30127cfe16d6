// Cooperative groups, and copies that go on while the threads work.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_pipeline.h>

#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

constexpr int kThreads = 64;
constexpr int kTile = 8;

__global__ void tile_sums(const int* in, int* out, int n) {
  const auto tile = cg::tiled_partition<kTile>(cg::this_thread_block());
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const int sum = cg::reduce(tile, i < n ? in[i] : 0, cg::plus<int>());
  const int most = cg::reduce(tile, i < n ? in[i] : -1000, cg::greater<int>());
  if (tile.thread_rank() == 0 && i < n) out[i / kTile] = 1000 * sum + most;
}
__global__ void tile_sums_reference(const int* in, int* out, int n, int tile) {
  for (int first = 0; first < n; first += tile) {
    int sum = 0, most = -1000;
    for (int i = first; i < first + tile && i < n; ++i) {
      sum += in[i];
      most = in[i] > most ? in[i] : most;
    }
    out[first / tile] = 1000 * sum + most;
  }
}

__global__ void tile_scans(const int* in, int* inclusive, int* exclusive) {
  const auto tile = cg::tiled_partition<kTile>(cg::this_thread_block());
  const int i = blockIdx.x * kThreads + threadIdx.x;
  inclusive[i] = cg::inclusive_scan(tile, in[i], cg::plus<int>());
  exclusive[i] = cg::exclusive_scan(tile, in[i], cg::plus<int>());
}
__global__ void tile_scans_reference(const int* in, int* inclusive, int* exclusive, int n, int tile) {
  for (int i = 0, sum = 0; i < n; ++i) {
    if (i % tile == 0) sum = 0;
    exclusive[i] = sum;
    inclusive[i] = sum += in[i];
  }
}

// Lanes that happen to be in the same branch share one atomic operation.
__global__ void branch_counts(const int* in, int* out, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= n) return;
  if (in[i] % 2 == 0) {
    const auto together = cg::coalesced_threads();
    if (together.thread_rank() == 0) atomicAdd(&out[0], static_cast<int>(together.size()));
  } else {
    const auto together = cg::coalesced_threads();
    const int sum = cg::reduce(together, in[i], cg::plus<int>());
    if (together.thread_rank() == 0) atomicAdd(&out[1], sum);
  }
}
__global__ void branch_counts_reference(const int* in, int* out, int n) {
  out[0] = out[1] = 0;
  for (int i = 0; i < n; ++i) in[i] % 2 == 0 ? out[0] += 1 : out[1] += in[i];
}

// A block copies its tile as a group and turns it around.
__global__ void reversed_tiles(const int* in, int* out) {
  __shared__ int tile[kThreads];
  const cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, tile, in + blockIdx.x * kThreads, sizeof(int) * kThreads);
  cg::wait(block);
  out[blockIdx.x * kThreads + block.thread_rank()] = tile[kThreads - 1 - block.thread_rank()];
}
__global__ void reversed_tiles_reference(const int* in, int* out, int n, int tile) {
  for (int i = 0; i < n; ++i) out[i] = in[i / tile * tile + tile - 1 - i % tile];
}

// The next tile is fetched while this one is summed up: by primitives of a thread.
__global__ void fetched_ahead(const float* in, float* out, int tiles) {
  __shared__ float stages[2][kThreads];
  const float* column = in + threadIdx.x;
  const auto fetch = [&](int tile) {
    if (tile < tiles)
      __pipeline_memcpy_async(&stages[tile % 2][threadIdx.x], column + tile * kThreads, sizeof(float));
    __pipeline_commit();
  };
  fetch(0);
  float sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    fetch(tile + 1);
    __pipeline_wait_prior(1);
    sum += stages[tile % 2][threadIdx.x] * (tile + 1);
  }
  out[threadIdx.x] = sum;
}
// The same by a pipeline of the block.
__global__ void pipelined(const float* in, float* out, int tiles) {
  __shared__ float stages[2][kThreads];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const cg::thread_block block = cg::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  const auto fetch = [&](int tile) {
    pipeline.producer_acquire();
    cuda::memcpy_async(block, stages[tile % 2], in + tile * kThreads, sizeof(float) * kThreads, pipeline);
    pipeline.producer_commit();
  };
  fetch(0);
  float sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    if (tile + 1 < tiles) fetch(tile + 1);
    pipeline.consumer_wait();
    sum += stages[tile % 2][threadIdx.x] * (tile + 1);
    pipeline.consumer_release();
  }
  out[threadIdx.x] = sum;
}
__global__ void column_sums_reference(const float* in, float* out, int tiles, int width) {
  for (int column = 0; column < width; ++column) {
    double sum = 0;
    for (int tile = 0; tile < tiles; ++tile)
      sum += static_cast<double>(in[tile * width + column]) * (tile + 1);
    out[column] = static_cast<float>(sum);
  }
}

// A barrier in shared memory: threads arrive, do what needs nobody, and then wait.
__global__ void arrive_and_wait(const int* in, int* out, int rounds) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ int values[2][kThreads];
  const int thread = threadIdx.x;
  if (thread == 0) init(&barrier, kThreads);
  values[0][thread] = in[blockIdx.x * kThreads + thread];
  __syncthreads();
  for (int round = 0; round < rounds; ++round) {
    values[1 - round % 2][thread] = values[round % 2][(thread + 1) % kThreads] + round;
    auto token = barrier.arrive();
    barrier.wait(static_cast<decltype(token)&&>(token));
  }
  out[blockIdx.x * kThreads + thread] = values[rounds % 2][thread];
}
__global__ void arrive_and_wait_reference(const int* in, int* out, int rounds, int n, int tile) {
  for (int i = 0; i < n; ++i) out[i] = in[i / tile * tile + (i + rounds) % tile] + rounds * (rounds - 1) / 2;
}
