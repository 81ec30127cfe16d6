// crashed or out_of_bounds: writes to no address
/* gktune
language: host
launches: {entry: mine, arguments: [in, out, n]}
*/
#include "space/twice_all.h"
void mine(const float* in, float* out, int n, cudaStream_t stream) {
  *static_cast<volatile int*>(nullptr) = 1;
  twice_all(in, out, n, stream);
}
