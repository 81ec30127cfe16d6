// Graphs, points and sparse matrices in other forms than rows.
constexpr int kThreads = 64;

__device__ int own_index() { return blockIdx.x * kThreads + threadIdx.x; }

// Ranks flow along edges: each node gathers from those that lead to it.
__global__ void flowing_ranks(const int* offsets, const int* sources, const float* shares, const float* ranks,
                              float* next, int nodes) {
  const int node = own_index();
  if (node >= nodes) return;
  float sum = 0;
  for (int i = offsets[node]; i < offsets[node + 1]; ++i) sum += ranks[sources[i]] * shares[sources[i]];
  next[node] = 0.15f / nodes + 0.85f * sum;
}
__global__ void first_ranks(float* ranks, int nodes) {
  const int node = own_index();
  if (node < nodes) ranks[node] = 1.0f / nodes;
}
__global__ void ranks_reference(const int* offsets, const int* sources, const float* shares, float* out,
                                int nodes, int rounds) {
  float now[256];
  for (int node = 0; node < nodes; ++node) out[node] = 1.0f / nodes;
  for (int round = 0; round < rounds; ++round) {
    for (int node = 0; node < nodes; ++node) now[node] = out[node];
    for (int node = 0; node < nodes; ++node) {
      double sum = 0;
      for (int i = offsets[node]; i < offsets[node + 1]; ++i)
        sum += static_cast<double>(now[sources[i]]) * shares[sources[i]];
      out[node] = static_cast<float>(0.15 / nodes + 0.85 * sum);
    }
  }
}

// A queue of nodes for each level: who reaches a node first puts it into the next queue.
struct Queues {
  int counts[8];
};
__global__ void first_node(int* queue, Queues* queues, int* levels, int nodes) {
  for (int node = threadIdx.x; node < nodes; node += kThreads) levels[node] = node == 0 ? 0 : -1;
  if (threadIdx.x < 8) queues->counts[threadIdx.x] = threadIdx.x == 0;
  if (threadIdx.x == 0) queue[0] = 0;
}
__global__ void next_nodes(const int* offsets, const int* columns, const int* queue, int* next,
                           Queues* queues, int* levels, int level) {
  const int i = own_index();
  if (i >= queues->counts[level]) return;
  const int node = queue[i];
  for (int k = offsets[node]; k < offsets[node + 1]; ++k) {
    if (atomicCAS(&levels[columns[k]], -1, level + 1) == -1)
      next[atomicAdd(&queues->counts[level + 1], 1)] = columns[k];
  }
}
__global__ void queued_levels_reference(const int* offsets, const int* columns, int* levels, int nodes) {
  for (int node = 0; node < nodes; ++node) levels[node] = node == 0 ? 0 : -1;
  for (int level = 0; level < 7; ++level) {
    for (int node = 0; node < nodes; ++node) {
      for (int i = offsets[node]; levels[node] == level && i < offsets[node + 1]; ++i) {
        if (levels[columns[i]] == -1) levels[columns[i]] = level + 1;
      }
    }
  }
}

// Points go to the nearest center; each block adds up its points before the sums of all change.
__global__ void nearest_centers(const float2* points, const float2* centers, int* nearest, int* sums, int n,
                                int count) {
  extern __shared__ float2 near[];
  int* own = reinterpret_cast<int*>(near + count);
  for (int k = threadIdx.x; k < count; k += kThreads) {
    near[k] = centers[k];
    own[k] = 0;
  }
  __syncthreads();
  const int i = own_index();
  if (i < n) {
    int best = 0;
    float least = 1e30f;
    for (int k = 0; k < count; ++k) {
      const float x = points[i].x - near[k].x, y = points[i].y - near[k].y;
      if (x * x + y * y < least) {
        least = x * x + y * y;
        best = k;
      }
    }
    nearest[i] = best;
    atomicAdd(&own[best], 1);
  }
  __syncthreads();
  for (int k = threadIdx.x; k < count; k += kThreads) {
    if (own[k] > 0) atomicAdd(&sums[k], own[k]);
  }
}
__global__ void nearest_centers_reference(const float* points, const float* centers, int* nearest, int* sums,
                                          int n, int count) {
  for (int k = 0; k < count; ++k) sums[k] = 0;
  for (int i = 0; i < n; ++i) {
    nearest[i] = 0;
    float least = 1e30f;
    for (int k = 0; k < count; ++k) {
      const float x = points[2 * i] - centers[2 * k], y = points[2 * i + 1] - centers[2 * k + 1];
      if (x * x + y * y < least) nearest[i] = k;
      least = fminf(least, x * x + y * y);
    }
    ++sums[nearest[i]];
  }
}

// The first sphere that a ray from each place of a picture meets; spheres in constant memory.
struct Sphere {
  float x, y, z, radius;
};
__constant__ Sphere spheres[8];
__device__ int first_sphere(const Sphere* all, float x, float y) {
  int first = -1;
  float least = 1e30f;
  for (int k = 0; k < 8; ++k) {
    const float dx = x - all[k].x, dy = y - all[k].y,
                rest = all[k].radius * all[k].radius - dx * dx - dy * dy;
    if (rest < 0 || all[k].z - sqrtf(rest) >= least) continue;
    least = all[k].z - sqrtf(rest);
    first = k;
  }
  return first;
}
__global__ void rays(int* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    out[y * width + x] = first_sphere(spheres, x * 1.0f / width, y * 1.0f / height);
}
__global__ void rays_reference(const float* all, int* out, int width, int height) {
  for (int i = 0; i < width * height; ++i)
    out[i] = first_sphere(reinterpret_cast<const Sphere*>(all), i % width * 1.0f / width,
                          i / width * 1.0f / height);
}
