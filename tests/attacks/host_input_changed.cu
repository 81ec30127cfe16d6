// wrong: changes its input
/* gktune
language: host
launches: {entry: mine, arguments: [in, out, n]}
*/
#include "space/twice_all.h"
__global__ void change(const float* in) { const_cast<float*>(in)[3] = -1; }
void mine(const float* in, float* out, int n, cudaStream_t stream) {
  twice_all(in, out, n, stream);
  change<<<1, 1, 0, stream>>>(in);
}
