// Divides nothing by nothing.
__global__ void faulty(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  volatile float zero = 0;
  if (i < n) out[i] = i == 100 ? zero / zero : 2 * in[i];
}
