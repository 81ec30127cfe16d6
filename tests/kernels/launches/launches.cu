// Kernels whose launches need more than a grid and arguments. They run on every device.
#include <cooperative_groups.h>
#include <cuda_device_runtime_api.h>

// Constant memory.
__constant__ float weights[9];

__device__ float weighted(const float* in, const float* by, int n, int i) {
  float sum = 0;
  for (int k = 0; k < 9; ++k) sum += by[k] * in[min(max(i + k - 4, 0), n - 1)];
  return sum;
}
__global__ void filter(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = weighted(in, weights, n, i);
}
__global__ void plain_filter(const float* in, const float* by, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = weighted(in, by, n, i);
}

// Variables that are read back.
namespace tally {
__device__ int signs[2];
__device__ int balance;
}  // namespace tally

__global__ void clear_signs() { tally::signs[threadIdx.x] = 0; }
__global__ void count_signs(const int* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicAdd(&tally::signs[in[i] < 0], 1);
  atomicAdd(&tally::balance, in[i]);
}
__global__ void plain_signs(const int* in, int* signs, int* balance, int n) {
  signs[0] = signs[1] = 0;
  for (int i = 0; i < n; ++i) {
    ++signs[in[i] < 0];
    *balance += in[i];
  }
}

// A table of rows, and a counter that hands them out.
__global__ void list_rows(const int* in, const int** rows, int count, int width) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) rows[i] = in + i * width;
}
__global__ void sum_rows(const int* const* rows, int* next, int* out, int count, int width) {
  __shared__ int row, sum;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) {
      row = atomicAdd(next, 1);
      sum = 0;
    }
    __syncthreads();
    if (row >= count) return;
    int own = 0;
    for (int i = threadIdx.x; i < width; i += blockDim.x) own += rows[row][i];
    atomicAdd(&sum, own);
    __syncthreads();
    if (threadIdx.x == 0) out[row] = sum;
  }
}
__global__ void plain_row_sums(const int* in, int* out, int count, int width) {
  for (int row = 0; row < count; ++row) {
    out[row] = 0;
    for (int i = 0; i < width; ++i) out[row] += in[row * width + i];
  }
}

// Rows of different lengths, one behind the other.
__global__ void begin_rows(const int* lengths, int* begins, int rows) {
  begins[0] = 0;
  for (int row = 0; row < rows; ++row) begins[row + 1] = begins[row] + lengths[row];
}
__global__ void sum_uneven_rows(const int* begins, const int* values, int* out, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  int sum = 0;
  for (int i = begins[row]; i < begins[row + 1]; ++i) sum += values[i];
  out[row] = sum;
}
__global__ void plain_uneven_row_sums(const int* lengths, const int* values, int* out, int rows) {
  for (int row = 0; row < rows; ++row) {
    out[row] = 0;
    for (int i = 0; i < lengths[row]; ++i) out[row] += *values++;
  }
}

// Blocks that wait for each other.
__global__ void sum_in_one_launch(const int* in, int* partial, int* out, int n) {
  const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  if (threadIdx.x == 0) partial[blockIdx.x] = 0;
  __syncthreads();
  int own = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own += in[i];
  atomicAdd(&partial[blockIdx.x], own);
  grid.sync();
  int all = 0;
  for (int i = 0; i < gridDim.x; ++i) all += partial[i];
  grid.sync();
  if (threadIdx.x == 0) partial[blockIdx.x] = all + grid.is_valid();
  grid.sync();
  if (grid.thread_rank() == 0) out[0] = partial[gridDim.x - 1];
}
__global__ void plain_sum(const int* in, int* out, int n) {
  out[0] = 1;
  for (int i = 0; i < n; ++i) out[0] += in[i];
}

// The second launch may start before the first has ended.
__global__ void square(const int* in, int* squares, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) squares[i] = in[i] * in[i];
  cudaTriggerProgrammaticLaunchCompletion();
}
__global__ void add_neighbours(const int* squares, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  cudaGridDependencySynchronize();
  if (i < n) out[i] = squares[i] + squares[(i + 1) % n];
}
__global__ void plain_neighbours(const int* in, int* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = in[i] * in[i] + in[(i + 1) % n] * in[(i + 1) % n];
}

// Structs by value.
struct Part {
  short first;
  long long count;
};
struct Line {
  char unused;
  Part part;
  const float* in;
  float* out;
  float slope;
};
__global__ void draw(Line line, float offset) {
  const long long i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < line.part.count) line.out[i] = line.slope * line.in[line.part.first + i] + offset;
}
__global__ void plain_line(const float* in, float* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = 2 * in[3 + i] + 0.5f;
}

// A struct by value of 5 KiB.
struct Table {
  long long rows[80][8];
};
__global__ void look_up(const Table table, const int* in, long long* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table.rows[in[i] / 8][in[i] % 8];
}
__global__ void plain_look_up(const int* in, long long* out, int n) {
  const long long row[8] = {3, n, 5, -n, 7, 8, 13, 2};
  for (int i = 0; i < n; ++i) {
    const int column = in[i] % 8;
    out[i] = in[i] < 79 * 8 ? row[column] : column < 7 ? 100 + column : n;
  }
}

// An output in any order.
__global__ void keep_positive(const int* in, int* count, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > 0) out[atomicAdd(count, 1)] = in[i];
}
__global__ void plain_keep_positive(const int* in, int* out, int n) {
  for (int i = 0, count = 0; i < n; ++i) {
    if (in[i] > 0) out[count++] = in[i];
  }
}

// Rows with padding, elements that do not count, and square roots of negative numbers.
__global__ void roots(const float* in, const unsigned char* valid, float* out, int rows, int width,
                      int pitch) {
  const int row = blockIdx.x, column = threadIdx.x;
  if (row < rows && column < width && valid[row * pitch + column])
    out[row * pitch + column] = sqrtf(in[row * width + column]);
}
__global__ void plain_roots(const float* in, float* out, int rows, int width, int pitch) {
  for (int row = 0; row < rows; ++row) {
    for (int i = 0; i < width; ++i) out[row * pitch + i] = sqrtf(in[row * width + i]);
  }
}

// Time steps between two buffers.
__global__ void relax(const float* now, float* next, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) next[i] = 0.5f * (now[max(i - 1, 0)] + now[min(i + 1, n - 1)]);
}

// Groups by the last digit, whose numbers come in any order.
__global__ void count_digits(const int* in, int* begins, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&begins[in[i] % 10], 1);
}
__global__ void sum_digits(int* begins) {
  for (int digit = 0, sum = 0; digit < 10; ++digit) {
    const int count = begins[digit];
    begins[digit] = sum;
    sum += count;
  }
}
__global__ void group_digits(const int* in, int* begins, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[atomicAdd(&begins[in[i] % 10], 1)] = in[i];
}
// How often each number is in the input, less how often it is in the output.
__device__ int surplus[10000];
__global__ void forget_numbers(int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 10000; i += gridDim.x * blockDim.x) surplus[i] = count;
}
__global__ void count_numbers(const int* in, const int* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&surplus[in[i]], 1);
    if (out[i] >= 0 && out[i] < 10000) atomicSub(&surplus[out[i]], 1);
  }
}
__global__ void verify_groups(const int* out, int n, unsigned long long* verdict) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const bool is_number = out[i] >= 0 && out[i] < 10000;
    if (is_number && surplus[out[i]] == 0 && (i == 0 || out[i - 1] % 10 <= out[i] % 10)) continue;
    atomicAdd(&verdict[0], 1ull);
    atomicMin(&verdict[1], (unsigned long long)i);
  }
}
__global__ void plain_sums(const int* in, int* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = in[i] + in[(i + 1) % n];
}
__global__ void parallel_sums(const int* in, int* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = in[i] + in[(i + 1) % n];
}
__global__ void verify_equal(const int* out, const int* expected, int n, unsigned long long* verdict) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (out[i] == expected[i]) continue;
    atomicAdd(&verdict[0], 1ull);
    atomicMin(&verdict[1], (unsigned long long)i);
  }
}

// Paths to the roots of trees, which each round shortens to half.
__device__ unsigned parent(const unsigned* in, unsigned i) { return in[i] % (i + 1); }
__global__ void choose_parents(const unsigned* in, unsigned* now, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) now[i] = parent(in, i);
}
__global__ void jump(const unsigned* now, unsigned* next, unsigned long long* settled, int* rounds, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) ++*rounds;
  if (i >= n) return;
  next[i] = now[now[i]];
  if (next[i] != now[i]) atomicExch(settled, 0ull);
}
__global__ void plain_jumps(const unsigned* in, unsigned* out, int* rounds, int n, int most) {
  int deepest = 1;
  for (int i = 0; i < n; ++i) {
    const int reach = most < 20 ? 1 << most : 1 << 20;
    int depth = 0;
    unsigned at = i;
    for (unsigned up; (up = parent(in, at)) != at; at = up) ++depth;
    deepest = max(deepest, depth);
    out[i] = i;
    for (int step = 0; step < min(reach, depth); ++step) out[i] = parent(in, out[i]);
  }
  *rounds = 1;
  for (int reach = 1; reach < deepest; reach *= 2) ++*rounds;
  *rounds = min(*rounds, most);
}
