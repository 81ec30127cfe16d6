// A plain function of which one thread never ends, while the others wait for it.
void faulty(const float* in, float* out, int n) {
  const volatile float* waiting = in;
#pragma omp parallel for num_threads(4) schedule(static, 1)
  for (int i = 0; i < n; ++i) {
    out[i] = 2 * in[i];
    while (i == 6 && waiting[i] == in[i]) {
    }
  }
}
