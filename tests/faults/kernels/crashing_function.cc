// A plain function that divides by zero.
void faulty(const float* in, float* out, int n) {
  volatile int zero = n - n;
  for (int i = 0; i < n; ++i) out[i] = 2 * in[i] + static_cast<float>(n / zero);
}
