// A whole program with a template, a struct for timing and a library of the host.
#include <chrono>
#include <iostream>
#include <cublas_v2.h>
#include <cuda_runtime.h>
using namespace std;

const int TILE = 16;
typedef float real;

struct Stopwatch {
  chrono::steady_clock::time_point start = chrono::steady_clock::now();
  double seconds() const { return chrono::duration<double>(chrono::steady_clock::now() - start).count(); }
};

struct Matrix {
  real* data;
  int rows, columns;
};

__global__ void multiply(const real* a, const real* b, real* c, int n) {
  __shared__ real left[TILE][TILE], right[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  real sum = 0;
  for (int first = 0; first < n; first += TILE) {
    left[threadIdx.y][threadIdx.x] = row < n && first + threadIdx.x < n ? a[row * n + first + threadIdx.x] : 0;
    right[threadIdx.y][threadIdx.x] = first + threadIdx.y < n && column < n ? b[(first + threadIdx.y) * n + column] : 0;
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}

template <class Work>
double timed(Work work) {
  Stopwatch watch;
  work();
  cudaDeviceSynchronize();
  return watch.seconds();
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1024;
  Matrix a{nullptr, n, n}, b{nullptr, n, n}, c{nullptr, n, n};
  for (Matrix* each : {&a, &b, &c}) cudaMalloc(&each->data, n * n * sizeof(real));
  dim3 block(TILE, TILE), grid((n + TILE - 1) / TILE, (n + TILE - 1) / TILE);
  cout << timed([&] { multiply<<<grid, block>>>(a.data, b.data, c.data, n); }) << " s" << endl;
  cublasHandle_t handle;
  cublasCreate(&handle);
}
