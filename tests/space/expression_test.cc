#include "tuner/space/language/expression.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <string>

#include "listed_cases.h"

namespace gktune {
namespace {

const NamedValues kKnownNames = {
    {"a", 7},        {"b", 2},           {"zero", 0},
    {"half", 0.5},   {"yes", true},      {"no", false},
    {"way", "tree"}, {"tile_size_x", 4}, {"least", std::numeric_limits<std::int64_t>::min()}};
const NamedValues kDevice = {{"l2_bytes", 50 << 20}};

Scope scope() { return Scope().add(kKnownNames).add(kDevice, "device."); }

// The value as JSON, or "message at [the part of the text to blame]".
std::string worth(const std::string& text) {
  const auto expression = Expression::parse(text);
  ExpressionError error;
  if (!expression) {
    error = expression.error();
  } else {
    const auto value = expression->evaluate(scope());
    if (value) return value->json();
    error = value.error();
  }
  EXPECT_LE(error.offset, text.size());
  EXPECT_GE(error.length, 1u);
  return error.message + " at [" + text.substr(error.offset, error.length) + "]";
}

TEST(Expression, is_worth_what_the_list_says) {
  const auto cases = listed_cases("expressions.txt");
  for (const auto& [text, expected] : cases) EXPECT_EQ(worth(text), expected) << text;
  EXPECT_GT(cases.size(), 100u);
}

TEST(Expression, deep_nesting_is_an_error_not_a_crash) {
  const std::size_t kDeep = 10'000;
  const auto nested = [&](const std::string& open, const std::string& close) {
    std::string text;
    for (std::size_t i = 0; i < kDeep; ++i) text += open;
    text += "1";
    for (std::size_t i = 0; i < kDeep; ++i) text += close;
    const auto parsed = Expression::parse(text);
    return parsed ? "parsed" : parsed.error().message;
  };
  EXPECT_EQ(nested("(", ")"), "this is nested too deeply");
  EXPECT_EQ(nested("min(", ")"), "this is nested too deeply");
  EXPECT_EQ(nested("1 in [", "]"), "this is nested too deeply");
  EXPECT_EQ(nested("-", ""), "this is nested too deeply");
  EXPECT_EQ(nested("not ", ""), "this is nested too deeply");
  EXPECT_EQ(nested("2 ** ", ""), "this is nested too deeply");
  EXPECT_EQ(nested("1 if 0 else ", ""), "this is nested too deeply");
  EXPECT_EQ(nested("1 + ", ""), "this expression is too long");
  EXPECT_EQ(nested("1 < ", ""), "parsed");
  EXPECT_EQ(nested("1 and ", ""), "parsed");
  EXPECT_EQ(nested("(", ""), "this is nested too deeply");
  EXPECT_EQ(nested("[", ""), "a list can only follow 'in'");
}

TEST(Expression, names_are_listed_in_the_order_of_the_text) {
  const auto expression = Expression::parse("a if min(b, c) in [d] else device.e + a");
  ASSERT_TRUE(expression);
  std::string found;
  for (const auto& use : expression->names()) found += use.name + "@" + std::to_string(use.offset) + " ";
  EXPECT_EQ(found, "a@0 b@9 c@12 d@19 device.e@27 a@38 ");
}

TEST(Expression, definitions_replace_their_names) {
  std::map<std::string, Expression> definitions;
  definitions.emplace("tile", Expression::parse("a + b").value());
  const auto expression = Expression::parse("2 * tile").value().inlined(definitions);
  ASSERT_TRUE(expression);
  EXPECT_EQ(expression->evaluate(scope()).value(), Value(18));
  EXPECT_EQ(expression->text(), "2 * tile");
  ASSERT_EQ(expression->names().size(), 2u);
  EXPECT_EQ(expression->names()[1].name, "b");
  EXPECT_EQ(expression->names()[1].offset, 4u);
}

TEST(Expression, an_error_inside_a_definition_points_at_its_name) {
  std::map<std::string, Expression> definitions;
  definitions.emplace("tile", Expression::parse("1000000 // zero").value());
  const auto value = Expression::parse("2 * tile").value().inlined(definitions).value().evaluate(scope());
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().message, "division by zero");
  EXPECT_EQ(value.error().offset, 4u);
  EXPECT_EQ(value.error().length, 4u);
}

TEST(Expression, definitions_that_grow_too_large_are_refused) {
  std::map<std::string, Expression> definitions;
  definitions.emplace("x0", Expression::parse("1").value());
  std::string message;
  for (int i = 1; i < 40 && message.empty(); ++i) {
    const std::string below = "x" + std::to_string(i - 1);
    auto doubled = Expression::parse(below + " + " + below).value().inlined(definitions);
    if (!doubled) {
      message = doubled.error().message;
    } else {
      definitions.emplace("x" + std::to_string(i), *doubled);
    }
  }
  EXPECT_EQ(message, "this expression is too long after its definitions are inserted");
}

TEST(Expression, the_first_scope_that_knows_a_name_decides) {
  const NamedValues inner = {{"a", 1}};
  const NamedValues outer = {{"a", 2}, {"b", 3}};
  const Scope scope = Scope().add(inner).add(Scope().add(outer).add(outer, "p."));
  EXPECT_EQ(*scope.find("a"), Value(1));
  EXPECT_EQ(*scope.find("p.a"), Value(2));
  EXPECT_EQ(scope.find("p."), nullptr);
  EXPECT_EQ(scope.names(), (std::vector<std::string>{"a", "a", "b", "p.a", "p.b"}));
}

TEST(Expression, the_expanded_text_means_the_same) {
  const std::map<std::string, Expression> definitions = {{"sum", *Expression::parse("a + b if yes else 0")}};
  for (const char* text :
       {"sum * 2 - -a", "-2 ** -2", "(-2) ** 2", "a - (b - 1)", "1 < a <= 7 != b",
        "way in ['tree', 'it\\'s \"x\"']", "b not in [1, 3]", "not yes or a and no",
        "max(a, b, 3) // ceil_div(a, b)", "int(half * 4) + ilog2(a)", "way == 'tr' + 'ee'", "0.5 + 1e-3",
        "device.l2_bytes // 2", "gcd(a, 14) + round_up(a, 4) + abs(-a)", "a if b < 2 else b if no else 9",
        "+a + float(b) + sqrt(4) + floor(2.5) + ceil(2.5) + log2(8) + min(a, 1)",
        "true and (a if yes else false)"}) {
    const auto parsed = Expression::parse(text);
    ASSERT_TRUE(parsed.ok()) << text;
    const auto whole = parsed->inlined(definitions);
    const auto again = Expression::parse(field_text(*whole));
    ASSERT_TRUE(again.ok()) << text << " became " << field_text(*whole) << ": " << again.error().message;
    const auto expected = whole->evaluate(scope()), value = again->evaluate(scope());
    ASSERT_EQ(value.ok(), expected.ok()) << field_text(*whole);
    if (value) {
      EXPECT_EQ(*value, *expected) << field_text(*whole);
    }
  }
}

}  // namespace
}  // namespace gktune
