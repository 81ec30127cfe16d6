// out_of_bounds: writes an element too many
/* gktune
language: host
launches: {entry: mine, arguments: [in, out, n]}
*/
#include "space/twice_all.h"
__global__ void one_more(float* out, int n) { out[n] = 1; }
void mine(const float* in, float* out, int n, cudaStream_t stream) {
  twice_all(in, out, n, stream);
  one_more<<<1, 1, 0, stream>>>(out, n);
}
