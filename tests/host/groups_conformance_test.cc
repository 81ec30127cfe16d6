#include <algorithm>
#include <bit>
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

TEST_P(Groups, form_tiles_of_every_size) {
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

TEST_P(Groups, divide_into_parts_of_parts_and_of_any_kind) {
  std::vector<int> in = inputs(), out(64 * 8), expected;
  run("groups.cu", "parts", line(1, 64), in, out);
  for (int i = 0; i < 64; ++i) {
    int rank[4] = {}, size[4] = {};  // with the same remainder by 2, by 3, among eight
    for (int k = i / 8 * 8; k < i / 8 * 8 + 8; ++k) {
      for (const int by : {2, 3}) {
        if (in[static_cast<std::size_t>(k)] % by != in[static_cast<std::size_t>(i)] % by) continue;
        ++size[by];
        if (k < i) ++rank[by];
      }
    }
    expected.insert(expected.end(), {7, i % 8 / 2 * 100 + 4, i * 100 + 64, i % 8 * 100 + 8, i % 16 * 100 + 16,
                                     rank[3] * 100 + size[3], rank[2] * 100 + size[2], i % 4 * 100 + 4});
  }
  EXPECT_EQ(out, expected);
}

TEST_P(Groups, scan_tiles_and_coalesced_threads) {
  std::vector<int> in = inputs(), out(64 * 4), expected;
  run("groups.cu", "scans", line(1, 64), in, out);
  for (int i = 0; i < 64; ++i) {
    const auto end = in.begin() + i + 1, tile = in.begin() + i / 16 * 16, warp = in.begin() + i / 32 * 32;
    const int sum = std::accumulate(tile, end, 0);
    expected.insert(expected.end(),
                    {sum, sum - *(end - 1), *std::max_element(tile, end), std::accumulate(warp, end, 0)});
  }
  EXPECT_EQ(out, expected);
}

TEST_P(Groups, include_a_whole_block) {
  std::vector<int> in = inputs(), out(64);
  run("groups.cu", "blocks", line(1, 64), in, out);
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(out[i], in[63 - i] + static_cast<int>(i));
}

TEST_P(Groups, form_from_coalesced_threads) {
  std::vector<int> in = inputs(), out(64);
  run("groups.cu", "coalesced", line(1, 64), in, out);
  for (std::size_t base = 0; base < 64; base += 32) {
    // The size of a group is unspecified. The ranks of each group count from zero.
    for (std::size_t i = base; i < base + 32; ++i) EXPECT_EQ(out[i] >= 0, in[i] % 3 == 0);
    const auto zeros =
        std::count_if(out.begin() + static_cast<long>(base), out.begin() + static_cast<long>(base + 32),
                      [](int x) { return x >= 0 && x % 1000 == 0; });
    EXPECT_GE(zeros, 1);
  }
}

TEST_P(Groups, copy_asynchronously) {
  std::vector<int> in(64 * 4), out(64);
  std::iota(in.begin(), in.end(), 0);
  run("groups.cu", "asynchronous", line(1, 64), in, out);
  for (int i = 0; i < 64; ++i) {
    const int mine = (63 - i) * 4, theirs = (i + 1) % 64 * 4;
    EXPECT_EQ(out[static_cast<std::size_t>(i)], mine + mine + 3 + theirs + 1);
  }
}

TEST_P(Groups, share_the_pipeline_of_a_block) {
  std::vector<int> in(64 * 4), out(64);
  std::iota(in.begin(), in.end(), 0);
  run("groups.cu", "stages_of_a_block", line(1, 64), in, out);
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ(out[static_cast<std::size_t>(i)], 4 * (63 - i) + 64 * (0 + 1 + 2 + 3) + (i + 1) % 64);
  }
}

TEST_P(Groups, wait_at_barriers_in_shared_memory) {
  std::vector<int> in = inputs(), out(64);
  run("groups.cu", "barriers", line(1, 64), in, out);
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(out[i], in[(i + 2) % 64]);
}

TEST_P(Groups, use_the_standard_library_of_cuda) {
  std::vector<int> in = inputs(), out(3);
  run("groups.cu", "standard", line(1, 64), in, out);
  EXPECT_EQ(out, (std::vector<int>{63 * 64 / 2, 63, std::numeric_limits<int>::max()}));
}

TEST_P(Groups, use_the_bit_functions_of_the_standard_library) {
  std::vector<unsigned> in{0, 1, 2, 3, 0x80000000u, ~0u, 0xff00ff00u, 0x12345678u}, out(in.size() * 10),
      expected;
  run("groups.cu", "standard_bits", line(1, static_cast<std::int64_t>(in.size())), in, out);
  for (const unsigned x : in) {
    const auto unsigned_of = [](int count) { return static_cast<unsigned>(count); };
    expected.insert(
        expected.end(),
        {unsigned_of(std::popcount(x)), unsigned_of(std::countl_zero(x)), unsigned_of(std::countr_zero(x)),
         unsigned_of(std::countl_one(x)), unsigned_of(std::countr_one(x)), unsigned_of(std::bit_width(x)),
         std::has_single_bit(x), std::bit_floor(x), std::rotl(x, 5) ^ std::rotr(x, 3),
         std::bit_cast<unsigned>(1.0f) + unsigned_of(std::countl_zero(static_cast<unsigned char>(x)))});
  }
  EXPECT_EQ(out, expected);
}

TEST_P(Groups, use_the_atomics_of_the_standard_library) {
  std::vector<int> in = inputs(), out(1);
  run("groups.cu", "standard_atomics", line(1, 64), in, out);
  EXPECT_EQ(out[0], 63 * 64 / 2);
}

TEST_P(Groups, let_a_thread_wait_for_another_one) {
  std::vector<int> flag(1), out(1);
  run("groups.cu", "waiting", line(1, 32), flag, out);
  EXPECT_EQ(out[0], 1);
}

GKTUNE_ON_EACH_RUNNER(Groups);

}  // namespace
}  // namespace gktune
