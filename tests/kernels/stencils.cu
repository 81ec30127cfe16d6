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

__device__ float slope(const float* in, int y, int x, int height, int width) {
  const auto value = [&](int i, int j) { return in[at(y + i, x + j, height, width)]; };
  const float across = value(-1, 1) + 2 * value(0, 1) + value(1, 1) - value(-1, -1) - 2 * value(0, -1) - value(1, -1);
  const float down = value(1, -1) + 2 * value(1, 0) + value(1, 1) - value(-1, -1) - 2 * value(-1, 0) - value(-1, 1);
  return sqrtf(across * across + down * down);
}
__global__ void sobel(const float* in, float* out, int height, int width) {
  const int y = blockIdx.y * kBlockY + threadIdx.y, x = blockIdx.x * kBlockX + threadIdx.x;
  if (y < height && x < width) out[y * width + x] = slope(in, y, x, height, width);
}
__global__ void sobel_reference(const float* in, float* out, int height, int width) {
  for (int i = 0; i < height * width; ++i) out[i] = slope(in, i / width, i % width, height, width);
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

__global__ void max_pool(const float* in, float* out, int height, int width) {
  const int y = blockIdx.y * kBlockY + threadIdx.y, x = blockIdx.x * kBlockX + threadIdx.x;
  if (y >= height / 2 || x >= width / 2) return;
  const float* corner = in + 2 * y * width + 2 * x;
  out[y * (width / 2) + x] = fmaxf(fmaxf(corner[0], corner[1]), fmaxf(corner[width], corner[width + 1]));
}
__global__ void max_pool_reference(const float* in, float* out, int height, int width) {
  for (int i = 0; i < height / 2 * (width / 2); ++i) {
    const int y = i / (width / 2), x = i % (width / 2);
    float most = in[2 * y * width + 2 * x];
    for (int k = 1; k < 4; ++k) {
      const float each = in[(2 * y + k / 2) * width + 2 * x + k % 2];
      most = each > most ? each : most;
    }
    out[i] = most;
  }
}

__global__ void enlarge(const float* in, float* out, int height, int width) {
  const int y = blockIdx.y * kBlockY + threadIdx.y, x = blockIdx.x * kBlockX + threadIdx.x;
  if (y >= 2 * height || x >= 2 * width) return;
  const float down = y % 2 * 0.5f, across = x % 2 * 0.5f;
  const int i = y / 2, j = x / 2;
  const float above = in[at(i, j, height, width)] * (1 - across) + in[at(i, j + 1, height, width)] * across;
  const float below = in[at(i + 1, j, height, width)] * (1 - across) + in[at(i + 1, j + 1, height, width)] * across;
  out[y * 2 * width + x] = above * (1 - down) + below * down;
}
__global__ void enlarge_reference(const float* in, float* out, int height, int width) {
  for (int k = 0; k < 4 * height * width; ++k) {
    const int y = k / (2 * width), x = k % (2 * width);
    float sum = 0;
    for (int corner = 0; corner < 4; ++corner) {
      const int i = y / 2 + corner / 2 * (y % 2), j = x / 2 + corner % 2 * (x % 2);
      sum += 0.25f * in[at(i, j, height, width)];
    }
    out[k] = sum;
  }
}

// A filter in constant memory.
__constant__ float weights[9];
__global__ void filtered(const float* in, float* out, int height, int width) {
  const int y = blockIdx.y * kBlockY + threadIdx.y, x = blockIdx.x * kBlockX + threadIdx.x;
  if (y >= height || x >= width) return;
  float sum = 0;
  for (int k = 0; k < 9; ++k) sum += weights[k] * in[at(y + k / 3 - 1, x + k % 3 - 1, height, width)];
  out[y * width + x] = sum;
}
__global__ void filtered_reference(const float* in, const float* filter, float* out, int height, int width) {
  for (int i = 0; i < height * width; ++i) {
    float sum = 0;
    for (int k = 0; k < 9; ++k) sum += filter[k] * in[at(i / width + k / 3 - 1, i % width + k % 3 - 1, height, width)];
    out[i] = sum;
  }
}
