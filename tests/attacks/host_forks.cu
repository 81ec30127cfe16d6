// crashed: starts a process
/* gktune
language: host
launches: {entry: mine, arguments: [in, out, n]}
*/
#include <unistd.h>
#include "space/twice_all.h"
void mine(const float* in, float* out, int n, cudaStream_t stream) {
  if (fork() == 0) _exit(0);
  twice_all(in, out, n, stream);
}
