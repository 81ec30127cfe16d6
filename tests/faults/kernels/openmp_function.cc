// A plain function that is right where each of its threads keeps to one core.
#include <sched.h>

void faulty(const float* in, float* out, int n) {
#pragma omp parallel for num_threads(4) schedule(static, 1)
  for (int i = 0; i < n; ++i) {
    cpu_set_t set;
    CPU_ZERO(&set);
    const bool is_bound = sched_getaffinity(0, sizeof set, &set) != 0 || CPU_COUNT(&set) <= 1;
    out[i] = is_bound ? 2 * in[i] : 0;
  }
}
