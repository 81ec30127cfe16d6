// Kernels on the bits of integers, and plain references.
constexpr int kThreads = 128;

__device__ int own_index() { return blockIdx.x * blockDim.x + threadIdx.x; }

// The number of ones in front of each word of a tile.
__global__ void ones_before(const unsigned* in, int* out, int n) {
  __shared__ int of_warps[kThreads / 32];
  const int i = own_index(), lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int own = i < n ? __popc(in[i]) : 0;
  int sum = own;
  for (int distance = 1; distance < 32; distance *= 2) {
    const int before = __shfl_up_sync(~0u, sum, distance);
    if (lane >= distance) sum += before;
  }
  if (lane == 31) of_warps[warp] = sum;
  __syncthreads();
  for (int other = 0; other < warp; ++other) sum += of_warps[other];
  if (i < n) out[i] = sum - own;
}
__global__ void ones_before_reference(const unsigned* in, int* out, int n, int tile) {
  for (int i = 0, sum = 0; i < n; ++i) {
    if (i % tile == 0) sum = 0;
    out[i] = sum;
    for (unsigned word = in[i]; word != 0; word &= word - 1) ++sum;
  }
}

// Codes that a single wrong bit does not spoil, from a table.
__constant__ unsigned char kCodes[16] = {0, 210, 85, 135, 153, 75, 204, 30, 225, 51, 180, 102, 120, 170, 45, 255};
__global__ void coded(const unsigned char* in, uchar2* out, int n) {
  const int i = own_index();
  if (i < n) out[i] = make_uchar2(kCodes[in[i] & 15], kCodes[in[i] >> 4]);
}
__global__ void coded_reference(const unsigned char* in, unsigned char* out, int n) {
  for (int i = 0; i < 2 * n; ++i) out[i] = kCodes[in[i / 2] >> 4 * (i % 2) & 15];
}
