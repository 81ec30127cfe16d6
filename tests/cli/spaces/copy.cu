__global__ void copy(const float* in, float* out, int n) {
  const int begin = (blockIdx.x * blockDim.x + threadIdx.x) * per_thread;
  for (int i = begin; i < begin + per_thread && i < n; ++i) out[i] = in[i];
}
