// One thread an element.
__global__ void reference_transpose(const float* in, float* out, long long height, long long width) {
  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (i < height * width) out[i % width * height + i / width] = in[i];
}
