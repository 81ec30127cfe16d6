// C = A B in single precision, row-major: A is M x K, B is K x N, C is M x N, each of any size. matmul<true> is for
// matrices that begin at multiples of 16 bytes, with N and K multiples of 4; others it computes as well, but slowly.
// matmul<false> takes all alike.
//
// The ways, values of `way`, from the textbook's first to the one that reaches a GPU's arithmetic:
//   naive           one thread an element of C; neighbouring threads lie in one column, and share no memory transaction
//   coalesced       the same with neighbouring threads in one row
//   shared_tiles    square tiles of A and B in shared memory, tileK wide; one thread an element of C
//   tiles_1d        each block computes tileM x tileN of C, each thread perThread elements below each other in registers
//   tiles_2d        the same with perThread x perThread elements a thread
//   register_tiles  each thread computes a tile of C in registers; each warp a tile made of those; each block tileM x
//                   tileN. The next tiles of A and B are fetched when the last ones are used up
//   vectorised      the same with loads and stores of 16 bytes, if aligned
//   prefetched      the next tiles are on their way, in registers, while the last ones are used; two tiles in shared memory
//   pipelined       the next stages - 1 tiles are on their way into shared memory, asynchronously; A's tiles lie there
//                   row by row, as they arrive
//
// Parameters of the last six:
//   tileM, tileN, tileK  what a block keeps of C, and how deep its tiles of A and B are
//   perThread            tiles_1d: rows of C that a thread keeps; tiles_2d: rows and columns
// The last four:
//   warpM, warpN         what a warp keeps of C
//   laneRows             how its lanes lie over that: laneRows x 32 / laneRows, each at 4 x 4 elements (pipelined: 1 x
//                        4), as often as fits
//   stages               pipelined: tiles in shared memory
//   groupRows            rows of blocks that run side by side, so that they find each other's tiles in L2

#include <cuda_pipeline.h>

#include "common/tile_order.cuh"

enum class Way {
  naive, coalesced, shared_tiles, tiles_1d, tiles_2d, register_tiles, vectorised, prefetched, pipelined
};
constexpr Way kWay = Way::way;
constexpr bool kTiled = kWay >= Way::register_tiles;
[[maybe_unused]] constexpr int kWidth = kWay >= Way::vectorised ? 4 : 1;
[[maybe_unused]] constexpr int kStages = kWay == Way::prefetched ? 2 : kWay == Way::pipelined ? stages : 1;
constexpr int kThreads = (tileM / warpM) * (tileN / warpN) * 32;
// The same of the ways that give each thread a tile, but no warp.
constexpr bool kTiledByThread = kWay == Way::tiles_1d || kWay == Way::tiles_2d;
[[maybe_unused]] constexpr int kThreadRows = perThread, kThreadColumns = kWay == Way::tiles_2d ? perThread : 1;
constexpr int kTileThreads = tileM / kThreadRows * (tileN / kThreadColumns);
// True if A's tiles are transposed when they are stored in shared memory. Asynchronous copies do not transpose.
constexpr bool kTransposesA = kWay != Way::pipelined;
// Steps along K whose code stands side by side: more takes long to compile, and gains nothing.
[[maybe_unused]] constexpr int kUnrolled = 8;

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

// ---- A tile in registers a thread -------------------------------------------------------------------------------

__device__ inline void tiles_by_thread(Matrix a, Matrix b, float* c) {
  constexpr int kM = kTiledByThread ? tileM : 1, kN = kTiledByThread ? tileN : 1, kK = tileK;
  __shared__ float a_tile[kM][kK + 1], b_tile[kK][kN];
  // Neighbouring threads have neighbouring columns; what a thread has of them lies kAcross apart.
  constexpr int kAcross = tileN / kThreadColumns;
  const int thread = static_cast<int>(threadIdx.x);
  const int my_row = thread / kAcross * kThreadRows, my_column = thread % kAcross;
  const long long row = blockIdx.y * static_cast<long long>(tileM), column = blockIdx.x * static_cast<long long>(tileN);

  float sums[kThreadRows][kThreadColumns] = {};
  for (long long first = 0; first < a.columns; first += kK) {
    for (int i = thread; i < kM * kK; i += kTileThreads) {
      const long long r = row + i / kK, s = first + i % kK;
      a_tile[i / kK][i % kK] = r < a.rows && s < a.columns ? a.at[r * a.columns + s] : 0.0f;
    }
    for (int i = thread; i < kK * kN; i += kTileThreads) {
      const long long r = first + i / kN, s = column + i % kN;
      b_tile[i / kN][i % kN] = r < b.rows && s < b.columns ? b.at[r * b.columns + s] : 0.0f;
    }
    __syncthreads();
#pragma unroll kUnrolled
    for (int k = 0; k < kK; ++k) {
      float of_b[kThreadColumns];
#pragma unroll
      for (int j = 0; j < kThreadColumns; ++j) of_b[j] = b_tile[k][my_column + j * kAcross];
#pragma unroll
      for (int i = 0; i < kThreadRows; ++i) {
        const float of_a = a_tile[my_row + i][k];
#pragma unroll
        for (int j = 0; j < kThreadColumns; ++j) sums[i][j] = fmaf(of_a, of_b[j], sums[i][j]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kThreadRows; ++i) {
#pragma unroll
    for (int j = 0; j < kThreadColumns; ++j) {
      const long long r = row + my_row + i, s = column + my_column + j * kAcross;
      if (r < a.rows && s < b.columns) c[r * b.columns + s] = sums[i][j];
    }
  }
}

// ---- Tiles in registers -----------------------------------------------------------------------------------------

enum class Along { rows, columns };

// The tiles of a matrix on their way from global to shared memory, one after the other along kAlong. kTransposed: their
// rows become the columns. kPadding floats between what becomes the rows keep stores and loads from asking one bank
// again and again.
template <int kRows, int kColumns, int kPack, Along kAlong, bool kTransposed, int kPadding>
struct Transfer {
  static constexpr int kPacksPerRow = kColumns / kPack;
  static constexpr int kPacks = kRows * kPacksPerRow / kThreads;
  static constexpr int kPitch = (kTransposed ? kRows : kColumns) + kPadding;
  static constexpr int kSize = kTransposed ? kColumns * kPitch : kRows * kPitch;
  static_assert(!kTiled || kRows * kPacksPerRow % kThreads == 0, "every thread moves as much");

  const float* next;                   // the first element of the next tile
  long long pitch;                     // of the matrix
  long long rows_left, columns_left;   // of the matrix from there on
  Floats<kPack> packs[kPacks > 0 ? kPacks : 1];

  __device__ Transfer(Matrix matrix, long long first_row, long long first_column)
      : next(matrix.at + first_row * matrix.columns + first_column),
        pitch(matrix.columns),
        rows_left(matrix.rows - first_row),
        columns_left(matrix.columns - first_column) {}

  // The tile's row and column that pack i of this thread starts at.
  static __device__ int row(int i) { return (static_cast<int>(threadIdx.x) + i * kThreads) / kPacksPerRow; }
  static __device__ int column(int i) {
    return (static_cast<int>(threadIdx.x) + i * kThreads) % kPacksPerRow * kPack;
  }
  __device__ const float* address(int i) const { return next + row(i) * pitch + column(i); }

  // True if the whole next tile is inside the matrix. Only the last tile may reach over its edge.
  __device__ bool is_whole() const { return kAlong == Along::rows ? rows_left >= kRows : columns_left >= kColumns; }
  __device__ bool is_inside(int i) const { return row(i) < rows_left && column(i) < columns_left; }
  __device__ void advance() {
    if constexpr (kAlong == Along::rows) {
      next += kRows * pitch;
      rows_left -= kRows;
    } else {
      next += kColumns;
      columns_left -= kColumns;
    }
  }

  template <bool kGuarded>
  __device__ void fetch() {
#pragma unroll
    for (int i = 0; i < kPacks; ++i) {
      if (!kGuarded || is_inside(i)) {
        packs[i] = *reinterpret_cast<const Floats<kPack>*>(address(i));
      } else {
        packs[i] = {};
      }
    }
    advance();
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
  __device__ void copy_async(float* tile) {
#pragma unroll
    for (int i = 0; i < kPacks; ++i) {
      const bool is_there = !kGuarded || is_inside(i);
      __pipeline_memcpy_async(tile + row(i) * kPitch + column(i), is_there ? address(i) : next, 4 * kPack,
                              is_there ? 0 : 4 * kPack);
    }
    advance();
  }
};

// A thread's share of C, and where it lies in the block's tile.
struct Accumulator {
  static constexpr int kLaneColumns = 32 / laneRows;
  static constexpr int kRowsOf4 = warpM / (laneRows * 4), kColumnsOf4 = warpN / (kLaneColumns * 4);
  // Rows that a lane has side by side.
  static constexpr int kRowsTogether = kTransposesA ? 4 : 1;
  static_assert(!kTiled || (kRowsOf4 * laneRows * 4 == warpM && kColumnsOf4 * kLaneColumns * 4 == warpN),
                "a warp's tile is made of its lanes' 4 x 4");

  float sums[kRowsOf4 > 0 ? kRowsOf4 * 4 : 1][kColumnsOf4 > 0 ? kColumnsOf4 * 4 : 1] = {};
  int first_row, first_column;

  __device__ Accumulator() {
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    constexpr int kWarpColumns = tileN / warpN;
    first_row = warp / kWarpColumns * warpM + lane / kLaneColumns * kRowsTogether;
    first_column = warp % kWarpColumns * warpN + lane % kLaneColumns * 4;
  }

  // The index of this thread's i-th row.
  static __device__ int row_offset(int i) {
    return i / kRowsTogether * laneRows * kRowsTogether + i % kRowsTogether;
  }
  static __device__ int column_offset(int j) { return j * kLaneColumns * 4; }

  struct ColumnOfA {
    Floats<4> at[kRowsOf4 > 0 ? kRowsOf4 : 1];
    __device__ float operator()(int i) const { return at[i / 4].at[i % 4]; }
  };
  __device__ ColumnOfA column_of_a(const float* column) const {
    ColumnOfA a;
#pragma unroll
    for (int i = 0; i < kRowsOf4; ++i) {
      a.at[i] = *reinterpret_cast<const Floats<4>*>(column + first_row + row_offset(i * 4));
    }
    return a;
  }

  struct RowOfB {
    Floats<4> at[kColumnsOf4 > 0 ? kColumnsOf4 : 1];
  };
  __device__ RowOfB row_of_b(const float* row) const {
    RowOfB b;
#pragma unroll
    for (int j = 0; j < kColumnsOf4; ++j) {
      b.at[j] = *reinterpret_cast<const Floats<4>*>(row + first_column + column_offset(j));
    }
    return b;
  }

  // One row of B's tile times what the thread has of one column of A's.
  template <class Column>
  __device__ void multiply(Column a, const RowOfB& b) {
#pragma unroll
    for (int i = 0; i < kRowsOf4 * 4; ++i) {
#pragma unroll
      for (int j = 0; j < kColumnsOf4 * 4; ++j) sums[i][j] = fmaf(a(i), b.at[j / 4].at[j % 4], sums[i][j]);
    }
  }

  template <int kPitchA, int kPitchB>
  __device__ void multiply_tiles(const float* a_tile, const float* b_tile) {
    if constexpr (kTransposesA) {
      // Load the next step's operands while this step computes; the last step loads the first one's again.
      ColumnOfA a = column_of_a(a_tile);
      RowOfB b = row_of_b(b_tile);
#pragma unroll kUnrolled
      for (int k = 0; k < tileK; ++k) {
        const int next = (k + 1) % tileK;
        const ColumnOfA next_a = column_of_a(a_tile + next * kPitchA);
        const RowOfB next_b = row_of_b(b_tile + next * kPitchB);
        multiply(a, b);
        a = next_a;
        b = next_b;
      }
    } else {
#pragma unroll kUnrolled / 4
      for (int k = 0; k < tileK; k += 4) {
        Floats<4> a[kRowsOf4 * 4];
#pragma unroll
        for (int i = 0; i < kRowsOf4 * 4; ++i) {
          a[i] = *reinterpret_cast<const Floats<4>*>(a_tile + (first_row + row_offset(i)) * kPitchA + k);
        }
#pragma unroll
        for (int step = 0; step < 4; ++step) {
          multiply([&](int i) { return a[i].at[step]; }, row_of_b(b_tile + (k + step) * kPitchB));
        }
      }
    }
  }

  template <int kPack, bool kGuarded>
  __device__ void store(float* c, long long rows, long long columns, long long block_row, long long block_column) const {
#pragma unroll
    for (int i = 0; i < kRowsOf4 * 4; ++i) {
      const long long r = block_row + first_row + row_offset(i);
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

// One block's tile of C. If is_inside, everything it touches is inside the matrices, except the last tiles along K. Only
// the copies ask for that, at run time: a second instance of the loop that computes would double the time to compile.
template <int kPack>
__device__ inline void block_tile(Matrix a, Matrix b, float* c, long long block_row, long long block_column,
                                  bool is_inside, float* shared) {
  using TransferA = Transfer<tileM, tileK, kPack, Along::columns, kTransposesA, 4>;
  using TransferB = Transfer<tileK, tileN, kPack, Along::rows, false, 0>;
  constexpr int kStage = TransferA::kSize + TransferB::kSize;
  auto a_tile = [&](long long tile) { return shared + static_cast<int>(tile % kStages) * kStage; };
  auto b_tile = [&](long long tile) { return a_tile(tile) + TransferA::kSize; };
  const long long tiles = (a.columns + tileK - 1) / tileK;
  TransferA from_a(a, block_row, 0);
  TransferB from_b(b, 0, block_column);
  Accumulator accumulator;
  auto multiply = [&](long long tile) {
    accumulator.multiply_tiles<TransferA::kPitch, TransferB::kPitch>(a_tile(tile), b_tile(tile));
  };

  if constexpr (kWay == Way::pipelined) {
    auto copy = [&](long long tile) {
      if (is_inside && from_a.is_whole()) {
        from_a.template copy_async<false>(a_tile(tile));
        from_b.template copy_async<false>(b_tile(tile));
      } else if (tile < tiles) {
        from_a.template copy_async<true>(a_tile(tile));
        from_b.template copy_async<true>(b_tile(tile));
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
    auto fetch = [&] {
      if (is_inside && from_a.is_whole()) {
        from_a.template fetch<false>();
        from_b.template fetch<false>();
      } else {
        from_a.template fetch<true>();
        from_b.template fetch<true>();
      }
    };
    auto store = [&](long long tile) {
      from_a.store(a_tile(tile));
      from_b.store(b_tile(tile));
      __syncthreads();
    };
    if constexpr (kWay == Way::prefetched) {
      if (tiles > 0) {
        fetch();
        store(0);
      }
      for (long long tile = 0; tile < tiles; ++tile) {
        const bool has_next = tile + 1 < tiles;
        if (has_next) fetch();
        multiply(tile);
        if (has_next) store(tile + 1);
      }
    } else {
      for (long long tile = 0; tile < tiles; ++tile) {
        fetch();
        store(tile);
        multiply(tile);
        __syncthreads();
      }
    }
  }
  if (is_inside) {
    accumulator.store<kPack, false>(c, a.rows, b.columns, block_row, block_column);
  } else {
    accumulator.store<kPack, true>(c, a.rows, b.columns, block_row, block_column);
  }
}

__device__ inline bool is_aligned(const float* address) { return reinterpret_cast<unsigned long long>(address) % 16 == 0; }

// A block's tile an element at a time.
__device__ inline void plain_tile(Matrix a, Matrix b, float* c, long long row, long long column) {
  for (int i = static_cast<int>(threadIdx.x); i < tileM * tileN; i += kThreads) {
    const long long r = row + i / tileN, s = column + i % tileN;
    if (r >= a.rows || s >= b.columns) continue;
    float sum = 0;
    for (long long k = 0; k < a.columns; ++k) sum = fmaf(a.at[r * a.columns + k], b.at[k * b.columns + s], sum);
    c[r * b.columns + s] = sum;
  }
}

template <bool kAligned>
__device__ inline void register_tiles(Matrix a, Matrix b, float* c) {
  extern __shared__ float4 shared_memory[];
  float* shared = reinterpret_cast<float*>(shared_memory);
  const auto place = gktune::place_of_tile<groupRows, long long>(blockIdx.x, (a.rows + tileM - 1) / tileM,
                                                                 (b.columns + tileN - 1) / tileN);
  const long long row = place.row * tileM, column = place.column * tileN;
  const bool is_inside = row + tileM <= a.rows && column + tileN <= b.columns;
  constexpr int kPack = kAligned ? kWidth : 1;
  const bool packs = a.columns % 4 == 0 && b.columns % 4 == 0 && is_aligned(a.at) && is_aligned(b.at) && is_aligned(c);
  if (kPack > 1 && !packs) {
    plain_tile(a, b, c, row, column);
  } else {
    block_tile<kPack>(a, b, c, row, column, is_inside, shared);
  }
}

template <bool kAligned>
__global__ void __launch_bounds__(kTiled ? kThreads : kTiledByThread ? kTileThreads : 1024)
    matmul(const float* a, const float* b, float* c, long long m, long long n, long long k) {
  const Matrix left{a, m, k}, right{b, k, n};
  if constexpr (kTiled) {
    register_tiles<kAligned>(left, right, c);
  } else if constexpr (kTiledByThread) {
    tiles_by_thread(left, right, c);
  } else if constexpr (kWay == Way::shared_tiles) {
    shared_tiles(left, right, c);
  } else {
    one_element(left, right, c);
  }
}
