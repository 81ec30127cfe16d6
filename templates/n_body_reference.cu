// One thread a body, in double precision.
__global__ void reference_attract(const float* x, const float* y, const float* z, const float* mass, float* ax,
                                  float* ay, float* az, int count, float softening) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const long long first = blockIdx.y * static_cast<long long>(count);
  double sum_x = 0, sum_y = 0, sum_z = 0;
  for (long long j = first; j < first + count; ++j) {
    const double dx = static_cast<double>(x[j]) - x[first + i];
    const double dy = static_cast<double>(y[j]) - y[first + i];
    const double dz = static_cast<double>(z[j]) - z[first + i];
    const double squared = dx * dx + dy * dy + dz * dz + static_cast<double>(softening) * softening;
    const double weight = mass[j] / (squared * sqrt(squared));
    sum_x += weight * dx;
    sum_y += weight * dy;
    sum_z += weight * dz;
  }
  ax[first + i] = static_cast<float>(sum_x);
  ay[first + i] = static_cast<float>(sum_y);
  az[first + i] = static_cast<float>(sum_z);
}
