__global__ void printing(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i;
  if (i == 3) printf("thread %d of %d\n", i, int(blockDim.x));
}
