// Products of tiles in shared memory by wgmma, and copies to these tiles by TMA (compute capability 9.0).
#pragma once

#include "tensor_cores.cuh"

// Operands of a wgmma: the sums of a thread, half as many as the product has columns.
#define GKTUNE_OPERANDS_32 \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, " \
  "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define GKTUNE_OPERANDS_64 \
  GKTUNE_OPERANDS_32 ", " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, " \
  "%52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define GKTUNE_OPERANDS_88 \
  GKTUNE_OPERANDS_64 ", " \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, " \
  "%84, %85, %86, %87"
#define GKTUNE_OPERANDS_128 \
  GKTUNE_OPERANDS_88 ", " \
  "%88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, " \
  "%107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, " \
  "%124, %125, %126, %127"
#define GKTUNE_SUMS_4(i) "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3])
#define GKTUNE_SUMS_8(i) GKTUNE_SUMS_4(i), GKTUNE_SUMS_4(i + 4)
#define GKTUNE_SUMS_32 GKTUNE_SUMS_8(0), GKTUNE_SUMS_8(8), GKTUNE_SUMS_8(16), GKTUNE_SUMS_8(24)
#define GKTUNE_SUMS_64 \
  GKTUNE_SUMS_32, GKTUNE_SUMS_8(32), GKTUNE_SUMS_8(40), GKTUNE_SUMS_8(48), GKTUNE_SUMS_8(56)
#define GKTUNE_SUMS_88 GKTUNE_SUMS_64, GKTUNE_SUMS_8(64), GKTUNE_SUMS_8(72), GKTUNE_SUMS_8(80)
#define GKTUNE_SUMS_128 \
  GKTUNE_SUMS_88, GKTUNE_SUMS_8(88), GKTUNE_SUMS_8(96), GKTUNE_SUMS_8(104), GKTUNE_SUMS_8(112), GKTUNE_SUMS_8(120)
// Adds a product of 64 rows and depth 16 to the sums, which it replaces if not `adds`.
#define GKTUNE_WGMMA(columns, operands, a, b, adds, transposed)                                   \
  "{ .reg .pred p; setp.ne.b32 p, " adds ", 0; wgmma.mma_async.sync.aligned.m64n" columns         \
  "k16.f32." GKTUNE_PTX_TYPE "." GKTUNE_PTX_TYPE " {" operands "}, " a ", " b ", p, 1, 1, " transposed "; }"
// A and B lie along the depth in shared memory, where descriptors say. The last three are numbers of operands.
#define GKTUNE_MULTIPLY(columns, count, of_a, of_b, of_adds)                                      \
  __device__ inline void warpgroup_multiply(float (&sums)[count], unsigned long long a,           \
                                            unsigned long long b, int adds) {                     \
    asm volatile(GKTUNE_WGMMA(#columns, GKTUNE_OPERANDS_##count, "%" #of_a, "%" #of_b, "%" #of_adds, "0, 0") \
                 : GKTUNE_SUMS_##count                                                            \
                 : "l"(a), "l"(b), "r"(adds));                                                    \
  }
// A is in registers, B lies along the columns in shared memory.
#define GKTUNE_MULTIPLY_REGISTERS(columns, count, of_a, of_b)                                     \
  __device__ inline void warpgroup_multiply(float (&sums)[count], const unsigned (&a)[4],         \
                                            unsigned long long b) {                               \
    asm volatile(GKTUNE_WGMMA(#columns, GKTUNE_OPERANDS_##count, "{" of_a "}", "%" #of_b, "1", "1") \
                 : GKTUNE_SUMS_##count                                                            \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));                           \
  }

namespace gktune {

GKTUNE_MULTIPLY(64, 32, 32, 33, 34)
GKTUNE_MULTIPLY(128, 64, 64, 65, 66)
GKTUNE_MULTIPLY(176, 88, 88, 89, 90)
GKTUNE_MULTIPLY(256, 128, 128, 129, 130)
GKTUNE_MULTIPLY_REGISTERS(64, 32, "%32, %33, %34, %35", 36)
GKTUNE_MULTIPLY_REGISTERS(128, 64, "%64, %65, %66, %67", 68)

// Behind changes of registers and in front of a wgmma that uses them.
__device__ inline void warpgroup_begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
// Ends a group of wgmmas.
__device__ inline void warpgroup_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
// Waits for all groups but the last kGroups.
template <int kGroups>
__device__ inline void warpgroup_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kGroups) : "memory");
}

// Describes a tile to wgmma, for rows of 128 bytes that TMA swizzled: groups of eight rows are 1024 bytes apart. A tile
// whose rows lie along the columns of the product may go on in others, each tile_bytes behind the one before.
__device__ inline unsigned long long matrix_descriptor(unsigned address, unsigned tile_bytes = 16) {
  constexpr unsigned long long kSwizzle128 = 1ull << 62, kGroupBytes = 1024 / 16;
  return kSwizzle128 | kGroupBytes << 32 | (tile_bytes / 16ull) << 16 | (address & 0x3ffff) / 16;
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

// Behind the first values of barriers, so that TMA and the other blocks of a cluster see them.
__device__ inline void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster; fence.proxy.async.shared::cta;" ::: "memory");
}

// Stages of shared memory that are used in turn, and the barriers that say which are full and empty.
template <int kStages, int kStageBytes>
struct Ring {
  static constexpr int kBytes = kStages * kStageBytes;
  unsigned memory, barriers;
  int stage = 0;
  unsigned phase = 0;

  // One producer announces what arrives, and each consumer says when it has read it.
  __device__ void init(int consumers) const {
    for (int i = 0; i < kStages; ++i) {
      Barrier{barriers + i * 16}.init(1);
      Barrier{barriers + i * 16 + 8}.init(consumers);
    }
  }
  __device__ unsigned at() const { return memory + stage * kStageBytes; }
  __device__ Barrier full() const { return {barriers + stage * 16}; }
  __device__ Barrier empty() const { return {barriers + stage * 16 + 8}; }
  __device__ void wait_until_full() const { full().wait(phase); }
  // Then announces the bytes that fill a stage.
  __device__ void wait_until_empty() const {
    empty().wait(phase ^ 1);
    full().arrive_and_expect(kStageBytes);
  }
  __device__ void advance() {
    if (++stage < kStages) return;
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

// The same of one of several matrices.
__device__ inline void load_box_of(int matrix, unsigned to, const TensorMap& from, int row, int column,
                                   Barrier barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(to),
      "l"(&from), "r"(column), "r"(row), "r"(matrix), "r"(barrier.address)
      : "memory");
}

}  // namespace gktune
