#include <algorithm>
#include <bit>
#include <numeric>

#include "tests/host/conformance.h"

namespace gktune {
namespace {

using Atomics = Conformance;

constexpr int kBlocks = 8, kThreads = 96, kCount = kBlocks * kThreads;

template <class T>
std::vector<T> inputs() {
  std::vector<T> in;
  for (unsigned i = 0; i < kCount; ++i) in.push_back(static_cast<T>(i * 2654435761u % 100003u));
  return in;
}

// Sum, minimum, maximum, and, or, exclusive or, each from what `start` holds.
template <class T>
std::vector<T> expected_arithmetic(const std::vector<T>& in, std::vector<T> result) {
  for (const T x : in) {
    result[0] = static_cast<T>(result[0] + x);
    result[1] = std::min(result[1], x);
    result[2] = std::max(result[2], x);
    result[3] = result[3] & x;
    result[4] = result[4] | x;
    result[5] = result[5] ^ x;
  }
  return result;
}

TEST_P(Atomics, compute_with_every_integer_type) {
  const auto check = [this]<class T>(const std::string& entry, T) {
    std::vector<T> in = inputs<T>();
    std::vector<T> start{5, static_cast<T>(1000000), 0, static_cast<T>(~T{0}), 0, 77, 3, 0, 0};
    std::vector<T> out = start, expected = expected_arithmetic(in, start);
    run("atomics.cu", entry, line(kBlocks, kThreads), in, out);
    out.resize(6);
    expected.resize(6);
    EXPECT_EQ(out, expected) << entry;
  };
  check("atomics_int", int());
  check("atomics_unsigned", 0u);
  check("atomics_unsigned_long_long", 0ull);
}

TEST_P(Atomics, subtract_and_wrap_counters) {
  std::vector<unsigned> in = inputs<unsigned>(), out{0, 0, 0, 0, 0, 0, 3, 0, 0};
  run("atomics.cu", "atomics_unsigned", line(kBlocks, kThreads), in, out);
  EXPECT_EQ(out[6], 3u - std::accumulate(in.begin(), in.end(), 0u));
  EXPECT_EQ(out[7], kCount % 10u);
  EXPECT_EQ(out[8], (10u - kCount % 10u) % 10u);
}

TEST_P(Atomics, compute_with_signed_integers_of_64_bits) {
  std::vector<long long> in = inputs<long long>(), out{0, 0, -1, 0, 0}, expected = out;
  run("atomics.cu", "atomics_long_long", line(kBlocks, kThreads), in, out);
  for (const long long x : in) {
    expected[0] = std::min(expected[0], x - 50000);
    expected[1] = std::max(expected[1], x - 50000);
    expected[2] &= x - 50000;
    expected[3] |= x - 50000;
    expected[4] ^= x - 50000;
  }
  EXPECT_EQ(out, expected);
}

TEST_P(Atomics, work_in_the_scopes_of_a_block_and_of_the_system) {
  std::vector<int> in = inputs<int>(), out(kBlocks * 6), expected(kBlocks * 6);
  std::vector<unsigned> all{0, ~0u, 0}, total{0, ~0u, kCount};
  run("atomics.cu", "atomics_in_scopes", line(kBlocks, kThreads), in, out, all);
  for (std::size_t i = 0; i < kCount; ++i) {
    int* row = &expected[i / kThreads * 6];
    row[0] += in[i];
    row[1] = std::max(row[1], in[i]);
    row[2] ^= in[i];
    row[3] -= in[i];
    row[4] = 7;
    row[5] += 2;
    total[0] += static_cast<unsigned>(in[i]);
    total[1] = std::min(total[1], static_cast<unsigned>(in[i]));
  }
  EXPECT_EQ(out, expected);
  EXPECT_EQ(all, total);
}

TEST_P(Atomics, sum_floating_point_numbers_in_every_scope) {
  std::vector<float> in(kCount), out(10);
  for (std::size_t i = 0; i < kCount; ++i) in[i] = static_cast<float>(i % 100) / 4;
  run("atomics.cu", "atomics_float", line(kBlocks, kThreads), in, out);
  const float sum = std::accumulate(in.begin(), in.end(), 0.0f);
  EXPECT_EQ(out[0], sum);
  EXPECT_EQ(out[9], sum);
  for (long block = 0; block < kBlocks; ++block) {
    const auto begin = in.begin() + block * kThreads;
    EXPECT_EQ(out[static_cast<std::size_t>(1 + block)], std::accumulate(begin, begin + kThreads, 0.0f));
  }
  std::vector<double> wide(in.begin(), in.end()), totals(out.size());
  run("atomics.cu", "atomics_double", line(kBlocks, kThreads), wide, totals);
  EXPECT_EQ(totals, std::vector<double>(out.begin(), out.end()));
}

TEST_P(Atomics, sum_vectors_by_component) {
  std::vector<float> in(kCount), out(8), expected{1, 2, 0, 0, 1, 2, 3, 4};
  for (std::size_t i = 0; i < kCount; ++i) in[i] = static_cast<float>(i % 100) / 4;
  run("atomics.cu", "atomics_of_vectors", line(kBlocks, kThreads), in, out);
  const float sum = std::accumulate(in.begin(), in.end(), 0.0f);
  for (float& factor : expected) factor *= sum;
  EXPECT_EQ(out, expected);
}

TEST_P(Atomics, exchange_each_value_exactly_once) {
  std::vector<int> out(1 + kCount);
  std::vector<unsigned long long> wide(1 + kCount);
  std::vector<float> real(1 + kCount);
  run("atomics.cu", "exchanges", line(kBlocks, kThreads), out, wide, real);
  std::vector<int> expected(1 + kCount);
  std::iota(expected.begin(), expected.end(), 0);
  std::sort(out.begin(), out.end());
  std::sort(wide.begin(), wide.end());
  std::sort(real.begin(), real.end());
  EXPECT_EQ(out, expected);
  EXPECT_EQ(wide, std::vector<unsigned long long>(expected.begin(), expected.end()));
  EXPECT_EQ(real, std::vector<float>(expected.begin(), expected.end()));
}

TEST_P(Atomics, compare_and_swap_in_a_loop) {
  std::vector<float> in(kCount);
  for (std::size_t i = 0; i < kCount; ++i) in[i] = static_cast<float>(i * 37 % kCount) / 8;
  std::vector<int> out(1);
  std::vector<unsigned long long> wide{1ull << 40};
  std::vector<unsigned short> narrow{10, 99};
  run("atomics.cu", "compare_and_swap", line(kBlocks, kThreads), in, out, wide, narrow);
  EXPECT_EQ(std::bit_cast<float>(out[0]), static_cast<float>(kCount - 1) / 8);
  EXPECT_EQ(wide[0], (1ull << 40) + 3ull * kCount);
  EXPECT_EQ(narrow, (std::vector<unsigned short>{10 + kCount, 99}));
}

TEST_P(Atomics, work_in_shared_memory) {
  std::vector<int> in = inputs<int>(), out(16), expected(16);
  run("atomics.cu", "shared_histogram", line(kBlocks, kThreads), in, out);
  for (const int x : in) ++expected[static_cast<std::size_t>(x & 15)];
  EXPECT_EQ(out, expected);
}

TEST_P(Atomics, make_a_lock_that_admits_one_thread_at_a_time) {
  std::vector<int> lock(1), count(1);
  run("atomics.cu", "spin_lock", line(4, 64), lock, count);
  EXPECT_EQ(count[0], 4 * 64);
  EXPECT_EQ(lock[0], 0);
}

GKTUNE_ON_EACH_RUNNER(Atomics);

}  // namespace
}  // namespace gktune
