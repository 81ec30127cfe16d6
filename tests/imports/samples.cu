// Programs in the style of a vendor's samples. A line `//@ name: …` begins each; see imports_test.cc.

//@ vector_add: passes
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
__global__ void vectorAdd(const float *A, const float *B, float *C, int numElements) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < numElements) C[i] = A[i] + B[i];
}
int main(int argc, char **argv) {
  int numElements = 50000;
  if (argc > 1) numElements = atoi(argv[1]);
  size_t size = numElements * sizeof(float);
  float *h_A = (float *)malloc(size), *d_A = NULL, *d_B = NULL, *d_C = NULL;
  for (int i = 0; i < numElements; ++i) h_A[i] = rand() / (float)RAND_MAX;
  cudaError_t err = cudaMalloc((void **)&d_A, size);
  if (err != cudaSuccess) {
    fprintf(stderr, "no memory: %s\n", cudaGetErrorString(err));
    exit(EXIT_FAILURE);
  }
  cudaMalloc((void **)&d_B, size);
  cudaMalloc((void **)&d_C, size);
  cudaMemcpy(d_A, h_A, size, cudaMemcpyHostToDevice);
  cudaMemcpy(d_B, h_A, size, cudaMemcpyHostToDevice);
  int threadsPerBlock = 256;
  int blocksPerGrid = (numElements + threadsPerBlock - 1) / threadsPerBlock;
  vectorAdd<<<blocksPerGrid, threadsPerBlock>>>(d_A, d_B, d_C, numElements);
  cudaFree(d_A);
  return 0;
}

//@ matrix_multiply: passes
#include <stdio.h>
#include <assert.h>
#include <cuda_runtime.h>
#define checkErrors(call) check_((call), #call, __FILE__, __LINE__)
void check_(cudaError_t e, const char *what, const char *file, int line) {
  if (e) { printf("%s: %s:%d\n", what, file, line); exit(1); }
}
template <int BLOCK_SIZE>
__global__ void matrixMul(float *C, float *A, float *B, int wA, int wB) {
  int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
  int aBegin = wA * BLOCK_SIZE * by, aEnd = aBegin + wA - 1;
  float sum = 0;
  for (int a = aBegin, b = BLOCK_SIZE * bx; a <= aEnd; a += BLOCK_SIZE, b += BLOCK_SIZE * wB) {
    __shared__ float As[BLOCK_SIZE][BLOCK_SIZE], Bs[BLOCK_SIZE][BLOCK_SIZE];
    As[ty][tx] = A[a + wA * ty + tx];
    Bs[ty][tx] = B[b + wB * ty + tx];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BLOCK_SIZE; ++k) sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  C[wB * BLOCK_SIZE * by + BLOCK_SIZE * bx + wB * ty + tx] = sum;
}
int run(const dim3 &dimsA, const dim3 &dimsB) {
  float *d_A, *d_B, *d_C;
  unsigned int mem_size_A = sizeof(float) * dimsA.x * dimsA.y;
  checkErrors(cudaMalloc(reinterpret_cast<void **>(&d_A), mem_size_A));
  checkErrors(cudaMalloc(reinterpret_cast<void **>(&d_B), sizeof(float) * dimsB.x * dimsB.y));
  dim3 dimsC(dimsB.x, dimsA.y, 1);
  checkErrors(cudaMalloc(reinterpret_cast<void **>(&d_C), dimsC.x * dimsC.y * sizeof(float)));
  dim3 threads(16, 16);
  dim3 grid(dimsB.x / threads.x, dimsA.y / threads.y);
  matrixMul<16><<<grid, threads>>>(d_C, d_A, d_B, dimsA.x, dimsB.x);
  return 0;
}
int main() {
  dim3 dimsA(5 * 2 * 16, 5 * 2 * 16, 1);
  dim3 dimsB(5 * 4 * 16, 5 * 2 * 16, 1);
  return run(dimsA, dimsB);
}

//@ transpose_tiles: passes
#include <cuda.h>
#include <stdio.h>
#define TILE_DIM 32
#define BLOCK_ROWS 8
__global__ void transposeTile(float *odata, const float *idata, int width, int height) {
  __shared__ float tile[TILE_DIM][TILE_DIM + 1];
  int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
  for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
    if (x < width && y + i < height) tile[threadIdx.y + i][threadIdx.x] = idata[(y + i) * width + x];
  __syncthreads();
  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
    if (x < height && y + i < width) odata[(y + i) * height + x] = tile[threadIdx.x][threadIdx.y + i];
}
int main() {
  const int nx = 1024, ny = 512, mem_size = nx * ny * sizeof(float);
  dim3 dimGrid((nx + TILE_DIM - 1) / TILE_DIM, (ny + TILE_DIM - 1) / TILE_DIM), dimBlock(TILE_DIM, BLOCK_ROWS);
  float *d_idata, *d_tdata;
  cudaMalloc(&d_idata, mem_size);
  cudaMalloc(&d_tdata, mem_size);
  transposeTile<<<dimGrid, dimBlock>>>(d_tdata, d_idata, nx, ny);
  cudaDeviceSynchronize();
}

//@ reduction: passes
#include <cuda_runtime.h>
#include <iostream>
template <class T, unsigned int blockSize>
__global__ void reduceSums(const T *g_idata, T *g_odata, unsigned int n) {
  extern __shared__ T sdata[];
  unsigned int tid = threadIdx.x, i = blockIdx.x * blockSize + tid;
  T mySum = 0;
  for (; i < n; i += blockSize * gridDim.x) mySum += g_idata[i];
  sdata[tid] = mySum;
  __syncthreads();
  for (unsigned int s = blockSize / 2; s > 0; s >>= 1) {
    if (tid < s) sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}
int main() {
  const unsigned int n = 1 << 20;
  const int threads = 128, blocks = 64;
  float *d_in, *d_out;
  cudaMalloc(&d_in, n * sizeof(float));
  cudaMalloc(&d_out, blocks * sizeof(float));
  reduceSums<float, 128><<<blocks, 128, 128 * sizeof(float)>>>(d_in, d_out, n);
  std::cout << threads << std::endl;
}

//@ histogram: passes
#include <cstdio>
#define BINS 256
typedef unsigned int uint;
__global__ void histogram256(uint *result, const unsigned char *data, uint count) {
  __shared__ uint local[BINS];
  for (uint i = threadIdx.x; i < BINS; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (uint i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x)
    atomicAdd(&local[data[i]], 1);
  __syncthreads();
  for (uint i = threadIdx.x; i < BINS; i += blockDim.x) atomicAdd(result + i, local[i]);
}
int main() {
  uint byteCount = 1 << 22;
  uint *d_hist;
  unsigned char *d_data;
  cudaMalloc((void **)&d_data, byteCount);
  cudaMalloc((void **)&d_hist, BINS * sizeof(uint));
  cudaMemset(d_hist, 0, BINS * sizeof(uint));
  histogram256<<<240, 192>>>(d_hist, d_data, byteCount);
}

//@ convolution: passes
#include <cuda_runtime.h>
#include <vector>
#define KERNEL_RADIUS 4
#define KERNEL_LENGTH (2 * KERNEL_RADIUS + 1)
__constant__ float c_Kernel[KERNEL_LENGTH];
__global__ void convolveRows(float *dst, const float *src, int imageW, int imageH) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= imageW || y >= imageH) return;
  float sum = 0;
  for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; ++j) {
    const int at = x + j;
    if (at >= 0 && at < imageW) sum += c_Kernel[KERNEL_RADIUS - j] * src[y * imageW + at];
  }
  dst[y * imageW + x] = sum;
}
int main(int argc, char **argv) {
  const int imageW = 3072, imageH = 300;
  std::vector<float> h_Kernel(KERNEL_LENGTH);
  float *d_Input, *d_Output;
  cudaMalloc((void **)&d_Input, imageW * imageH * sizeof(float));
  cudaMalloc((void **)&d_Output, imageW * imageH * sizeof(float));
  cudaMemcpyToSymbol(c_Kernel, h_Kernel.data(), KERNEL_LENGTH * sizeof(float));
  dim3 blocks((imageW + 15) / 16, (imageH + 3) / 4), threads(16, 4);
  convolveRows<<<blocks, threads>>>(d_Output, d_Input, imageW, imageH);
}

//@ streams: passes
#include <stdio.h>
__global__ void init_array(int *g_data, const int *factor, int num_iterations) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < num_iterations; i++) g_data[idx] += *factor;
}
int main(int argc, char *argv[]) {
  int nstreams = 4, niterations = 5, n = 1024 * 1024, nbytes = n * sizeof(int);
  int *d_a = 0, *d_c = 0;
  cudaMalloc((void **)&d_a, nbytes);
  cudaMalloc((void **)&d_c, sizeof(int));
  cudaStream_t *streams = (cudaStream_t *)malloc(nstreams * sizeof(cudaStream_t));
  for (int i = 0; i < nstreams; i++) cudaStreamCreate(&streams[i]);
  cudaEvent_t start_event;
  cudaEventCreateWithFlags(&start_event, 0);
  dim3 threads = dim3(512, 1);
  dim3 blocks = dim3(n / threads.x, 1);
  cudaEventRecord(start_event, 0);
  init_array<<<blocks, threads, 0, streams[0]>>>(d_a, d_c, niterations);
  cudaEventSynchronize(start_event);
  return 0;
}

//@ occupancy: passes
#include <iostream>
__global__ void square(int *array, int arrayCount) {
  int idx = threadIdx.x + blockIdx.x * blockDim.x;
  if (idx < arrayCount) array[idx] *= array[idx];
}
static int launchConfig(int *array, int arrayCount, bool automatic) {
  int blockSize = 32, minGridSize = 0, gridSize;
  if (automatic) cudaOccupancyMaxPotentialBlockSize(&minGridSize, &blockSize, (void *)square, 0, arrayCount);
  gridSize = (arrayCount + blockSize - 1) / blockSize;
  square<<<gridSize, blockSize>>>(array, arrayCount);
  return 0;
}
int main() {
  const int count = 1000000;
  int *dArray;
  cudaMalloc(&dArray, count * sizeof(int));
  return launchConfig(dArray, count, true);
}

//@ managed_memory: passes
#include <cmath>
#include <iostream>
__global__ void saxpy(int n, float a, float *x, float *y) {
  int index = blockIdx.x * blockDim.x + threadIdx.x, stride = blockDim.x * gridDim.x;
  for (int i = index; i < n; i += stride) y[i] = a * x[i] + y[i];
}
int main(void) {
  int N = 1 << 20;
  float *x, *y;
  cudaMallocManaged(&x, N * sizeof(float));
  cudaMallocManaged(&y, N * sizeof(float));
  for (int i = 0; i < N; i++) { x[i] = 1.0f; y[i] = 2.0f; }
  int blockSize = 256;
  int numBlocks = (N + blockSize - 1) / blockSize;
  saxpy<<<numBlocks, blockSize>>>(N, 3.0f, x, y);
  cudaDeviceSynchronize();
  std::cout << std::fabs(y[0] - 5.0f) << "\n";
}

//@ textures: passes
#include <cuda_runtime.h>
__global__ void rotated(float *out, cudaTextureObject_t tex, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = tex2D<float>(tex, y + 0.5f, x + 0.5f);
}
int main() {
  int width = 512, height = 512;
  float *d;
  cudaTextureObject_t tex = 0;
  cudaMalloc(&d, width * height * sizeof(float));
  rotated<<<dim3(width / 8, height / 8), dim3(8, 8)>>>(d, tex, width, height);
}
