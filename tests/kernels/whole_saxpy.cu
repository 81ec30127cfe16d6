// A whole program, as such files are found: its kernel is tuned as it is.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <vector>
#include <cuda_runtime.h>

#define BLOCK_SIZE 256
#define CHECK(call)                                                                  \
  do {                                                                               \
    const cudaError_t error = call;                                                  \
    if (error != cudaSuccess) {                                                      \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      std::exit(1);                                                                  \
    }                                                                                \
  } while (0)

__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

static void expect(const std::vector<float>& y) {
  for (const float value : y) {
    if (value != 4.0f) std::cout << "wrong: " << value << std::endl;
  }
}

int main() {
  const int n = 1 << 20;
  std::vector<float> x(n, 1.0f), y(n, 2.0f);
  float *d_x, *d_y;
  CHECK(cudaMalloc(&d_x, n * sizeof(float)));
  CHECK(cudaMalloc(&d_y, n * sizeof(float)));
  CHECK(cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_y, y.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  saxpy<<<(n + BLOCK_SIZE - 1) / BLOCK_SIZE, BLOCK_SIZE>>>(n, 2.0f, d_x, d_y);
  CHECK(cudaMemcpy(y.data(), d_y, n * sizeof(float), cudaMemcpyDeviceToHost));
  expect(y);
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_y));
  return 0;
}
