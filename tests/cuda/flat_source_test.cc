#include "tuner/device/cuda/flat_source.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/scratch_folder.h"

namespace gktune {
namespace {

class FlatSourceTest : public testing::Test {
 protected:
  std::string flat(const std::string& text, const std::vector<std::string>& include_dirs = {}) {
    std::string all;
    for (const auto& line : flatten(folder_.path("k.cu"), text, include_dirs).lines) all += line.text;
    const std::string prefix = folder_.path("");
    for (auto at = all.find(prefix); at != std::string::npos; at = all.find(prefix))
      all.erase(at, prefix.size());
    return all;
  }
  ScratchFolder folder_;
};

TEST_F(FlatSourceTest, puts_what_lies_beside_it_in_its_place) {
  folder_.write("tile.cuh", "int tile;\n");
  EXPECT_EQ(flat("int a;\n#include \"tile.cuh\"\nint b;\n"),
            "#line 1 \"k.cu\"\nint a;\n#line 1 \"tile.cuh\"\nint tile;\n#line 3 \"k.cu\"\nint b;\n");
}

TEST_F(FlatSourceTest, leaves_what_it_does_not_find) {
  EXPECT_EQ(
      flat("#include \"gone.h\"\n#include <cub/cub.cuh>\n"),
      "#line 1 \"k.cu\"\n#include \"gone.h\"\n#line 2 \"k.cu\"\n#include <cub/cub.cuh>\n#line 3 \"k.cu\"\n");
}

TEST_F(FlatSourceTest, includes_once_what_asks_for_it) {
  folder_.write("once.h", "#pragma once\nint once;\n");
  const std::string text = flat("#include \"once.h\"\n#include \"once.h\"\n");
  EXPECT_NE(text.find("#ifndef GKTUNE_INCLUDED_"), std::string::npos);
  EXPECT_NE(text.find("int once;"), text.rfind("int once;"));  // guarded, so that it may stand in any branch
}

TEST_F(FlatSourceTest, stands_files_that_include_each_other) {
  folder_.write("a.h", "#pragma once\n#include \"b.h\"\nint a;\n");
  folder_.write("b.h", "#pragma once\n#include \"a.h\"\nint b;\n");
  const std::string text = flat("#include \"a.h\"\n");
  EXPECT_EQ(text.find("int a;"), text.rfind("int a;"));
  EXPECT_EQ(text.find("int b;"), text.rfind("int b;"));
}

TEST_F(FlatSourceTest, looks_into_the_include_dirs) {
  folder_.write("inner/far.h", "int far;\n");
  EXPECT_NE(flat("#include \"far.h\"\n", {folder_.path("inner")}).find("int far;"), std::string::npos);
}

TEST_F(FlatSourceTest, notes_what_angle_brackets_bring_from_there) {
  folder_.write("inner/lib.h", "#include \"deep.h\"\n");
  folder_.write("inner/deep.h", "int deep;\n");
  const auto source = flatten(folder_.path("k.cu"), "#include <lib.h>\n", {folder_.path("inner")});
  EXPECT_NE(source.included.find("int deep;"), std::string::npos);
  EXPECT_EQ(source.lines[1].kind, SourceLine::Kind::include);
  EXPECT_EQ(flatten(folder_.path("k.cu"), "#include <other.h>\n", {folder_.path("inner")}).lines[1].kind,
            SourceLine::Kind::toolkit_include);
}

}  // namespace
}  // namespace gktune
