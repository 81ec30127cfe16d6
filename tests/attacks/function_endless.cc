// hung: does not return
/* gktune
language: host
launches: {entry: mine, arguments: [in, out, n]}
*/
void mine(const float* in, float* out, int n) {
  volatile bool goes_on = n > 2;
  while (goes_on) continue;
  for (int i = 0; i < n; ++i) out[i] = 2 * in[i];
}
