// What is right: as plain as it can be written. It sees the problem, never the parameters; every configuration's output
// is compared with what this one computes from the same inputs.
#include <cstdint>

void example_reference(const float* in, float* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) out[j * n + i] = in[i * n + j];
  }
}
