// C = A B^T in bfloat16 or half precision, with sums in single precision: a linear layer of a neural network. A is M
// x K, B is N x K, C is M x N, each of any size and row-major: what torch.nn.functional.linear(a, b) computes. Both A
// and B lie along K, as tensor cores read them.
//
// The ways, values of `way`:
//   plain  tiles in shared memory, products by ordinary arithmetic; needs no tensor cores
//   mma    tensor cores by mma.sync (compute capability 8.0 and later): ldmatrix reads tiles from shared memory,
//          while the next stages - 1 of them are on their way there, asynchronously. K is a multiple of 8, or each
//          element is copied by itself
//
// Parameters:
//   tileM, tileN, tileK  what a block keeps of C, and how deep its tiles of A and B are
//   warpM, warpN         mma: what a warp keeps of C
//   stages               mma: tiles in shared memory
//   groupRows            mma: rows of tiles that are computed side by side, so that they find each other's in L2
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

  // What is outside the matrix arrives as zeros.
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
