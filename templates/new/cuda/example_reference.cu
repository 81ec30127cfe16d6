// The expected output, computed as plainly as possible. It sees the problem, never the parameters. The output of every
// configuration is compared with this one's, from the same inputs.
__global__ void example_reference(const float* in, float* out, float scale, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = scale * in[i] + 1;
}
