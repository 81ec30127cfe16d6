// hung: does not return
/* gktune
language: host
launches: {entry: mine, arguments: [in, out, n]}
*/
#include "space/twice_all.h"
void mine(const float* in, float* out, int n, cudaStream_t stream) {
  volatile bool goes_on = true;
  while (goes_on) continue;
  twice_all(in, out, n, stream);
}
