// Kernels whose blocks, warps and launches follow each other, and plain references.
#include <cooperative_groups.h>

constexpr int kThreads = 64;

__device__ int own_index() { return blockIdx.x * blockDim.x + threadIdx.x; }

// All blocks wait for each other between the sum and the shares.
__global__ void shares(const float* in, float* partial, float* out, int n) {
  __shared__ float sums[kThreads];
  float sum = 0;
  for (int i = own_index(); i < n; i += gridDim.x * kThreads) sum += in[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (static_cast<int>(threadIdx.x) < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = sums[0];
  cooperative_groups::this_grid().sync();
  float total = 0;
  for (unsigned block = 0; block < gridDim.x; ++block) total += partial[block];
  for (int i = own_index(); i < n; i += gridDim.x * kThreads) out[i] = in[i] / total;
}
__global__ void shares_reference(const float* in, float* out, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += in[i];
  for (int i = 0; i < n; ++i) out[i] = static_cast<float>(in[i] / sum);
}

// One launch sums, the next one finds mean and variance.
__global__ void moments(const double* in, double* partial, int n) {
  __shared__ double sums[2][kThreads];
  double sum = 0, squares = 0;
  for (int i = own_index(); i < n; i += gridDim.x * kThreads) {
    sum += in[i];
    squares += in[i] * in[i];
  }
  sums[0][threadIdx.x] = sum, sums[1][threadIdx.x] = squares;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (static_cast<int>(threadIdx.x) < half)
      for (auto& each : sums) each[threadIdx.x] += each[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x < 2) partial[2 * blockIdx.x + threadIdx.x] = sums[threadIdx.x][0];
}
__global__ void variance(const double* partial, double* out, int blocks, int n) {
  double sums[2] = {0, 0};
  for (int i = 0; i < 2 * blocks; ++i) sums[i % 2] += partial[i];
  out[0] = sums[0] / n;
  out[1] = sums[1] / n - out[0] * out[0];
}
__global__ void variance_reference(const double* in, double* out, int n) {
  out[0] = out[1] = 0;
  for (int i = 0; i < n; ++i) out[0] += in[i] / n;
  for (int i = 0; i < n; ++i) out[1] += (in[i] - out[0]) * (in[i] - out[0]) / n;
}

// Half of the warps reads the next tile while the other half adds up the present one.
__global__ void fed(const int* in, int* out, int tiles) {
  __shared__ int tile[2][kThreads / 2];
  const bool reads = threadIdx.x < kThreads / 2;
  const int place = threadIdx.x % (kThreads / 2);
  const int* from = in + blockIdx.x * tiles * (kThreads / 2) + place;
  int sum = 0;
  for (int k = 0; k <= tiles; ++k) {
    if (reads && k < tiles) tile[k % 2][place] = from[k * (kThreads / 2)];
    if (!reads && k > 0) sum += (k % 3 + 1) * tile[(k - 1) % 2][kThreads / 2 - 1 - place];
    __syncthreads();
  }
  if (!reads) out[blockIdx.x * (kThreads / 2) + place] = sum;
}
__global__ void fed_reference(const int* in, int* out, int tiles, int width, int count) {
  for (int i = 0; i < count; ++i) {
    const int* from = in + i / width * width * tiles + width - 1 - i % width;
    out[i] = 0;
    for (int k = 1; k <= tiles; ++k) out[i] += (k % 3 + 1) * from[(k - 1) * width];
  }
}

// Many launches that take hardly any time.
__global__ void doubled_step(unsigned* values, int n, int round) {
  const int i = own_index();
  if (i < n) values[i] = values[i] * 2 + (values[i] >> 31) + round;
}
__global__ void doubled_steps_reference(unsigned* values, int n, int rounds) {
  for (int i = 0; i < n; ++i)
    for (int round = 0; round < rounds; ++round) values[i] = values[i] * 2 + (values[i] >> 31) + round;
}

// The smallest kernels that do anything.
__global__ void unit_vector(const float4* in, float4* out) {
  const float4 v = in[0];
  const float length = sqrtf(v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w);
  if (threadIdx.x == 0) out[0] = make_float4(v.x / length, v.y / length, v.z / length, v.w / length);
}
__global__ void unit_vector_reference(const float* in, float* out) {
  float squares = 0;
  for (int i = 0; i < 4; ++i) squares += in[i] * in[i];
  for (int i = 0; i < 4; ++i) out[i] = in[i] / sqrtf(squares);
}
__global__ void one_number(const int* in, int* out) { out[threadIdx.x] = 3 * in[threadIdx.x] + 1; }
__global__ void one_number_reference(const int* in, int* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = 3 * in[i] + 1;
}

// A limit that the host sets in a variable of the module, and a count that the module keeps for one execution.
__device__ int limit_of_counts;
__device__ int counted;
__global__ void begin_count() { counted = 0; }
__global__ void counts_below(const int* in, int n) {
  const int i = own_index();
  const bool is_below = i < n && in[i] < limit_of_counts;
  const int below = __syncthreads_count(is_below);
  if (threadIdx.x == 0) atomicAdd(&counted, below);
}
__global__ void end_count(int* out) { out[0] = counted; }
__global__ void counts_below_reference(const int* in, const int* limit, int* out, int n) {
  out[0] = 0;
  for (int i = 0; i < n; ++i) out[0] += in[i] < limit[0];
}

// The order of elements by keys, sorted in shared memory of the size that the launch gives.
__global__ void sorted_pairs(const int* keys, int* order, int size) {
  extern __shared__ int2 pairs[];
  for (int i = threadIdx.x; i < size; i += blockDim.x) pairs[i] = make_int2(keys[blockIdx.x * size + i], i);
  __syncthreads();
  for (int width = 2; width <= size; width *= 2) {
    for (int distance = width / 2; distance > 0; distance /= 2) {
      for (int i = threadIdx.x; i < size; i += blockDim.x) {
        const int other = i ^ distance;
        if (other <= i) continue;
        const int2 a = pairs[i], b = pairs[other];
        const bool is_greater = a.x > b.x || (a.x == b.x && a.y > b.y);
        if (is_greater == ((i & width) == 0)) pairs[i] = b, pairs[other] = a;
      }
      __syncthreads();
    }
  }
  for (int i = threadIdx.x; i < size; i += blockDim.x) order[blockIdx.x * size + i] = pairs[i].y;
}
__global__ void sorted_pairs_reference(const int* keys, int* order, int size, int n) {
  for (int i = 0; i < n; ++i) {
    int rank = 0;
    const int* tile = keys + i / size * size;
    for (int k = 0; k < size; ++k) rank += tile[k] < keys[i] || (tile[k] == keys[i] && k < i % size);
    order[i / size * size + rank] = i % size;
  }
}

// Rows of binomial numbers, each from the row above it.
__global__ void binomials(unsigned* out, int size, unsigned prime) {
  extern __shared__ unsigned row[];
  const int i = threadIdx.x;
  row[i] = i == 0;
  __syncthreads();
  for (int k = 0; k < size; ++k) {
    out[k * blockDim.x + i] = row[i];
    const unsigned next = (row[i] + (i > 0 ? row[i - 1] : 0)) % prime;
    __syncthreads();
    row[i] = next;
    __syncthreads();
  }
}
__global__ void binomials_reference(unsigned* out, int size, unsigned prime, int width) {
  for (int k = 0; k < size; ++k) {
    for (int i = 0; i < width; ++i) {
      const unsigned* above = out + (k - 1) * width;
      out[k * width + i] = k == 0 ? i == 0 : (above[i] + (i > 0 ? above[i - 1] : 0)) % prime;
    }
  }
}

// A chain of states that a matrix leads on.
__global__ void next_state(const float* matrix, const float* now, float* next, int size) {
  const int row = own_index() / 32, lane = threadIdx.x % 32;
  float sum = 0;
  for (int i = lane; row < size && i < size; i += 32) sum += matrix[row * size + i] * now[i];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
  if (row < size && lane == 0) next[row] = 0.5f * now[row] + sum / size;
}
__global__ void next_state_reference(const float* matrix, const float* now, float* next, int size) {
  for (int row = 0; row < size; ++row) {
    float sum = 0;
    for (int i = 0; i < size; ++i) sum += matrix[row * size + i] * now[i];
    next[row] = 0.5f * now[row] + sum / size;
  }
}
