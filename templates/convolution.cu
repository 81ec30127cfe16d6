// out = image * filter: the sum over a square of 7 x 7 points around each point of an image of any size. The filter lies
// in constant memory; points outside of the image count as 0.
//
// The ways, values of `way`:
//   direct  a thread reads all points that it needs from global memory
//   shared  a block reads its tile and the points around it into shared memory first
//
// Parameters:
//   blockX, blockY  threads of a block
//   perThread       points of a thread, below each other

enum class Way { direct, shared };

constexpr int kRadius = 3, kSize = 2 * kRadius + 1;
constexpr int kHeight = blockY * perThread;  // of a block's tile; its width is blockX

__constant__ float filter[kSize * kSize];

__global__ void __launch_bounds__(blockX * blockY)
    convolution(const float* image, float* out, long long height, long long width) {
  const long long tiles_across = (width + blockX - 1) / blockX;
  const long long top = blockIdx.x / tiles_across * kHeight, left = blockIdx.x % tiles_across * blockX;
  const int x = static_cast<int>(threadIdx.x), first = static_cast<int>(threadIdx.y);
  float sums[perThread] = {};

  if constexpr (Way::way == Way::direct) {
#pragma unroll
    for (int k = 0; k < perThread; ++k) {
      const long long y = top + first + k * blockY;
      for (int i = 0; i < kSize; ++i) {
        for (int j = 0; j < kSize; ++j) {
          const long long row = y + i - kRadius, column = left + x + j - kRadius;
          const bool is_there = row >= 0 && row < height && column >= 0 && column < width;
          sums[k] += filter[i * kSize + j] * (is_there ? image[row * width + column] : 0);
        }
      }
    }
  } else {
    __shared__ float points[kHeight + 2 * kRadius][blockX + 2 * kRadius];
    for (int i = first; i < kHeight + 2 * kRadius; i += blockY) {
      for (int j = x; j < blockX + 2 * kRadius; j += blockX) {
        const long long row = top + i - kRadius, column = left + j - kRadius;
        const bool is_there = row >= 0 && row < height && column >= 0 && column < width;
        points[i][j] = is_there ? image[row * width + column] : 0;
      }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kSize; ++i) {
#pragma unroll
      for (int j = 0; j < kSize; ++j) {
#pragma unroll
        for (int k = 0; k < perThread; ++k)
          sums[k] += filter[i * kSize + j] * points[first + k * blockY + i][x + j];
      }
    }
  }
#pragma unroll
  for (int k = 0; k < perThread; ++k) {
    const long long y = top + first + k * blockY;
    if (y < height && left + x < width) out[y * width + left + x] = sums[k];
  }
}
