// Graphs and sparse matrices in compressed rows.
constexpr int kThreads = 64;
constexpr int kLanes = 4;

__global__ void weighted_sums(const int* offsets, const int* columns, const float* values, const float* x, float* y,
                              int rows) {
  const int row = (blockIdx.x * kThreads + threadIdx.x) / kLanes, lane = threadIdx.x % kLanes;
  float sum = 0;
  if (row < rows) {
    for (int i = offsets[row] + lane; i < offsets[row + 1]; i += kLanes) sum += values[i] * x[columns[i]];
  }
  for (int offset = kLanes / 2; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (row < rows && lane == 0) y[row] = sum;
}
__global__ void weighted_sums_reference(const int* offsets, const int* columns, const float* values, const float* x,
                                        float* y, int rows) {
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
    for (int i = offsets[row]; i < offsets[row + 1]; ++i) sum += static_cast<double>(values[i]) * x[columns[i]];
    y[row] = static_cast<float>(sum);
  }
}

// Splits the nonzeros among threads, each of which walks from row to row. Offsets that contradict the number of
// nonzeros would lead it beyond the last row.
__global__ void split_sums(const int* offsets, const int* columns, const float* values, const float* x, float* y,
                           int nonzeros) {
  const int first = (blockIdx.x * kThreads + threadIdx.x) * kLanes;
  int row = 0;
  for (int i = first; i < min(first + kLanes, nonzeros); ++i) {
    while (i >= offsets[row + 1]) ++row;
    atomicAdd(&y[row], values[i] * x[columns[i]]);
  }
}

// Nodes that a level reaches; all threads that write a place write the same.
__global__ void next_level(const int* offsets, const int* columns, int* levels, int nodes, int level) {
  const int node = blockIdx.x * kThreads + threadIdx.x;
  if (node >= nodes || atomicAdd(&levels[node], 0) != level) return;
  for (int i = offsets[node]; i < offsets[node + 1]; ++i) atomicCAS(&levels[columns[i]], -1, level + 1);
}
__global__ void start_levels(int* levels, int nodes) {
  const int node = blockIdx.x * kThreads + threadIdx.x;
  if (node < nodes) levels[node] = node == 0 ? 0 : -1;
}
__global__ void levels_reference(const int* offsets, const int* columns, int* levels, int nodes, int most) {
  for (int node = 0; node < nodes; ++node) levels[node] = node == 0 ? 0 : -1;
  for (int level = 0; level < most; ++level) {
    for (int node = 0; node < nodes; ++node) {
      if (levels[node] != level) continue;
      for (int i = offsets[node]; i < offsets[node + 1]; ++i) {
        if (levels[columns[i]] == -1) levels[columns[i]] = level + 1;
      }
    }
  }
}

// The same, which counts its rounds and says if it has reached a node.
__global__ void next_level_if_any(const int* offsets, const int* columns, int* levels, unsigned* is_done, int* rounds,
                                  int nodes, int level) {
  const int node = blockIdx.x * kThreads + threadIdx.x;
  if (node == 0) ++*rounds;
  if (node >= nodes || atomicAdd(&levels[node], 0) != level) return;
  for (int i = offsets[node]; i < offsets[node + 1]; ++i) {
    if (atomicCAS(&levels[columns[i]], -1, level + 1) == -1) atomicExch(is_done, 0u);
  }
}
__global__ void all_levels_reference(const int* offsets, const int* columns, int* levels, int* rounds, int nodes) {
  for (int node = 0; node < nodes; ++node) levels[node] = node == 0 ? 0 : -1;
  *rounds = 0;
  for (bool is_done = false; !is_done; ++*rounds) {
    is_done = true;
    for (int node = 0; node < nodes; ++node) {
      if (levels[node] != *rounds) continue;
      for (int i = offsets[node]; i < offsets[node + 1]; ++i) {
        if (levels[columns[i]] != -1) continue;
        levels[columns[i]] = *rounds + 1;
        is_done = false;
      }
    }
  }
}

// How many edges lead to each node.
__global__ void degrees(const int* columns, int* out, int edges) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < edges) atomicAdd(&out[columns[i]], 1);
}
__global__ void degrees_reference(const int* columns, int* out, int edges, int nodes) {
  for (int node = 0; node < nodes; ++node) out[node] = 0;
  for (int i = 0; i < edges; ++i) ++out[columns[i]];
}
