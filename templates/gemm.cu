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

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

#include "common/tile_order.cuh"

struct Matrix {
  const element* at;
  long long rows, columns;
};

__device__ inline bool is_aligned(const void* address, int bytes) {
  return reinterpret_cast<unsigned long long>(address) % bytes == 0;
}

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

// The name of the element's type in PTX.
#define GKTUNE_PTX_TYPE___nv_bfloat16 "bf16"
#define GKTUNE_PTX_TYPE_half "f16"
#define GKTUNE_PASTE(a, b) a##b
#define GKTUNE_PTX_TYPE_OF(type) GKTUNE_PASTE(GKTUNE_PTX_TYPE_, type)
#define GKTUNE_PTX_TYPE GKTUNE_PTX_TYPE_OF(element)

__device__ inline unsigned shared_address(const void* at) {
  return static_cast<unsigned>(__cvta_generic_to_shared(at));
}

// Two neighbours of a row, the left one in the lower bits.
__device__ inline unsigned pair_of(float left, float right) {
  unsigned pair;
  asm("cvt.rn." GKTUNE_PTX_TYPE "x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(right), "f"(left));
  return pair;
}

// Four matrices of 8 x 8 elements: each lane has the address of one row, eight lanes those of a matrix.
__device__ inline void load_matrices(unsigned (&to)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(row))
               : "memory");
}

__device__ inline void multiply_accumulate(float (&sums)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." GKTUNE_PTX_TYPE "." GKTUNE_PTX_TYPE
               ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

constexpr int kPack = 8;  // elements of 16 bytes

// The tile of a matrix lies in shared memory row by row. The packs of a row change places with the row, so that those
// of eight rows below each other lie in different banks.
__device__ inline int place_of_pack(int row, int index) {
  constexpr int kPacks = tileK / kPack < 8 ? tileK / kPack : 8;  // that change places
  constexpr int kRowsOfBanks = 8 / kPacks;                       // rows that fill all banks once
  return row * tileK + (index ^ row / kRowsOfBanks % kPacks) * kPack;
}

// Tiles of kRows rows of a matrix on their way to shared memory, one after the other along K. Each thread copies packs
// that lie kRowStep rows apart.
template <int kRows, int kThreads>
struct TileCopy {
  static constexpr int kPacks = tileK / kPack, kRowStep = kThreads / kPacks;
  static_assert(kRows % kRowStep == 0 && kRowStep % 8 == 0, "all packs of a thread change places alike");

  const element* next;
  long long step, rows_left, columns_left;
  int place;

  __device__ TileCopy(Matrix matrix, long long first_row) {
    const int row = static_cast<int>(threadIdx.x) / kPacks, index = static_cast<int>(threadIdx.x) % kPacks;
    next = matrix.at + (first_row + row) * matrix.columns + index * kPack;
    step = matrix.columns * kRowStep;
    rows_left = matrix.rows - first_row - row;
    columns_left = matrix.columns - index * kPack;
    place = place_of_pack(row, index);
  }

  // Elements outside the matrix arrive as zeros.
  __device__ void copy(element* tile, bool in_packs) {
    const element* from = next;
#pragma unroll
    for (int i = 0; i < kRows / kRowStep; ++i, from += step) {
      element* to = tile + place + i * (kRowStep * tileK);
      const bool has_row = i * kRowStep < rows_left;
      if (in_packs) {
        __pipeline_memcpy_async(to, from, 16, has_row && columns_left > 0 ? 0 : 16);
      } else {
        alignas(16) element values[kPack];
#pragma unroll
        for (int j = 0; j < kPack; ++j)
          values[j] = has_row && j < columns_left ? from[j] : static_cast<element>(0.0f);
        *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(values);
      }
    }
    next += tileK;
    columns_left -= tileK;
  }
};

__global__ void __launch_bounds__((tileM / warpM) * (tileN / warpN) * 32)
    multiply_mma(const element* a, const element* b, element* c, long long m, long long n, long long k) {
  constexpr int kThreads = (tileM / warpM) * (tileN / warpN) * 32;
  constexpr int kRows = warpM / 16, kColumns = warpN / 16;  // of 16 x 16 elements
  constexpr int kStage = (tileM + tileN) * tileK;
  extern __shared__ __align__(1024) unsigned char memory[];
  element* const tiles = reinterpret_cast<element*>(memory);

  const auto place =
      gktune::place_of_tile<groupRows, long long>(blockIdx.x, (m + tileM - 1) / tileM, (n + tileN - 1) / tileN);
  const long long row = place.row * tileM, column = place.column * tileN;
  TileCopy<tileM, kThreads> from_a({a, m, k}, row);
  TileCopy<tileN, kThreads> from_b({b, n, k}, column);
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
      const element* packs_of_a = of_a + place_of_pack(row_of_a, step * 2 + lane / 16);
      const element* packs_of_b = of_b + place_of_pack(row_of_b, step * 2 + lane / 8 % 2);
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
      if (r >= m || s >= n) continue;
      const float left = sums[i / 2][j][i % 2 * 2], right = sums[i / 2][j][i % 2 * 2 + 1];
      element* to = c + r * n + s;
      if (in_pairs) {
        *reinterpret_cast<unsigned*>(to) = pair_of(left, right);
      } else {
        to[0] = static_cast<element>(left);
        if (s + 1 < n) to[1] = static_cast<element>(right);
      }
    }
  }
}

// ---- wgmma ------------------------------------------------------------------------------------------------------

enum class Way { plain, mma, wgmma };
// The tiles of wgmma; those of other ways would be errors in the code below.
constexpr bool kIsWgmma = Way::way == Way::wgmma;
constexpr int kTileM = kIsWgmma ? tileM : 128, kTileN = kIsWgmma ? tileN : 128, kTileK = 64;
constexpr int kRowBytes = kTileK * 2;  // of a tile: what TMA swizzles

// Operands of a wgmma: the sums of a thread, 64 for 128 columns and 128 for 256.
#define GKTUNE_OPERANDS_64 \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, " \
  "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, " \
  "%42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, " \
  "%62, %63"
#define GKTUNE_OPERANDS_128 \
  GKTUNE_OPERANDS_64 ", " \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, " \
  "%84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, " \
  "%103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, " \
  "%119, %120, %121, %122, %123, %124, %125, %126, %127"
#define GKTUNE_SUMS_4(i) "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3])
#define GKTUNE_SUMS_16(i) GKTUNE_SUMS_4(i), GKTUNE_SUMS_4(i + 4), GKTUNE_SUMS_4(i + 8), GKTUNE_SUMS_4(i + 12)
#define GKTUNE_SUMS_64(i) GKTUNE_SUMS_16(i), GKTUNE_SUMS_16(i + 16), GKTUNE_SUMS_16(i + 32), GKTUNE_SUMS_16(i + 48)
// Adds the product of 64 x 16 elements of A and kColumns x 16 of B to the sums, which it replaces if not `adds`.
#define GKTUNE_WGMMA(columns, operands, a, b, adds)                                                            \
  "{ .reg .pred p; setp.ne.b32 p, " adds ", 0; wgmma.mma_async.sync.aligned.m64n" columns                      \
  "k16.f32." GKTUNE_PTX_TYPE "." GKTUNE_PTX_TYPE " {" operands "}, " a ", " b ", p, 1, 1, 0, 0; }"

__device__ inline void warpgroup_multiply(float (&sums)[64], unsigned long long a, unsigned long long b, int adds) {
  asm volatile(GKTUNE_WGMMA("128", GKTUNE_OPERANDS_64, "%64", "%65", "%66")
               : GKTUNE_SUMS_64(0)
               : "l"(a), "l"(b), "r"(adds));
}

__device__ inline void warpgroup_multiply(float (&sums)[128], unsigned long long a, unsigned long long b, int adds) {
  asm volatile(GKTUNE_WGMMA("256", GKTUNE_OPERANDS_128, "%128", "%129", "%130")
               : GKTUNE_SUMS_64(0), GKTUNE_SUMS_64(64)
               : "l"(a), "l"(b), "r"(adds));
}

// Describes a tile to wgmma, for rows of 128 bytes that TMA swizzled: groups of eight rows are 1024 bytes apart.
__device__ inline unsigned long long matrix_descriptor(unsigned address) {
  constexpr unsigned long long kSwizzle128 = 1ull << 62, kGroupBytes = 1024 / 16;
  return kSwizzle128 | kGroupBytes << 32 | 1ull << 16 | (address & 0x3ffff) / 16;
}

// A barrier in shared memory: its phase ends when all have arrived, and all announced bytes too.
struct Barrier {
  unsigned address;

  __device__ void init(int arrivals) const {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address), "r"(arrivals) : "memory");
  }
  __device__ void arrive_and_expect(int bytes) const {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address), "r"(bytes) : "memory");
  }
  // At the same barrier of a block of the cluster.
  __device__ void arrive_at(int block) const {
    asm volatile(
        "{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; "
        "mbarrier.arrive.shared::cluster.b64 _, [there]; }" ::"r"(address),
        "r"(block)
        : "memory");
  }
  __device__ void wait(unsigned phase) const {
    unsigned has_ended = 0;
    while (has_ended == 0) {
      asm volatile(
          "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
          : "=r"(has_ended)
          : "r"(address), "r"(phase)
          : "memory");
    }
  }
};

// The tiles of A and B in shared memory, which are used in turn, and the barriers that say which are full and empty.
struct Ring {
  static constexpr int kStageBytes = (kTileM + kTileN) * kRowBytes;
  unsigned memory, barriers;
  int stage = 0;
  unsigned phase = 0;

  __device__ unsigned tile_of_a() const { return memory + stage * kStageBytes; }
  __device__ unsigned tile_of_b() const { return tile_of_a() + kTileM * kRowBytes; }
  __device__ Barrier full(int of_stage) const { return {barriers + of_stage * 16}; }
  __device__ Barrier empty(int of_stage) const { return {barriers + of_stage * 16 + 8}; }
  __device__ void advance() {
    if (++stage < stages) return;
    stage = 0;
    phase ^= 1;
  }
};

// CUtensorMap of cuda.h, whose name the host device does not know.
struct alignas(64) TensorMap {
  unsigned long long opaque[16];
};

// Copies a box of a matrix to shared memory; if `blocks` is not 0, to the same address of each block of the cluster
// that has a bit there.
__device__ inline void load_box(unsigned to, const TensorMap& from, int row, int column, Barrier barrier,
                                unsigned blocks) {
  if (blocks == 0) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[%0], [%1, {%2, %3}], [%4];" ::"r"(to),
        "l"(&from), "r"(column), "r"(row), "r"(barrier.address)
        : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
        "l"(&from), "r"(column), "r"(row), "r"(barrier.address), "h"(static_cast<unsigned short>(blocks))
        : "memory");
  }
}

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
      const auto place = gktune::place_of_tile<groupRows>(i, rows, columns);
      compute((place.row * kRowsOfPair + (kRowsOfPair == 2 ? rank : 0)) * kTileM,
              (place.column * kColumnsOfPair + (kColumnsOfPair == 2 ? rank : 0)) * kTileN);
    }
  }
};

__device__ inline void produce(Ring ring, const Work& work, const TensorMap& a, const TensorMap& b) {
  work.for_each_tile([&](int row, int column) {
    for (int tile = 0; tile < work.tiles; ++tile, ring.advance()) {
      const Barrier full = ring.full(ring.stage);
      ring.empty(ring.stage).wait(ring.phase ^ 1);
      full.arrive_and_expect(Ring::kStageBytes);
      const int half_of_a = kIsPair && !kSharesB ? work.rank * (kTileM / 2) : 0;
      const int half_of_b = kIsPair && kSharesB ? work.rank * (kTileN / 2) : 0;
      load_box(ring.tile_of_a() + half_of_a * kRowBytes, a, row + half_of_a, tile * kTileK, full,
               kIsPair && !kSharesB ? 3 : 0);
      load_box(ring.tile_of_b() + half_of_b * kRowBytes, b, column + half_of_b, tile * kTileK, full,
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

__device__ inline void consume(Ring ring, const Work& work, const TensorMap& c, unsigned stores) {
  const int consumer = static_cast<int>(threadIdx.x) / kConsumerThreads;
  const int thread = static_cast<int>(threadIdx.x) % kConsumerThreads;
  constexpr int kParts = kRowsOfConsumer / 64;
  work.for_each_tile([&](int row, int column) {
    float sums[kParts][kTileN / 2];
    for (int tile = 0; tile < work.tiles; ++tile, ring.advance()) {
      ring.full(ring.stage).wait(ring.phase);
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
      const unsigned long long of_a = matrix_descriptor(ring.tile_of_a() + consumer * kRowsOfConsumer * kRowBytes);
      const unsigned long long of_b = matrix_descriptor(ring.tile_of_b());
#pragma unroll
      for (int step = 0; step < kTileK / 16; ++step) {
#pragma unroll
        for (int part = 0; part < kParts; ++part)
          warpgroup_multiply(sums[part], of_a + part * (64 * kRowBytes / 16) + step * 2, of_b + step * 2,
                             tile > 0 || step > 0);
      }
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
      if (thread < blocksPerCluster) ring.empty(ring.stage).arrive_at(thread);
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
  const unsigned tiles = shared_address(memory), stores = tiles + stages * Ring::kStageBytes;
  const Ring ring{tiles, stores + kConsumers * 4 * kStores * kStoreBytes};
  const Work work(m, n, k);
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < stages; ++stage) {
      ring.full(stage).init(1);
      ring.empty(stage).init(kConsumers * blocksPerCluster);
    }
    asm volatile("fence.mbarrier_init.release.cluster; fence.proxy.async.shared::cta;" ::: "memory");
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
