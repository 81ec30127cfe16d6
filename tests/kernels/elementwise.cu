// Kernels with one result for each element, and plain references.
constexpr int kThreads = 128;
constexpr int kPerThread = 2;

__device__ int first_of_thread() { return (blockIdx.x * kThreads + threadIdx.x) * kPerThread; }

__global__ void axpby(float a, const float* x, float b, float* y, int n) {
  for (int i = first_of_thread(), k = 0; k < kPerThread; ++k, ++i) {
    if (i < n) y[i] = a * x[i] + b * y[i];
  }
}
__global__ void axpby_reference(float a, const float* x, float b, float* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = a * x[i] + b * y[i];
}

__global__ void bias_relu(const float* x, const float* bias, float* y, int rows, int columns) {
  for (int i = first_of_thread(), k = 0; k < kPerThread; ++k, ++i) {
    if (i < rows * columns) y[i] = fmaxf(0.0f, x[i] + bias[i % columns]);
  }
}
__global__ void bias_relu_reference(const float* x, const float* bias, float* y, int rows, int columns) {
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const float sum = x[row * columns + column] + bias[column];
      y[row * columns + column] = sum > 0 ? sum : 0;
    }
  }
}

// Red, green and blue lie side by side.
__global__ void gray(const unsigned char* colors, unsigned char* out, int n) {
  for (int i = first_of_thread(), k = 0; k < kPerThread; ++k, ++i) {
    if (i >= n) continue;
    const unsigned char* at = colors + 3 * i;
    out[i] = static_cast<unsigned char>((77 * at[0] + 150 * at[1] + 29 * at[2]) >> 8);
  }
}
__global__ void gray_reference(const unsigned char* colors, unsigned char* out, int n) {
  for (int i = 0; i < n; ++i)
    out[i] = static_cast<unsigned char>((77 * colors[3 * i] + 150 * colors[3 * i + 1] + 29 * colors[3 * i + 2]) / 256);
}

// Horner's scheme, coefficients from the highest.
__global__ void polynomial(const float* x, const float* coefficients, int degree, float* y, int n) {
  for (int i = first_of_thread(), k = 0; k < kPerThread; ++k, ++i) {
    if (i >= n) continue;
    float sum = 0;
    for (int d = 0; d <= degree; ++d) sum = fmaf(sum, x[i], coefficients[d]);
    y[i] = sum;
  }
}
__global__ void polynomial_reference(const float* x, const float* coefficients, int degree, float* y, int n) {
  for (int i = 0; i < n; ++i) {
    double sum = 0, power = 1;
    for (int d = degree; d >= 0; --d, power *= x[i]) sum += power * coefficients[d];
    y[i] = static_cast<float>(sum);
  }
}

__device__ unsigned mixed(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}
__global__ void hashes(const unsigned* x, unsigned* y, int n) {
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) y[i] = mixed(x[i]);
}
__global__ void hashes_reference(const unsigned* x, unsigned* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = mixed(x[i]);
}
