// crashed: ends its process
/* gktune
language: host
launches: {entry: mine, arguments: [in, out, n]}
*/
#include <cstdlib>
void mine(const float* in, float* out, int n, cudaStream_t stream) {
  std::_Exit(0);
}
