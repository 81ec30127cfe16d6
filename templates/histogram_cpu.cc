// Counts the occurrences of each of the 256 values in a vector of bytes, on the cores of a CPU.
//
// The ways, values of `way`:
//   plain       one thread
//   atomics     threads share the bins and add to them atomically
//   strided     bins of its own for each thread; thread t of k takes the bytes t, t + k, t + 2k …
//   contiguous  bins of its own for each thread; each takes one slice
//
// Parameters:
//   threads  how many: the setting OMP_NUM_THREADS
//   unroll   how many tables a thread of `plain` or `contiguous` counts in, in turn, so that equal neighbours do not
//            wait for each other
//   level    how much the compiler optimises
//   machine  whether it may use all that this processor has

#include <cstddef>
#include <cstdint>

enum class Way { plain, atomics, strided, contiguous };
constexpr Way kWay = Way::way;
constexpr int kBins = 256;

namespace {

void count_slice(const std::uint8_t* in, std::int64_t n, std::uint64_t* bins) {
  std::uint64_t tables[unroll][kBins] = {};
  std::int64_t i = 0;
  for (; i + unroll <= n; i += unroll) {
    for (int k = 0; k < unroll; ++k) ++tables[k][in[i + k]];
  }
  for (; i < n; ++i) ++tables[0][in[i]];
  for (const auto& table : tables) {
    for (int bin = 0; bin < kBins; ++bin) bins[bin] += table[bin];
  }
}

void add_up(const std::uint64_t* mine, std::uint64_t* counts) {
#pragma omp critical
  for (int bin = 0; bin < kBins; ++bin) counts[bin] += mine[bin];
}

}  // namespace

void histogram(const std::uint8_t* in, std::uint64_t* counts, std::int64_t n) {
  for (int bin = 0; bin < kBins; ++bin) counts[bin] = 0;

  if constexpr (kWay == Way::plain) {
    count_slice(in, n, counts);
  } else if constexpr (kWay == Way::atomics) {
#pragma omp parallel for
    for (std::int64_t i = 0; i < n; ++i) {
#pragma omp atomic
      ++counts[in[i]];
    }
  } else if constexpr (kWay == Way::strided) {
#pragma omp parallel
    {
      std::uint64_t mine[kBins] = {};
#pragma omp for schedule(static, 1)
      for (std::int64_t i = 0; i < n; ++i) ++mine[in[i]];
      add_up(mine, counts);
    }
  } else {
    constexpr std::int64_t kSlice = 1 << 16;
#pragma omp parallel
    {
      std::uint64_t mine[kBins] = {};
#pragma omp for schedule(static)
      for (std::int64_t slice = 0; slice < (n + kSlice - 1) / kSlice; ++slice) {
        const std::int64_t begin = slice * kSlice;
        count_slice(in + begin, n - begin < kSlice ? n - begin : kSlice, mine);
      }
      add_up(mine, counts);
    }
  }
}
