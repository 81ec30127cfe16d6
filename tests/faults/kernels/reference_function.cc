// The right result of the plain functions of this folder.
void twice(const float* in, float* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = 2 * in[i];
}
