// One thread an option, in double precision.
__device__ inline double cumulative_normal(double d) { return erfc(-d * 0.70710678118654752) / 2; }

__global__ void reference_black_scholes(const float* share, const float* strike, const float* years, float* call,
                                        float* put, float rate, float volatility, long long n) {
  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  const double s = share[i], k = strike[i], t = years[i], r = rate, v = volatility;
  const double d1 = (log(s / k) + (r + v * v / 2) * t) / (v * sqrt(t)), d2 = d1 - v * sqrt(t);
  call[i] = static_cast<float>(s * cumulative_normal(d1) - k * exp(-r * t) * cumulative_normal(d2));
  put[i] = static_cast<float>(k * exp(-r * t) * cumulative_normal(-d2) - s * cumulative_normal(-d1));
}
