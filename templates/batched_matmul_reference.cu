// One thread an element, in double precision.
__global__ void reference_multiply_each(const float* a, const float* b, float* c, long long matrices, int size) {
  const long long element = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (element >= matrices * size * size) return;
  const long long row = element / size, matrix = row / size;
  const long long column = element % size;
  double sum = 0;
  for (int k = 0; k < size; ++k)
    sum += static_cast<double>(a[row * size + k]) * b[(matrix * size + k) * size + column];
  c[element] = static_cast<float>(sum);
}
