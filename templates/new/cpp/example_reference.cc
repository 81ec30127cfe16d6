// The expected output, computed as plainly as possible. It sees the problem, never the parameters. The output of every
// configuration is compared with this one's, from the same inputs.
#include <cstdint>

void example_reference(const float* in, float* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) out[j * n + i] = in[i * n + j];
  }
}
