// out[column][row] = in[row][column] of a matrix of any size.
//
// The ways, values of `way`:
//   naive     each thread moves its elements from row to column: reads are neighbours, writes are not
//   tiled     a block moves a square tile through shared memory: reads and writes are neighbours
//   swizzled  the same, with the tile's columns exchanged by row instead of padded
//
// Parameters:
//   tile      width and height of a block's tile
//   rows      rows of threads in a block; each thread moves tile / rows elements
//   padding   tiled: unused columns of the tile in shared memory, against bank conflicts
//   loadHint  plain, streaming (see common/loads.cuh)

#include "common/loads.cuh"

enum class Way { naive, tiled, swizzled };

__device__ inline float load(const float* address) {
  return gktune::load_pack<gktune::Hint::loadHint, 1>(address).at[0];
}

// The column of shared memory that holds a column of the tile.
__device__ inline int place_of(int row, int column) {
  return Way::way == Way::swizzled ? (column ^ row) % tile : column;
}

// A grid of one dimension: the others allow too few blocks.
__global__ void __launch_bounds__(tile * rows)
    transpose(const float* in, float* out, long long height, long long width) {
  const long long tiles_across = (width + tile - 1) / tile;
  const long long top = blockIdx.x / tiles_across * tile, left = blockIdx.x % tiles_across * tile;
  const int x = static_cast<int>(threadIdx.x), first = static_cast<int>(threadIdx.y);

  if constexpr (Way::way == Way::naive) {
    for (int y = first; y < tile; y += rows) {
      if (top + y < height && left + x < width) out[(left + x) * height + top + y] = load(in + (top + y) * width + left + x);
    }
  } else {
    __shared__ float values[tile][tile + padding];
#pragma unroll
    for (int y = first; y < tile; y += rows) {
      if (top + y < height && left + x < width) values[y][place_of(y, x)] = load(in + (top + y) * width + left + x);
    }
    __syncthreads();
#pragma unroll
    for (int y = first; y < tile; y += rows) {
      if (left + y < width && top + x < height) out[(left + y) * height + top + x] = values[x][place_of(x, y)];
    }
  }
}
