#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "tests/expectations.h"
#include "tuner/measure/contents.h"

namespace gktune {
namespace {

template <class T>
std::vector<T> structured(ElementType type, const ContentsPlan& plan, std::size_t count) {
  std::vector<T> values(count, T{42});
  const Result<void> result = fill_contents(type, plan, std::as_writable_bytes(std::span(values)));
  EXPECT_TRUE(result.ok()) << result.error().message;
  return values;
}

ContentsPlan structured_plan(ContentsKind kind, double a = 0, double b = 0) {
  ContentsPlan plan;
  plan.kind = kind;
  plan.a = a;
  plan.b = b;
  plan.a_integer = static_cast<std::int64_t>(a);
  plan.b_integer = static_cast<std::int64_t>(b);
  plan.seed = 7;
  return plan;
}

TEST(StructuredContents, sorted_numbers_rise_from_bound_to_bound) {
  const auto reals =
      structured<float>(ElementType::float32, structured_plan(ContentsKind::sorted, -1, 3), 1000);
  EXPECT_TRUE(std::ranges::is_sorted(reals));
  EXPECT_LT(reals.front(), -0.9f);
  EXPECT_GT(reals.back(), 2.9f);
  const auto integers =
      structured<std::int16_t>(ElementType::int16, structured_plan(ContentsKind::sorted, -300, 300), 1000);
  EXPECT_TRUE(std::ranges::is_sorted(integers));
  EXPECT_GE(integers.front(), -300);
  EXPECT_LE(integers.back(), 300);
  EXPECT_NE(integers.front(), integers.back());
}

TEST(StructuredContents, a_permutation_has_each_number_once_in_no_order) {
  auto numbers =
      structured<std::int32_t>(ElementType::int32, structured_plan(ContentsKind::permutation), 1000);
  EXPECT_FALSE(std::ranges::is_sorted(numbers));
  std::ranges::sort(numbers);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(numbers[static_cast<std::size_t>(i)], i);
  std::vector<std::byte> bytes(257);
  EXPECT_EQ(message_of(fill_contents(ElementType::uint8, structured_plan(ContentsKind::permutation), bytes)),
            "permutation: 256 does not fit into uint8");
}

TEST(StructuredContents, the_frequency_of_a_zipf_number_follows_its_rank) {
  const auto numbers =
      structured<std::uint32_t>(ElementType::uint32, structured_plan(ContentsKind::zipf, 100, 1), 100'000);
  std::vector<int> counts(100);
  for (const std::uint32_t number : numbers) {
    ASSERT_LT(number, 100u);
    ++counts[number];
  }
  EXPECT_NEAR(counts[0] / static_cast<double>(counts[1]), 2, 0.15);
  EXPECT_NEAR(counts[0] / static_cast<double>(counts[9]), 10, 1.5);
  const auto flat =
      structured<std::uint32_t>(ElementType::uint32, structured_plan(ContentsKind::zipf, 4, 0), 40'000);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(flat, 3u)), 10'000, 500);
}

TEST(StructuredContents, a_field_is_smooth_in_both_directions) {
  ContentsPlan plan = structured_plan(ContentsKind::field, 10, 20);
  plan.width = 100;
  const auto field = structured<double>(ElementType::float64, plan, 100 * 80);
  const auto [low, high] = std::ranges::minmax(field);
  EXPECT_GE(low, 10);
  EXPECT_LE(high, 20);
  EXPECT_GT(high - low, 4);
  for (std::size_t y = 1; y < 80; ++y) {
    for (std::size_t x = 1; x < 100; ++x) {
      EXPECT_NEAR(field[y * 100 + x], field[y * 100 + x - 1], 1.5);
      EXPECT_NEAR(field[y * 100 + x], field[(y - 1) * 100 + x], 1.8);
    }
  }
}

TEST(StructuredContents, a_sparse_matrix_has_sorted_distinct_columns_in_rows_of_the_asked_lengths) {
  for (const RowLengths lengths : {RowLengths::even, RowLengths::uniform, RowLengths::zipf}) {
    ContentsPlan plan = structured_plan(ContentsKind::csr_offsets);
    plan.sparse = {100, 50, 1234, lengths, 1.5, 3};
    const auto offsets = structured<std::int32_t>(ElementType::int32, plan, 101);
    EXPECT_EQ(offsets.front(), 0);
    EXPECT_EQ(offsets.back(), 1234);
    plan.kind = ContentsKind::csr_columns;
    const auto columns = structured<std::int32_t>(ElementType::int32, plan, 1234);
    std::set<int> sizes;
    for (std::size_t row = 0; row < 100; ++row) {
      const int size = offsets[row + 1] - offsets[row];
      ASSERT_GE(size, 0);
      ASSERT_LE(size, 50);
      sizes.insert(size);
      for (int i = offsets[row]; i < offsets[row + 1]; ++i) {
        const int column = columns[static_cast<std::size_t>(i)];
        ASSERT_TRUE(column >= 0 && column < 50);
        if (i == offsets[row]) continue;
        ASSERT_GT(column, columns[static_cast<std::size_t>(i) - 1]);
      }
    }
    const int spread = *sizes.rbegin() - *sizes.begin();
    EXPECT_TRUE(lengths != RowLengths::even || spread <= 1) << spread;
    EXPECT_TRUE(lengths != RowLengths::uniform || sizes.size() > 10) << sizes.size();
    EXPECT_TRUE(lengths != RowLengths::zipf || (*sizes.rbegin() == 50 && *sizes.begin() <= 8)) << spread;
  }
}

TEST(StructuredContents, sparse_matrices_may_be_full_or_empty) {
  const auto offsets = [](std::int64_t rows, std::int64_t columns, std::int64_t nonzeros,
                          RowLengths lengths) {
    ContentsPlan plan = structured_plan(ContentsKind::csr_offsets);
    plan.sparse = {rows, columns, nonzeros, lengths, 3, 1};
    return structured<std::int64_t>(ElementType::int64, plan, static_cast<std::size_t>(rows) + 1);
  };
  EXPECT_EQ(offsets(2, 3, 6, RowLengths::zipf), (std::vector<std::int64_t>{0, 3, 6}));
  EXPECT_EQ(offsets(3, 0, 0, RowLengths::uniform), (std::vector<std::int64_t>{0, 0, 0, 0}));
  EXPECT_EQ(offsets(0, 5, 0, RowLengths::even), (std::vector<std::int64_t>{0}));
  ContentsPlan columns = structured_plan(ContentsKind::csr_columns);
  columns.sparse = {2, 3, 6, RowLengths::zipf, 3, 1};
  EXPECT_EQ(structured<std::int32_t>(ElementType::int32, columns, 6),
            (std::vector<std::int32_t>{0, 1, 2, 0, 1, 2}));
  columns.sparse = {0, 5, 0, RowLengths::even, 1, 1};
  EXPECT_TRUE(structured<std::int32_t>(ElementType::int32, columns, 0).empty());
}

TEST(StructuredContents, rows_of_many_blocks_join) {
  ContentsPlan plan = structured_plan(ContentsKind::csr_offsets);
  for (const RowLengths lengths : {RowLengths::even, RowLengths::uniform, RowLengths::zipf}) {
    plan.sparse = {100'000, 1'000'000, 3'000'000, lengths, 1.1, 3};
    const auto offsets = structured<std::int32_t>(ElementType::int32, plan, 100'001);
    EXPECT_TRUE(std::ranges::is_sorted(offsets));
    EXPECT_EQ(offsets.front(), 0);
    EXPECT_EQ(offsets.back(), 3'000'000);
    EXPECT_NEAR(offsets[50'000], 1'500'000, lengths == RowLengths::zipf ? 1'000'000 : 30'000);
  }
}

TEST(StructuredContents, the_distances_of_sorted_numbers_are_those_of_random_ones) {
  constexpr std::size_t kCount = 100'000;
  const auto reals =
      structured<double>(ElementType::float64, structured_plan(ContentsKind::sorted, 0, 1), kCount);
  std::size_t small = 0, large = 0;
  for (std::size_t i = 1; i < kCount; ++i) {
    const double distance = (reals[i] - reals[i - 1]) * kCount;
    small += distance < 0.1 ? 1 : 0;
    large += distance > 3 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(small) / kCount, 1 - std::exp(-0.1), 0.005);
  EXPECT_NEAR(static_cast<double>(large) / kCount, std::exp(-3.0), 0.005);
  EXPECT_TRUE(std::ranges::is_sorted(reals));
  const auto all = structured<std::int64_t>(
      ElementType::int64,
      [] {
        ContentsPlan plan = structured_plan(ContentsKind::sorted);
        plan.a_integer = std::numeric_limits<std::int64_t>::min();
        plan.b_integer = std::numeric_limits<std::int64_t>::max();
        return plan;
      }(),
      kCount);
  EXPECT_TRUE(std::ranges::is_sorted(all));
  EXPECT_LT(all.front(), -9e18);
  EXPECT_GT(all.back(), 9e18);
}

TEST(StructuredContents, the_numbers_never_change) {
  std::vector<unsigned long long> numbers, others;
  for (unsigned long long i = 0; i < 100; ++i) {
    numbers.push_back(permuted(1, i, 100));
    others.push_back(permuted(2, i, 100));
  }
  EXPECT_NE(numbers, others);
  EXPECT_EQ(permuted(1, 0, 1), 0u);
  EXPECT_NEAR(plain_exp(-1), std::exp(-1), 1e-16);
  EXPECT_NEAR(plain_exp(-30) / std::exp(-30), 1, 1e-14);
  EXPECT_NEAR(plain_exp(-700) / std::exp(-700), 1, 1e-13);
  EXPECT_EQ(plain_exp(0), 1);
  EXPECT_EQ(plain_exp(-1e6), 0);
}

}  // namespace
}  // namespace gktune
