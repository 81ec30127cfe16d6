// out = softmax(Q K^T / sqrt(width)) V for each of many heads, in bfloat16 or half precision, with sums and softmax in
// single precision: what torch.nn.functional.scaled_dot_product_attention(q, k, v) computes. Q, K, V and out are each
// heads x tokens x width, without gaps; the heads of all sequences of a batch follow each other. A head has up to 128
// columns. In the problem's pattern `causal` a token sees itself and the tokens before it, in `full` it sees all.
//
// A block has some rows of Q. It goes through tiles of K and V, and for each row it keeps the greatest score so far and
// the sum of the weights, exp(score - greatest). When a tile has a greater score, what was summed up is scaled.
//
// The ways, values of `way`:
//   plain  ordinary arithmetic on tiles in shared memory; needs no tensor cores
//   mma    tensor cores by mma.sync (compute capability 8.0 and later): ldmatrix reads tiles from shared memory, while
//          the next stages - 1 of them are on their way there, asynchronously. width is a multiple of 8, or each
//          element is copied by itself
//   wgmma  tensor cores by wgmma (compute capability 9.0 alone): one thread brings tiles to shared memory by TMA;
//          groups of four warps have 64 rows each. A group computes weights while tensor cores multiply its weights of
//          the tile before, and while they work for another group: the groups take turns. width is a multiple of 8
//
// Parameters:
//   tileM, tileN  rows of Q of a block, and of K and V of a tile
//   warpM         mma: rows of Q of a warp
//   stages        mma, wgmma: tiles of K and V in shared memory
//   groupHeads    heads whose blocks run side by side. Few heads find their tiles in L2. Causal blocks that see most
//                 tokens come first: with many heads all multiprocessors are busy to the end
// The problem's `element` is __nv_bfloat16 or half.

#include "common/reduction.cuh"
#include "common/tensor_cores.cuh"
#include "common/tile_order.cuh"
#include "common/warpgroups.cuh"

using namespace gktune;

enum class Way { plain, mma, wgmma };
enum class Pattern { full, causal };
constexpr bool kIsCausal = Pattern::pattern == Pattern::causal;

// Rows of one head from `row` on, and the number of tiles of keys that they look at.
struct Work {
  int head, row, tiles;

  __device__ Work(int index, int heads, int tokens) {
    const int blocks = (tokens + tileM - 1) / tileM;
    const auto place = place_of_tile<groupHeads>(index, heads, blocks);
    head = place.row;
    row = (kIsCausal ? blocks - 1 - place.column : place.column) * tileM;
    const int keys = kIsCausal && row + tileM < tokens ? row + tileM : tokens;
    tiles = (keys + tileN - 1) / tileN;
  }
};

// Scores count in powers of 2.
__device__ inline float scale_of(int width) { return 1.4426950408889634f / sqrtf(static_cast<float>(width)); }

// A row sees the keys in front of this one.
__device__ inline int end_of_keys(int row, int tokens) { return kIsCausal ? row + 1 : tokens; }

// A tile of keys has some that the row or one below it does not see.
__device__ inline bool has_hidden_keys(int tile, int row, int tokens) {
  return (tile + 1) * tileN > end_of_keys(row, tokens);
}

// The softmax of a row whose scores arrive in tiles.
struct Softmax {
  float greatest = -INFINITY, sum = 0, offset = 0;

  // Takes the greatest score of a tile. Returns by what all that was summed up before is multiplied.
  __device__ float raise(float score, float scale) {
    const float before = greatest * scale;
    greatest = fmaxf(greatest, score);
    offset = greatest == -INFINITY ? 0 : greatest * scale;  // no key of the row so far
    const float factor = exp2f(before - offset);
    sum *= factor;
    return factor;
  }
  __device__ float weight(float score, float scale) {
    const float weight = exp2f(fmaf(score, scale, -offset));
    sum += weight;
    return weight;
  }
};

template <int kLanes>
__device__ inline float greatest_of_lanes(float value) {
#pragma unroll
  for (int offset = kLanes / 2; offset > 0; offset /= 2)
    value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, offset));
  return value;
}

// ---- Ordinary arithmetic ----------------------------------------------------------------------------------------

constexpr int kPlainThreads = 16;  // along rows and columns

template <int kWidth>
__device__ inline void load_plain(Matrix matrix, long long first_row, int rows, float* tile) {
  for (int i = threadIdx.y * kPlainThreads + threadIdx.x; i < rows * kWidth; i += kPlainThreads * kPlainThreads) {
    const long long row = first_row + i / kWidth, column = i % kWidth;
    const bool is_inside = row < matrix.rows && column < matrix.columns;
    tile[i / kWidth * (kWidth + 1) + i % kWidth] =
        is_inside ? static_cast<float>(matrix.at[row * matrix.columns + column]) : 0.0f;
  }
}

// Adds a product to the sums of a thread, whose rows and columns lie kPlainThreads apart.
template <int kRows, int kColumns>
__device__ inline void add_product(float (&sums)[kRows][kColumns], const float* left, int left_stride,
                                   const float* right, int right_stride, int column_stride, int depth) {
  left += threadIdx.y * left_stride;
  right += threadIdx.x * column_stride;
#pragma unroll 4
  for (int step = 0; step < depth; ++step) {
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
#pragma unroll
      for (int j = 0; j < kColumns; ++j)
        sums[i][j] = fmaf(left[i * kPlainThreads * left_stride + step],
                          right[j * kPlainThreads * column_stride + step * right_stride], sums[i][j]);
    }
  }
}

// Writes the weights of a tile to shared memory. Returns by what the sums of each row are multiplied.
template <int kRows, int kKeys>
__device__ inline void weigh_plain(float (&scores)[kRows][kKeys], Softmax (&softmax)[kRows], float* weights, int row,
                                   int tile, int tokens, float scale, float (&factors)[kRows]) {
  const int y = static_cast<int>(threadIdx.y), x = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const int own = y + i * kPlainThreads, end = end_of_keys(row + own, tokens) - tile * tileN;
    float greatest = -INFINITY;
#pragma unroll
    for (int j = 0; j < kKeys; ++j) {
      if (x + j * kPlainThreads >= end) scores[i][j] = -INFINITY;
      greatest = fmaxf(greatest, scores[i][j]);
    }
    factors[i] = softmax[i].raise(greatest_of_lanes<kPlainThreads>(greatest), scale);
#pragma unroll
    for (int j = 0; j < kKeys; ++j)
      weights[own * (tileN + 1) + x + j * kPlainThreads] = softmax[i].weight(scores[i][j], scale);
  }
}

template <int kWidth>
__global__ void __launch_bounds__(kPlainThreads* kPlainThreads)
    attend_plain(const element* q, const element* k, const element* v, element* out, int heads, int tokens, int width) {
  constexpr int kRows = tileM / kPlainThreads, kKeys = tileN / kPlainThreads, kColumns = kWidth / kPlainThreads;
  extern __shared__ __align__(1024) unsigned char memory[];
  float *const queries = reinterpret_cast<float*>(memory), *const keys = queries + tileM * (kWidth + 1);
  float* const weights = keys + tileN * (kWidth + 1);
  const Work work(static_cast<int>(blockIdx.x), heads, tokens);
  const long long begin = static_cast<long long>(work.head) * tokens * width;
  const float scale = scale_of(width);
  Softmax softmax[kRows];
  float sums[kRows][kColumns] = {};
  load_plain<kWidth>({q + begin, tokens, width}, work.row, tileM, queries);
  for (int tile = work.tiles - 1; tile >= 0; --tile) {
    load_plain<kWidth>({k + begin, tokens, width}, static_cast<long long>(tile) * tileN, tileN, keys);
    __syncthreads();
    float scores[kRows][kKeys] = {}, factors[kRows];
    add_product(scores, queries, kWidth + 1, keys, 1, kWidth + 1, width);
    weigh_plain(scores, softmax, weights, work.row, tile, tokens, scale, factors);
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
#pragma unroll
      for (int j = 0; j < kColumns; ++j) sums[i][j] *= factors[i];
    }
    __syncthreads();
    load_plain<kWidth>({v + begin, tokens, width}, static_cast<long long>(tile) * tileN, tileN, keys);
    __syncthreads();
    add_product(sums, weights, tileN + 1, keys, kWidth + 1, 1, tileN);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const int row = work.row + static_cast<int>(threadIdx.y) + i * kPlainThreads;
    const float factor = 1 / over_lanes<Operation::sum, kPlainThreads>(softmax[i].sum);
#pragma unroll
    for (int j = 0; j < kColumns; ++j) {
      const int column = static_cast<int>(threadIdx.x) + j * kPlainThreads;
      if (row < tokens && column < width)
        out[begin + static_cast<long long>(row) * width + column] = static_cast<element>(sums[i][j] * factor);
    }
  }
}

// ---- Tensor cores ---------------------------------------------------------------------------------------------------

// A warp holds 16 rows of a product. Each lane holds pairs of neighbouring elements, of row lane / 4 and of row
// lane / 4 + 8 in turn. The pairs of a row are eight columns apart.
__device__ inline int lane() { return static_cast<int>(threadIdx.x) % 32; }

// Hides keys that the rows do not see, of which the first has the number `row`.
template <int kCount>
__device__ inline void hide_keys(float (&scores)[kCount], int tile, int row, int tokens) {
  const int end = end_of_keys(row + lane() / 4, tokens), end_below = end_of_keys(row + lane() / 4 + 8, tokens);
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    const int key = tile * tileN + i / 4 * 8 + lane() % 4 * 2 + i % 2;
    if (key >= (i / 2 % 2 == 0 ? end : end_below)) scores[i] = -INFINITY;
  }
}

// Replaces scores by weights.
template <int kCount>
__device__ inline void weigh(float (&scores)[kCount], Softmax (&softmax)[2], float scale, float (&factors)[2]) {
#pragma unroll
  for (int below = 0; below < 2; ++below) {
    float greatest = scores[below * 2];
#pragma unroll
    for (int i = below * 2; i < kCount; i += 4) greatest = fmaxf(greatest, fmaxf(scores[i], scores[i + 1]));
    factors[below] = softmax[below].raise(greatest_of_lanes<4>(greatest), scale);
#pragma unroll
    for (int i = below * 2; i < kCount; i += 4) {
      scores[i] = softmax[below].weight(scores[i], scale);
      scores[i + 1] = softmax[below].weight(scores[i + 1], scale);
    }
  }
}

// The same of a tile, which may have keys that the rows do not see.
template <int kCount>
__device__ inline void weigh_tile(float (&scores)[kCount], Softmax (&softmax)[2], int tile, int row, int tokens,
                                  float scale, float (&factors)[2]) {
  if (has_hidden_keys(tile, row, tokens)) hide_keys(scores, tile, row, tokens);
  weigh(scores, softmax, scale, factors);
}

template <int kCount>
__device__ inline void multiply_rows(float (&sums)[kCount], const float (&factors)[2]) {
#pragma unroll
  for (int i = 0; i < kCount; ++i) sums[i] *= factors[i / 2 % 2];
}

// The weights of 16 keys, as a product takes them.
template <int kCount>
__device__ inline void round_weights(unsigned (&rounded)[4], const float (&weights)[kCount], int step) {
#pragma unroll
  for (int i = 0; i < 4; ++i) rounded[i] = pair_of(weights[step * 8 + i * 2], weights[step * 8 + i * 2 + 1]);
}

template <int kCount>
__device__ inline void store_rows(float (&sums)[kCount], const Softmax (&softmax)[2], element* out, int row, int tokens,
                                  int width) {
  const float factors[2] = {1 / over_lanes<Operation::sum, 4>(softmax[0].sum),
                            1 / over_lanes<Operation::sum, 4>(softmax[1].sum)};
  multiply_rows(sums, factors);
  const bool in_pairs = width % 2 == 0 && is_aligned(out, 4);
#pragma unroll
  for (int below = 0; below < 2; ++below) {
    const int own = row + lane() / 4 + below * 8;
    if (own >= tokens) continue;
#pragma unroll
    for (int i = below * 2; i < kCount; i += 4) {
      const int column = i / 4 * 8 + lane() % 4 * 2;
      store_pair(out + static_cast<long long>(own) * width + column, sums[i], sums[i + 1], width - column, in_pairs);
    }
  }
}

template <int kWidth, int kParts>
__device__ inline void add_scores(float (&scores)[kParts][tileN / 2], const element* queries, const element* keys) {
#pragma unroll
  for (int depth = 0; depth < kWidth / 16; ++depth) {
    unsigned left[kParts][4], upper[4];
    const element* packs_of_queries = queries + place_of_pack<kWidth>(lane() % 16, depth * 2 + lane() / 16);
    const element* packs_of_keys =
        keys + place_of_pack<kWidth>(lane() / 16 * 8 + lane() % 8, depth * 2 + lane() / 8 % 2);
#pragma unroll
    for (int part = 0; part < kParts; ++part)
      load_matrices(left[part], packs_of_queries + part * (16 * kWidth));
#pragma unroll
    for (int j = 0; j < tileN / 16; ++j) {
      load_matrices(upper, packs_of_keys + j * (16 * kWidth));
#pragma unroll
      for (int i = 0; i < kParts * 2; ++i)
        multiply_accumulate(scores[i / 2] + j * 8 + i % 2 * 4, left[i / 2], upper[i % 2 * 2], upper[i % 2 * 2 + 1]);
    }
  }
}

template <int kWidth, int kParts>
__device__ inline void add_values(float (&sums)[kParts][kWidth / 2], const float (&weights)[kParts][tileN / 2],
                                  const element* values) {
#pragma unroll
  for (int depth = 0; depth < tileN / 16; ++depth) {
    unsigned left[kParts][4], upper[4];
#pragma unroll
    for (int part = 0; part < kParts; ++part) round_weights(left[part], weights[part], depth);
    const element* packs_of_values = values + depth * (16 * kWidth);
#pragma unroll
    for (int j = 0; j < kWidth / 16; ++j) {
      load_transposed(upper, packs_of_values + place_of_pack<kWidth>(lane() % 16, j * 2 + lane() / 16));
#pragma unroll
      for (int i = 0; i < kParts * 2; ++i)
        multiply_accumulate(sums[i / 2] + j * 8 + i % 2 * 4, left[i / 2], upper[i % 2 * 2], upper[i % 2 * 2 + 1]);
    }
  }
}

template <int kWidth>
__global__ void __launch_bounds__(tileM / warpM * 32)
    attend_mma(const element* q, const element* k, const element* v, element* out, int heads, int tokens, int width) {
  constexpr int kThreads = tileM / warpM * 32, kParts = warpM / 16, kTile = tileN * kWidth;
  extern __shared__ __align__(1024) unsigned char memory[];
  element *const queries = reinterpret_cast<element*>(memory), *const tiles = queries + tileM * kWidth;
  const Work work(static_cast<int>(blockIdx.x), heads, tokens);
  const long long begin = static_cast<long long>(work.head) * tokens * width;
  const bool in_packs = width % kPack == 0 && is_aligned(q, 16) && is_aligned(k, 16) && is_aligned(v, 16);
  // Tiles of keys and of values in turn, the last ones first.
  auto copy = [&](int step, int stage) {
    if (step < work.tiles * 2) {
      const Matrix from{(step % 2 == 0 ? k : v) + begin, tokens, width};
      TileCopy<tileN, kWidth, kThreads>(from, static_cast<long long>(work.tiles - 1 - step / 2) * tileN)
          .copy(tiles + stage * kTile, in_packs);
    }
    __pipeline_commit();  // an empty one keeps the count
  };
  TileCopy<tileM, kWidth, kThreads>({q + begin, tokens, width}, work.row).copy(queries, in_packs);
  for (int stage = 0; stage < stages - 1; ++stage) copy(stage, stage);
  int step = 0, used = 0, filled = stages - 1;
  auto next_tile = [&]() {
    __pipeline_wait_prior(stages - 2);
    __syncthreads();
    copy(step++ + stages - 1, filled);
    filled = used;
    used = used + 1 == stages ? 0 : used + 1;
    return tiles + filled * kTile;
  };

  const int first_row = static_cast<int>(threadIdx.x) / 32 * warpM, row = work.row + first_row;
  const element* const own_queries = queries + first_row * kWidth;
  const float scale = scale_of(width);
  Softmax softmax[kParts][2];
  float sums[kParts][kWidth / 2] = {};
  for (int tile = work.tiles - 1; tile >= 0; --tile) {
    float scores[kParts][tileN / 2] = {};
    add_scores<kWidth>(scores, own_queries, next_tile());
#pragma unroll
    for (int part = 0; part < kParts; ++part) {
      float factors[2];
      weigh_tile(scores[part], softmax[part], tile, row + part * 16, tokens, scale, factors);
      multiply_rows(sums[part], factors);
    }
    add_values<kWidth>(sums, scores, next_tile());
  }
#pragma unroll
  for (int part = 0; part < kParts; ++part)
    store_rows(sums[part], softmax[part], out + begin, row + part * 16, tokens, width);
}

// ---- wgmma ------------------------------------------------------------------------------------------------------

// The tiles of wgmma; those of other ways would be errors in the code below.
constexpr bool kIsWgmma = Way::way == Way::wgmma;
constexpr int kTileM = kIsWgmma ? tileM : 128, kTileN = kIsWgmma ? tileN : 128;
constexpr int kConsumers = kTileM / 64, kConsumerThreads = 128;
constexpr int kRowBytes = 128;  // of a box, 64 columns: what TMA swizzles
// Two consumers have more registers than three. Together with the producer they have all of a multiprocessor.
constexpr int kConsumerRegisters = kConsumers == 2 ? 240 : 160, kProducerRegisters = kConsumers == 2 ? 24 : 32;

template <int kWidth>
struct Shared {
  using Queries = Ring<1, kTileM * kWidth * 2>;
  using Tiles = Ring<stages, kTileN * kWidth * 2>;
};

// Brings a tile of kRows rows, in boxes side by side.
template <int kWidth, int kRows, class Tiles>
__device__ inline void produce_tile(Tiles& to, const TensorMap& from, int head, int row) {
  to.wait_until_empty();
#pragma unroll
  for (int box = 0; box < kWidth / 64; ++box)
    load_box_of(head, to.at() + box * kRows * kRowBytes, from, row, box * 64, to.full());
  to.advance();
}

// The keys of a tile come in front of the values of the tile before: consumers use them in this order.
template <int kWidth>
__device__ inline void produce(typename Shared<kWidth>::Queries queries, typename Shared<kWidth>::Tiles tiles,
                               const Work& work, const TensorMap& q, const TensorMap& k, const TensorMap& v) {
  produce_tile<kWidth, kTileM>(queries, q, work.head, work.row);
  for (int tile = work.tiles; tile >= 0; --tile) {
    if (tile > 0) produce_tile<kWidth, kTileN>(tiles, k, work.head, (tile - 1) * kTileN);
    if (tile < work.tiles) produce_tile<kWidth, kTileN>(tiles, v, work.head, tile * kTileN);
  }
}

// The compiler leaves accesses to sums on their side of this.
template <int kCount>
__device__ inline void pin(float (&sums)[kCount]) {
#pragma unroll
  for (int i = 0; i < kCount; ++i) asm volatile("" : "+f"(sums[i])::"memory");
}

// Waits for sums, of which kGroups groups of products behind them are not part.
template <int kGroups, int kCount>
__device__ inline void end_products(float (&sums)[kCount]) {
  warpgroup_wait<kGroups>();
  pin(sums);
}

template <int kWidth>
__device__ inline void begin_scores(float (&scores)[kTileN / 2], unsigned queries, unsigned keys) {
  pin(scores);
  warpgroup_begin();
#pragma unroll
  for (int step = 0; step < kWidth / 16; ++step) {
    const int box = step / 4, offset = step % 4 * 32;
    warpgroup_multiply(scores, matrix_descriptor(queries + box * kTileM * kRowBytes + offset),
                       matrix_descriptor(keys + box * kTileN * kRowBytes + offset), step > 0);
  }
  warpgroup_commit();
}

__device__ inline void round_weights(unsigned (&rounded)[kTileN / 16][4], const float (&weights)[kTileN / 2]) {
#pragma unroll
  for (int step = 0; step < kTileN / 16; ++step) round_weights(rounded[step], weights, step);
}

template <int kCount>
__device__ inline void begin_sums(float (&sums)[kCount], const unsigned (&weights)[kTileN / 16][4], unsigned values) {
  pin(sums);
  warpgroup_begin();
#pragma unroll
  for (int step = 0; step < kTileN / 16; ++step)
    warpgroup_multiply(sums, weights[step], matrix_descriptor(values + step * 16 * kRowBytes, kTileN * kRowBytes));
  warpgroup_commit();
}

// The consumers give work to tensor cores one after the other: while those work for one, the others compute weights.
struct Turn {
  int own, next;  // barriers

  __device__ explicit Turn(int consumer) : own(1 + consumer), next(1 + (consumer + 1) % kConsumers) {
    if (next == 1) pass();
  }
  __device__ void wait() const { asm volatile("bar.sync %0, %1;" ::"r"(own), "n"(2 * kConsumerThreads) : "memory"); }
  __device__ void pass() const { asm volatile("bar.arrive %0, %1;" ::"r"(next), "n"(2 * kConsumerThreads) : "memory"); }
};

// Says that a consumer has read a tile: one of its threads says it for all.
template <class Tiles>
__device__ inline void release(Tiles& tiles) {
  if (threadIdx.x % kConsumerThreads == 0) tiles.empty().arrive_at(0);
  tiles.advance();
}

template <int kWidth>
__device__ inline void consume(typename Shared<kWidth>::Queries queries, typename Shared<kWidth>::Tiles tiles,
                               const Work& work, element* out, int tokens, int width) {
  const int consumer = static_cast<int>(threadIdx.x) / kConsumerThreads - 1;
  const int row = work.row + consumer * 64 + static_cast<int>(threadIdx.x) % kConsumerThreads / 32 * 16;
  const unsigned own_queries = queries.at() + consumer * 64 * kRowBytes;
  const float scale = scale_of(width);
  const Turn turn(consumer);
  Softmax softmax[2];
  float sums[kWidth / 2] = {}, scores[kTileN / 2], factors[2];
  unsigned weights[kTileN / 16][4];
  queries.wait_until_full();
  tiles.wait_until_full();
  turn.wait();
  begin_scores<kWidth>(scores, own_queries, tiles.at());
  turn.pass();
  end_products<0>(scores);
  release(tiles);
  weigh_tile(scores, softmax, work.tiles - 1, row, tokens, scale, factors);
  round_weights(weights, scores);
  for (int tile = work.tiles - 2; tile >= 0; --tile) {
    auto keys = tiles;
    keys.wait_until_full();
    turn.wait();
    begin_scores<kWidth>(scores, own_queries, keys.at());
    tiles.advance();
    tiles.wait_until_full();
    begin_sums(sums, weights, tiles.at());
    turn.pass();
    end_products<1>(scores);
    release(keys);
    weigh_tile(scores, softmax, tile, row, tokens, scale, factors);
    end_products<0>(sums);
    release(tiles);
    multiply_rows(sums, factors);
    round_weights(weights, scores);
  }
  tiles.wait_until_full();
  begin_sums(sums, weights, tiles.at());
  end_products<0>(sums);
  store_rows(sums, softmax, out, row, tokens, width);
}

template <int kWidth>
__global__ void __launch_bounds__((kConsumers + 1) * kConsumerThreads, 1)
    attend_wgmma(const __grid_constant__ TensorMap q, const __grid_constant__ TensorMap k,
                 const __grid_constant__ TensorMap v, element* out, int heads, int tokens, int width) {
  using Queries = typename Shared<kWidth>::Queries;
  using Tiles = typename Shared<kWidth>::Tiles;
  extern __shared__ __align__(1024) unsigned char memory[];
  const unsigned begin = shared_address(memory), barriers = begin + Queries::kBytes + Tiles::kBytes;
  const Queries queries{begin, barriers};
  const Tiles tiles{begin + Queries::kBytes, barriers + 16};
  const Work work(static_cast<int>(blockIdx.x), heads, tokens);
  if (threadIdx.x == 0) {
    queries.init(kConsumers);
    tiles.init(kConsumers);
    publish_barriers();
  }
  __syncthreads();
  if (threadIdx.x < kConsumerThreads) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kProducerRegisters));
    if (threadIdx.x == 0) produce<kWidth>(queries, tiles, work, q, k, v);
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kConsumerRegisters));
    consume<kWidth>(queries, tiles, work, out + static_cast<long long>(work.head) * tokens * width, tokens, width);
  }
}
