// Tiles of matrices in shared memory, and their products on tensor cores by mma.sync (compute capability 8.0 and
// later), summed in single precision. The macro `element` names the type of elements: __nv_bfloat16 or half.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

// The name of the element's type in PTX.
#define GKTUNE_PTX_TYPE___nv_bfloat16 "bf16"
#define GKTUNE_PTX_TYPE_half "f16"
#define GKTUNE_PASTE(a, b) a##b
#define GKTUNE_PTX_TYPE_OF(type) GKTUNE_PASTE(GKTUNE_PTX_TYPE_, type)
#define GKTUNE_PTX_TYPE GKTUNE_PTX_TYPE_OF(element)

namespace gktune {

struct Matrix {
  const element* at;
  long long rows, columns;
};

__device__ inline bool is_aligned(const void* address, int bytes) {
  return reinterpret_cast<unsigned long long>(address) % bytes == 0;
}

__device__ inline unsigned shared_address(const void* at) {
  return static_cast<unsigned>(__cvta_generic_to_shared(at));
}

// Two neighbours of a row, the left one in the lower bits.
__device__ inline unsigned pair_of(float left, float right) {
  unsigned pair;
  asm("cvt.rn." GKTUNE_PTX_TYPE "x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(right), "f"(left));
  return pair;
}

// Stores two neighbours of a row that has so many columns from there on: at once if all rows have pairs.
__device__ inline void store_pair(element* to, float left, float right, long long columns, bool in_pairs) {
  if (columns <= 0) return;
  if (in_pairs) {
    *reinterpret_cast<unsigned*>(to) = pair_of(left, right);
  } else {
    to[0] = static_cast<element>(left);
    if (columns > 1) to[1] = static_cast<element>(right);
  }
}

// Four matrices of 8 x 8 elements: each lane has the address of one row, eight lanes those of a matrix.
__device__ inline void load_matrices(unsigned (&to)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(row))
               : "memory");
}

// The same, each matrix transposed.
__device__ inline void load_transposed(unsigned (&to)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(row))
               : "memory");
}

// Adds the product of 16 x 16 and 16 x 8 elements to four sums of each lane.
__device__ inline void multiply_accumulate(float* sums, const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." GKTUNE_PTX_TYPE "." GKTUNE_PTX_TYPE
               ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

constexpr int kPack = 8;  // elements of 16 bytes

// The tile of a matrix lies in shared memory row by row. The packs of a row change places with the row, so that those
// of eight rows below each other lie in different banks.
template <int kWidth>
__device__ inline int place_of_pack(int row, int index) {
  constexpr int kPacks = kWidth / kPack < 8 ? kWidth / kPack : 8;  // that change places
  constexpr int kRowsOfBanks = 8 / kPacks;                         // rows that fill all banks once
  return row * kWidth + (index ^ row / kRowsOfBanks % kPacks) * kPack;
}

// Tiles of kRows rows and kWidth columns of a matrix on their way to shared memory, from left to right. Each thread
// copies packs that lie kRowStep rows apart.
template <int kRows, int kWidth, int kThreads>
struct TileCopy {
  static constexpr int kPacks = kWidth / kPack, kRowStep = kThreads / kPacks;
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
    place = place_of_pack<kWidth>(row, index);
  }

  // Elements outside the matrix arrive as zeros.
  __device__ void copy(element* tile, bool in_packs) {
    const element* from = next;
#pragma unroll
    for (int i = 0; i < kRows / kRowStep; ++i, from += step) {
      element* to = tile + place + i * (kRowStep * kWidth);
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
    next += kWidth;
    columns_left -= kWidth;
  }
};

}  // namespace gktune
