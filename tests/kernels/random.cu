// Random numbers by cuRAND, and by the recurrences of its generators.
#include <curand_kernel.h>

constexpr int kDraws = 3;
constexpr int kThreads = 64;
constexpr unsigned long long kSeed = 0x123456789abcull;

__device__ int own_index() { return blockIdx.x * kThreads + threadIdx.x; }

// Numbers i to i + kDraws - 1 of one sequence.
__global__ void xorwow_draws(unsigned* out, int n) {
  const int i = own_index();
  if (i >= n) return;
  curandState state;
  curand_init(kSeed, 0, i, &state);
  for (int draw = 0; draw < kDraws; ++draw) out[i * kDraws + draw] = curand(&state);
}
__global__ void xorwow_draws_reference(unsigned* out, int n) {
  const unsigned low = static_cast<unsigned>(kSeed) ^ 0xaad26b49u;
  const unsigned high = static_cast<unsigned>(kSeed >> 32) ^ 0xf7dcefddu;
  const unsigned a = 1099087573u * low, b = 2591861531u * high;
  unsigned d = 6615241u + a + b;
  unsigned v[5] = {123456789u + a, 362436069u ^ a, 521288629u + b, 88675123u ^ b, 5783321u + a};
  for (int at = 0; at < n + kDraws - 1; ++at) {
    const unsigned t = v[0] ^ (v[0] >> 2);
    for (int k = 0; k < 4; ++k) v[k] = v[k + 1];
    v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
    d += 362437u;
    for (int draw = 0; draw < kDraws; ++draw) {
      const int i = at - draw;
      if (i >= 0 && i < n) out[i * kDraws + draw] = v[4] + d;
    }
  }
}

// Four uniform and four normal numbers of each sequence.
__global__ void philox_draws(float* out, int n) {
  const int i = own_index();
  if (i >= n) return;
  curandStatePhilox4_32_10_t state;
  curand_init(kSeed, i, 4, &state);
  const float4 uniform = curand_uniform4(&state);
  const float4 normal = curand_normal4(&state);
  float* const own = out + i * 8;
  own[0] = uniform.x, own[1] = uniform.y, own[2] = uniform.z, own[3] = uniform.w;
  own[4] = normal.x, own[5] = normal.y, own[6] = normal.z, own[7] = normal.w;
}
__device__ void philox(unsigned (&counter)[4]) {
  unsigned key[2] = {static_cast<unsigned>(kSeed), static_cast<unsigned>(kSeed >> 32)};
  for (int round = 0; round < 10; ++round) {
    const unsigned long long first = 0xd2511f53ull * counter[0], second = 0xcd9e8d57ull * counter[2];
    counter[0] = static_cast<unsigned>(second >> 32) ^ counter[1] ^ key[0];
    counter[1] = static_cast<unsigned>(second);
    counter[2] = static_cast<unsigned>(first >> 32) ^ counter[3] ^ key[1];
    counter[3] = static_cast<unsigned>(first);
    key[0] += 0x9e3779b9u, key[1] += 0xbb67ae85u;
  }
}
__global__ void philox_draws_reference(float* out, int n) {
  for (int i = 0; i < n; ++i) {
    for (unsigned call = 0; call < 2; ++call) {
      unsigned bits[4] = {1 + call, 0, static_cast<unsigned>(i), 0};
      philox(bits);
      double parts[4];
      for (int k = 0; k < 4; ++k) parts[k] = (bits[k] + 0.5) / 4294967296.0;
      float* const own = out + i * 8 + call * 4;
      for (int k = 0; k < 4; ++k) own[k] = static_cast<float>(parts[k]);
      if (call == 0) continue;
      for (int k = 0; k < 4; k += 2) {
        const double length = sqrt(-2 * log(parts[k])), angle = 2 * 3.14159265358979323846 * parts[k + 1];
        own[k] = static_cast<float>(length * sin(angle));
        own[k + 1] = static_cast<float>(length * cos(angle));
      }
    }
  }
}
