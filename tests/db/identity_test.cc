#include "db/identity.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "db/sql/failure.h"

namespace gktune {
namespace {

TEST(ValuesJson, every_kind_of_value_is_read_back_unchanged) {
  NamedValues values{{"integer", 42},
                     {"negative", -1},
                     {"least", std::numeric_limits<std::int64_t>::min()},
                     {"most", std::numeric_limits<std::int64_t>::max()},
                     {"real", 0.5},
                     {"whole", 2.0},
                     {"minus_zero", -0.0},
                     {"yes", true},
                     {"no", false},
                     {"text", "float"},
                     {"empty", ""},
                     {"digits", "256"},
                     {"word", "true"}};
  EXPECT_EQ(values_from_json(values.json()), values);
  EXPECT_TRUE(std::signbit(values_from_json(values.json()).find("minus_zero")->real()));
  EXPECT_EQ(values_from_json("{}"), NamedValues());
}

TEST(ValuesJson, reals_are_read_back_to_the_last_bit) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 5000; ++i) {
    auto value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    NamedValues values{{"x", value}, {"GB/s", std::uniform_real_distribution<double>(0, 5000)(random)}};
    ASSERT_EQ(values_from_json(values.json()), values) << values.json();
  }
  for (double value : {std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max()}) {
    EXPECT_EQ(values_from_json(NamedValues{{"x", value}}.json()), (NamedValues{{"x", value}}));
  }
}

TEST(ValuesJson, names_and_texts_may_hold_any_character) {
  NamedValues values{{"a.b", 1.5},         {"$", 2.5},         {"[0]", 3.5},      {"with space", 4.5},
                     {"back\\slash", 5.5}, {"quo\"te", 6.5},   {"7", 7.5},        {"", 8.5},
                     {"\xc3\xa9", 9.5},    {"tab\t", 10.5},    {"t1", "a\"b\\c"}, {"t2", "\x01\n\t"},
                     {"t3", "\xc3\xa9"},   {"t4", "</script>"}};
  EXPECT_EQ(values_from_json(values.json()), values);
}

TEST(ValuesJson, null_is_read_as_not_a_number) {
  auto values = values_from_json(R"({"a":null})");
  ASSERT_TRUE(values.find("a")->is_real());
  EXPECT_TRUE(std::isnan(values.find("a")->real()));
}

TEST(ValuesJson, anything_but_an_object_of_plain_values_is_damage) {
  for (const char* text : {"", "{", "{\"a\":}", "[1,2]", "7", "\"a\"", "{\"a\":[1]}", "{\"a\":{\"b\":1}}",
                           "{\"a\":1} x", "{\"a\":1e999}"}) {
    EXPECT_THROW(values_from_json(text), sql::Failure) << text;
  }
  EXPECT_EQ(values_from_json(R"({"a":1})"), (NamedValues{{"a", 1}}));
}

TEST(ValuesJson, an_identity_refuses_values_that_json_cannot_hold) {
  EXPECT_EQ(identity_json({{"b", 1}, {"a", 0.5}}, "problem"), R"({"a":0.5,"b":1})");
  EXPECT_THROW(identity_json({{"a", std::nan("")}}, "problem"), sql::Failure);
  EXPECT_THROW(identity_json({{"a", -std::numeric_limits<double>::infinity()}}, "problem"), sql::Failure);
  EXPECT_THROW(identity_json({{"a", std::string(1, '\0')}}, "problem"), sql::Failure);
  EXPECT_THROW(identity_json({{std::string(1, '\0'), 1}}, "problem"), sql::Failure);
}

}  // namespace
}  // namespace gktune
