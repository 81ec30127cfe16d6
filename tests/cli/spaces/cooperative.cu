__global__ void shorten(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 31) out[i] = in[i];
}
