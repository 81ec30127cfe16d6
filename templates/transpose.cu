// out[column][row] = in[row][column] of a matrix of any size.
//
// The ways, values of `way`:
//   naive     each thread moves its elements from row to column: reads are neighbours, writes are not
//   tiled     a block moves a square tile through shared memory: reads and writes are neighbours
//   swizzled  the same, with the tile's columns exchanged by row instead of padded
//
// Parameters:
//   tile         width and height of a block's tile
//   rows         rows of threads in a block; each thread moves tile / rows packs
//   vectorWidth  elements of a load and of a store; 4 needs rows and columns of a multiple of 4
//   padding      tiled: unused columns of the tile in shared memory, against bank conflicts
//   loadHint     plain, streaming (see common/loads.cuh)

#include "common/loads.cuh"

enum class Way { naive, tiled, swizzled };

using Values = gktune::Pack<float, vectorWidth>;

// False: the array begins between two packs, so that each element moves alone.
__device__ inline bool is_aligned(const float* array) {
  return reinterpret_cast<unsigned long long>(array) % sizeof(Values) == 0;
}

__device__ inline Values load(const float* address, bool in_packs) {
  if (in_packs) return gktune::load_pack<gktune::Hint::loadHint, vectorWidth>(address);
  Values values;
#pragma unroll
  for (int k = 0; k < vectorWidth; ++k) values.at[k] = address[k];
  return values;
}

__device__ inline void store(float* address, const Values& values, bool in_packs) {
  if (in_packs) return gktune::store_pack<gktune::Hint::plain>(address, values);
#pragma unroll
  for (int k = 0; k < vectorWidth; ++k) address[k] = values.at[k];
}

// The column of shared memory that holds a column of the tile.
__device__ inline int place_of(int row, int column) {
  return Way::way == Way::swizzled ? (column ^ row) % tile : column;
}

// A grid of one dimension: the others allow too few blocks.
__global__ void __launch_bounds__(tile / vectorWidth * rows)
    transpose(const float* in, float* out, long long height, long long width) {
  const long long tiles_across = (width + tile - 1) / tile;
  const long long top = blockIdx.x / tiles_across * tile, left = blockIdx.x % tiles_across * tile;
  const int x = static_cast<int>(threadIdx.x) * vectorWidth, first = static_cast<int>(threadIdx.y);

  // All loads are on their way before the first value is used.
  constexpr int kEach = tile / rows;
  const bool in_packs = is_aligned(in), out_packs = is_aligned(out);
  Values own[kEach] = {};
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const int y = first + i * rows;
    if (top + y < height && left + x < width) own[i] = load(in + (top + y) * width + left + x, in_packs);
  }
  if constexpr (Way::way == Way::naive) {
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      const int y = first + i * rows;
      if (top + y < height && left + x < width) out[(left + x) * height + top + y] = own[i].at[0];
    }
  } else {
    __shared__ float values[tile][tile + padding];
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      const int y = first + i * rows;
#pragma unroll
      for (int k = 0; k < vectorWidth; ++k) values[y][place_of(y, x + k)] = own[i].at[k];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      const int y = first + i * rows;
      if (left + y >= width || top + x >= height) continue;
      Values moved;
#pragma unroll
      for (int k = 0; k < vectorWidth; ++k) moved.at[k] = values[x + k][place_of(x + k, y)];
      store(out + (left + y) * height + top + x, moved, out_packs);
    }
  }
}
