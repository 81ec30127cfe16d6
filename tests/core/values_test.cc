#include <gtest/gtest.h>

#include <limits>

#include "gktune/values.h"

namespace gktune {
namespace {

TEST(NamedValues, equality_ignores_the_order) {
  EXPECT_EQ((NamedValues{{"a", 1}, {"b", 2}}), (NamedValues{{"b", 2}, {"a", 1}}));
  EXPECT_NE((NamedValues{{"a", 1}}), (NamedValues{{"a", 1}, {"b", 2}}));
  EXPECT_NE((NamedValues{{"a", 1}}), (NamedValues{{"a", 1.0}}));
}

TEST(NamedValues, json_sorts_the_names_and_text_keeps_their_order) {
  NamedValues values{{"way", "one_pass"}, {"batchSize", 8}};
  EXPECT_EQ(values.json(), R"({"batchSize":8,"way":"one_pass"})");
  EXPECT_EQ(values.str(), "way=one_pass batchSize=8");
  EXPECT_EQ(NamedValues().json(), "{}");
}

TEST(NamedValues, setting_a_name_again_replaces_its_value) {
  NamedValues values{{"n", 1}};
  values.set("n", 2);
  ASSERT_NE(values.find("n"), nullptr);
  EXPECT_EQ(*values.find("n"), Value(2));
  EXPECT_EQ(values.size(), 1u);
  EXPECT_EQ(values.find("m"), nullptr);
}

TEST(Value, values_of_different_kinds_differ) {
  EXPECT_NE(Value(1), Value(1.0));
  EXPECT_NE(Value(1), Value(true));
  EXPECT_NE(Value("1"), Value(1));
  EXPECT_EQ(Value(std::size_t{7}), Value(7));
}

TEST(Value, a_real_without_a_fraction_keeps_its_decimal_point) {
  EXPECT_EQ(Value(2.0).str(), "2.0");
  EXPECT_EQ(Value(0.1).str(), "0.1");
  EXPECT_EQ(Value(1e300).str(), "1e+300");
}

TEST(Value, json_escapes_special_characters) {
  EXPECT_EQ(Value("a\"b\\c\n\x01").json(), R"("a\"b\\c\n\u0001")");
  EXPECT_EQ(Value(std::numeric_limits<double>::quiet_NaN()).json(), "null");
  EXPECT_EQ(Value(false).json(), "false");
}

TEST(Value, a_number_is_an_integer_or_a_real) {
  EXPECT_DOUBLE_EQ(Value(3).number(), 3.0);
  EXPECT_DOUBLE_EQ(Value(0.5).number(), 0.5);
  EXPECT_FALSE(Value(true).is_number());
}

}  // namespace
}  // namespace gktune
