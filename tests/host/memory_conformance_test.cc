#include <numeric>

#include "tests/host/conformance.h"

namespace gktune {
namespace {

using Memory = Conformance;

TEST_P(Memory, vectors_have_the_sizes_and_alignments_of_cuda) {
  std::vector<int> out(36);
  run("memory.cu", "layouts", line(1, 1), out);
  EXPECT_EQ(out, (std::vector<int>{2, 2, 3, 1, 4,  4, 4,  4,  8,  8,  8,  8,  12, 4, 16, 16, 16, 16,
                                   4, 4, 8, 8, 12, 4, 16, 16, 16, 16, 16, 16, 12, 4, 8,  8,  4,  4}));
}

TEST_P(Memory, vectors_are_loaded_and_stored_whole) {
  std::vector<float> in(32), out(40), expected(40);
  std::iota(in.begin(), in.end(), 1.0f);
  run("memory.cu", "vectors", line(1, 8), in, out);
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t k = 0; k < 4; ++k) expected[4 * i + k] = in[4 * i + 3 - k];
    expected[32 + i] = in[4 * i] * 3 + 4;
  }
  EXPECT_EQ(out, expected);
}

TEST_P(Memory, cache_hints_do_not_change_results) {
  std::vector<int> in(16), out(128);
  std::iota(in.begin(), in.end(), 100);
  run("memory.cu", "hints", line(1, 16), in, out);
  for (std::size_t i = 0; i < 16; ++i) {
    for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(out[i * 8 + k], in[i]);
    EXPECT_EQ(out[i * 8 + 6], std::accumulate(in.begin() + static_cast<long>(i / 4 * 4),
                                              in.begin() + static_cast<long>(i / 4 * 4 + 4), 0));
    EXPECT_EQ(out[i * 8 + 7], -1);
  }
}

TEST_P(Memory, kernels_allocate_on_the_heap) {
  std::vector<int> in = {0, 1, 2, 3};
  std::vector<int> out(4);
  run("memory.cu", "heap", line(1, 4), in, out);
  EXPECT_EQ(out, (std::vector<int>{3210, 4321, 5432, 6543}));
}

GKTUNE_ON_EACH_RUNNER(Memory);

}  // namespace
}  // namespace gktune
