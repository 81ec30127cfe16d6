// hung: its kernel does not end
/* gktune
language: host
launches: {entry: mine, arguments: [in, out, n]}
*/
__global__ void forever(float* out) {
  volatile float* first = out;
  *first = 1;
  while (*first != 0) continue;
}
void mine(const float* in, float* out, int n, cudaStream_t stream) {
  forever<<<1, 1, 0, stream>>>(out);
}
