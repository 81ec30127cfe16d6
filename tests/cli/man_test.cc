// The manual pages, which the program writes.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "program_process.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

class Man : public ::testing::Test {
 protected:
  int run(const std::string& command_line) { return ShellProcess(folder_, command_line).wait(); }
  std::string page(const std::string& name) { return contents_of(folder_ / (name + ".1")); }

  ScratchFolder scratch_;
  const std::filesystem::path folder_ = scratch_ / "";
};

TEST_F(Man, each_command_that_a_page_lists_has_a_page_and_help) {
  ASSERT_EQ(run("gktune man . 2026-05-31"), 0) << contents_of(folder_ / "err");
  EXPECT_EQ(contents_of(folder_ / "out"), "");
  std::set<std::string> listed = {"gktune.1"}, written;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    if (entry.path().extension() == ".1") written.insert(entry.path().filename());
  }
  const std::string names =
      R"(sed -n 's/^\\fB\(gktune\\-.*\)\\fR(1)$/\1.1/p' gktune.1 gktune-db.1 | tr -d '\\')";
  ASSERT_EQ(run(names), 0);
  for (const std::string& name : lines_of(contents_of(folder_ / "out"))) listed.insert(name);
  EXPECT_EQ(listed, written);
  EXPECT_TRUE(written.contains("gktune-db-export.1"));
  EXPECT_FALSE(written.contains("gktune-worker.1"));
  EXPECT_EQ(run("for page in gktune-*.1; do page=${page%.1}; gktune help $(echo ${page#gktune-} | tr - ' ') "
                "|| exit; done"),
            0);
}

TEST_F(Man, pages_show_what_was_declared_and_documented) {
  ASSERT_EQ(run("gktune man . 2026-05-31"), 0);
  const std::string program = page("gktune"), best = page("gktune-best");
  EXPECT_TRUE(program.starts_with(".TH GKTUNE 1 \"2026-05-31\" \"gktune ")) << program;
  EXPECT_NE(program.find("\\fB130\\fR\ninterrupted\n"), std::string::npos) << program;
  EXPECT_NE(program.find("\\fBNO_COLOR\\fR\nif set, no colour\n"), std::string::npos);
  EXPECT_NE(program.find("security\\&.md\n"), std::string::npos) << "a link became its text";
  EXPECT_NE(best.find(".SH SYNOPSIS\ngktune best [OPTIONS] [KERNEL]\n"), std::string::npos) << best;
  EXPECT_NE(best.find("\n.TP\n\\fB\\-\\-db\\fR FILE\nDatabase file; default: $GKTUNE_DB"), std::string::npos)
      << best;
  EXPECT_NE(page("gktune-import").find("CUDA"), std::string::npos);
}

TEST_F(Man, formatters_accept_the_pages) {
  ASSERT_EQ(run("gktune man . 2026-05-31"), 0);
  const std::string formatters[] = {"mandoc -T lint -W warning", "groff -z -k -man -ww -Tutf8"};
  for (const std::string& formatter : formatters) {
    if (run("command -v " + formatter.substr(0, formatter.find(' '))) != 0) continue;
    EXPECT_EQ(run("for page in *.1; do " + formatter + " $page 2>&1; done"), 0);
    EXPECT_EQ(contents_of(folder_ / "out"), "") << formatter;
  }
}

TEST_F(Man, wrong_arguments_are_errors) {
  EXPECT_EQ(run("gktune man"), 2);
  EXPECT_EQ(contents_of(folder_ / "err"), "error: DIR is required\n  hint: gktune man --help\n");
  EXPECT_EQ(run("gktune man ."), 2);
  EXPECT_EQ(run("gktune man nowhere 2026-05-31"), 1);
  EXPECT_NE(contents_of(folder_ / "err").find("nowhere/gktune.1"), std::string::npos);
}

}  // namespace
}  // namespace gktune
