// Sorting by several launches, and within a block.
constexpr int kThreads = 64;

// Round by round: even places with their right neighbours, then odd ones.
__global__ void exchange_neighbours(int* values, int n, int round) {
  const int i = 2 * (blockIdx.x * kThreads + threadIdx.x) + round % 2;
  if (i + 1 >= n || values[i] <= values[i + 1]) return;
  const int value = values[i];
  values[i] = values[i + 1];
  values[i + 1] = value;
}
__global__ void insertion_reference(int* values, int n) {
  for (int i = 1; i < n; ++i) {
    const int value = values[i];
    int k = i;
    for (; k > 0 && values[k - 1] > value; --k) values[k] = values[k - 1];
    values[k] = value;
  }
}

// A bitonic network over a tile of a block.
__global__ void sorted_tiles(const int* in, int* out) {
  __shared__ int values[kThreads];
  const int thread = threadIdx.x, at = blockIdx.x * kThreads + thread;
  values[thread] = in[at];
  for (int size = 2; size <= kThreads; size *= 2) {
    for (int distance = size / 2; distance > 0; distance /= 2) {
      __syncthreads();
      const int other = thread ^ distance;
      if (other <= thread) continue;
      const bool is_rising = (thread & size) == 0;
      const int a = values[thread], b = values[other];
      if ((a > b) == is_rising) {
        values[thread] = b;
        values[other] = a;
      }
    }
  }
  __syncthreads();
  out[at] = values[thread];
}
__global__ void sorted_tiles_reference(const int* in, int* out, int n, int tile) {
  for (int first = 0; first < n; first += tile) {
    for (int i = 0; i < tile; ++i) {
      int k = i;
      for (; k > 0 && out[first + k - 1] > in[first + i]; --k) out[first + k] = out[first + k - 1];
      out[first + k] = in[first + i];
    }
  }
}
