// Kernels that a program of the user compiles.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "program_process.h"
#include "tests/expectations.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

class CommandLanguage : public ProgramTest {
 protected:
  void SetUp() override {
    if (std::system("python3 -c '' 2>/dev/null") != 0) GTEST_SKIP() << "there is no python3";
    std::filesystem::copy(GKTUNE_SOURCE_DIR "/examples/command", folder_.path());
  }
};

TEST_F(CommandLanguage, the_example_is_tuned_on_the_cpu) {
  EXPECT_EQ(gktune("run blur.yaml --device host --trials 2 --db t.db --cache cache"), 0) << err_;
  EXPECT_TRUE(contains(out_, "2 of 12 configurations tried"));
  EXPECT_EQ(gktune("db sql --csv --db t.db \"SELECT status, count(*) FROM trial_view GROUP BY 1\""), 0);
  EXPECT_TRUE(contains(out_, "ok,2"));
}

TEST_F(CommandLanguage, a_program_that_fails_ends_the_run_and_blames_no_configuration) {
  folder_.write("nvcc.py", "raise SystemExit('no compiler here')\n");
  EXPECT_EQ(gktune("run blur.yaml --device host --db t.db --cache cache"), 1);
  EXPECT_TRUE(contains(err_, "command 'python3 ./nvcc.py': the program exited with code 1"));
  EXPECT_EQ(gktune("db sql --csv --db t.db \"SELECT count(*) FROM trial_view\""), 0);
  EXPECT_TRUE(contains(out_, "\n0\n"));
}

TEST_F(CommandLanguage, a_wrong_result_of_the_program_is_found) {
  std::string text = contents_of(folder_ / "blur.cu");
  text.replace(text.find("0.25f"), 5, "0.26f");
  folder_.write("blur.cu", text);
  EXPECT_NE(gktune("run blur.yaml --device host --trials 1 --db t.db --cache cache"), 0);
  EXPECT_TRUE(contains(out_ + err_, "wrong_result"));
}

}  // namespace
}  // namespace gktune
