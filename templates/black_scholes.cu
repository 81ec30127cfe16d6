// The prices of European options by the formula of Black and Scholes, for vectors of any length and alignment:
//   call = S N(d1) - K e^(-r T) N(d2)         d1 = (ln(S / K) + (r + v^2 / 2) T) / (v sqrt(T))
//   put  = K e^(-r T) N(-d2) - S N(-d1)       d2 = d1 - v sqrt(T)
// S is the price of the share, K that at which it may be bought or sold, T the years until then, r the rate of
// interest, v the volatility. N is the cumulative normal distribution, erfc(-d / sqrt(2)) / 2. An option moves 20
// bytes: an H200 has time for about 150 instructions meanwhile.
//
// The ways, values of `way`:
//   library     the functions of CUDA's library: erfcf, logf, expf, sqrtf
//   polynomial  Hastings' polynomial for erfc (Abramowitz and Stegun, 7.1.26), which is off by 1.5e-7 at most, and the
//               approximations that a GPU has as instructions
//
// Parameters:
//   threadsPerBlock  threads in a block
//   vectorWidth      elements a load and a store
//   perThread        packs that a thread loads before it stores the first
//   loadHint, storeHint  plain, streaming (see common/loads.cuh)

#include "common/elementwise.cuh"

enum class Way { library, polynomial };

constexpr gktune::Hint kLoadHint = gktune::Hint::loadHint, kStoreHint = gktune::Hint::storeHint;
constexpr float kRootOfHalf = 0.70710678f;

// N(-d) and N(d).
struct Normal {
  float below, above;
};
__device__ inline Normal normal_of(float d) {
  if constexpr (Way::way == Way::library) return {0.5f * erfcf(d * kRootOfHalf), 0.5f * erfcf(-d * kRootOfHalf)};
  const float x = fabsf(d) * kRootOfHalf;
  const float t = __fdividef(1, fmaf(0.3275911f, x, 1));
  float sum = fmaf(1.061405429f, t, -1.453152027f);
  sum = fmaf(sum, t, 1.421413741f);
  sum = fmaf(sum, t, -0.284496736f);
  sum = fmaf(sum, t, 0.254829592f);
  const float tail = 0.5f * sum * t * __expf(-x * x);
  return d < 0 ? Normal{1 - tail, tail} : Normal{tail, 1 - tail};
}

struct Prices {
  float call, put;
};
struct Options {
  const float *share, *strike, *years;
  float *call, *put;
  float rate, volatility, per_volatility;

  template <int kWidth>
  struct Operands {
    gktune::Pack<float, kWidth> share, strike, years;
  };

  template <int kWidth>
  __device__ Operands<kWidth> load(long long i) const {
    return {gktune::load_pack<kLoadHint, kWidth>(share + i), gktune::load_pack<kLoadHint, kWidth>(strike + i),
            gktune::load_pack<kLoadHint, kWidth>(years + i)};
  }

  template <int kWidth>
  __device__ void store(long long i, const Operands<kWidth>& operands) const {
    gktune::Pack<float, kWidth> calls, puts;
#pragma unroll
    for (int k = 0; k < kWidth; ++k) {
      const Prices prices = prices_of(operands.share.at[k], operands.strike.at[k], operands.years.at[k]);
      calls.at[k] = prices.call;
      puts.at[k] = prices.put;
    }
    gktune::store_pack<kStoreHint>(call + i, calls);
    gktune::store_pack<kStoreHint>(put + i, puts);
  }

  __device__ Prices prices_of(float s, float k, float t) const {
    const float drift = fmaf(volatility, 0.5f * volatility, rate) * t;
    float deviation, d1, discounted;
    if constexpr (Way::way == Way::library) {
      deviation = volatility * sqrtf(t);
      d1 = (logf(s / k) + drift) / deviation;
      discounted = k * expf(-rate * t);
    } else {
      const float reciprocal = rsqrtf(t);
      deviation = volatility * (t * reciprocal);
      d1 = (__logf(__fdividef(s, k)) + drift) * (reciprocal * per_volatility);
      discounted = k * __expf(-rate * t);
    }
    const Normal one = normal_of(d1), two = normal_of(d1 - deviation);
    return {s * one.above - discounted * two.above, discounted * two.below - s * one.below};
  }
};

__global__ void __launch_bounds__(threadsPerBlock)
    black_scholes(const float* share, const float* strike, const float* years, float* call, float* put, float rate,
                  float volatility, long long n) {
  const bool alike = gktune::aligned_alike<vectorWidth>(share, strike, years, call, put);
  gktune::for_each_element<threadsPerBlock, vectorWidth, perThread>(
      Options{share, strike, years, call, put, rate, volatility, 1 / volatility}, share, n, alike);
}
