// The textbook's saxpy: one thread an element.
__global__ void reference_saxpy(float a, const float* x, float* y, long long n) {
  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = fmaf(a, x[i], y[i]);
}
