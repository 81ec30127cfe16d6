// The plain way: one thread for each element. Every configuration of transpose.cu is compared with it.
__global__ void transpose_reference(const float* in, float* out, int rows, int columns) {
  const long long column = blockIdx.x * blockDim.x + threadIdx.x;
  const long long row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns) out[column * rows + row] = in[row * columns + column];
}
