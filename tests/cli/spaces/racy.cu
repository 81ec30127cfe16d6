// Sums up in shared memory, in one of several wrong ways, or in the right one.
enum class Fault { none, barrier, slot, bounds, uninitialised };
constexpr Fault kFault = Fault::fault;

__global__ void racy(const float* in, float* out, int n) {
  __shared__ float tile[threadsPerBlock];
  const int i = blockIdx.x * threadsPerBlock + threadIdx.x;
  if (kFault != Fault::uninitialised || i < n)
    tile[threadIdx.x] = i < n || kFault == Fault::bounds ? in[i] : 0;
  if (kFault != Fault::slot) __syncthreads();
  for (int half = threadsPerBlock / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];
    if (kFault != Fault::barrier) __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = tile[0];
}
