// Reads four floats at once from where only one may be read.
__global__ void faulty(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
  if (i == 3) {
    float4 four = *reinterpret_cast<const float4*>(in + 1);
    if (four.x + four.y + four.z + four.w < 0) out[i] = 0;
  }
}
