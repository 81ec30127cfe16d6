// Dense matrices, by rows.
constexpr int kTile = 8;
constexpr int kThreads = 64;
enum { kPad = 1 };

__global__ void transposed(const float* in, float* out, int height, int width) {
  __shared__ float tile[kTile][kTile + kPad];
  const int top = blockIdx.y * kTile, left = blockIdx.x * kTile, x = threadIdx.x, y = threadIdx.y;
  if (top + y < height && left + x < width) tile[y][x] = in[(top + y) * width + left + x];
  __syncthreads();
  if (left + y < width && top + x < height) out[(left + y) * height + top + x] = tile[x][y];
}
__global__ void transposed_reference(const float* in, float* out, int height, int width) {
  for (int i = 0; i < height * width; ++i) out[i % width * height + i / width] = in[i];
}

// A warp for each row.
__global__ void matrix_vector(const float* a, const float* x, float* y, int rows, int columns) {
  const int row = (blockIdx.x * kThreads + threadIdx.x) / 32, lane = threadIdx.x % 32;
  float sum = 0;
  if (row < rows) {
    for (int i = lane; i < columns; i += 32) sum += a[row * columns + i] * x[i];
  }
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (row < rows && lane == 0) y[row] = sum;
}
__global__ void matrix_vector_reference(const float* a, const float* x, float* y, int rows, int columns) {
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
    for (int i = 0; i < columns; ++i) sum += static_cast<double>(a[row * columns + i]) * x[i];
    y[row] = static_cast<float>(sum);
  }
}

template <typename T>
__global__ void product(const T* a, const T* b, T* c, int m, int n, int k) {
  __shared__ T left[kTile][kTile], right[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  T sum = 0;
  for (int first = 0; first < k; first += kTile) {
    const int i = first + threadIdx.x, j = first + threadIdx.y;
    left[threadIdx.y][threadIdx.x] = row < m && i < k ? a[row * k + i] : T(0);
    right[threadIdx.y][threadIdx.x] = j < k && column < n ? b[j * n + column] : T(0);
    __syncthreads();
    for (int each = 0; each < kTile; ++each) sum += left[threadIdx.y][each] * right[each][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
template <typename T>
__global__ void product_reference(const T* a, const T* b, T* c, int m, int n, int k) {
  for (int row = 0; row < m; ++row) {
    for (int column = 0; column < n; ++column) {
      double sum = 0;
      for (int i = 0; i < k; ++i) sum += static_cast<double>(a[row * k + i]) * b[i * n + column];
      c[row * n + column] = static_cast<T>(sum);
    }
  }
}

// Each row with mean 0 and deviation 1: one warp a row, whose values stay in dynamic shared memory.
__global__ void layer_norm(const float* in, float* out, int columns) {
  extern __shared__ float row[];
  const int lane = threadIdx.x;
  float sum = 0, squares = 0;
  for (int i = lane; i < columns; i += 32) sum += row[i] = in[blockIdx.x * columns + i];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  const float mean = sum / columns;
  for (int i = lane; i < columns; i += 32) squares += (row[i] - mean) * (row[i] - mean);
  for (int offset = 16; offset > 0; offset /= 2) squares += __shfl_xor_sync(0xffffffffu, squares, offset);
  const float factor = rsqrtf(squares / columns + 1e-5f);
  for (int i = lane; i < columns; i += 32) out[blockIdx.x * columns + i] = (row[i] - mean) * factor;
}
__global__ void layer_norm_reference(const float* in, float* out, int columns, int rows) {
  for (int row = 0; row < rows; ++row) {
    double sum = 0, squares = 0;
    for (int i = 0; i < columns; ++i) sum += in[row * columns + i];
    const double mean = sum / columns;
    for (int i = 0; i < columns; ++i) squares += (in[row * columns + i] - mean) * (in[row * columns + i] - mean);
    for (int i = 0; i < columns; ++i)
      out[row * columns + i] = static_cast<float>((in[row * columns + i] - mean) / sqrt(squares / columns + 1e-5));
  }
}

// Shortest paths between all pairs: one intermediate node a launch.
__global__ void shorter_paths(int* distances, int n, int node) {
  const int column = blockIdx.x * kThreads + threadIdx.x, row = blockIdx.y;
  if (column >= n || row == node || column == node) return;
  const int other = distances[row * n + node] + distances[node * n + column];
  if (other < distances[row * n + column]) distances[row * n + column] = other;
}
__global__ void shortest_paths_reference(int* distances, int n) {
  for (int node = 0; node < n; ++node) {
    for (int i = 0; i < n * n; ++i) {
      const int other = distances[i / n * n + node] + distances[node * n + i % n];
      if (other < distances[i]) distances[i] = other;
    }
  }
}
