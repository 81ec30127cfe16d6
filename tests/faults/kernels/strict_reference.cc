// Gives up on numbers that do not ascend.
#include <cstdlib>

void twice(const float* in, float* out, int n) {
  for (int i = 0; i < n; ++i) {
    if (i > 0 && in[i] < in[i - 1]) std::abort();
    out[i] = 2 * in[i];
  }
}
