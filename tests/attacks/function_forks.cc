// crashed: starts a process
/* gktune
language: host
launches: {entry: mine, arguments: [in, out, n]}
*/
#include <unistd.h>
void mine(const float* in, float* out, int n) {
  if (fork() == 0) _exit(0);
  for (int i = 0; i < n; ++i) out[i] = 2 * in[i];
}
