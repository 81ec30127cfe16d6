#include <algorithm>
#include <numeric>

#include "tests/host/conformance.h"

namespace gktune {
namespace {

constexpr unsigned kThreads = 96;

std::vector<int> inputs() {
  std::vector<int> in(kThreads);
  for (unsigned i = 0; i < kThreads; ++i)
    in[i] = static_cast<int>(i * 2654435761u >> 8) % 1000 + (i < 32 ? 0 : -300);
  return in;
}

using Warp = Conformance;

template <class T>
std::vector<T> expected_shuffles(const std::vector<T>& in) {
  std::vector<T> expected;
  for (unsigned i = 0; i < kThreads; ++i) {
    const unsigned lane = i % 32, base = i - lane, seg8 = lane / 8 * 8, seg16 = lane / 16 * 16;
    const auto from = [&](unsigned source) { return in[base + source]; };
    expected.push_back(from(5));
    expected.push_back(from(seg8 + (i * 7 + 3) % 8));
    expected.push_back(lane >= 3 ? from(lane - 3) : from(lane));
    expected.push_back(lane + 2 < seg16 + 16 ? from(lane + 2) : from(lane));
    expected.push_back(from(lane ^ 9));
    expected.push_back((lane ^ 12) < seg8 + 8 ? from(lane ^ 12) : from(lane));
  }
  return expected;
}

TEST_P(Warp, shuffles_in_every_kind_and_width) {
  const auto check = [this]<class T>(const std::string& entry, T) {
    const std::vector<int> whole = inputs();
    std::vector<T> in, out(kThreads * 6);
    for (const int x : whole) in.push_back(static_cast<T>(x) * static_cast<T>(1) + static_cast<T>(x) / 3);
    run("warp.cu", entry, line(1, kThreads), in, out);
    EXPECT_EQ(out, expected_shuffles(in)) << entry;
  };
  check("shuffle_int", int());
  check("shuffle_float", float());
  check("shuffle_double", double());
  check("shuffle_long_long", 0ll);
}

TEST_P(Warp, votes_and_matches) {
  std::vector<int> in = inputs();
  std::vector<unsigned> out(kThreads * 5), expected;
  run("warp.cu", "votes", line(1, kThreads), in, out);
  for (unsigned i = 0; i < kThreads; ++i) {
    const unsigned base = i / 32 * 32;
    unsigned odd = 0, alike = 0;
    bool has_17 = false, none_negative = true, all_same = true;
    for (unsigned lane = 0; lane < 32; ++lane) {
      const int x = in[base + lane];
      odd |= static_cast<unsigned>(x & 1) << lane;
      alike |= static_cast<unsigned>((x & 3) == (in[i] & 3)) << lane;
      has_17 = has_17 || x == 17;
      none_negative = none_negative && x >= 0;
      all_same = all_same && x >> 20 == in[base] >> 20;
    }
    expected.insert(expected.end(), {odd, has_17, none_negative, alike, all_same ? ~0u + 2u : 0u});
  }
  EXPECT_EQ(out, expected);
}

TEST_P(Warp, reduces_signed_and_unsigned_integers) {
  std::vector<int> in = inputs();
  std::vector<int> out(kThreads * 9), expected;
  run("warp.cu", "reductions", line(1, kThreads), in, out);
  for (unsigned i = 0; i < kThreads; ++i) {
    const auto begin = in.begin() + i / 32 * 32, end = begin + 32;
    const auto less = [](int a, int b) { return static_cast<unsigned>(a) < static_cast<unsigned>(b); };
    const int sum = std::accumulate(begin, end, 0);
    expected.insert(expected.end(), {sum, *std::min_element(begin, end), *std::max_element(begin, end), sum,
                                     *std::min_element(begin, end, less), *std::max_element(begin, end, less),
                                     std::accumulate(begin, end, -1, std::bit_and<>()),
                                     std::accumulate(begin, end, 0, std::bit_or<>()),
                                     std::accumulate(begin, end, 0, std::bit_xor<>())});
  }
  EXPECT_EQ(out, expected);
}

TEST_P(Warp, lanes_of_two_masks_synchronize_separately) {
  std::vector<int> in = inputs(), out(kThreads), expected;
  run("warp.cu", "partial_masks", line(1, kThreads), in, out);
  for (unsigned i = 0; i < kThreads; ++i) {
    int sum = 0, most = in[i / 32 * 32 + i % 2];
    for (unsigned lane = i % 2; lane < 32; lane += 2) {
      sum += in[i / 32 * 32 + lane];
      most = std::max(most, in[i / 32 * 32 + lane]);
    }
    expected.push_back(i % 2 == 0 ? sum : sum - most);
  }
  EXPECT_EQ(out, expected);
}

TEST_P(Warp, matches_stay_within_their_mask) {
  std::vector<int> in = inputs();
  std::vector<unsigned> out(kThreads * 2), expected;
  run("warp.cu", "matches_in_masks", line(1, kThreads), in, out);
  for (unsigned i = 0; i < kThreads; ++i) {
    const unsigned base = i / 32 * 32, mask = i % 32 < 12 ? 0xfffu : 0xfffff000u;
    unsigned alike = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
      if ((mask >> lane & 1) != 0 && (in[base + lane] & 1) == (in[i] & 1)) alike |= 1u << lane;
    }
    expected.push_back(alike);
    expected.push_back(i % 32 < 12 ? (alike == mask ? mask : 0) : mask + 1);
  }
  EXPECT_EQ(out, expected);
}

TEST_P(Warp, a_last_warp_may_be_partial) {
  for (const unsigned threads : {1u, 31u, 33u, 50u, 64u}) {
    std::vector<int> in = inputs(), out(threads), expected;
    run("warp.cu", "partial_last_warp", line(1, threads), in, out);
    for (unsigned i = 0; i < threads; ++i) {
      const unsigned base = i / 32 * 32, end = std::min(threads, base + 32);
      expected.push_back(std::accumulate(in.begin() + base, in.begin() + end, 0));
    }
    EXPECT_EQ(out, expected) << threads;
  }
}

TEST_P(Warp, does_not_wait_for_lanes_that_returned) {
  std::vector<int> in = inputs(), out(kThreads, -1), expected;
  run("warp.cu", "early_return", line(1, kThreads), in, out);
  for (unsigned i = 0; i < kThreads; ++i) {
    const auto begin = in.begin() + i / 32 * 32;
    expected.push_back(i % 32 < 20 ? *std::max_element(begin, begin + 20) : -1);
  }
  EXPECT_EQ(out, expected);
}

TEST_P(Warp, syncwarp_orders_shared_memory) {
  std::vector<int> in = inputs(), out(kThreads), expected;
  run("warp.cu", "warp_synchronous", line(1, kThreads), in, out);
  for (unsigned i = 0; i < kThreads; ++i) {
    const auto begin = in.begin() + i / 32 * 32;
    expected.push_back(std::accumulate(begin, begin + 32, 0));
  }
  EXPECT_EQ(out, expected);
}

TEST_P(Warp, coalesced_lanes_can_share_an_atomic) {
  std::vector<int> in = inputs(), out(1 + kThreads), expected;
  run("warp.cu", "aggregated", line(1, kThreads), in, out);
  std::copy_if(in.begin(), in.end(), std::back_inserter(expected), [](int x) { return x % 3 == 0; });
  ASSERT_EQ(out[0], static_cast<int>(expected.size()));
  std::vector<int> found(out.begin() + 1, out.begin() + 1 + out[0]);
  std::sort(found.begin(), found.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(found, expected);
}

GKTUNE_ON_EACH_RUNNER(Warp);

}  // namespace
}  // namespace gktune
