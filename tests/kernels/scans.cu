// Running sums, and sums of segments.
constexpr int kThreads = 128;

// Each block its own tile; in shared memory, from two buffers in turn.
__global__ void tile_scan(const int* in, int* out, int n) {
  __shared__ int sums[2][kThreads];
  const int i = blockIdx.x * kThreads + threadIdx.x, thread = threadIdx.x;
  sums[0][thread] = i < n ? in[i] : 0;
  int now = 0;
  for (int distance = 1; distance < kThreads; distance *= 2, now = 1 - now) {
    __syncthreads();
    sums[1 - now][thread] = sums[now][thread] + (thread >= distance ? sums[now][thread - distance] : 0);
  }
  if (i < n) out[i] = sums[now][thread];
}
__global__ void tile_scan_reference(const int* in, int* out, int n, int tile) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    sum = i % tile == 0 ? in[i] : sum + in[i];
    out[i] = sum;
  }
}

// One warp for each row of 32.
__global__ void warp_scan(const int* in, int* out, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x, lane = threadIdx.x % 32;
  int sum = i < n ? in[i] : 0;
  for (int distance = 1; distance < 32; distance *= 2) {
    const int other = __shfl_up_sync(0xffffffffu, sum, distance);
    if (lane >= distance) sum += other;
  }
  if (i < n) out[i] = sum;
}
