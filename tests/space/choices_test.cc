#include "tuner/space/reader/problem_reader.h"

#include <gtest/gtest.h>

#include "tuner/space/reader/yaml_document.h"

namespace gktune {
namespace {

// The values of `v: …`, or none if there is an error.
std::vector<Value> values_of(const std::string& text) {
  const std::string whole = "v: " + text;
  const YamlDocument document = parse_yaml(whole);
  ErrorList errors("x.yaml", whole);
  const YamlNode* node = document.root.find("v");
  if (node == nullptr) return {};
  auto values = read_choices(*node, ChoicesOf::parameter, errors).values;
  return errors.empty() ? values : std::vector<Value>{};
}

using Values = std::vector<Value>;

TEST(Choices, a_single_value_is_a_list_of_one) {
  EXPECT_EQ(values_of("4"), (Values{4}));
  EXPECT_EQ(values_of("{values: two_pass}"), (Values{"two_pass"}));
}

TEST(Choices, integers_may_have_binary_suffixes_signs_and_a_base) {
  EXPECT_EQ(values_of("[1Ki, 2Mi, 3Gi, 1Ti, -4, +5, 0x1F, -0x10]"),
            (Values{1024, 2 << 20, std::int64_t{3} << 30, std::int64_t{1} << 40, -4, 5, 31, -16}));
  EXPECT_EQ(values_of("[-9223372036854775808, 9223372036854775807]"), (Values{INT64_MIN, INT64_MAX}));
  EXPECT_EQ(values_of("[9223372036854775808]"), (Values{}));
  EXPECT_EQ(values_of("[8388608Ti]"), (Values{}));
  EXPECT_EQ(values_of("[--4]"), (Values{"--4"}));
  EXPECT_EQ(values_of("[+-4]"), (Values{"+-4"}));
  EXPECT_EQ(values_of("[0x]"), (Values{}));
  EXPECT_EQ(values_of("[4x4]"), (Values{}));
}

TEST(Choices, integers_among_reals_are_reals) {
  EXPECT_EQ(values_of("[0.5, 1, 2]"), (Values{0.5, 1.0, 2.0}));
  EXPECT_EQ(values_of("[1, 1.0]"), (Values{}));  // the same twice
}

TEST(Choices, quoted_values_and_words_are_texts) {
  EXPECT_EQ(values_of("[\"4\", 'true', -O3, yes, \"\"]"), (Values{"4", "true", "-O3", "yes", ""}));
  EXPECT_EQ(values_of("[true, False]"), (Values{true, false}));
}

TEST(Choices, ranges_include_their_end_if_a_step_reaches_it) {
  EXPECT_EQ(values_of("{range: [1, 4]}"), (Values{1, 2, 3, 4}));
  EXPECT_EQ(values_of("{range: [1, 8, 3]}"), (Values{1, 4, 7}));
  EXPECT_EQ(values_of("{range: [8, 1, -3]}"), (Values{8, 5, 2}));
  EXPECT_EQ(values_of("{range: [5, 5]}"), (Values{5}));
  EXPECT_EQ(values_of("{range: [1Ki, 4Ki, 1Ki]}"), (Values{1024, 2048, 3072, 4096}));
}

TEST(Choices, steps_of_ranges_are_exact) {
  const auto tenths = values_of("{range: [0, 1, 0.1]}");
  ASSERT_EQ(tenths.size(), 11u);
  EXPECT_EQ(tenths[3], Value(0.3));
  EXPECT_EQ(tenths[7], Value(0.7));
  EXPECT_EQ(tenths[10], Value(1.0));
  EXPECT_EQ(values_of("{range: [1e-3, 3e-3, 0.001]}"), (Values{0.001, 0.002, 0.003}));
  EXPECT_EQ(values_of("{range: [1.0, 3.0]}"), (Values{1.0, 2.0, 3.0}));
}

TEST(Choices, ranges_at_the_ends_of_64_bits_neither_overflow_nor_hang) {
  EXPECT_EQ(values_of("{range: [9223372036854775806, 9223372036854775807]}"),
            (Values{INT64_MAX - 1, INT64_MAX}));
  EXPECT_EQ(values_of("{range: [-9223372036854775808, 9223372036854775807]}"), (Values{}));
  EXPECT_EQ(values_of("{range: [-9223372036854775808, 9223372036854775807, 9223372036854775807]}"),
            (Values{INT64_MIN, -1, INT64_MAX - 1}));
  EXPECT_EQ(values_of("{range: [0, -9223372036854775808, -1]}"), (Values{}));
  EXPECT_EQ(values_of("{range: [0, 1e300, 1e-300]}"), (Values{}));
  EXPECT_EQ(values_of("{range: [1, 16385]}"), (Values{}));
  EXPECT_EQ(values_of("{range: [1, 16384]}").size(), 16384u);
}

TEST(Choices, powers_of_two_end_at_the_last_that_fits) {
  EXPECT_EQ(values_of("{pow2: [1, 8]}"), (Values{1, 2, 4, 8}));
  EXPECT_EQ(values_of("{pow2: [4611686018427387904, 4611686018427387904]}"), (Values{std::int64_t{1} << 62}));
  EXPECT_EQ(values_of("{pow2: [4611686018427387904, 9223372036854775807]}"), (Values{}));
}

}  // namespace
}  // namespace gktune
