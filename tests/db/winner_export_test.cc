#include "db/winner_export.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "db/database.h"
#include "tests/db/example_study.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

namespace fs = std::filesystem;

class WinnerExport : public ::testing::Test {
 protected:
  void SetUp() override {
    auto store = std::move(*Database::in_memory());
    const auto session = *store->begin_session({"0.1.0", "box", "gktune run", example_device()});
    for (int i = 0; i < 6; ++i) {
      Study study = reduce_study(std::int64_t{1024} << (2 * i));
      study.fingerprint = "0123abcd";
      for (int a = 0; a < 3; ++a) {
        const Config config{
            {"threads", 64 << a}, {"way", a == 0 ? "one_pass" : "class"}, {"fast", a == 1}, {"x", 0.5}};
        ASSERT_TRUE(store->add_trial(*store->study_id(study), session,
                                     ok_trial(config, 100 + 50 * std::abs(a - i / 2)))
                        .ok());
      }
    }
    const Config slow{{"threads", 32}, {"way", "two_pass"}, {"fast", false}, {"x", 0.5}};
    ASSERT_TRUE(store->add_trial(1, session, ok_trial(slow, 900)).ok());
    const TextValues of_space{{{"T", {"double", "float"}}}, {{"way", {"never_tried", "class"}}}};
    ASSERT_TRUE(store->describe_space("reduce", "0123abcd", {}, of_space).ok());
    winners_ = *store->winners("");
    texts_ = *store->texts("reduce");
    // The configurations for the sizes from small to large.
    for (const int i : {0, 2, 4}) portfolio_.configs.push_back(winners_[i].trial.config);
    portfolio_.problems = {winners_[0].study.problem};
    portfolio_.tree = {{"n", 8192, 1, 2, 0}, {"", 0, 0, 0, 0}, {"n", 131072, 3, 4, 0}, {"", 0, 0, 0, 1}, {"", 0, 0, 0, 2}};
  }
  std::string write(const std::string& name, const std::string& text) const {
    const auto file = (scratch_ / name).string();
    std::ofstream(file) << text;
    return file;
  }
  int compile(const std::string& main) const {
    const auto source = write("main.cc", main);
    const std::string command = "g++ -std=c++17 -Wall -Wextra -Werror -O0 -o '" +
                                (scratch_ / "main").string() + "' '" + source + "' 2>'" +
                                (scratch_ / "log").string() + "' && '" + (scratch_ / "main").string() + "'";
    return std::system(command.c_str());
  }

  ScratchFolder scratch_;
  std::vector<Winner> winners_;
  Portfolio portfolio_;
  TextValues texts_;
};

TEST_F(WinnerExport, the_header_answers_and_refuses_questions_that_do_not_fit_the_kernel) {
  const auto text = header_text(winners_, portfolio_, texts_);
  write("reduce_tuned.h", *text);
  const std::string good = R"(#include "reduce_tuned.h"
#include <cstdio>
using namespace tuned_reduce;
constexpr Problem small{T_axis::float_, 1024}, large{T_axis::float_, 1 << 20}, between{T_axis::float_, 1500};
static_assert(is_of("0123abcd"));
template <int threads> int run() { return threads; }
int main() {
  static_assert(find(small)->threads == 64 && find(between) == nullptr);
  for (const Tuned& tuned : kTuned) {
    if (find(tuned.problem) != &kConfigs[tuned.config] || find({tuned.problem.T, tuned.problem.n + 1}) != nullptr) return 2;
  }
  static_assert(best(large).threads == 256 && best(between).threads == 64);
  static_assert(best(small).way == way_value::one_pass && text_of(best(large).way) == "class");
  return run<best(small).threads>() == 64 && !best(small).fast && best(small).x == 0.5 ? 0 : 1;
}
)";
  EXPECT_EQ(compile(good), 0) << *text;
  const auto with = [&](const std::string& part, const std::string& replacement) {
    std::string changed = good;
    const auto at = changed.find(part);
    return changed.replace(at, part.size(), replacement);
  };
  EXPECT_NE(compile(with("0123abcd", "another")), 0);          // another version of the source
  EXPECT_NE(compile(with("best(small).x", "best(small).y")), 0);  // a parameter that it does not have
  EXPECT_NE(compile(with("T_axis::float_", "T_axis::half")), 0);
}

// The next winner may have any of them.
TEST_F(WinnerExport, the_enumerations_hold_the_texts_of_the_space_and_of_all_trials) {
  EXPECT_EQ(texts_.axes, (std::map<std::string, std::set<std::string>>{{"T", {"double", "float"}}}));
  EXPECT_EQ(texts_.parameters, (std::map<std::string, std::set<std::string>>{
                                   {"way", {"class", "never_tried", "one_pass", "two_pass"}}}));
  write("reduce_tuned.h", *header_text({winners_.front()}, portfolio_, texts_));
  EXPECT_EQ(compile(R"(#include "reduce_tuned.h"
using tuned_reduce::way_value;
static_assert(tuned_reduce::text_of(way_value::two_pass) == "two_pass" && way_value::class_ != way_value::never_tried);
static_assert(tuned_reduce::T_axis::double_ != tuned_reduce::T_axis::float_);
int main() {}
)"),
            0);
}

TEST_F(WinnerExport, a_header_holds_one_kernel_and_one_device) {
  auto mixed = winners_;
  mixed.back().study.device = kH100;
  EXPECT_FALSE(header_text(mixed, portfolio_, {}).ok());
  mixed = winners_;
  mixed.back().study.problem = {{"m", 1}};
  EXPECT_FALSE(header_text(mixed, portfolio_, {}).ok());
  mixed = winners_;
  mixed.back().trial.config = {{"threads", "many"}, {"way", "a"}, {"fast", true}, {"x", 1}};
  EXPECT_FALSE(header_text(mixed, portfolio_, {}).ok());
  EXPECT_FALSE(header_text({}, portfolio_, {}).ok());
}

TEST_F(WinnerExport, names_that_look_like_code_stay_texts) {
  auto hostile = std::vector<Winner>{winners_.front()};
  hostile[0].study.kernel = "class \"; int x;\n#error";
  hostile[0].study.device.name = "\\\n#error \"?\?/";
  hostile[0].study.problem = {{"Problem", 1}};
  hostile[0].trial.config = {
      {"int", 1}, {"a b", "x\"\n"}, {"a_b", true}, {"Config", 2}, {"NULL", "char16_t"}};
  Portfolio portfolio;
  portfolio.configs = {hostile[0].trial.config};
  portfolio.tree.emplace_back();
  write("reduce_tuned.h", *header_text(hostile, portfolio, {}));
  EXPECT_EQ(compile("#include \"reduce_tuned.h\"\nint main() {}\n"), 0);
}

// The shell divides the flags, and the preprocessor replaces the names.
TEST_F(WinnerExport, a_compiler_gets_every_value_from_the_flags) {
  const std::string texts[] = {"one_pass",      "unsigned int",   "it's; echo no",
                               "\"quoted\"",    "$HOME `id` \\n", "*",
                               "a & b | c > d", "%s #other",      ""};
  Config config{{"threads", 256}, {"least", -1}, {"fast", true},
                {"slow", false},  {"x", 0.1},    {"small", 1e-30}};
  std::string source, expected;
  for (std::size_t i = 0; i < std::size(texts); ++i) config.set("text" + std::to_string(i), texts[i]);
  for (const auto& [name, value] : config) {
    source += "[" + name + "]\n";
    expected += "[" + value.str() + "]\n";
  }
  const std::string command = "cd '" + scratch_.path().string() + "' && g++ " + definition_flags(config) +
                              " -E -P -w -x c++ '" + write("names.txt", source) + "' >'" +
                              scratch_.path("values.txt") + "' 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(contents_of(scratch_ / "values.txt"), expected);
}

// The values of `threads` of some winners.
std::vector<std::int64_t> threads_in(const std::vector<Winner>& winners) {
  std::vector<std::int64_t> threads;
  for (const Winner& winner : winners) threads.push_back(winner.trial.config.find("threads")->integer());
  return threads;
}

TEST_F(WinnerExport, a_problem_has_one_line_and_prefers_the_cold_regime_and_time) {
  const Winner& tuned = winners_.front();
  const auto variant = [&](std::int64_t id, Regime regime, const std::string& objective, std::int64_t threads,
                           std::int64_t updated) {
    Winner best = tuned;
    best.study_id = id, best.updated_unix_ms = updated;
    best.study.regime = regime, best.study.objective = objective;
    best.trial.config.set("threads", threads);
    return best;
  };
  const Winner hot = variant(1, Regime::hot, "time", 1, 9000),
             other = variant(2, Regime::cold, "maximize GB/s", 2, 9000),
             old = variant(3, Regime::cold, "time", 3, 1000),
             cold = variant(4, Regime::cold, "time", 4, 2000);
  std::vector<Winner> all = {hot, other, old, cold};
  do {
    EXPECT_EQ(threads_in(one_for_each_problem(all)), (std::vector<std::int64_t>{4}));
  } while (std::ranges::next_permutation(all, {}, &Winner::study_id).found);
  EXPECT_EQ(threads_in(one_for_each_problem({hot, other})), (std::vector<std::int64_t>{2}));
  EXPECT_EQ(one_for_each_problem(winners_).size(), winners_.size());
  EXPECT_TRUE(one_for_each_problem({}).empty());
}

}  // namespace
}  // namespace gktune
