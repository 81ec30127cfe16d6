#include "tuner/source/tokens.h"

#include <gtest/gtest.h>

#include <string>


namespace gktune {
namespace {

std::vector<std::string> texts(std::string_view source) {
  std::vector<std::string> all;
  for (const Token& token : tokenize(source)) all.emplace_back(token.text);
  return all;
}

TEST(Tokens, are_words_numbers_literals_comments_and_punctuation) {
  EXPECT_EQ(texts("a1+=1'000u; // b\nc /* d */ '\\'' \"e\\\"\""),
            (std::vector<std::string>{"a1", "+", "=", "1'000u", ";", "// b", "c", "/* d */", "'\\''",
                                      "\"e\\\"\""}));
  EXPECT_EQ(texts("0x1p-3+.5e+1f-x"), (std::vector<std::string>{"0x1p-3", "+", ".5e+1f", "-", "x"}));
}

TEST(Tokens, end_with_the_delimiter_of_a_raw_string) {
  EXPECT_EQ(texts("u8R\"x(\n// )\" )x\" a"), (std::vector<std::string>{"u8R\"x(\n// )\" )x\"", "a"}));
  EXPECT_EQ(texts("BAR\"(\" a"), (std::vector<std::string>{"BAR", "\"(\"", "a"}));
}

TEST(Tokens, are_marked_up_to_the_end_of_a_preprocessor_line) {
  const auto tokens = tokenize("a # b\n /* c\n */ # define X \\\n 1\nY");
  std::string directive;
  for (const Token& token : tokens) {
    if (token.is_directive) directive += std::string(token.text) + ' ';
  }
  EXPECT_EQ(directive, "# define X 1 ");
}

TEST(Tokens, hold_the_whole_name_of_an_include) {
  EXPECT_EQ(texts("#include <a//b's.h>\nx < y"),
            (std::vector<std::string>{"#", "include", "<a//b's.h>", "x", "<", "y"}));
}

TEST(Tokens, exist_in_a_text_that_ends_too_early) {
  for (const char* text : {"\"", "'", "/*", "//", "R\"", "R\"x(", "\\", "#", "#include <", "1'", "\"\\"})
    EXPECT_FALSE(texts(text).empty()) << text;
  EXPECT_TRUE(texts(" \\\n").empty());
}

TEST(ClosingBracket, skips_inner_brackets_and_literals) {
  const auto tokens = tokenize("f(a[b(c)], ')') < g<h, (i > j)>; k");
  EXPECT_EQ(tokens[closing_bracket(tokens, 1)].text, ")");
  EXPECT_EQ(closing_bracket(tokens, 1), 11u);
  EXPECT_EQ(closing_bracket(tokens, 14), 22u);
  EXPECT_EQ(closing_bracket(tokens, 12), tokens.size());
}

TEST(Edits, keep_the_number_of_lines) {
  const std::string text = "a (\n b\n) c d";
  const auto tokens = code_tokens(text);
  Edits edits(text);
  edits.replace(tokens[0], tokens[3], "x");
  edits.replace(tokens[5], tokens[5], "");
  EXPECT_EQ(edits.apply(), "x\n\n c ");
}

TEST(Tokens, sources_without_layout_are_equal_if_only_comments_and_blanks_differ) {
  const auto is_same = [](std::string_view a, std::string_view b) { return without_layout(a) == without_layout(b); };
  EXPECT_TRUE(is_same("int a = b + 1; // sum\n", "/* x */ int a=b+1;"));
  EXPECT_TRUE(is_same("f(a,\n  b);", "f( a, b ) ;"));
  EXPECT_TRUE(is_same("#define A 1\nint x;", "#define A   1 // one\n\n  int   x ;"));
  EXPECT_TRUE(is_same("#define A \\\n 1\nint x;", "#define A 1\nint x;"));
  EXPECT_TRUE(is_same("#define A /* two\nlines */ 1\nint x;", "#define A 1\nint x;"));
  EXPECT_TRUE(is_same("a/**/b", "a b"));
  for (const auto& [a, b] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"int a", "inta"},
           {"a + +b", "a ++b"},
           {"a / *b", "a /*b"},
           {"a - 1", "a + 1"},
           {"0x1e +1", "0x1e+1"},
           {"u8 \"x\"", "u8\"x\""},
           {"\"a b\"", "\"a  b\""},
           {"\"// a\"", "\"// b\""},
           {"R\"(a // b)\"", "R\"(a //  b)\""},
           {"#define F(x) x", "#define F (x) x"},
           {"#define A\n#define B\n", "#define A #define B\n"},
           {"#define A\nint x;", "#define A int x;"},
           {"#define A \\\nint x;", "#define A\nint x;"},
           {"int x;\n#pragma unroll\nfor(;;);", "int x;\n#pragma unroll for(;;);"},
           {"int a = __LINE__;", "\nint a = __LINE__;"},
           {"#line 7\nint a;", "#line 8\nint a;"}}) {
    EXPECT_FALSE(is_same(a, b)) << a << "\n" << b;
  }
  for (const char* text : {"", "/*", "\"", "#", "\\\n", "// a", "'"}) (void)without_layout(text);
}

}  // namespace
}  // namespace gktune
