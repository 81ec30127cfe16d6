// C = A B in single precision, row-major: A is M x K, B is K x N, C is M x N, each of any size and alignment.
//
// The ways, from the textbook's first to the one that reaches a GPU's arithmetic:
//   naive           one thread an element of C; neighbouring threads lie in one column, and share no memory transaction
//   coalesced       the same with neighbouring threads in one row
//   shared_tiles    square tiles of A and B in shared memory, tileK wide; one thread an element of C
//   register_tiles  each thread computes a tile of C in registers; each warp a tile made of those; each block tileM x
//                   tileN. The next tiles of A and B are fetched when the last ones are used up
//   vectorised      the same with loads and stores of 16 bytes, where the matrices' alignment allows them
//   prefetched      the next tiles are on their way, in registers, while the last ones are used; two tiles in shared memory
//   pipelined       the next stages - 1 tiles are on their way into shared memory, asynchronously
//
// Parameters of the last four:
//   tileM, tileN, tileK  what a block keeps of C, and how deep its tiles of A and B are
//   warpM, warpN         what a warp keeps of C
//   laneRows             how its lanes lie over that: laneRows x 32 / laneRows, each at 4 x 4 elements, as often as
//                        fits
//   stages               pipelined: tiles in shared memory
//   groupRows            rows of blocks that run side by side, so that they find each other's tiles in L2

#include <cuda_pipeline.h>

enum class Way { naive, coalesced, shared_tiles, register_tiles, vectorised, prefetched, pipelined };
constexpr Way kWay = Way::way;
constexpr bool kTiled = kWay >= Way::register_tiles;
constexpr int kWidth = kWay >= Way::vectorised ? 4 : 1;
constexpr int kStages = kWay == Way::prefetched ? 2 : kWay == Way::pipelined ? stages : 1;
constexpr int kThreads = (tileM / warpM) * (tileN / warpN) * 32;

struct Matrix {
  const float* at;
  long long rows, columns;
};

// An array of kCount floats that is loaded and stored at once.
template <int kCount>
struct alignas(4 * kCount) Floats {
  float at[kCount];
};

// ---- One thread an element --------------------------------------------------------------------------------------

__device__ inline void one_element(Matrix a, Matrix b, float* c) {
  const long long fast = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  const long long slow = blockIdx.y * static_cast<long long>(blockDim.y) + threadIdx.y;
  const long long row = kWay == Way::naive ? fast : slow, column = kWay == Way::naive ? slow : fast;
  if (row >= a.rows || column >= b.columns) return;
  float sum = 0;
  for (long long k = 0; k < a.columns; ++k) sum = fmaf(a.at[row * a.columns + k], b.at[k * b.columns + column], sum);
  c[row * b.columns + column] = sum;
}

__device__ inline void shared_tiles(Matrix a, Matrix b, float* c) {
  __shared__ float a_tile[tileK][tileK + 1], b_tile[tileK][tileK + 1];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const long long row = blockIdx.y * static_cast<long long>(tileK) + y;
  const long long column = blockIdx.x * static_cast<long long>(tileK) + x;
  float sum = 0;
  for (long long first = 0; first < a.columns; first += tileK) {
    a_tile[y][x] = row < a.rows && first + x < a.columns ? a.at[row * a.columns + first + x] : 0.0f;
    b_tile[y][x] = first + y < b.rows && column < b.columns ? b.at[(first + y) * b.columns + column] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < tileK; ++k) sum = fmaf(a_tile[y][k], b_tile[k][x], sum);
    __syncthreads();
  }
  if (row < a.rows && column < b.columns) c[row * b.columns + column] = sum;
}

// ---- Tiles in registers -----------------------------------------------------------------------------------------

// A tile of a matrix on its way from global to shared memory. kTransposed: its rows become the columns.
template <int kRows, int kColumns, int kPack, bool kTransposed>
struct Transfer {
  static constexpr int kPacksPerRow = kColumns / kPack;
  static constexpr int kPacks = kRows * kPacksPerRow / kThreads;
  // A padded row keeps a transposed store from asking one bank again and again.
  static constexpr int kPitch = kTransposed ? kRows + 4 : kColumns;
  static constexpr int kSize = kTransposed ? kColumns * kPitch : kRows * kPitch;
  static_assert(!kTiled || kRows * kPacksPerRow % kThreads == 0, "every thread moves as much");

  Floats<kPack> packs[kPacks > 0 ? kPacks : 1];

  // The tile's row and column that pack i of this thread starts at.
  static __device__ int row(int i) { return (static_cast<int>(threadIdx.x) + i * kThreads) / kPacksPerRow; }
  static __device__ int column(int i) {
    return (static_cast<int>(threadIdx.x) + i * kThreads) % kPacksPerRow * kPack;
  }

  template <bool kGuarded>
  __device__ void fetch(Matrix matrix, long long first_row, long long first_column) {
#pragma unroll
    for (int i = 0; i < kPacks; ++i) {
      const long long r = first_row + row(i), c = first_column + column(i);
      const bool is_inside = !kGuarded || (r < matrix.rows && c < matrix.columns);
      if (is_inside) {
        packs[i] = *reinterpret_cast<const Floats<kPack>*>(matrix.at + r * matrix.columns + c);
      } else {
        packs[i] = {};
      }
    }
  }

  __device__ void store(float* tile) const {
#pragma unroll
    for (int i = 0; i < kPacks; ++i) {
      if constexpr (kTransposed) {
#pragma unroll
        for (int k = 0; k < kPack; ++k) tile[(column(i) + k) * kPitch + row(i)] = packs[i].at[k];
      } else {
        *reinterpret_cast<Floats<kPack>*>(tile + row(i) * kPitch + column(i)) = packs[i];
      }
    }
  }

  // Past the registers; what is outside arrives as zero.
  template <bool kGuarded>
  static __device__ void copy_async(Matrix matrix, long long first_row, long long first_column, float* tile) {
#pragma unroll
    for (int i = 0; i < kPacks; ++i) {
      const long long r = first_row + row(i), c = first_column + column(i);
      const bool is_inside = !kGuarded || (r < matrix.rows && c < matrix.columns);
      const float* from = is_inside ? matrix.at + r * matrix.columns + c : matrix.at;
      if constexpr (kTransposed) {
#pragma unroll
        for (int k = 0; k < kPack; ++k) {
          __pipeline_memcpy_async(tile + (column(i) + k) * kPitch + row(i), from + (is_inside ? k : 0), 4,
                                  is_inside ? 0 : 4);
        }
      } else {
        __pipeline_memcpy_async(tile + row(i) * kPitch + column(i), from, 4 * kPack, is_inside ? 0 : 4 * kPack);
      }
    }
  }
};

// A thread's share of C, and where it lies in the block's tile.
struct Accumulator {
  static constexpr int kLaneColumns = 32 / laneRows;
  static constexpr int kRowsOf4 = warpM / (laneRows * 4), kColumnsOf4 = warpN / (kLaneColumns * 4);
  static_assert(!kTiled || (kRowsOf4 * laneRows * 4 == warpM && kColumnsOf4 * kLaneColumns * 4 == warpN),
                "a warp's tile is made of its lanes' 4 x 4");

  float sums[kRowsOf4 > 0 ? kRowsOf4 * 4 : 1][kColumnsOf4 > 0 ? kColumnsOf4 * 4 : 1] = {};
  int first_row, first_column;

  __device__ Accumulator() {
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    constexpr int kWarpColumns = tileN / warpN;
    first_row = warp / kWarpColumns * warpM + lane / kLaneColumns * 4;
    first_column = warp % kWarpColumns * warpN + lane % kLaneColumns * 4;
  }

  static __device__ int row_offset(int i) { return i * laneRows * 4; }
  static __device__ int column_offset(int j) { return j * kLaneColumns * 4; }

  template <int kPitchA, int kPitchB>
  __device__ void multiply(const float* a_tile, const float* b_tile) {
#pragma unroll
    for (int k = 0; k < tileK; ++k) {
      Floats<4> a[kRowsOf4], b[kColumnsOf4];
#pragma unroll
      for (int i = 0; i < kRowsOf4; ++i) {
        a[i] = *reinterpret_cast<const Floats<4>*>(a_tile + k * kPitchA + first_row + row_offset(i));
      }
#pragma unroll
      for (int j = 0; j < kColumnsOf4; ++j) {
        b[j] = *reinterpret_cast<const Floats<4>*>(b_tile + k * kPitchB + first_column + column_offset(j));
      }
#pragma unroll
      for (int i = 0; i < kRowsOf4 * 4; ++i) {
#pragma unroll
        for (int j = 0; j < kColumnsOf4 * 4; ++j) {
          sums[i][j] = fmaf(a[i / 4].at[i % 4], b[j / 4].at[j % 4], sums[i][j]);
        }
      }
    }
  }

  template <int kPack, bool kGuarded>
  __device__ void store(float* c, long long rows, long long columns, long long block_row, long long block_column) const {
#pragma unroll
    for (int i = 0; i < kRowsOf4 * 4; ++i) {
      const long long r = block_row + first_row + row_offset(i / 4) + i % 4;
#pragma unroll
      for (int j = 0; j < kColumnsOf4 * 4; j += kPack) {
        const long long column = block_column + first_column + column_offset(j / 4) + j % 4;
        if (kGuarded && (r >= rows || column >= columns)) continue;
        Floats<kPack> pack;
#pragma unroll
        for (int k = 0; k < kPack; ++k) pack.at[k] = sums[i][j + k];
        *reinterpret_cast<Floats<kPack>*>(c + r * columns + column) = pack;
      }
    }
  }
};

// One block's tile of C. With kGuarded off everything it touches is inside the matrices, but for the last tiles along K.
template <int kPack, bool kGuarded>
__device__ inline void block_tile(Matrix a, Matrix b, float* c, long long block_row, long long block_column,
                                  float* shared) {
  using TransferA = Transfer<tileM, tileK, kPack, true>;
  using TransferB = Transfer<tileK, tileN, kPack, false>;
  constexpr int kStage = TransferA::kSize + TransferB::kSize;
  auto a_tile = [&](long long tile) { return shared + tile % kStages * kStage; };
  auto b_tile = [&](long long tile) { return shared + tile % kStages * kStage + TransferA::kSize; };
  const long long whole_tiles = a.columns / tileK, tiles = (a.columns + tileK - 1) / tileK;
  Accumulator accumulator;
  auto multiply = [&](long long tile) {
    accumulator.multiply<TransferA::kPitch, TransferB::kPitch>(a_tile(tile), b_tile(tile));
  };

  if constexpr (kWay == Way::pipelined) {
    auto copy = [&](long long tile) {
      if (tile < whole_tiles) {
        TransferA::template copy_async<kGuarded>(a, block_row, tile * tileK, a_tile(tile));
        TransferB::template copy_async<kGuarded>(b, tile * tileK, block_column, b_tile(tile));
      } else if (tile < tiles) {
        TransferA::template copy_async<true>(a, block_row, tile * tileK, a_tile(tile));
        TransferB::template copy_async<true>(b, tile * tileK, block_column, b_tile(tile));
      }
      __pipeline_commit();  // an empty one keeps the count
    };
    for (int tile = 0; tile < kStages - 1; ++tile) copy(tile);
    for (long long tile = 0; tile < tiles; ++tile) {
      __pipeline_wait_prior(kStages > 1 ? kStages - 2 : 0);
      __syncthreads();
      copy(tile + kStages - 1);
      multiply(tile);
    }
  } else {
    TransferA from_a;
    TransferB from_b;
    auto fetch = [&](long long tile) {
      if (tile < whole_tiles) {
        from_a.template fetch<kGuarded>(a, block_row, tile * tileK);
        from_b.template fetch<kGuarded>(b, tile * tileK, block_column);
      } else {
        from_a.template fetch<true>(a, block_row, tile * tileK);
        from_b.template fetch<true>(b, tile * tileK, block_column);
      }
    };
    auto store = [&](long long tile) {
      from_a.store(a_tile(tile));
      from_b.store(b_tile(tile));
      __syncthreads();
    };
    if constexpr (kWay == Way::prefetched) {
      if (tiles > 0) {
        fetch(0);
        store(0);
      }
      for (long long tile = 0; tile < tiles; ++tile) {
        const bool has_next = tile + 1 < tiles;
        if (has_next) fetch(tile + 1);
        multiply(tile);
        if (has_next) store(tile + 1);
      }
    } else {
      for (long long tile = 0; tile < tiles; ++tile) {
        fetch(tile);
        store(tile);
        multiply(tile);
        __syncthreads();
      }
    }
  }
  accumulator.store<kPack, kGuarded>(c, a.rows, b.columns, block_row, block_column);
}

// Which tile is this block's: groups of groupRows rows are filled column after column.
__device__ inline void place(long long block_rows, long long block_columns, long long* row, long long* column) {
  const long long per_group = groupRows * block_columns;
  const long long block = blockIdx.x, group = block / per_group, first_row = group * groupRows;
  const long long rows = block_rows - first_row < groupRows ? block_rows - first_row : groupRows;
  *row = first_row + block % per_group % rows;
  *column = block % per_group / rows;
}

__device__ inline bool is_aligned(const float* address) { return reinterpret_cast<unsigned long long>(address) % 16 == 0; }

__device__ inline void register_tiles(Matrix a, Matrix b, float* c) {
  extern __shared__ float4 shared_memory[];
  float* shared = reinterpret_cast<float*>(shared_memory);
  long long row, column;
  place((a.rows + tileM - 1) / tileM, (b.columns + tileN - 1) / tileN, &row, &column);
  row *= tileM;
  column *= tileN;
  const bool is_inside = row + tileM <= a.rows && column + tileN <= b.columns;
  const bool packs = a.columns % 4 == 0 && b.columns % 4 == 0 && is_aligned(a.at) && is_aligned(b.at) && is_aligned(c);
  if (kWidth == 4 && packs && is_inside) {
    block_tile<kWidth, false>(a, b, c, row, column, shared);
  } else if (kWidth == 4 && packs) {
    block_tile<kWidth, true>(a, b, c, row, column, shared);
  } else if (is_inside) {
    block_tile<1, false>(a, b, c, row, column, shared);
  } else {
    block_tile<1, true>(a, b, c, row, column, shared);
  }
}

__global__ void __launch_bounds__(kTiled ? kThreads : 1024)
    matmul(const float* a, const float* b, float* c, long long m, long long n, long long k) {
  const Matrix left{a, m, k}, right{b, k, n};
  if constexpr (kTiled) {
    register_tiles(left, right, c);
  } else if constexpr (kWay == Way::shared_tiles) {
    shared_tiles(left, right, c);
  } else {
    one_element(left, right, c);
  }
}
