// One thread a point, in double precision; the filter is an argument.
__global__ void reference_convolution(const float* image, const float* filter, float* out, long long height,
                                      long long width) {
  const long long point = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (point >= height * width) return;
  const long long y = point / width, x = point % width;
  double sum = 0;
  for (int i = 0; i < 7; ++i) {
    for (int j = 0; j < 7; ++j) {
      const long long row = y + i - 3, column = x + j - 3;
      if (row >= 0 && row < height && column >= 0 && column < width)
        sum += static_cast<double>(filter[i * 7 + j]) * image[row * width + column];
    }
  }
  out[point] = static_cast<float>(sum);
}
