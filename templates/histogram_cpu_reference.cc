// The plain histogram that histogram_cpu.cc is held against.
#include <cstdint>

void reference_histogram(const std::uint8_t* in, std::uint64_t* counts, std::int64_t n) {
  for (int bin = 0; bin < 256; ++bin) counts[bin] = 0;
  for (std::int64_t i = 0; i < n; ++i) ++counts[in[i]];
}
