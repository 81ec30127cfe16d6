#include "tuner/source/flat_source.h"

#include <gtest/gtest.h>

#include "tests/scratch_folder.h"

namespace gktune {
namespace {

class FlatSourceTest : public testing::Test {
 protected:
  std::string flat(const std::string& text, const std::vector<std::string>& include_dirs = {}) {
    std::string all = text_of(flatten(folder_.path("k.cu"), text, include_dirs, AngleIncludes::keep));
    const std::string prefix = folder_.path("");
    for (auto at = all.find(prefix); at != std::string::npos; at = all.find(prefix))
      all.erase(at, prefix.size());
    return all;
  }
  static int count(const std::string& text, const std::string& part) {
    int found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  }
  ScratchFolder folder_;
};

TEST_F(FlatSourceTest, inserts_a_header_beside_the_source) {
  folder_.write("tile.cuh", "int tile;\n");
  EXPECT_EQ(flat("int a;\n#include \"tile.cuh\"\nint b;\n"),
            "#line 1 \"k.cu\"\nint a;\n#line 1 \"tile.cuh\"\nint tile;\n#line 3 \"k.cu\"\nint b;\n");
}

TEST_F(FlatSourceTest, keeps_includes_that_it_does_not_find) {
  EXPECT_EQ(flat("#include \"gone.h\"\n#include <cub/cub.cuh>\n"),
            "#line 1 \"k.cu\"\n#line 1 \"k.cu\"\n#include \"gone.h\"\n#line 2 \"k.cu\"\n"
            "#line 2 \"k.cu\"\n#include <cub/cub.cuh>\n#line 3 \"k.cu\"\n");
}

TEST_F(FlatSourceTest, inserts_a_guarded_file_once) {
  for (const char* text :
       {"#pragma once\nint once;\n", "// mine\n#ifndef ONCE_H\n#define ONCE_H\nint once;\n#endif\n"}) {
    folder_.write("once.h", text);
    EXPECT_EQ(count(flat("#include \"once.h\"\n#include \"once.h\"\n"), "int once;"), 1) << text;
    // A condition may exclude the first include.
    EXPECT_EQ(count(flat("#if A\n#include \"once.h\"\n#endif\n#include \"once.h\"\n"), "int once;"), 2)
        << text;
  }
  EXPECT_EQ(count(flat("#include \"once.h\"\n#undef ONCE_H\n#include \"once.h\"\n"), "int once;"), 2);
}

TEST_F(FlatSourceTest, inserts_a_file_without_a_guard_each_time) {
  folder_.write("list.inc", "X(1)\nX(2)\n");
  EXPECT_EQ(count(flat("#define X(a) a,\n#include \"list.inc\"\n#undef X\n#define X(a) -a,\n"
                       "#include \"list.inc\"\n"),
                  "X(2)"),
            2);
}

TEST_F(FlatSourceTest, stays_small_if_guarded_files_include_each_other_often) {
  for (int i = 0; i < 40; ++i) {
    const std::string next = "#include \"h" + std::to_string(i + 1) + ".h\"\n";
    folder_.write("h" + std::to_string(i) + ".h", "#pragma once\n" + next + next);
  }
  EXPECT_LT(flat("#include \"h0.h\"\n").size(), 20'000u);
}

TEST_F(FlatSourceTest, ends_if_files_without_guards_include_each_other_too_often) {
  for (int i = 0; i < 40; ++i) {
    const std::string next = "#include \"h" + std::to_string(i + 1) + ".h\"\n";
    folder_.write("h" + std::to_string(i) + ".h", next + next);
  }
  EXPECT_LT(flat("#include \"h0.h\"\n").size(), 1'000'000u);
}

TEST_F(FlatSourceTest, accepts_files_that_include_each_other) {
  folder_.write("a.h", "#pragma once\n#include \"b.h\"\nint a;\n");
  folder_.write("b.h", "#pragma once\n#include \"a.h\"\nint b;\n");
  const std::string text = flat("#include \"a.h\"\n");
  EXPECT_EQ(count(text, "int a;"), 1);
  EXPECT_EQ(count(text, "int b;"), 1);
}

TEST_F(FlatSourceTest, does_not_depend_on_the_folder) {
  folder_.write("one/once.h", "#pragma once\n");
  folder_.write("two/once.h", "#pragma once\n");
  const auto in = [&](const std::string& folder) {
    FlatSource source =
        flatten(folder_.path(folder + "/k.cu"), "#include \"once.h\"\n", {}, AngleIncludes::keep);
    std::erase_if(source.lines, [](const SourceLine& line) { return line.kind == SourceLine::Kind::place; });
    return text_of(source);
  };
  EXPECT_EQ(in("one"), in("two"));
}

TEST_F(FlatSourceTest, ignores_includes_in_comments_and_strings) {
  folder_.write("tile.cuh", "int tile;\n");
  EXPECT_EQ(flat("/*\n#include \"tile.cuh\"\n*/ const char* text = R\"(\n#include \"tile.cuh\"\n)\";\n")
                .find("int tile;"),
            std::string::npos);
}

TEST_F(FlatSourceTest, searches_the_include_dirs) {
  folder_.write("inner/far.h", "int far;\n");
  EXPECT_NE(flat("#include \"far.h\"\n", {folder_.path("inner")}).find("int far;"), std::string::npos);
}

TEST_F(FlatSourceTest, keeps_angle_includes_on_request_and_knows_their_files) {
  folder_.write("inner/lib.h", "#include \"deep.h\"\n");
  folder_.write("inner/deep.h", "int deep;\n");
  const auto with = [&](const std::string& text, AngleIncludes angles) {
    return flatten(folder_.path("k.cu"), text, {folder_.path("inner")}, angles);
  };
  const FlatSource kept = with("#include <lib.h>\n", AngleIncludes::keep);
  EXPECT_EQ(kept.lines[1].kind, SourceLine::Kind::include);
  EXPECT_EQ(kept.files.at(folder_.path("inner/deep.h")), "int deep;\n");
  EXPECT_NE(text_of(with("#include <lib.h>\n", AngleIncludes::expand)).find("int deep;"), std::string::npos);
  EXPECT_EQ(with("#include <other.h>\n", AngleIncludes::expand).lines[1].kind,
            SourceLine::Kind::system_include);
  EXPECT_EQ(with("#include NAME\n", AngleIncludes::expand).lines[1].kind, SourceLine::Kind::include);
}

TEST(LineDirective, escapes_the_file_name) {
  EXPECT_EQ(line_directive(7, "a\"b\\c.cu"), "#line 7 \"a\\\"b\\\\c.cu\"\n");
}

}  // namespace
}  // namespace gktune
