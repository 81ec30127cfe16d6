// C = A B^T in bfloat16 or half precision, with sums in single precision: a linear layer of a neural network. A is M
// x K, B is N x K, C is M x N, each of any size and row-major: what torch.nn.functional.linear(a, b) computes. Both A
// and B lie along K, as tensor cores read them.
//
// The ways, values of `way`:
//   plain  tiles in shared memory, products by ordinary arithmetic; needs no tensor cores
//   mma    tensor cores by mma.sync (compute capability 8.0 and later): ldmatrix reads tiles from shared memory,
//          while the next stages - 1 of them are on their way there, asynchronously. K is a multiple of 8, or each
//          element is copied by itself
//   wgmma  tensor cores by wgmma (compute capability 9.0 alone): one warp brings tiles to shared memory by TMA; two
//          groups of four warps multiply them there, half of the rows each, and store C by TMA. Each block computes
//          one tile of C after the other, so that the next one's tiles arrive while it stores. N and K are multiples
//          of 8
//
// Parameters:
//   tileM, tileN, tileK  what a block keeps of C, and how deep its tiles of A and B are
//   warpM, warpN         mma: what a warp keeps of C
//   stages               mma, wgmma: tiles in shared memory
//   groupRows            mma, wgmma: rows of tiles that are computed side by side, so that they find each other's in
//                        L2
//   blocksPerCluster     wgmma: 2: two neighbours each load half of the tile that both need, and send it to both
// The problem's `element` is __nv_bfloat16 or half.

#include "common/tensor_cores.cuh"
#include "common/tile_order.cuh"
#include "common/warpgroups.cuh"

using namespace gktune;

// ---- Ordinary arithmetic ----------------------------------------------------------------------------------------

constexpr int kPlainThreads = 16;  // along rows and columns

__device__ inline void load_plain(Matrix matrix, long long first_row, long long first_column, int rows,
                                  float* tile) {
  for (int i = threadIdx.y * kPlainThreads + threadIdx.x; i < rows * tileK; i += kPlainThreads * kPlainThreads) {
    const long long row = first_row + i / tileK, column = first_column + i % tileK;
    const bool is_inside = row < matrix.rows && column < matrix.columns;
    tile[i / tileK * (tileK + 1) + i % tileK] =
        is_inside ? static_cast<float>(matrix.at[row * matrix.columns + column]) : 0.0f;
  }
}

// A thread's elements lie kPlainThreads rows and columns apart.
__global__ void __launch_bounds__(kPlainThreads* kPlainThreads)
    multiply_plain(const element* a, const element* b, element* c, long long m, long long n, long long k) {
  constexpr int kRows = tileM / kPlainThreads, kColumns = tileN / kPlainThreads;
  __shared__ float of_a[tileM][tileK + 1], of_b[tileN][tileK + 1];
  const int y = static_cast<int>(threadIdx.y), x = static_cast<int>(threadIdx.x);
  const long long row = blockIdx.y * static_cast<long long>(tileM);
  const long long column = blockIdx.x * static_cast<long long>(tileN);
  float sums[kRows][kColumns] = {};
  for (long long first = 0; first < k; first += tileK) {
    load_plain({a, m, k}, row, first, tileM, &of_a[0][0]);
    load_plain({b, n, k}, column, first, tileN, &of_b[0][0]);
    __syncthreads();
#pragma unroll 4
    for (int step = 0; step < tileK; ++step) {
      float upper[kColumns];
#pragma unroll
      for (int j = 0; j < kColumns; ++j) upper[j] = of_b[x + j * kPlainThreads][step];
#pragma unroll
      for (int i = 0; i < kRows; ++i) {
        const float left = of_a[y + i * kPlainThreads][step];
#pragma unroll
        for (int j = 0; j < kColumns; ++j) sums[i][j] = fmaf(left, upper[j], sums[i][j]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
#pragma unroll
    for (int j = 0; j < kColumns; ++j) {
      const long long r = row + y + i * kPlainThreads, s = column + x + j * kPlainThreads;
      if (r < m && s < n) c[r * n + s] = static_cast<element>(sums[i][j]);
    }
  }
}

// ---- Tensor cores ---------------------------------------------------------------------------------------------------

__global__ void __launch_bounds__((tileM / warpM) * (tileN / warpN) * 32)
    multiply_mma(const element* a, const element* b, element* c, long long m, long long n, long long k) {
  constexpr int kThreads = (tileM / warpM) * (tileN / warpN) * 32;
  constexpr int kRows = warpM / 16, kColumns = warpN / 16;  // of 16 x 16 elements
  constexpr int kStage = (tileM + tileN) * tileK;
  extern __shared__ __align__(1024) unsigned char memory[];
  element* const tiles = reinterpret_cast<element*>(memory);

  const auto place =
      place_of_tile<groupRows, long long>(blockIdx.x, (m + tileM - 1) / tileM, (n + tileN - 1) / tileN);
  const long long row = place.row * tileM, column = place.column * tileN;
  TileCopy<tileM, tileK, kThreads> from_a({a, m, k}, row);
  TileCopy<tileN, tileK, kThreads> from_b({b, n, k}, column);
  const bool in_packs = k % kPack == 0 && is_aligned(a, 16) && is_aligned(b, 16);
  const long long steps = (k + tileK - 1) / tileK;
  auto copy = [&](long long tile, int stage) {
    if (tile < steps) {
      from_a.copy(tiles + stage * kStage, in_packs);
      from_b.copy(tiles + stage * kStage + tileM * tileK, in_packs);
    }
    __pipeline_commit();  // an empty one keeps the count
  };

  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int warp_row = warp / (tileN / warpN) * warpM, warp_column = warp % (tileN / warpN) * warpN;
  const int row_of_a = warp_row + lane % 16, row_of_b = warp_column + lane / 16 * 8 + lane % 8;
  float sums[kRows][kColumns * 2][4] = {};
  for (int stage = 0; stage < stages - 1; ++stage) copy(stage, stage);
  int used = 0, filled = stages - 1;
  for (long long tile = 0; tile < steps; ++tile) {
    __pipeline_wait_prior(stages - 2);
    __syncthreads();
    copy(tile + stages - 1, filled);
    const element *of_a = tiles + used * kStage, *of_b = of_a + tileM * tileK;
#pragma unroll
    for (int step = 0; step < tileK / 16; ++step) {
      unsigned left[kRows][4], upper[kColumns][4];
      const element* packs_of_a = of_a + place_of_pack<tileK>(row_of_a, step * 2 + lane / 16);
      const element* packs_of_b = of_b + place_of_pack<tileK>(row_of_b, step * 2 + lane / 8 % 2);
#pragma unroll
      for (int i = 0; i < kRows; ++i) load_matrices(left[i], packs_of_a + i * (16 * tileK));
#pragma unroll
      for (int j = 0; j < kColumns; ++j) load_matrices(upper[j], packs_of_b + j * (16 * tileK));
#pragma unroll
      for (int i = 0; i < kRows; ++i) {
#pragma unroll
        for (int j = 0; j < kColumns * 2; ++j)
          multiply_accumulate(sums[i][j], left[i], upper[j / 2][j % 2 * 2], upper[j / 2][j % 2 * 2 + 1]);
      }
    }
    filled = used;
    used = used + 1 == stages ? 0 : used + 1;
  }

  const bool in_pairs = n % 2 == 0 && is_aligned(c, 4);
#pragma unroll
  for (int i = 0; i < kRows * 2; ++i) {
    const long long r = row + warp_row + i * 8 + lane / 4;
#pragma unroll
    for (int j = 0; j < kColumns * 2; ++j) {
      const long long s = column + warp_column + j * 8 + lane % 4 * 2;
      const float left = sums[i / 2][j][i % 2 * 2], right = sums[i / 2][j][i % 2 * 2 + 1];
      if (r < m) store_pair(c + r * n + s, left, right, n - s, in_pairs);
    }
  }
}

// ---- wgmma ------------------------------------------------------------------------------------------------------

enum class Way { plain, mma, wgmma };
// The tiles of wgmma; those of other ways would be errors in the code below.
constexpr bool kIsWgmma = Way::way == Way::wgmma;
constexpr int kTileM = kIsWgmma ? tileM : 128, kTileN = kIsWgmma ? tileN : 128, kTileK = 64;
constexpr int kRowBytes = kTileK * 2;  // of a tile: what TMA swizzles

using Tiles = Ring<stages, (kTileM + kTileN) * kRowBytes>;  // of A, and of B behind it

constexpr int kConsumers = 2, kConsumerThreads = 128;
constexpr bool kIsPair = blocksPerCluster == 2;
// A pair of blocks shares the larger tile: that of B if one lies below the other.
constexpr bool kSharesB = kTileN >= kTileM;
constexpr int kRowsOfPair = kIsPair && kSharesB ? 2 : 1, kColumnsOfPair = kIsPair && !kSharesB ? 2 : 1;
constexpr int kRowsOfConsumer = kTileM / kConsumers, kStoredColumns = 64;
constexpr int kStores = 2;  // boxes of C that a warp has on their way
constexpr int kStoreBytes = 16 * kStoredColumns * 2;

// The tiles of C that a block computes.
struct Work {
  int rows, columns, tiles;  // tiles of C that a cluster computes; tiles along K
  int first, clusters;
  int rank;  // of the block in its cluster

  __device__ Work(int m, int n, int k)
      : rows((m + kTileM * kRowsOfPair - 1) / (kTileM * kRowsOfPair)),
        columns((n + kTileN * kColumnsOfPair - 1) / (kTileN * kColumnsOfPair)),
        tiles((k + kTileK - 1) / kTileK),
        first(static_cast<int>(blockIdx.x / blocksPerCluster)),
        clusters(static_cast<int>(gridDim.x / blocksPerCluster)),
        rank(static_cast<int>(blockIdx.x % blocksPerCluster)) {}

  // Calls compute(row, column) with the first element of each tile.
  template <class Compute>
  __device__ void for_each_tile(const Compute& compute) const {
    for (int i = first; i < rows * columns; i += clusters) {
      const auto place = place_of_tile<groupRows>(i, rows, columns);
      compute((place.row * kRowsOfPair + (kRowsOfPair == 2 ? rank : 0)) * kTileM,
              (place.column * kColumnsOfPair + (kColumnsOfPair == 2 ? rank : 0)) * kTileN);
    }
  }
};

__device__ inline void produce(Tiles ring, const Work& work, const TensorMap& a, const TensorMap& b) {
  work.for_each_tile([&](int row, int column) {
    for (int tile = 0; tile < work.tiles; ++tile, ring.advance()) {
      ring.wait_until_empty();
      const int half_of_a = kIsPair && !kSharesB ? work.rank * (kTileM / 2) : 0;
      const int half_of_b = kIsPair && kSharesB ? work.rank * (kTileN / 2) : 0;
      load_box(ring.at() + half_of_a * kRowBytes, a, row + half_of_a, tile * kTileK, ring.full(),
               kIsPair && !kSharesB ? 3 : 0);
      load_box(ring.at() + (kTileM + half_of_b) * kRowBytes, b, column + half_of_b, tile * kTileK, ring.full(),
               kIsPair && kSharesB ? 3 : 0);
    }
  });
}

// Stores 64 x kTileN elements of C, 16 rows a warp: through shared memory, where TMA reads boxes of 64 columns.
__device__ inline void store_rows(const float (&sums)[kTileN / 2], const TensorMap& c, int row, int column,
                                  unsigned memory) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int row_of_lane = lane / 8 % 2 * 8 + lane % 8;
#pragma unroll
  for (int box = 0; box < kTileN / kStoredColumns; ++box) {
    const unsigned to = memory + box % kStores * kStoreBytes;
    if (lane == 0) asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kStores - 1) : "memory");
    __syncwarp();
#pragma unroll
    for (int j = 0; j < kStoredColumns / 8; j += 2) {
      const int first = (box * (kStoredColumns / 8) + j) * 4;
      const unsigned address = to + row_of_lane * 128 + ((j + lane / 16) ^ lane % 8) * 16;
      asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address),
                   "r"(pair_of(sums[first], sums[first + 1])), "r"(pair_of(sums[first + 2], sums[first + 3])),
                   "r"(pair_of(sums[first + 4], sums[first + 5])), "r"(pair_of(sums[first + 6], sums[first + 7]))
                   : "memory");
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncwarp();
    if (lane == 0) {
      asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&c),
                   "r"(column + box * kStoredColumns), "r"(row), "r"(to)
                   : "memory");
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    }
  }
}

__device__ inline void consume(Tiles ring, const Work& work, const TensorMap& c, unsigned stores) {
  const int consumer = static_cast<int>(threadIdx.x) / kConsumerThreads;
  const int thread = static_cast<int>(threadIdx.x) % kConsumerThreads;
  constexpr int kParts = kRowsOfConsumer / 64;
  work.for_each_tile([&](int row, int column) {
    float sums[kParts][kTileN / 2];
    for (int tile = 0; tile < work.tiles; ++tile, ring.advance()) {
      ring.wait_until_full();
      warpgroup_begin();
      const unsigned long long of_a = matrix_descriptor(ring.at() + consumer * kRowsOfConsumer * kRowBytes);
      const unsigned long long of_b = matrix_descriptor(ring.at() + kTileM * kRowBytes);
#pragma unroll
      for (int step = 0; step < kTileK / 16; ++step) {
#pragma unroll
        for (int part = 0; part < kParts; ++part)
          warpgroup_multiply(sums[part], of_a + part * (64 * kRowBytes / 16) + step * 2, of_b + step * 2,
                             tile > 0 || step > 0);
      }
      warpgroup_commit();
      warpgroup_wait<0>();
      if (thread < blocksPerCluster) ring.empty().arrive_at(thread);
    }
#pragma unroll
    for (int part = 0; part < kParts; ++part) {
      const int first = row + consumer * kRowsOfConsumer + part * 64 + thread / 32 * 16;
      store_rows(sums[part], c, first, column, stores + (consumer * 4 + thread / 32) * (kStores * kStoreBytes));
    }
  });
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

__device__ inline void synchronize_cluster() {
  if constexpr (kIsPair) {
    asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
  } else {
    __syncthreads();
  }
}

__global__ void __launch_bounds__(kConsumers* kConsumerThreads + 32)
    multiply_wgmma(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b,
                   const __grid_constant__ TensorMap c, int m, int n, int k) {
  extern __shared__ __align__(1024) unsigned char memory[];
  const unsigned tiles = shared_address(memory), stores = tiles + Tiles::kBytes;
  const Tiles ring{tiles, stores + kConsumers * 4 * kStores * kStoreBytes};
  const Work work(m, n, k);
  if (threadIdx.x == 0) {
    ring.init(kConsumers * blocksPerCluster);
    publish_barriers();
  }
  synchronize_cluster();
  if (threadIdx.x < kConsumers * kConsumerThreads) {
    consume(ring, work, c, stores);
  } else if (threadIdx.x == kConsumers * kConsumerThreads) {
    produce(ring, work, a, b);
  }
  __syncwarp();
  synchronize_cluster();  // no block ends before its neighbour has sent and released all tiles
}
