// One block a row: k times the greatest of those elements that come after the one found before. 256 threads.
__device__ inline bool comes_first(float a, int place_of_a, float b, int place_of_b) {
  return a > b || (a == b && place_of_a < place_of_b);
}

__global__ void reference_top_k(const float* in, float* greatest, int* places, long long columns, int k) {
  __shared__ float values[256];
  __shared__ int found[256];
  const float* row = in + blockIdx.x * columns;
  const int thread = static_cast<int>(threadIdx.x);
  float last = 0;
  int place_of_last = -1;
  for (int i = 0; i < k; ++i) {
    float best = 0;
    int place = -1;
    for (int c = thread; c < columns; c += 256) {
      const float value = row[c];
      if (i > 0 && !comes_first(last, place_of_last, value, c)) continue;
      if (place < 0 || comes_first(value, c, best, place)) {
        best = value;
        place = c;
      }
    }
    values[thread] = best;
    found[thread] = place;
    for (int half = 128; half > 0; half /= 2) {
      __syncthreads();
      if (thread >= half) continue;
      const int other = thread + half;
      if (found[other] < 0) continue;
      if (found[thread] < 0 || comes_first(values[other], found[other], values[thread], found[thread])) {
        values[thread] = values[other];
        found[thread] = found[other];
      }
    }
    __syncthreads();
    last = values[0];
    place_of_last = found[0];
    __syncthreads();
    if (thread == 0) {
      greatest[blockIdx.x * static_cast<long long>(k) + i] = last;
      places[blockIdx.x * static_cast<long long>(k) + i] = place_of_last;
    }
  }
}

// Rows in which many elements are equal, of both signs of zero too.
__global__ void round_to_halves(const float* in, float* out, long long count) {
  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (i < count) out[i] = rintf(in[i] * 2) / 2;
}
