__global__ void plain_race(const int* in, int* out, int n) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) out[i / 2] = in[i];
}
