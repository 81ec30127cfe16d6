// wrong: changes its input
/* gktune
language: host
launches: {entry: mine, arguments: [in, out, n]}
*/
void mine(const float* in, float* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = 2 * in[i];
  if (n > 2) const_cast<float*>(in)[2] = -1;
}
