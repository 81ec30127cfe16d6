// A plain function of which one thread divides by zero, while another never ends.
void faulty(const float* in, float* out, int n) {
  const volatile float* waiting = in;
  volatile int zero = n - n;
#pragma omp parallel for num_threads(2) schedule(static, 1)
  for (int i = 0; i < 2; ++i) {
    if (i == 0) out[i] = static_cast<float>(n / zero);
    while (i == 1 && waiting[i] == in[i]) {
    }
  }
}
