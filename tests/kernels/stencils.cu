// Kernels over two-dimensional fields.
constexpr int kBlockX = 16, kBlockY = 8;

__device__ int at(int y, int x, int height, int width) {
  y = max(0, min(height - 1, y));
  x = max(0, min(width - 1, x));
  return y * width + x;
}

__global__ void blur(const float* in, float* out, int height, int width) {
  __shared__ float tile[kBlockY + 2][kBlockX + 2];
  const int top = blockIdx.y * kBlockY - 1, left = blockIdx.x * kBlockX - 1;
  for (int y = threadIdx.y; y < kBlockY + 2; y += kBlockY) {
    for (int x = threadIdx.x; x < kBlockX + 2; x += kBlockX) tile[y][x] = in[at(top + y, left + x, height, width)];
  }
  __syncthreads();
  const int y = top + 1 + threadIdx.y, x = left + 1 + threadIdx.x;
  if (y >= height || x >= width) return;
  float sum = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) sum += tile[threadIdx.y + i][threadIdx.x + j];
  }
  out[y * width + x] = sum / 9;
}
__global__ void blur_reference(const float* in, float* out, int height, int width) {
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      float sum = 0;
      for (int i = -1; i <= 1; ++i) {
        for (int j = -1; j <= 1; ++j) sum += in[at(y + i, x + j, height, width)];
      }
      out[y * width + x] = sum / 9;
    }
  }
}

// Cells on a torus: one generation.
__device__ unsigned char next_cell(const unsigned char* in, int y, int x, int height, int width) {
  int alive = 0;
  for (int i = height - 1; i <= height + 1; ++i) {
    for (int j = width - 1; j <= width + 1; ++j) alive += in[(y + i) % height * width + (x + j) % width];
  }
  const int own = in[y * width + x];
  return alive - own == 3 || (own == 1 && alive - own == 2) ? 1 : 0;
}
__global__ void life(const unsigned char* in, unsigned char* out, int height, int width) {
  const int y = blockIdx.y * kBlockY + threadIdx.y, x = blockIdx.x * kBlockX + threadIdx.x;
  if (y < height && x < width) out[y * width + x] = next_cell(in, y, x, height, width);
}
__global__ void life_reference(const unsigned char* in, unsigned char* out, int height, int width) {
  for (int i = 0; i < height * width; ++i) out[i] = next_cell(in, i / width, i % width, height, width);
}

// A filter in constant memory.
__constant__ float weights[9];
