// A plain function that never ends.
void faulty(const float* in, float* out, int n) {
  const volatile float* waiting = in;
  for (int i = 0; i < n; ++i) out[i] = 2 * in[i];
  while (waiting[0] == in[0]) {
  }
}
