#include <algorithm>
#include <limits>
#include <numeric>

#include "tests/host/conformance.h"

namespace gktune {
namespace {

using Groups = Conformance;

std::vector<int> inputs() {
  std::vector<int> in(64);
  for (int i = 0; i < 64; ++i) in[static_cast<std::size_t>(i)] = i * 29 % 64;
  return in;
}

TEST_P(Groups, tiles_of_every_size) {
  for (const int size : {4, 16, 32}) {
    std::vector<int> in = inputs(), out(64 * 8), expected;
    run("groups.cu", "tiles<" + std::to_string(size) + ">", line(1, 64), in, out);
    for (int i = 0; i < 64; ++i) {
      const auto begin = in.begin() + i / size * size, end = begin + size;
      int even = 0;
      for (int k = 0; k < size; ++k) even |= static_cast<int>(static_cast<unsigned>(begin[k] % 2 == 0) << k);
      expected.insert(
          expected.end(),
          {i % size, i / size, begin[size - 1], in[static_cast<std::size_t>(i ^ 1)], even,
           std::count(begin, end, 3) > 0, std::accumulate(begin, end, 0), *std::max_element(begin, end)});
    }
    EXPECT_EQ(out, expected) << size;
  }
}

TEST_P(Groups, a_block_is_a_group) {
  std::vector<int> in = inputs(), out(64);
  run("groups.cu", "blocks", line(1, 64), in, out);
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(out[i], in[63 - i] + static_cast<int>(i));
}

TEST_P(Groups, threads_that_stand_together) {
  std::vector<int> in = inputs(), out(64);
  run("groups.cu", "coalesced", line(1, 64), in, out);
  for (std::size_t base = 0; base < 64; base += 32) {
    // How many stand together is not laid down; that the ranks of each group count from zero is.
    for (std::size_t i = base; i < base + 32; ++i) EXPECT_EQ(out[i] >= 0, in[i] % 3 == 0);
    const auto zeros =
        std::count_if(out.begin() + static_cast<long>(base), out.begin() + static_cast<long>(base + 32),
                      [](int x) { return x >= 0 && x % 1000 == 0; });
    EXPECT_GE(zeros, 1);
  }
}

TEST_P(Groups, asynchronous_copies) {
  std::vector<int> in(64 * 4), out(64);
  std::iota(in.begin(), in.end(), 0);
  run("groups.cu", "asynchronous", line(1, 64), in, out);
  for (int i = 0; i < 64; ++i) {
    const int mine = (63 - i) * 4, theirs = (i + 1) % 64 * 4;
    EXPECT_EQ(out[static_cast<std::size_t>(i)], mine + mine + 3 + theirs + 1);
  }
}

TEST_P(Groups, stages_of_a_block) {
  std::vector<int> in(64 * 4), out(64);
  std::iota(in.begin(), in.end(), 0);
  run("groups.cu", "stages_of_a_block", line(1, 64), in, out);
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ(out[static_cast<std::size_t>(i)], 4 * (63 - i) + 64 * (0 + 1 + 2 + 3) + (i + 1) % 64);
  }
}

TEST_P(Groups, barriers_in_memory) {
  std::vector<int> in = inputs(), out(64);
  run("groups.cu", "barriers", line(1, 64), in, out);
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(out[i], in[(i + 2) % 64]);
}

TEST_P(Groups, the_standard_library_of_cuda) {
  std::vector<int> in = inputs(), out(3);
  run("groups.cu", "standard", line(1, 64), in, out);
  EXPECT_EQ(out, (std::vector<int>{63 * 64 / 2, 63, std::numeric_limits<int>::max()}));
}

TEST_P(Groups, a_thread_may_wait_for_another_one) {
  std::vector<int> flag(1), out(1);
  run("groups.cu", "waiting", line(1, 32), flag, out);
  EXPECT_EQ(out[0], 1);
}

GKTUNE_ON_EACH_RUNNER(Groups);

}  // namespace
}  // namespace gktune
