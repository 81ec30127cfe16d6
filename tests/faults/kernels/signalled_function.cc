// A plain function whose process gets a signal that is not its parent's.
#include <unistd.h>

#include <csignal>

void faulty(const float* in, float* out, int n) {
  ::kill(::getpid(), SIGXCPU);
  for (int i = 0; i < n; ++i) out[i] = 2 * in[i];
}
