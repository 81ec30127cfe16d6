// Transposes a matrix: out[column][row] = in[row][column]. A block moves one square tile through shared memory, so that
// both reads and writes touch neighbouring addresses. transpose.yaml lists the values of TILE, ROWS and PAD:
//   TILE  width and height of a tile
//   ROWS  rows of threads in a block; each thread moves TILE / ROWS elements
//   PAD   unused columns of the tile in shared memory, against bank conflicts
__global__ void transpose(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[TILE][TILE + PAD];

  const long long column = blockIdx.x * TILE + threadIdx.x;
  for (int y = threadIdx.y; y < TILE; y += ROWS) {
    const long long row = blockIdx.y * TILE + y;
    if (row < rows && column < columns) tile[y][threadIdx.x] = in[row * columns + column];
  }
  __syncthreads();

  const long long out_column = blockIdx.y * TILE + threadIdx.x;
  for (int y = threadIdx.y; y < TILE; y += ROWS) {
    const long long out_row = blockIdx.x * TILE + y;
    if (out_row < columns && out_column < rows) out[out_row * rows + out_column] = tile[threadIdx.x][y];
  }
}
