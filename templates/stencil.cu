// Heat on a plate of any size: in each step every inner point becomes a weighted mean of itself and its four
// neighbours; points of the border keep their values.
//
// The ways, values of `way`:
//   direct  a thread computes perThread points below each other and reads all neighbours from global memory
//   shared  a block computes stepsAtOnce steps of its tile in shared memory, with as many more points on each side
//
// Parameters:
//   blockX, blockY  threads of a block
//   perThread       points of a thread, below each other
//   stepsAtOnce     shared: steps of a launch

enum class Way { direct, shared };

constexpr float kWeight = 0.125f;
constexpr int kHeight = blockY * perThread;  // of a block's tile; its width is blockX
constexpr int kHalo = Way::way == Way::shared ? stepsAtOnce : 0;
constexpr int kWide = blockX + 2 * kHalo, kHigh = kHeight + 2 * kHalo;

__device__ inline float mean(float center, float left, float right, float above, float below) {
  return center + kWeight * (left + right + above + below - 4 * center);
}

// Computes `steps` steps, at most stepsAtOnce.
__global__ void __launch_bounds__(blockX * blockY)
    stencil(const float* from, float* to, long long height, long long width, int steps) {
  const long long tiles_across = (width + blockX - 1) / blockX;
  const long long top = blockIdx.x / tiles_across * kHeight, left = blockIdx.x % tiles_across * blockX;

  if constexpr (Way::way == Way::direct) {
#pragma unroll
    for (int k = 0; k < perThread; ++k) {
      const long long y = top + threadIdx.y + k * blockY, x = left + threadIdx.x;
      if (y >= height || x >= width) continue;
      const float* at = from + y * width + x;
      const bool is_inner = y > 0 && y + 1 < height && x > 0 && x + 1 < width;
      to[y * width + x] = is_inner ? mean(at[0], at[-1], at[1], at[-width], at[width]) : at[0];
    }
  } else {
    __shared__ float tiles[2][kHigh][kWide];
    // Points outside of the plate are never used.
    for (int y = threadIdx.y; y < kHigh; y += blockY) {
      for (int x = threadIdx.x; x < kWide; x += blockX) {
        const long long row = top + y - kHalo, column = left + x - kHalo;
        const bool is_there = row >= 0 && row < height && column >= 0 && column < width;
        tiles[0][y][x] = is_there ? from[row * width + column] : 0;
      }
    }
    for (int step = 0; step < steps; ++step) {
      __syncthreads();
      const int now = step % 2, edge = step + 1;  // points at the tile's edge lack neighbours
      for (int y = edge + threadIdx.y; y < kHigh - edge; y += blockY) {
        for (int x = edge + threadIdx.x; x < kWide - edge; x += blockX) {
          const long long row = top + y - kHalo, column = left + x - kHalo;
          const bool is_inner = row > 0 && row + 1 < height && column > 0 && column + 1 < width;
          const float center = tiles[now][y][x];
          tiles[1 - now][y][x] = is_inner ? mean(center, tiles[now][y][x - 1], tiles[now][y][x + 1],
                                                 tiles[now][y - 1][x], tiles[now][y + 1][x])
                                          : center;
        }
      }
    }
    __syncthreads();
    for (int k = 0; k < perThread; ++k) {
      const int y = static_cast<int>(threadIdx.y) + k * blockY, x = static_cast<int>(threadIdx.x);
      if (top + y < height && left + x < width)
        to[(top + y) * width + left + x] = tiles[steps % 2][y + kHalo][x + kHalo];
    }
  }
}

// Copies the plate.
__global__ void move(const float* from, float* to, long long height, long long width) {
  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (i < height * width) to[i] = from[i];
}
