#include "tuner/space/language/expression.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <string>


namespace gktune {
namespace {

const NamedValues kKnownNames = {
    {"a", 7},        {"b", 2},           {"zero", 0},
    {"half", 0.5},   {"yes", true},      {"no", false},
    {"way", "tree"}, {"tile_size_x", 4}, {"least", std::numeric_limits<std::int64_t>::min()}};
const NamedValues kDevice = {{"l2_bytes", 50 << 20}};

Scope scope() { return Scope().add(kKnownNames).add(kDevice, "device."); }

Value worth(std::string_view text) {
  const auto expression = Expression::parse(text);
  if (!expression) return Value("parse error: " + expression.error().message);
  const auto value = expression->evaluate(scope());
  if (!value) return Value("error: " + value.error().message);
  return *value;
}

// "message at [the part of the text to blame]"
std::string error_in(const std::string& text) {
  const auto expression = Expression::parse(text);
  ExpressionError error;
  if (!expression) {
    error = expression.error();
  } else {
    const auto value = expression->evaluate(scope());
    if (value) return "none: " + value->str();
    error = value.error();
  }
  EXPECT_LE(error.offset, text.size());
  EXPECT_GE(error.length, 1u);
  return error.message + " at [" + text.substr(error.offset, error.length) + "]";
}

TEST(Expression, integers_stay_integers_except_in_true_division) {
  EXPECT_EQ(worth("1 + 2 * 3 - 4"), Value(3));
  EXPECT_EQ(worth("8 / 4"), Value(2.0));
  EXPECT_EQ(worth("7 / 2"), Value(3.5));
  EXPECT_EQ(worth("7 // 2"), Value(3));
  EXPECT_EQ(worth("1 + 0.5"), Value(1.5));
  EXPECT_EQ(worth("9007199254740993 / 1"), Value(9007199254740992.0));
}

TEST(Expression, floor_division_and_modulo_follow_pythons_sign_rule) {
  EXPECT_EQ(worth("-7 // 2"), Value(-4));
  EXPECT_EQ(worth("7 // -2"), Value(-4));
  EXPECT_EQ(worth("-7 // -2"), Value(3));
  EXPECT_EQ(worth("-7 % 3"), Value(2));
  EXPECT_EQ(worth("7 % -3"), Value(-2));
  EXPECT_EQ(worth("-6 % 3"), Value(0));
  EXPECT_EQ(worth("least % -1"), Value(0));
  EXPECT_EQ(worth("-7.5 // 2"), Value(-4.0));
  EXPECT_EQ(worth("-7.5 % 2"), Value(0.5));
  EXPECT_EQ(worth("7.5 % -2"), Value(-0.5));
  EXPECT_EQ(worth("10 % 2.0 == 0"), Value(true));
  EXPECT_EQ(worth("1 // 0.1"), Value(9.0));
}

TEST(Expression, powers_bind_to_the_right_and_more_tightly_than_a_sign) {
  EXPECT_EQ(worth("2 ** 3 ** 2"), Value(512));
  EXPECT_EQ(worth("-2 ** 2"), Value(-4));
  EXPECT_EQ(worth("2 ** -1"), Value(0.5));
  EXPECT_EQ(worth("2 ** -2 ** 0"), Value(0.5));
  EXPECT_EQ(worth("(-2) ** 63"), Value(std::numeric_limits<std::int64_t>::min()));
  EXPECT_EQ(worth("4 ** 0.5"), Value(2.0));
  EXPECT_EQ(worth("(-1) ** 1000000001"), Value(-1));
  EXPECT_EQ(worth("0 ** 0"), Value(1));
}

TEST(Expression, precedence_follows_python) {
  EXPECT_EQ(worth("1 + 2 < 4 and not 2 * 3 == 7 or 1 // 0"), Value(true));
  EXPECT_EQ(worth("not 1 == 2"), Value(true));
  EXPECT_EQ(worth("2 - 3 - 4"), Value(-5));
  EXPECT_EQ(worth("100 // 7 % 5 * 2"), Value(8));
  EXPECT_EQ(worth("- 2 * 3"), Value(-6));
  EXPECT_EQ(worth("2 * -3"), Value(-6));
  EXPECT_EQ(worth("1 if 0 else 2 if 0 else 3"), Value(3));
  EXPECT_EQ(worth("1 or 0 if 0 else 5"), Value(5));
}

TEST(Expression, and_and_or_stop_early_and_yield_the_operand_that_decided) {
  EXPECT_EQ(worth("zero != 0 and a % zero == 0"), Value(false));
  EXPECT_EQ(worth("zero == 0 or a % zero == 0"), Value(true));
  EXPECT_EQ(worth("zero or b"), Value(2));
  EXPECT_EQ(worth("a and b"), Value(2));
  EXPECT_EQ(worth("zero and nowhere"), Value(0));
  EXPECT_EQ(worth("0.0 or no or 0"), Value(0));
  EXPECT_EQ(worth("not a"), Value(false));
  EXPECT_EQ(worth("not 0.0"), Value(true));
}

TEST(Expression, chained_comparisons_compare_neighbours_and_stop_early) {
  EXPECT_EQ(worth("1 < 2 < 3"), Value(true));
  EXPECT_EQ(worth("3 > 2 > 2"), Value(false));
  EXPECT_EQ(worth("1 < 3 > 2"), Value(true));
  EXPECT_EQ(worth("32 <= a * b <= 1024"), Value(false));
  EXPECT_EQ(worth("2 < 1 < 1 // 0"), Value(false));
  EXPECT_EQ(worth("1 < b in [2, 3]"), Value(true));
}

TEST(Expression, membership_takes_lists_and_tuples) {
  EXPECT_EQ(worth("a in [1, 7]"), Value(true));
  EXPECT_EQ(worth("a in (1, 8)"), Value(false));
  EXPECT_EQ(worth("a not in (1, 8,)"), Value(true));
  EXPECT_EQ(worth("a in []"), Value(false));
  EXPECT_EQ(worth("a in [a, 1 // 0]"), Value(true));
  EXPECT_EQ(worth("way in ['tree', \"atomic\"]"), Value(true));
  EXPECT_EQ(worth("b in [2.0]"), Value(true));
}

TEST(Expression, integers_and_reals_compare_by_their_exact_value) {
  EXPECT_EQ(worth("9007199254740993 == 9007199254740992.0"), Value(false));
  EXPECT_EQ(worth("9007199254740993 > 9007199254740992.0"), Value(true));
  EXPECT_EQ(worth("9223372036854775807 < 9223372036854775808.0"), Value(true));
  EXPECT_EQ(worth("1e30 > 9223372036854775807"), Value(true));
  EXPECT_EQ(worth("-1e30 < 1"), Value(true));
  EXPECT_EQ(worth("2 <= 2.5"), Value(true));
  EXPECT_EQ(worth("-2.5 < -2"), Value(true));
  EXPECT_EQ(worth("1 == 1.0"), Value(true));
  EXPECT_EQ(worth("yes == 1"), Value(true));
}

TEST(Expression, booleans_count_as_zero_and_one) {
  EXPECT_EQ(worth("yes + yes"), Value(2));
  EXPECT_EQ(worth("(a > b) * 16"), Value(16));
  EXPECT_EQ(worth("True and not False"), Value(true));
  EXPECT_EQ(worth("true != false"), Value(true));
}

TEST(Expression, strings_compare_by_their_letters) {
  EXPECT_EQ(worth("way == 'tree'"), Value(true));
  EXPECT_EQ(worth("way != \"tree\""), Value(false));
  EXPECT_EQ(worth("'abc' < 'abd'"), Value(true));
  EXPECT_EQ(worth(R"('it\'s' == "it's")"), Value(true));
}

TEST(Expression, numbers_can_be_written_in_many_ways) {
  EXPECT_EQ(worth("4Ki"), Value(4096));
  EXPECT_EQ(worth("2Mi + 1Gi"), Value((2 << 20) + (1 << 30)));
  EXPECT_EQ(worth("0x10"), Value(16));
  EXPECT_EQ(worth("0xFFff"), Value(65535));
  EXPECT_EQ(worth("1e-3"), Value(0.001));
  EXPECT_EQ(worth("1E3"), Value(1000.0));
  EXPECT_EQ(worth(".5 + 1."), Value(1.5));
  EXPECT_EQ(worth("9223372036854775807"), Value(std::numeric_limits<std::int64_t>::max()));
}

TEST(Expression, functions_do_what_their_names_say) {
  EXPECT_EQ(worth("min(3, 1, 2)"), Value(1));
  EXPECT_EQ(worth("max(3, 4.5)"), Value(4.5));
  EXPECT_EQ(worth("min('b', 'a')"), Value("a"));
  EXPECT_EQ(worth("abs(-3) + abs(0.5)"), Value(3.5));
  EXPECT_EQ(worth("ceil_div(10, 4)"), Value(3));
  EXPECT_EQ(worth("ceil_div(-10, 4)"), Value(-2));
  EXPECT_EQ(worth("round_up(10, 4)"), Value(12));
  EXPECT_EQ(worth("round_up(12, 4)"), Value(12));
  EXPECT_EQ(worth("log2(8)"), Value(3.0));
  EXPECT_EQ(worth("ilog2(1023)"), Value(9));
  EXPECT_EQ(worth("gcd(12, -18)"), Value(6));
  EXPECT_EQ(worth("int(3.9) + int(-3.9)"), Value(0));
  EXPECT_EQ(worth("floor(-0.5)"), Value(-1));
  EXPECT_EQ(worth("ceil(0.5)"), Value(1));
  EXPECT_EQ(worth("float(1)"), Value(1.0));
  EXPECT_EQ(worth("sqrt(16)"), Value(4.0));
}

TEST(Expression, a_name_may_have_dots) { EXPECT_EQ(worth("device.l2_bytes // 1Mi"), Value(50)); }

TEST(Expression, overflow_is_an_error_never_a_wrong_number) {
  const std::string kFull = "9223372036854775807";
  EXPECT_EQ(error_in(kFull + " + 1"), "the result does not fit in 64 bits at [" + kFull + " + 1]");
  EXPECT_EQ(error_in("1 + 4Gi * 4Gi"), "the result does not fit in 64 bits at [4Gi * 4Gi]");
  EXPECT_EQ(error_in("least - 1"), "the result does not fit in 64 bits at [least - 1]");
  EXPECT_EQ(error_in("-least"), "the result does not fit in 64 bits at [-least]");
  EXPECT_EQ(error_in("abs(least)"), "the result does not fit in 64 bits at [abs(least)]");
  EXPECT_EQ(error_in("least // -1"), "the result does not fit in 64 bits at [least // -1]");
  EXPECT_EQ(error_in("2 ** 63"), "the result does not fit in 64 bits at [2 ** 63]");
  EXPECT_EQ(error_in("round_up(9223372036854775807, 2)"),
            "the result does not fit in 64 bits at [round_up(9223372036854775807, 2)]");
  EXPECT_EQ(error_in("int(1e300)"), "the result does not fit in 64 bits at [int(1e300)]");
  EXPECT_EQ(error_in("1e300 ** 2"), "the result does not fit in a double at [1e300 ** 2]");
  EXPECT_EQ(error_in("9223372036854775808"),
            "'9223372036854775808' does not fit in 64 bits at [9223372036854775808]");
  EXPECT_EQ(error_in("9000000000Gi"), "'9000000000Gi' does not fit in 64 bits at [9000000000Gi]");
  EXPECT_EQ(error_in("1e999"), "'1e999' does not fit in a double at [1e999]");
}

TEST(Expression, an_error_marks_the_divisor_of_a_division_by_zero) {
  EXPECT_EQ(error_in("a // zero"), "division by zero at [zero]");
  EXPECT_EQ(error_in("1 + a % (b - 2)"), "division by zero at [b - 2]");
  EXPECT_EQ(error_in("a / 0.0"), "division by zero at [0.0]");
  EXPECT_EQ(error_in("ceil_div(a, zero)"), "division by zero at [zero]");
  EXPECT_EQ(error_in("0 ** -1"), "zero to a negative power at [-1]");
}

TEST(Expression, functions_refuse_values_outside_of_their_domain) {
  EXPECT_EQ(error_in("log2(zero)"), "only a positive number has a logarithm at [zero]");
  EXPECT_EQ(error_in("ilog2(-1)"), "only a positive number has a logarithm at [-1]");
  EXPECT_EQ(error_in("sqrt(-1)"), "a negative number has no square root at [-1]");
  EXPECT_EQ(error_in("(-8) ** half"), "a negative number to a power that is not whole at [-8]");
  EXPECT_EQ(error_in("gcd(a, half)"), "expected an integer, found 0.5 (// divides to an integer) at [half]");
  EXPECT_EQ(error_in("ceil_div(a / b, 4)"),
            "expected an integer, found 3.5 (// divides to an integer) at [a / b]");
  EXPECT_EQ(error_in("min()"), "'min' takes at least 1 argument, not 0 at [min]");
  EXPECT_EQ(error_in("gcd(1)"), "'gcd' takes 2 arguments, not 1 at [gcd]");
}

TEST(Expression, strings_and_numbers_do_not_mix) {
  EXPECT_EQ(error_in("way == 1"), "cannot compare a string with a number at [way == 1]");
  EXPECT_EQ(error_in("1 < way"), "cannot compare a number with a string at [1 < way]");
  EXPECT_EQ(error_in("way in ['x', 1]"), "cannot compare a string with a number at [way in ['x', 1]]");
  EXPECT_EQ(error_in("1 + way"), "expected a number, found the string \"tree\" at [way]");
  EXPECT_EQ(error_in("-way"), "expected a number, found the string \"tree\" at [way]");
  EXPECT_EQ(error_in("a and way"), "expected true or false, found the string \"tree\" at [way]");
  EXPECT_EQ(error_in("1 if way else 2"), "expected true or false, found the string \"tree\" at [way]");
}

TEST(Expression, an_error_suggests_a_name_for_an_unknown_one) {
  EXPECT_EQ(error_in("1 + tile_sizex"),
            "unknown name 'tile_sizex', did you mean 'tile_size_x'? at [tile_sizex]");
  EXPECT_EQ(error_in("device.l2_byte"),
            "unknown name 'device.l2_byte', did you mean 'device.l2_bytes'? at [device.l2_byte]");
  EXPECT_EQ(error_in("wombat"), "unknown name 'wombat' at [wombat]");
  EXPECT_EQ(error_in("mim(1, 2)"), "unknown function 'mim', did you mean 'min'? at [mim]");
}

TEST(Expression, syntax_errors_say_what_was_expected_and_where) {
  EXPECT_EQ(error_in(""), "expected an expression, found nothing at []");
  EXPECT_EQ(error_in("  "), "expected an expression, found nothing at []");
  EXPECT_EQ(error_in("1 +"), "expected a value or a name, found the end at []");
  EXPECT_EQ(error_in("1 2"), "expected an operator, found a value at [2]");
  EXPECT_EQ(error_in("(1 + 2"), "expected ')', found the end at []");
  EXPECT_EQ(error_in("min(1, 2"), "expected ',' or ')', found the end at []");
  EXPECT_EQ(error_in("1)"), "expected an operator, found ')' at [)]");
  EXPECT_EQ(error_in("a if b"), "expected 'else', found the end at []");
  EXPECT_EQ(error_in("a not b"), "expected 'in', found 'b' at [b]");
  EXPECT_EQ(error_in("a in b"), "expected a list, such as [1, 2], found 'b' at [b]");
  EXPECT_EQ(error_in("[1, 2]"), "a list can only follow 'in' at [[]");
  EXPECT_EQ(error_in("(1, 2)"), "a list can only follow 'in' at [(]");
  EXPECT_EQ(error_in("a in [1] == yes"), "a list cannot be compared at [==]");
  EXPECT_EQ(error_in("'open"), "this string is not closed at ['open]");
  EXPECT_EQ(error_in("'\\n'"), "only a quote or a backslash can follow a backslash at [\\n]");
  EXPECT_EQ(error_in("'\\"), "only a quote or a backslash can follow a backslash at [\\]");
  EXPECT_EQ(error_in("12abc"),
            "'12abc' is not a number; write it as 65536, 64Ki, 0x40, 0.5 or 1e-3 at [12abc]");
  EXPECT_EQ(error_in("0x"), "'0x' is not a number; write it as 65536, 64Ki, 0x40, 0.5 or 1e-3 at [0x]");
  EXPECT_EQ(error_in("1.2.3"),
            "'1.2.3' is not a number; write it as 65536, 64Ki, 0x40, 0.5 or 1e-3 at [1.2.3]");
  EXPECT_EQ(error_in("a $ b"), "unexpected '$' at [$]");
  EXPECT_EQ(error_in("a \xff"), "unexpected byte 0xff at [\xff]");
  EXPECT_EQ(error_in("and"), "expected a value or a name, found 'and' at [and]");
}

TEST(Expression, errors_translate_operators_of_other_languages) {
  EXPECT_EQ(error_in("a && b"), "unknown operator '&&'; write 'and' at [&&]");
  EXPECT_EQ(error_in("a || b"), "unknown operator '||'; write 'or' at [||]");
  EXPECT_EQ(error_in("!a"), "unknown operator '!'; write 'not' at [!]");
  EXPECT_EQ(error_in("a = b"), "unknown operator '='; write '==' to compare at [=]");
  EXPECT_EQ(error_in("a ^ b"), "unknown operator '^'; write '**' for a power at [^]");
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
