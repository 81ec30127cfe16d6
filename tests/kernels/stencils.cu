// Kernels over two-dimensional fields.
constexpr int kBlockX = 16, kBlockY = 8;

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
