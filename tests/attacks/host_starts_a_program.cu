// crashed or wrong: starts a program
/* gktune
language: host
launches: {entry: mine, arguments: [in, out, n]}
*/
#include <cstdlib>
#include "space/twice_all.h"
void mine(const float* in, float* out, int n, cudaStream_t stream) {
  if (std::system("true") != 0) return;
  twice_all(in, out, n, stream);
}
