#include "gktune/lookup.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "db/database.h"
#include "db/portfolio.h"
#include "db/sql/failure.h"
#include "db/sqlite/connection.h"
#include "tests/db/example_study.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

Problem problem(std::int64_t n) { return {{"n", n}, {"T", "float"}}; }

class LookupTest : public ::testing::Test {
 protected:
  // Tunes a study: its winner has this value of `a`.
  void tuned(const Study& study, int a, double time_us = 5) {
    auto id = store_->study_id(study);
    ASSERT_TRUE(
        store_->add_trial(*id, session_, ok_trial({{"a", -1}, {"way", "slow"}}, 1000 + time_us, clock_))
            .ok());
    ASSERT_TRUE(
        store_->add_trial(*id, session_, ok_trial({{"a", a}, {"way", "quick"}}, time_us, ++clock_)).ok());
  }
  // Winners 1 and 2 of two sizes, and a portfolio that chooses `small` for small and `large` for large ones.
  void tuned_with_portfolio(int small, int large) {
    tuned(reduce_study(1000), 1);
    tuned(reduce_study(1 << 20), 2);
    add_portfolio(small, large);
  }
  void add_portfolio(int small, int large) {
    Portfolio portfolio;
    portfolio.kernel = "reduce", portfolio.fingerprint = "f1", portfolio.objective = "time";
    portfolio.device = kH200, portfolio.made_unix_ms = clock_;
    portfolio.problems = {problem(1000), problem(1 << 20)};
    portfolio.configs = {{{"a", small}}, {{"a", large}}};
    portfolio.tree = {{"n", 10'000, 1, 2, 0}, {"", {}, 0, 0, 0}, {"", {}, 0, 0, 1}};
    ASSERT_TRUE(store_->store_portfolio(portfolio).ok());
  }
  Lookup lookup() const { return *Lookup::open(path_); }

  ScratchFolder scratch_;
  std::filesystem::path path_ = scratch_ / "gktune.db";
  std::unique_ptr<Database> store_ = std::move(*Database::open(path_, Database::Access::write));
  std::int64_t session_ = *store_->begin_session({});
  std::int64_t clock_ = 1000;
};

TEST_F(LookupTest, a_problem_that_was_tuned_is_answered_exactly) {
  tuned(reduce_study(1000), 1, 5.5);
  tuned(reduce_study(2000), 2);
  std::size_t n = 1000;
  auto answer = lookup().best("reduce", {{"n", n}, {"T", "float"}});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer.match, Match::exact);
  EXPECT_EQ(answer.integer("a"), 1);
  EXPECT_EQ(answer.text("way"), "quick");
  EXPECT_EQ(answer.time_us, 5.5);
  EXPECT_EQ(answer.problem, problem(1000));
  EXPECT_EQ(answer.device, kH200);
}

TEST_F(LookupTest, an_unknown_kernel_gets_the_fallback_or_nothing) {
  tuned(reduce_study(1000), 1);
  auto nothing = lookup().best("sum", problem(1000));
  EXPECT_FALSE(nothing);
  EXPECT_EQ(nothing.match, Match::none);
  EXPECT_TRUE(nothing.config.empty());
  auto fallback = lookup().best("sum", problem(1000), {}, {{"a", 9}});
  ASSERT_TRUE(fallback);
  EXPECT_EQ(fallback.match, Match::fallback);
  EXPECT_EQ(fallback.integer("a"), 9);
  EXPECT_EQ(fallback.time_us, 0);
}

TEST_F(LookupTest, a_kernel_without_a_successful_trial_gets_no_answer) {
  auto study = store_->study_id(reduce_study());
  ASSERT_TRUE(store_->add_trial(*study, session_, failed_trial({{"a", 1}}, Status::crashed)).ok());
  EXPECT_FALSE(lookup().best("reduce", problem(1048576)));
}

TEST_F(LookupTest, the_device_itself_comes_before_another_of_its_architecture) {
  tuned(reduce_study(1000, kH100), 1);
  auto answer = lookup().best("reduce", problem(1000), kH200);
  EXPECT_EQ(answer.match, Match::same_architecture);
  EXPECT_EQ(answer.device, kH100);
  tuned(reduce_study(2000, kH200), 2);
  tuned(reduce_study(1000, kCpu), 3);
  answer = lookup().best("reduce", problem(1000), kH200);
  EXPECT_EQ(answer.match, Match::nearest_problem);
  EXPECT_EQ(answer.integer("a"), 2);
}

TEST_F(LookupTest, a_device_of_another_architecture_or_kind_gives_no_answer) {
  tuned(reduce_study(1000, kH100), 1);
  EXPECT_FALSE(lookup().best("reduce", problem(1000), cuda_device("NVIDIA A100", 8, 0, 108)));
  EXPECT_FALSE(lookup().best("reduce", problem(1000), kCpu));
  DeviceIdentity replayed = kH100;
  replayed.kind = "replay";
  EXPECT_FALSE(lookup().best("reduce", problem(1000), replayed));
}

TEST_F(LookupTest, properties_from_the_cuda_runtime_identify_a_device) {
  tuned(reduce_study(1000, kH200), 1);
  EXPECT_EQ(lookup().best("reduce", problem(1000), cuda_device("NVIDIA H200", 9, 0, 132)).match,
            Match::exact);
  EXPECT_EQ(lookup().best("reduce", problem(1000), cuda_device("NVIDIA H200", 9, 0, 66)).match,
            Match::same_architecture);
}

TEST_F(LookupTest, an_unknown_property_of_the_device_matches_any_value) {
  tuned(reduce_study(1000, kH200), 1);
  tuned(reduce_study(1000, kCpu), 2);
  DeviceIdentity gpu;
  gpu.kind = "cuda";
  EXPECT_EQ(lookup().best("reduce", problem(1000), gpu).integer("a"), 1);
  DeviceIdentity named;
  named.name = "NVIDIA H200";
  EXPECT_EQ(lookup().best("reduce", problem(1000), named).match, Match::exact);
}

TEST_F(LookupTest, the_device_of_the_last_tuning_answers_if_none_is_named) {
  tuned(reduce_study(1000, kH200), 1);
  tuned(reduce_study(2000, kH100), 2);
  Study other = reduce_study(1000, kCpu);
  other.kernel = "sum";
  tuned(other, 3);
  auto answer = lookup().best("reduce", problem(1000));
  EXPECT_EQ(answer.device, kH100);
  EXPECT_EQ(answer.match, Match::nearest_problem);
  tuned(reduce_study(3000, kH200), 4);
  EXPECT_EQ(lookup().best("reduce", problem(1000)).integer("a"), 1);
}

TEST_F(LookupTest, the_version_of_the_kernel_that_was_tuned_last_answers) {
  tuned(reduce_study(1000), 1);
  Study changed = reduce_study(4000);
  changed.fingerprint = "f2";
  tuned(changed, 2);
  EXPECT_EQ(lookup().best("reduce", problem(1000)).integer("a"), 2);
  // The old source is back, and tuned once more.
  tuned(reduce_study(8000), 3);
  EXPECT_EQ(lookup().best("reduce", problem(1000)).integer("a"), 1);
}

TEST_F(LookupTest, an_older_version_answers_if_the_newest_cannot) {
  tuned(reduce_study(1000), 1);
  Study changed = reduce_study(1000);
  changed.fingerprint = "f2";
  changed.problem.set("T", "double");
  tuned(changed, 2);
  EXPECT_EQ(lookup().best("reduce", problem(1000)).integer("a"), 1);
}

TEST_F(LookupTest, the_default_regime_and_time_come_first_among_equal_problems) {
  Study study = reduce_study(1000);
  tuned(study, 1);
  study.regime = Regime::hot;
  tuned(study, 2);
  study.regime = Regime::cold;
  study.objective = "minimize energy";
  tuned(study, 3);
  EXPECT_EQ(lookup().best("reduce", problem(1000)).integer("a"), 1);
}

TEST_F(LookupTest, trials_added_after_opening_are_not_seen) {
  tuned(reduce_study(1000), 1);
  auto before = lookup();
  tuned(reduce_study(2000), 2);
  EXPECT_EQ(before.best("reduce", problem(2000)).match, Match::nearest_problem);
  EXPECT_EQ(lookup().best("reduce", problem(2000)).match, Match::exact);
}

TEST_F(LookupTest, prepared_questions_get_the_same_answers) {
  for (int n = 1; n <= 64; n *= 2) tuned(reduce_study(n), n);
  tuned(reduce_study(8, kH100), 100);
  const Lookup shared = lookup();
  for (const DeviceIdentity& device : {DeviceIdentity(), kH200, kH100, kCpu}) {
    KernelLookup prepared = shared.prepare("reduce", {"T", "n"}, device);
    for (const char* type : {"float", "double"}) {
      for (int n = 0; n <= 100; ++n) {
        const Answer expected = shared.best("reduce", {{"n", n}, {"T", type}}, device);
        const Answer& answer = prepared.best({type, n});
        EXPECT_EQ(answer.match, expected.match);
        EXPECT_EQ(answer.config, expected.config);
        EXPECT_EQ(answer.problem, expected.problem);
      }
    }
  }
}

TEST_F(LookupTest, prepared_questions_outlive_the_lookup_and_have_a_fallback) {
  tuned(reduce_study(1000), 1);
  auto shared = std::make_unique<Lookup>(lookup());
  KernelLookup prepared = shared->prepare("reduce", {"n", "T"}, {}, {{"a", 7}});
  shared.reset();
  EXPECT_EQ(prepared.best({1000, "float"}).integer("a"), 1);
  const Answer& missing = prepared.best({1000, "double"});
  EXPECT_EQ(missing.match, Match::fallback);
  EXPECT_EQ(missing.integer("a"), 7);
  EXPECT_EQ(missing.reason, "'reduce' was not tuned for such a problem; T was float");
}

// Waits until the condition holds. A slow machine gets a minute.
template <class Condition>
bool comes_true(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

constexpr auto kInterval = std::chrono::milliseconds(5);

TEST_F(LookupTest, a_followed_file_shows_what_is_tuned_later) {
  tuned(reduce_study(1000), 1);
  const auto followed = Lookup::follow(path_, kInterval);
  KernelLookup prepared = followed->prepare("reduce", {"n", "T"});
  EXPECT_EQ(prepared.best({2000, "float"}).match, Match::nearest_problem);
  tuned(reduce_study(2000), 2);
  // The slower one of its two trials may be seen first.
  EXPECT_TRUE(comes_true([&] { return prepared.best({2000, "float"}).integer("a") == 2; }));
  EXPECT_EQ(prepared.best({2000, "float"}).match, Match::exact);
  EXPECT_EQ(followed->best("reduce", problem(2000)).integer("a"), 2);
}

TEST_F(LookupTest, a_followed_file_is_read_again_after_it_is_replaced) {
  tuned(reduce_study(1000), 1);
  const auto followed = Lookup::follow(path_, kInterval);
  store_ = std::move(*Database::open(scratch_ / "other.db", Database::Access::write));
  session_ = *store_->begin_session({});
  tuned(reduce_study(1000), 2);
  store_.reset();
  std::filesystem::remove(path_.string() + "-wal");
  std::filesystem::remove(path_.string() + "-shm");
  std::filesystem::rename(scratch_ / "other.db", path_);
  EXPECT_TRUE(comes_true([&] { return followed->best("reduce", problem(1000)).integer("a") == 2; }));
}

TEST_F(LookupTest, a_followed_file_that_cannot_be_read_keeps_its_winners) {
  tuned(reduce_study(1000), 1);
  const auto followed = Lookup::follow(path_, kInterval);
  EXPECT_EQ(followed->read_error(), std::nullopt);
  std::filesystem::rename(path_, scratch_ / "elsewhere.db");
  EXPECT_TRUE(comes_true([&] { return followed->read_error().has_value(); }));
  EXPECT_EQ(followed->best("reduce", problem(1000)).match, Match::exact);
  std::filesystem::rename(scratch_ / "elsewhere.db", path_);
  EXPECT_TRUE(comes_true([&] { return !followed->read_error().has_value(); }));
}

TEST_F(LookupTest, several_threads_ask_while_the_file_changes) {
  tuned(reduce_study(1000), 1);
  const auto followed = Lookup::follow(path_, kInterval);
  std::atomic<int> seen{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        KernelLookup prepared = followed->prepare("reduce", {"n", "T"});
        seen += comes_true([&] {
                  return prepared.best({3000, "float"}).integer("a") == 3;
                }) &&
                followed->best("reduce", problem(3000)).integer("a") == 3;
      });
    }
    tuned(reduce_study(2000), 2);
    tuned(reduce_study(3000), 3);
  }
  EXPECT_EQ(seen, 4);
}

TEST_F(LookupTest, needs_a_database) {
  const auto none = Lookup::open(std::span<const std::filesystem::path>());
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message, "no database was given");
  EXPECT_EQ(none.error().code, ErrorCode::invalid_argument);
  tuned(reduce_study(1000), 1);
  Lookup moved = lookup();
  const Lookup other = std::move(moved);
  EXPECT_EQ(moved.best("reduce", problem(1000)).reason, "no database was given");
}

TEST_F(LookupTest, an_axis_that_the_kernel_does_not_have_is_not_answered_from_the_portfolio) {
  tuned_with_portfolio(1, 2);
  const Answer misspelt = lookup().best("reduce", {{"N", 1000}, {"T", "float"}});
  EXPECT_FALSE(misspelt);
  EXPECT_NE(misspelt.reason.find("'reduce' has no axis 'N'; it has T, n"), std::string::npos) << misspelt.reason;
  const Answer fallback = lookup().best("reduce", {{"N", 1000}}, kH200, {{"a", 7}});
  EXPECT_EQ(fallback.match, Match::fallback);
  EXPECT_NE(fallback.reason.find("no axis 'N'"), std::string::npos) << fallback.reason;
}

TEST_F(LookupTest, a_match_that_is_worse_than_the_question_accepts_is_no_answer) {
  tuned_with_portfolio(1, 2);
  const auto match = [&](std::int64_t n, Match worst) {
    return lookup().best("reduce", problem(n), {.fallback = {{"a", 7}}, .worst = worst}).match;
  };
  EXPECT_EQ(match(1000, Match::exact), Match::exact);
  EXPECT_EQ(match(1001, Match::exact), Match::none);
  EXPECT_EQ(match(1001, Match::nearest_problem), Match::nearest_problem);
  const Answer refused = lookup().best("reduce", problem(1001), {.worst = Match::exact});
  EXPECT_EQ(refused.reason,
            "the best answer for 'reduce' is nearest problem (T=float n=1000), and the question accepts nothing worse "
            "than exact");
  const Question strict{.fallback = {{"a", 7}}, .worst = Match::portfolio};
  EXPECT_EQ(lookup().best("unknown", problem(1000), strict).match, Match::none);
}

TEST_F(LookupTest, equal_digests_are_those_of_equal_answers) {
  tuned(reduce_study(1000), 1);
  const std::string first = lookup().digest();
  EXPECT_EQ(first.size(), 32u);
  EXPECT_EQ(lookup().digest(), first);
  EXPECT_NE(Lookup::open(path_, {.aliases = {{"a", "b"}}})->digest(), first);
  tuned(reduce_study(1000), 3, 4);
  const std::string second = lookup().digest();
  EXPECT_NE(second, first);
  tuned(reduce_study(2000), 3, 4);
  EXPECT_NE(lookup().digest(), second);
  add_portfolio(1, 2);
  const std::string third = lookup().digest();
  add_portfolio(2, 1);
  EXPECT_NE(lookup().digest(), third);
}

TEST_F(LookupTest, several_databases_answer_by_match_and_then_in_the_given_order) {
  tuned(reduce_study(1000), 1);
  store_ = std::move(*Database::open(scratch_ / "other.db", Database::Access::write));
  session_ = *store_->begin_session({});
  tuned(reduce_study(1000), 2);
  tuned(reduce_study(2000), 3);
  const std::filesystem::path both[] = {path_, scratch_ / "other.db"};
  auto found = Lookup::open(both);
  EXPECT_EQ(found->best("reduce", problem(1000)).integer("a"), 1);
  EXPECT_EQ(found->best("reduce", problem(2000)).integer("a"), 3);
  EXPECT_EQ(found->best("reduce", problem(4000)).integer("a"), 1);
  const std::filesystem::path missing[] = {path_, scratch_ / "no.db"};
  EXPECT_FALSE(Lookup::open(missing).ok());
}

TEST_F(LookupTest, an_alias_answers_for_a_similar_device) {
  tuned(reduce_study(1000, kH100), 1);
  const auto found = Lookup::open(path_, {.aliases = {{"NVIDIA H100 NVL", "NVIDIA H100"}}});
  const DeviceIdentity similar = cuda_device("NVIDIA H100 NVL", 9, 0, 132);
  EXPECT_EQ(lookup().best("reduce", problem(1000), similar).match, Match::same_architecture);
  EXPECT_EQ(found->best("reduce", problem(1000), similar).match, Match::exact);
  EXPECT_EQ(found->best("reduce", problem(1000), kCpu).match, Match::none);
}

TEST_F(LookupTest, an_answer_is_stale_once_the_driver_or_the_source_has_changed) {
  const auto begin = [&](const char* driver) {
    DeviceInfo device = example_device();
    device.driver = driver;
    return *store_->begin_session({"0.1.0", "box", "gktune run", device});
  };
  session_ = begin("550.54");
  tuned(reduce_study(1000), 1);
  EXPECT_TRUE(lookup().best("reduce", problem(1000)).stale.empty());
  session_ = begin("580.1");
  tuned(reduce_study(1000, kH100), 3);  // another device
  EXPECT_TRUE(lookup().best("reduce", problem(1000), kH200).stale.empty());
  session_ = begin("580.1");
  tuned(reduce_study(2000), 2);
  const std::string driver = "the driver was 550.54 then and is 580.1 now";
  EXPECT_EQ(lookup().best("reduce", problem(1000), kH200).stale, std::vector<std::string>{driver});
  EXPECT_TRUE(lookup().best("reduce", problem(2000), kH200).stale.empty());
  EXPECT_TRUE(lookup()
                  .best("reduce", problem(1000), Question{.device = kH200, .freshness = {.driver = "550"}})
                  .stale.empty());
  // A later version without any winner.
  Study changed = reduce_study(3000);
  changed.fingerprint = "f2";
  ASSERT_TRUE(store_
                  ->add_trial(*store_->study_id(changed), session_,
                              failed_trial({{"a", 1}}, Status::crashed, ++clock_))
                  .ok());
  const Answer answer = lookup().best("reduce", problem(1000), kH200);
  EXPECT_EQ(answer.stale, (std::vector<std::string>{std::string(kSourceChanged), driver}));
  // People are told the same.
  EXPECT_EQ((*store_->winner(1))->changes, answer.stale);
}

TEST_F(LookupTest, the_constraints_and_the_default_of_a_space_are_stored) {
  tuned(reduce_study(1000), 1);
  tuned(reduce_study(1 << 20), 4);
  ASSERT_TRUE(store_->describe_space("reduce", "f1", {{}, {"n % a == 0", "a >= 1"}, {{"a", 1}}}).ok());
  const auto found = lookup();
  EXPECT_EQ(found.best("reduce", problem(1 << 19)).integer("a"), 4);
  EXPECT_EQ(found.best("reduce", problem((1 << 19) + 1)).integer("a"), 1);
  const Answer other_type = found.best("reduce", {{"n", 8}, {"T", "int"}});
  EXPECT_EQ(other_type.match, Match::space_default);
  EXPECT_EQ(other_type.config, (Config{{"a", 1}}));
}

TEST_F(LookupTest, a_stale_portfolio_serves_no_configuration_that_failed_later) {
  tuned_with_portfolio(1, 2);
  const Problem small = {{"n", 10'000}, {"T", "int"}}, large = {{"n", 10'001}, {"T", "int"}};
  EXPECT_TRUE(lookup().best("reduce", small).stale.empty());
  const auto study = *store_->study_id(reduce_study(1000));
  const Trial wrong = failed_trial({{"a", 2}}, Status::wrong_result, clock_ += 10);
  ASSERT_TRUE(store_->add_trial(study, session_, wrong).ok());
  const Answer answer = lookup().best("reduce", large);
  EXPECT_EQ(answer.match, Match::portfolio);
  EXPECT_EQ(answer.integer("a"), 1);
  EXPECT_EQ(answer.stale,
            (std::vector<std::string>{"1 configuration of the portfolio failed later and is left out",
                                      std::string(kPortfolioOutdated)}));
}

TEST_F(LookupTest, a_question_with_a_wrong_number_of_values_gets_a_reason_and_no_answer) {
  tuned(reduce_study(1000), 1);
  KernelLookup reduce = lookup().prepare("reduce", {"n", "T"}, {}, {{"a", 7}});
  const std::vector<AxisValue> all = {1000, "float", 1};
  for (const std::size_t count : {0u, 1u, 3u}) {
    const std::span<const AxisValue> values(all.data(), count);
    const Answer& answer = reduce.best(values);
    EXPECT_EQ(answer.match, Match::fallback);
    EXPECT_EQ(answer.reason, "a question about 'reduce' has a value for each axis (n, T): 2, not " +
                                 std::to_string(values.size()));
  }
  EXPECT_EQ(reduce.best({1000, "float"}).match, Match::exact);
  EXPECT_EQ(reduce.best({1000, "int"}).reason.find("a question about"), std::string::npos);
}

TEST_F(LookupTest, asking_for_a_missing_parameter_or_another_type_throws) {
  tuned(reduce_study(1000), 1);
  auto answer = lookup().best("reduce", problem(1000));
  EXPECT_THROW(answer.integer("b"), std::out_of_range);
  EXPECT_THROW(answer.integer("way"), std::invalid_argument);
  EXPECT_THROW(answer.text("a"), std::invalid_argument);
  EXPECT_THROW(answer.boolean("a"), std::invalid_argument);
  EXPECT_EQ(answer.real("a"), 1.0);
  EXPECT_EQ(answer.value("a"), Value(1));
  EXPECT_THROW(Answer().value("a"), std::out_of_range);
}

TEST_F(LookupTest, a_value_that_a_person_edited_counts_and_one_that_is_no_json_is_refused) {
  tuned(reduce_study(1000), 1);
  sqlite::Connection file(path_, sqlite::Connection::Access::create, std::chrono::seconds(10));
  file.execute("UPDATE trials SET config = '{\"a\":7}' WHERE objective = 5");
  EXPECT_EQ(lookup().best("reduce", problem(1000)).integer("a"), 7);
  EXPECT_THROW(file.execute("UPDATE trials SET config = '{'"), sql::Failure);
}

TEST(Match, every_match_has_a_name) {
  EXPECT_EQ(match_name(Match::exact), "exact");
  EXPECT_EQ(match_name(Match::nearest_problem), "nearest problem");
  EXPECT_EQ(match_name(Match::same_architecture), "same architecture");
  EXPECT_EQ(match_name(Match::portfolio), "portfolio");
  EXPECT_EQ(match_name(Match::space_default), "default of the space");
  EXPECT_EQ(match_name(Match::fallback), "fallback");
  EXPECT_EQ(match_name(Match::none), "none");
}

}  // namespace
}  // namespace gktune
