#include "tuner/source/flat_source.h"

#include <gtest/gtest.h>

namespace gktune {
namespace {

using Kind = SourceLine::Kind;

std::vector<Kind> kinds(std::string_view text) {
  std::vector<Kind> all;
  for (const auto& line : split_source(text)) all.push_back(line.kind);
  return all;
}

TEST(source_lines, distinguish_directives_from_code) {
  EXPECT_EQ(
      kinds("#include <a.h>\n  #  define X 1\nint x;\n#if X\n#pragma once\n#pragma unroll\n"),
      (std::vector{Kind::include, Kind::define, Kind::code, Kind::condition, Kind::once, Kind::directive}));
}

TEST(source_lines, begin_behind_a_byte_order_mark) {
  EXPECT_EQ(kinds("\xEF\xBB\xBF#include <a.h>\n"), std::vector{Kind::include});
}

TEST(source_lines, name_what_is_included_and_defined) {
  const auto lines = split_source("#include  \"a b.h\" // why\n#define SQUARE(x) x*x\n");
  EXPECT_EQ(lines[0].name, "\"a b.h\"");
  EXPECT_EQ(lines[1].name, "SQUARE");
}

TEST(source_lines, join_continued_lines) {
  const auto lines = split_source("#define LONG \\\n  1 + \\\n  2\nint x;\n");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].text, "#define LONG \\\n  1 + \\\n  2\n");
}

TEST(source_lines, lose_their_comments_and_keep_their_places) {
  const auto lines = split_source("a /* b\n#include <no.h>\n*/ c // d\ne");
  std::string text;
  for (const auto& line : lines) text += line.text;
  EXPECT_EQ(text, "a     \n               \n   c     \ne\n");
}

TEST(source_lines, keep_a_directive_whole_around_a_comment) {
  const auto lines = split_source("/* a\n */ #define X /* b\n\n */ 3 // c\nint x = X;\n");
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[1].kind, Kind::define);
  EXPECT_EQ(lines[1].text, "    #define X     \\\n\\\n    3     \n");
  EXPECT_EQ(lines[1].number, 2);
  EXPECT_EQ(lines[2].number, 5);
}

TEST(source_lines, may_end_in_carriage_returns) {
  EXPECT_EQ(kinds("#define A \\\r\n  1\r\nint x;\r\n"), (std::vector{Kind::define, Kind::code}));
}

TEST(source_lines, do_not_change_literals) {
  EXPECT_EQ(kinds("auto a = R\"x(\n#include <no.h>\n)x\";\nint b = 1'000; // \"\n#define C '\"'\n"),
            (std::vector{Kind::code, Kind::code, Kind::define}));
  EXPECT_EQ(split_source("s = \"// no comment\";\n")[0].text, "s = \"// no comment\";\n");
}

TEST(source_lines, accept_a_text_that_ends_too_early) {
  for (const char* text : {"/* ", "\"abc", "#include", "#include <", "R\"(", "#define", "\\", "'", "#"}) {
    EXPECT_EQ(split_source(text).size(), 1u) << text;
  }
  EXPECT_TRUE(split_source("").empty());
}

}  // namespace
}  // namespace gktune
