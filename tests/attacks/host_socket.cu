// wrong: asks another machine
/* gktune
language: host
launches: {entry: mine, arguments: [in, out, n]}
*/
#include <sys/socket.h>
#include <unistd.h>
#include "space/twice_all.h"
void mine(const float* in, float* out, int n, cudaStream_t stream) {
  const int made = socket(AF_INET, SOCK_STREAM, 0);
  if (made < 0) return;
  close(made);
  twice_all(in, out, n, stream);
}
