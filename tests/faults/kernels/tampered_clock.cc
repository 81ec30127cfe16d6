// Defines a clock that stands still, and sleeps.
#include <ctime>
#include <unistd.h>

extern "C" int clock_gettime(clockid_t, timespec* now) noexcept {
  *now = {};
  return 0;
}

void faulty(const float* in, float* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = 2 * in[i];
  usleep(2000);
}
