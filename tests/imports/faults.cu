// Programs with faults, and programs that a device or the import refuses. A line `//@ name: …` begins each; see
// imports_test.cc. `<- here` marks the line that the message names.

//@ missing_barrier: finds undefined_behavior
__global__ void reverse(int *d, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = d[t];
  d[t] = s[n - t - 1];  // <- here
}
int main() {
  int *d;
  cudaMalloc(&d, 64 * sizeof(int));
  reverse<<<1, 64>>>(d, 64);
}

//@ one_too_far: finds reads 4 bytes outside ‘in’
__global__ void shift(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i + 1];  // <- here
}
int main() {
  int n = 4096;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  shift<<<(n + 127) / 128, 128>>>(in, out, n);
}

//@ no_guard: finds reads 4 bytes outside ‘x’
__global__ void twice(float *x, int n, float limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 1; ++k)
    if (x[i] < limit) x[i] *= 2;  // <- here
  if (n < 0) x[0] = 0;
}
int main() {
  int n = 1000;
  float *x;
  cudaMalloc(&x, n * sizeof(float));
  twice<<<(n + 255) / 256, 256>>>(x, n, 1.0f);
}

//@ barrier_in_a_branch: finds barrier_divergence
__global__ void halves(float *x) {
  __shared__ float s[128];
  s[threadIdx.x] = x[threadIdx.x];
  if (threadIdx.x < 64) {
    __syncthreads();  // <- here
    x[threadIdx.x] = s[threadIdx.x + 64];
  } else {
    __syncthreads();
  }
}
int main() {
  float *x;
  cudaMalloc(&x, 128 * sizeof(float));
  halves<<<1, 128>>>(x);
}

//@ unwritten_shared_memory: finds of shared memory that no thread of its block has written
__global__ void sums(const int *in, int *out, int n) {
  __shared__ int bins[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[in[i] & 31], 1);  // <- here
  __syncthreads();
  if (threadIdx.x < 32) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}
int main() {
  int n = 4096, *in, *out;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out, 32 * sizeof(int));
  cudaMemset(out, 0, 32 * sizeof(int));
  sums<<<(n + 127) / 128, 128>>>(in, out, n);
}

//@ blocks_that_add: finds a data race: reads 4 bytes of ‘sum’
__global__ void total(const float *in, float *sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) *sum += in[i];  // <- here
}
int main() {
  int n = 4096;
  float *in, *sum;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&sum, sizeof(float));
  total<<<(n + 127) / 128, 128>>>(in, sum, n);
}

//@ odd_vector: finds a misaligned address
__global__ void moved(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * i + 4 < n) {
    float4 v = *reinterpret_cast<const float4 *>(in + 4 * i + 1);  // <- here
    out[i] = v.x + v.w;
  }
}
int main() {
  int n = 4096;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  moved<<<(n + 127) / 128, 128>>>(in, out, n);
}

//@ guessed_extent: passes, says: the space file guesses the extent of table
// The program does not say how long `table` is, so an access outside of the guess is no finding.
__global__ void looked_up(const float *table, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[3 * i + 5];
}

//@ return_before_a_barrier: passes
__global__ void some(float *x, int n) {
  __shared__ float s[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n) return;
  s[threadIdx.x] = x[i];
  __syncthreads();
  x[i] = s[threadIdx.x] + 1;
}
int main() {
  int n = 1000;
  float *x;
  cudaMalloc(&x, n * sizeof(float));
  some<<<(n + 63) / 64, 64>>>(x, n);
}

//@ same_value: passes
__global__ void any_negative(const int *x, int *found, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] < 50) *found = 1;
}
int main() {
  int n = 4096, *x, *found;
  cudaMalloc(&x, n * sizeof(int));
  cudaMalloc(&found, sizeof(int));
  cudaMemset(found, 0, sizeof(int));
  any_negative<<<(n + 127) / 128, 128>>>(x, found, n);
}

//@ tensor_cores: host says: tensor-core kernels (<mma.h>) cannot run on the host device
#include <mma.h>
using namespace nvcuda;
__global__ void product(const half *a, const half *b, float *c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
int main() {
  half *a, *b;
  float *c;
  cudaMalloc(&a, 512), cudaMalloc(&b, 512), cudaMalloc(&c, 1024);
  product<<<1, 32>>>(a, b, c);
}

//@ inline_ptx: host says: inline PTX cannot run on the host device
__global__ void lanes(int *out) {
  int lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  out[threadIdx.x] = lane;
}
int main() {
  int *out;
  cudaMalloc(&out, 64 * sizeof(int));
  lanes<<<1, 64>>>(out);
}

//@ no_kernel: import says: it has no kernel (no __global__ function)
#include <cstdio>
__device__ int twice(int x) { return 2 * x; }
int main() { printf("nothing\n"); }

//@ a_fault_of_a_guessed_block: passes, says: the space file guesses block
dim3 best_block();
__global__ void ends(const float *x, float *y, int n) {
  __shared__ float s[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  if (i < n) y[i] = s[127 - threadIdx.x];
}
int main() {
  int n = 4096;
  float *x, *y;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  dim3 block = best_block();
  ends<<<(n + block.x - 1) / block.x, block>>>(x, y, n);
}

//@ a_race_in_shared_memory_rests_on_no_contents: finds data race
__global__ void rows(const int *begin, const float *x, float *y, int n) {
  __shared__ int first;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  first = i;  // <- here
  __syncthreads();
  if (i < n)
    for (int k = begin[i]; k < begin[i + 1]; ++k) y[i] = x[k] + first;
}
int main() {
  const int n = 4096;
  int *begin;
  float *x, *y;
  cudaMalloc(&begin, (n + 1) * sizeof(int));
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  rows<<<(n + 127) / 128, 128>>>(begin, x, y, n);
}
