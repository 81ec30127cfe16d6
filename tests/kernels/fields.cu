// Kernels on rows, planes and images, and plain references.
constexpr int kTaps = 9;

__device__ int own_index() { return blockIdx.x * blockDim.x + threadIdx.x; }

// A string that swings: the next state comes from the last two.
__global__ void swing(const float* before, const float* now, float* next, int n) {
  const int i = own_index();
  if (i >= n) return;
  const float left = i > 0 ? now[i - 1] : 0, right = i + 1 < n ? now[i + 1] : 0;
  next[i] = 2 * now[i] - before[i] + 0.25f * (left - 2 * now[i] + right);
}
__global__ void swing_reference(const float* before, const float* now, float* next, int n) {
  for (int i = 0; i < n; ++i) {
    const float left = i > 0 ? now[i - 1] : 0, right = i + 1 < n ? now[i + 1] : 0;
    next[i] = 1.5f * now[i] - before[i] + 0.25f * (left + right);
  }
}

// Moves a share of each value to the next place, as wind does, in several steps.
__global__ void carried(const float* now, float* next, int n, float share) {
  const int i = own_index();
  if (i < n) next[i] = (1 - share) * now[i] + share * now[(i + n - 1) % n];
}

// Sums of all elements above and to the left: along rows, then along columns.
__global__ void sums_along_rows(const int* in, int* out, int width, int height) {
  const int y = own_index();
  if (y >= height) return;
  int sum = 0;
  for (int x = 0; x < width; ++x) out[y * width + x] = sum += in[y * width + x];
}
__global__ void sums_along_columns(int* sums, int width, int height) {
  const int x = own_index();
  if (x >= width) return;
  int sum = 0;
  for (int y = 0; y < height; ++y) sums[y * width + x] = sum += sums[y * width + x];
}
__global__ void sums_to_corner_reference(const int* in, int* out, int width, int height) {
  for (int y = 0; y < height; ++y) {
    for (int x = 0, row = 0; x < width; ++x) {
      row += in[y * width + x];
      out[y * width + x] = row + (y > 0 ? out[(y - 1) * width + x] : 0);
    }
  }
}

// A filter that the host sets, for a signal of one dimension.
__constant__ float taps[33];
__global__ void convolved(const float* in, float* out, int n) {
  const int i = own_index();
  if (i >= n) return;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kTaps; ++k)
    if (i >= k) sum += taps[k] * in[i - k];
  out[i] = sum;
}
__global__ void convolved_reference(const float* in, const float* filter, float* out, int n, int count) {
  for (int i = 0; i < n; ++i) {
    out[i] = 0;
    for (int k = 0; k < count && k <= i; ++k) out[i] += filter[k] * in[i - k];
  }
}
