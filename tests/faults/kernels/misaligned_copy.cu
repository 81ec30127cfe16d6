// Copies four elements at once from an address that four elements may not have.
__global__ void faulty(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
  float4 four[1];
  if (i > 0 && 4 * i + 2 < n) {
    four[0] = *reinterpret_cast<const float4*>(in + 4 * i - 2);
    out[i] += 0 * four[0].x;
  }
}
