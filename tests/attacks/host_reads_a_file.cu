// wrong: reads a file that is not its own
/* gktune
language: host
launches: {entry: mine, arguments: [in, out, n]}
*/
#include <cstdio>
#include "space/twice_all.h"
void mine(const float* in, float* out, int n, cudaStream_t stream) {
  std::FILE* file = std::fopen("/etc/passwd", "r");
  if (file == nullptr) return;
  std::fclose(file);
  twice_all(in, out, n, stream);
}
