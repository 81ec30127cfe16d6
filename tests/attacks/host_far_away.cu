// out_of_bounds: its kernel writes where nothing is
/* gktune
language: host
launches: {entry: mine, arguments: [in, out, n]}
*/
__global__ void far(float* out) { out[1l << 40] = 1; }
void mine(const float* in, float* out, int n, cudaStream_t stream) {
  far<<<1, 1, 0, stream>>>(out);
}
