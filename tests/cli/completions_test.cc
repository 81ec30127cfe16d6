#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "call.h"
#include "tests/example_database.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

using Texts = std::vector<std::string>;

class Completions : public ::testing::Test {
 protected:
  Completions() { make_example_database(folder_ / "gktune.db"); }

  std::string lines(Texts words) {
    words.insert(words.begin(), "complete");
    Call result = call(words, environment_);
    EXPECT_TRUE(ended(result, ExitCode::done, ""));
    return result.out;
  }

  // The suggestions for the last of `words`, without their descriptions.
  Texts suggested(const Texts& words) {
    Texts texts;
    std::istringstream stream(lines(words));
    for (std::string line; std::getline(stream, line);) texts.push_back(line.substr(0, line.find('\t')));
    return texts;
  }

  ScratchFolder folder_;
  Environment environment_{.database = folder_ / "gktune.db"};
};

bool has(const Texts& texts, const std::string& text) {
  return std::ranges::find(texts, text) != texts.end();
}

TEST_F(Completions, suggest_commands_that_begin_as_typed) {
  EXPECT_EQ(suggested({"re"}), (Texts{"report"}));
  EXPECT_EQ(suggested({"db", "s"}), (Texts{"show", "sql", "slim"}));
  EXPECT_EQ(suggested({"help", "ru"}), (Texts{"run"}));
  EXPECT_EQ(suggested({"help", "db", "s"}), (Texts{"show", "sql", "slim"}));
  EXPECT_EQ(suggested({"help", "run", ""}), Texts{});
  EXPECT_EQ(suggested({"imp"}), Texts{"import"});
  EXPECT_EQ(suggested({"import", "--ou"}), (Texts{"--output"}));
  EXPECT_FALSE(has(suggested({""}), "worker"));
}

TEST_F(Completions, suggest_flags_of_the_command_and_their_choices) {
  EXPECT_EQ(suggested({"run", "--tr"}), (Texts{"--trials"}));
  EXPECT_TRUE(has(suggested({"run", "-"}), "-q"));
  EXPECT_EQ(suggested({"run", "--effort", ""}), (Texts{"quick", "normal", "thorough"}));
  EXPECT_EQ(suggested({"run", "--regime", ""}), (Texts{"cold", "hot"}));
  EXPECT_EQ(suggested({"run", "--regime=h"}), (Texts{"--regime=hot"}));
  EXPECT_EQ(suggested({"run", "--device", "cuda"}), (Texts{"cuda", "cuda:all"}));
  EXPECT_TRUE(has(suggested({"run", "--strategy", ""}), "exhaustive"));
  EXPECT_EQ(suggested({"score", "--strategy", "a"}), (Texts{"auto", "all"}));
  EXPECT_NE(lines({"run", "--tr"}).find("--trials\tStop"), std::string::npos);
}

TEST_F(Completions, suggest_files_where_a_file_is_expected) {
  EXPECT_EQ(suggested({"run", ""}), (Texts{":files"}));
  EXPECT_EQ(suggested({"run", "a.yaml", ""}), (Texts{":files"}));
  EXPECT_EQ(suggested({"best", "--db", ""}), (Texts{":files"}));
}

TEST_F(Completions, suggest_kernels_of_the_database) {
  EXPECT_EQ(suggested({"best", ""}), (Texts{"reduce"}));
  EXPECT_EQ(suggested({"best", "x"}), Texts{});
  EXPECT_EQ(suggested({"exec", ""}), (Texts{"reduce"}));
  EXPECT_EQ(suggested({"db", "show", ""}), (Texts{"reduce"}));
  EXPECT_EQ(suggested({"db", "ls", "--kernel=r"}), (Texts{"--kernel=reduce"}));
}

TEST_F(Completions, suggest_nothing_for_free_values_and_bad_databases) {
  EXPECT_EQ(suggested({"run", "--problem", ""}), Texts{});
  EXPECT_EQ(suggested({"best", "--db", "nowhere.db", ""}), Texts{});
  EXPECT_FALSE(std::filesystem::exists("nowhere.db"));
  std::ofstream(folder_ / "gktune.db") << "not a database";
  EXPECT_EQ(suggested({"best", ""}), Texts{});
  EXPECT_EQ(suggested({"run", "--unknown", "x", "--regime"}), (Texts{"--regime"}));
  EXPECT_TRUE(has(suggested({"completions", "bash", ""}), "--help"));
  EXPECT_EQ(call({"complete"}, environment_).code, ExitCode::done);
}

TEST_F(Completions, leave_out_names_with_line_breaks) {
  auto store = Database::open((folder_ / "gktune.db"), Database::Access::write);
  ASSERT_TRUE(
      (*store)->study_id({"two\nlines", "f", {"cuda", "GPU", "sm_90", 1}, {}, Regime::cold, "time"}).ok());
  EXPECT_EQ(suggested({"best", ""}), (Texts{"reduce"}));
}

}  // namespace
}  // namespace gktune
