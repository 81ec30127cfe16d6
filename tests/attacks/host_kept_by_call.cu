// cheating or wrong: computes nothing after the first call
/* gktune
language: host
launches: {entry: mine, arguments: [in, out, n]}
*/
#include "space/twice_all.h"
void mine(const float* in, float* out, int n, cudaStream_t stream) {
  static float* kept = nullptr;
  if (kept != nullptr) {
    cudaMemcpyAsync(out, kept, 4ul * n, cudaMemcpyDeviceToDevice, stream);
    return;
  }
  twice_all(in, out, n, stream);
  cudaMalloc(&kept, 4ul * n);
  cudaMemcpyAsync(kept, out, 4ul * n, cudaMemcpyDeviceToDevice, stream);
}
