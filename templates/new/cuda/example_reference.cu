// What is right: as plain as it can be written. It sees the problem, never the parameters; every configuration's output
// is compared with what this one computes from the same inputs.
__global__ void example_reference(const float* in, float* out, float scale, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = scale * in[i] + 1;
}
