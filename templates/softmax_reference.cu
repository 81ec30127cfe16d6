// One thread a row, in double precision.
__global__ void reference_softmax(const float* in, float* out, long long rows, long long columns) {
  const long long row = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (row >= rows || columns == 0) return;
  const float* from = in + row * columns;
  float greatest = from[0];
  for (long long i = 1; i < columns; ++i) greatest = fmaxf(greatest, from[i]);
  double sum = 0;
  for (long long i = 0; i < columns; ++i) sum += exp(static_cast<double>(from[i]) - greatest);
  for (long long i = 0; i < columns; ++i)
    out[row * columns + i] = static_cast<float>(exp(static_cast<double>(from[i]) - greatest) / sum);
}
