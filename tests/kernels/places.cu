// Kernels that move elements to other places, and plain references.
constexpr int kTile = 8;

__device__ int own_index() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void scattered(const float* in, const int* to, float* out, int n) {
  const int i = own_index();
  if (i < n) out[to[i]] = in[i];
}
__global__ void scattered_reference(const float* in, const int* to, float* out, int n) {
  for (int i = 0; i < n; ++i) out[to[i]] = in[i];
}

// Each round doubles the distance of all pointers, until each knows its distance to the end of its list.
__global__ void begin_jumps(const int* parents, int2* now, int n) {
  const int i = own_index();
  if (i < n) now[i] = make_int2(parents[i] % (i + 1), parents[i] % (i + 1) != i);
}
__global__ void jump(const int2* now, int2* next, int n) {
  const int i = own_index();
  if (i >= n) return;
  const int2 mine = now[i], other = now[mine.x];
  next[i] = make_int2(other.x, mine.y + other.y);
}
__global__ void jumps_reference(const int* parents, int* out, int n) {
  for (int i = 0; i < n; ++i) {
    const int parent = parents[i] % (i + 1);
    const bool is_end = parent == i;
    out[2 * i] = is_end ? i : out[2 * parent];
    out[2 * i + 1] = is_end ? 0 : out[2 * parent + 1] + 1;
  }
}

// Pairs of tiles change places.
__global__ void transposed_in_place(float* matrix, int size) {
  __shared__ float upper[kTile][kTile + 1], lower[kTile][kTile + 1];
  if (blockIdx.y > blockIdx.x) return;
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * kTile, column = blockIdx.x * kTile;
  const bool is_upper = row + y < size && column + x < size, is_lower = column + y < size && row + x < size;
  if (is_upper) upper[y][x] = matrix[(row + y) * size + column + x];
  if (is_lower) lower[y][x] = matrix[(column + y) * size + row + x];
  __syncthreads();
  if (is_lower) matrix[(column + y) * size + row + x] = upper[x][y];
  if (is_upper && blockIdx.x != blockIdx.y) matrix[(row + y) * size + column + x] = lower[x][y];
}
__global__ void transposed_in_place_reference(float* matrix, int size) {
  for (int row = 0; row < size; ++row) {
    for (int column = 0; column < row; ++column) {
      const float above = matrix[column * size + row];
      matrix[column * size + row] = matrix[row * size + column];
      matrix[row * size + column] = above;
    }
  }
}

// Points become planes of coordinates.
__global__ void planes(const float3* in, float* out, int n) {
  const int i = own_index();
  if (i >= n) return;
  const float3 point = in[i];
  out[i] = point.x, out[n + i] = point.y, out[2 * n + i] = point.z;
}
__global__ void planes_reference(const float* in, float* out, int n) {
  for (int i = 0; i < 3 * n; ++i) out[i % 3 * n + i / 3] = in[i];
}

// Rows of a table, some of which are asked for often.
__global__ void looked_up(const int* wanted, const float4* table, float4* out, int count, int quads) {
  for (int i = own_index(); i < count * quads; i += gridDim.x * blockDim.x)
    out[i] = __ldg(&table[wanted[i / quads] * quads + i % quads]);
}
__global__ void looked_up_reference(const int* wanted, const float* table, float* out, int count, int quads) {
  for (int i = 0; i < count * 4 * quads; ++i) out[i] = table[wanted[i / (4 * quads)] * 4 * quads + i % (4 * quads)];
}

// Elements of a row change places with those of the other half, in registers of a warp.
__global__ void shuffled(const int* in, int* out, int n) {
  const int i = own_index(), lane = threadIdx.x % 32;
  const int value = i < n ? in[i] : 0;
  const int other = __shfl_sync(~0u, value, lane / 2 + lane % 2 * 16);
  if (i < n) out[i] = other;
}
__global__ void shuffled_reference(const int* in, int* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = in[i / 32 * 32 + i % 32 / 2 + i % 2 * 16];
}
