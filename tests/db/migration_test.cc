// Reads a file that version 0.1.0 wrote, with schema 1: a study of saxpy with six trials, and two studies
// (cold and hot) of a kernel whose trials with wrong=true failed. All three had a playoff.
#include <gtest/gtest.h>

#include <filesystem>

#include "db/lookup.h"
#include "db/row_sums.h"
#include "db/schema.h"
#include "db/sqlite/database.h"
#include "db/store/sqlite_store.h"
#include "tests/db/example_study.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

class Migration : public ::testing::TestWithParam<StoreAccess> {
 protected:
  void SetUp() override {
    std::filesystem::copy_file(GKTUNE_SOURCE_DIR "/tests/db/version_1.db", path_);
    auto store = open_sqlite_store(path_, GetParam());
    ASSERT_TRUE(store.ok()) << store.error().message;
    store_ = std::move(*store);
  }

  ScratchFolder scratch_;
  std::filesystem::path path_ = scratch_ / "gktune.db";
  std::unique_ptr<TrialStore> store_;
};

INSTANTIATE_TEST_SUITE_P(Access, Migration, ::testing::Values(StoreAccess::read, StoreAccess::write),
                         [](const auto& each) { return each.param == StoreAccess::read ? "read" : "write"; });

TEST_P(Migration, keeps_all_studies_and_trials) {
  const auto studies = *store_->studies();
  ASSERT_EQ(studies.size(), 3u);
  const DeviceIdentity cpu{"host", "CPU: AMD EPYC 9654", "x86-64", 2};
  const Problem problem{{"n", 1000}};
  std::int64_t trials = 0;
  for (const StudySummary& each : studies) {
    EXPECT_EQ(each.study.device, cpu);
    EXPECT_EQ(each.study.problem, problem);
    EXPECT_EQ(each.study.objective, "time");
    EXPECT_EQ(std::ssize(*store_->trials(each.id)), each.trials);
    trials += each.trials;
  }
  EXPECT_EQ(trials, 14);
  EXPECT_EQ(studies[0].study.kernel, "saxpy");
  EXPECT_EQ(studies[1].failed, 2);
  EXPECT_EQ(studies[2].study.regime, Regime::hot);

  const auto saxpy = *store_->trials(1);
  for (std::int64_t i = 0; i < 6; ++i) EXPECT_EQ(saxpy[static_cast<std::size_t>(i)].id, i + 1);
  EXPECT_EQ(saxpy[0].samples_us.size(), 73u);
  EXPECT_TRUE(saxpy[0].metrics.find("GB/s")->is_real());
  const auto failed = *store_->trials(2);
  EXPECT_EQ(failed[2].status, Status::wrong_result);
  EXPECT_TRUE(failed[2].message.starts_with("1000 of 1000 elements differ")) << failed[2].message;
}

TEST_P(Migration, keeps_the_winners) {
  const auto best = *store_->best("");
  ASSERT_EQ(best.size(), 3u);
  EXPECT_EQ(best[0].trial.id, 5);
  EXPECT_EQ(best[1].trial.id, 8);
  EXPECT_EQ(best[2].trial.id, 11);
  EXPECT_DOUBLE_EQ(best[0].trial.timing.median_us, 20.0025);
  EXPECT_DOUBLE_EQ(best[1].trial.timing.median_us, 69.1145);
  EXPECT_DOUBLE_EQ(best[2].trial.timing.median_us, 44.288);
  for (const Best& each : best) {
    EXPECT_TRUE(each.from_playoff);
    EXPECT_EQ(each.trial.samples_us.size(), 50u);
    EXPECT_EQ(each.trial.objective, each.trial.timing.median_us);
    EXPECT_TRUE(each.trial.metrics.empty());  // schema 1 had none of the playoff
    const auto held = *store_->playoff(each.study_id);
    ASSERT_TRUE(held.has_value());
    EXPECT_EQ(held->finalists.size(), 1u);
    const auto trials = *store_->trials(each.study_id);
    for (const Trial& trial : trials)
      EXPECT_LE(trial.ended_unix_ms, held->held_unix_ms);
  }
  const auto lookup = Lookup::open(path_);
  ASSERT_TRUE(lookup.ok()) << lookup.error().message;
  EXPECT_EQ(lookup->best("saxpy", {{"n", 1000}}).integer("threadsPerBlock"), 512);
}

TEST_P(Migration, says_that_the_figures_of_the_device_are_unknown) {
  const auto found = *store_->trial(1);
  ASSERT_TRUE(found.has_value());
  EXPECT_FALSE(found->device.has_value());
  EXPECT_EQ(found->host_name, "box");
}

TEST_P(Migration, changes_the_file_only_if_it_is_opened_for_writing) {
  sqlite::Database file(path_, sqlite::Database::Access::read, std::chrono::seconds(1));
  EXPECT_EQ(file.integer("PRAGMA user_version"), GetParam() == StoreAccess::read ? 1 : 5);
  EXPECT_EQ(file.text("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(file.integer("SELECT count(*) FROM pragma_foreign_key_check"), 0);
}

TEST(MigrationOfSessions, gives_the_same_identities_in_every_copy_of_a_file) {
  ScratchFolder scratch;
  const auto identities = [&](const std::string& name) {
    const auto path = scratch / name;
    std::filesystem::copy_file(GKTUNE_SOURCE_DIR "/tests/db/version_1.db", path);
    EXPECT_TRUE(open_sqlite_store(path, StoreAccess::write).ok());
    sqlite::Database file(path, sqlite::Database::Access::read, std::chrono::seconds(1));
    return file.text(
        "SELECT group_concat(uuid || ' ' || number, char(10)) FROM trials t"
        " JOIN sessions s ON s.id = t.session_id ORDER BY t.id");
  };
  EXPECT_EQ(identities("a.db"), identities("b.db"));
}

TEST(MigratedStore, takes_new_trials_and_playoffs) {
  ScratchFolder scratch;
  const auto path = scratch / "gktune.db";
  std::filesystem::copy_file(GKTUNE_SOURCE_DIR "/tests/db/version_1.db", path);
  auto store = *open_sqlite_store(path, StoreAccess::write);
  const auto study = *store->study_id((*store->study(1))->study);
  EXPECT_EQ(study, 1);
  const auto session = *store->begin_session({"0.2.0", "box", "gktune run", example_device()});
  Trial again = store->trials(study)->front();
  again.ended_unix_ms += 1'000'000;
  ASSERT_TRUE(store->add_trial(study, session, again).ok());
  EXPECT_EQ(store->trials(study)->size(), 6u);
  EXPECT_EQ(store->trials(study)->back().id, 15);
  ASSERT_TRUE(store->add_playoff(study, session, {{again}, again.ended_unix_ms}).ok());
  EXPECT_EQ(store->best("saxpy")->front().trial.config, again.config);
  EXPECT_TRUE((*store->trial(15))->device.has_value());
}

// A file that the program wrote with schema 2: two studies of the kernel twice with two trials each and a
// playoff. The second trial was marked as cut short by hand.
TEST(MigrationOfSchema2, keeps_trials_and_winners_and_takes_claims) {
  ScratchFolder scratch;
  const auto path = scratch / "gktune.db";
  std::filesystem::copy_file(GKTUNE_SOURCE_DIR "/tests/db/version_2.db", path);
  for (const StoreAccess access : {StoreAccess::read, StoreAccess::write}) {
    auto opened = open_sqlite_store(path, access);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    const auto& store = *opened;
    ASSERT_EQ(store->studies()->size(), 2u);
    const auto trials = *store->trials(1);
    ASSERT_EQ(trials.size(), 2u);
    EXPECT_FALSE(trials[0].is_dropped_early);
    EXPECT_TRUE(trials[1].is_dropped_early);
    EXPECT_EQ(trials[0].timing.median_us, 3999.4945);
    const auto best = *store->best("twice");
    ASSERT_EQ(best.size(), 2u);
    EXPECT_TRUE(best[0].from_playoff);
    EXPECT_DOUBLE_EQ(best[0].trial.timing.median_us, 7140.0365);
    if (access == StoreAccess::read) continue;
    const auto session = *store->begin_session({"0.2.0", "box", "gktune run", example_device()});
    EXPECT_TRUE(*store->claim(1, session, Config{{"threadsPerBlock", 256}}, std::chrono::minutes(1)));
    EXPECT_FALSE(*store->claim(1, session, Config{{"threadsPerBlock", 64}}, std::chrono::minutes(1)));
    ASSERT_TRUE(store->end_session(session).ok());
  }
  sqlite::Database file(path, sqlite::Database::Access::read, std::chrono::seconds(1));
  EXPECT_EQ(file.integer("PRAGMA user_version"), 5);
  EXPECT_EQ(file.text("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(file.integer("SELECT sum(is_dropped_early) FROM trial_view"), 1);
  EXPECT_EQ(file.integer("SELECT count(*) FROM claims"), 0);
}

// The file of schema 2, brought to schema 3.
TEST(MigrationOfSchema3, finds_the_winners_and_the_configuration_for_all_problems) {
  ScratchFolder scratch;
  const auto path = scratch / "gktune.db";
  std::filesystem::copy_file(GKTUNE_SOURCE_DIR "/tests/db/version_2.db", path);
  {
    sqlite::Database file(path, sqlite::Database::Access::create, std::chrono::seconds(1));
    migrate(file, schema_steps().first(3));
    EXPECT_EQ(file.integer("PRAGMA user_version"), 3);
  }
  const auto before = Lookup::open(path);  // migrates a copy in memory
  ASSERT_TRUE(before.ok()) << before.error().message;
  ASSERT_TRUE(open_sqlite_store(path, StoreAccess::write).ok());
  const auto after = Lookup::open(path);
  ASSERT_TRUE(after.ok()) << after.error().message;
  sqlite::Database file(path, sqlite::Database::Access::read, std::chrono::seconds(1));
  EXPECT_EQ(file.integer("SELECT count(*) FROM winners"), 2);
  EXPECT_EQ(file.integer("SELECT count(*) FROM winners w JOIN winner_view v ON v.study_id = w.study_id"
                         " AND v.trial_id = w.trial_id AND v.finalist_id IS w.finalist_id"),
            2);
  EXPECT_EQ(file.integer("SELECT count(*) FROM general_configs WHERE problems = 2 AND share BETWEEN 0 AND 1"),
            1);
  EXPECT_EQ(file.integer("SELECT count(*) FROM spaces"), 0);
  const std::string kernel = "twice";
  for (const auto* lookup : {&*before, &*after}) {
    const Answer answer = lookup->best(kernel, {{"n", 1000}});
    EXPECT_NE(answer.match, Match::none) << answer.reason;
  }
}

// A file that the program wrote with schema 3: a study of two configurations, tuned and then tuned with
// --fresh, each time with a playoff.
TEST(MigrationOfSchema3, keeps_the_winner_and_counts_trials) {
  ScratchFolder scratch;
  const auto path = scratch / "gktune.db";
  std::filesystem::copy_file(GKTUNE_SOURCE_DIR "/tests/db/version_3.db", path);
  for (const StoreAccess access : {StoreAccess::read, StoreAccess::write}) {
    auto opened = open_sqlite_store(path, access);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    const auto& store = *opened;
    const auto studies = *store->studies();
    ASSERT_EQ(studies.size(), 1u);
    EXPECT_EQ(studies[0].trials, 2);
    EXPECT_EQ(studies[0].failed, 0);
    const auto best = *store->best("twice");
    ASSERT_EQ(best.size(), 1u);
    EXPECT_TRUE(best[0].from_playoff);
    EXPECT_EQ(best[0].trial.id, 3);
    if (access == StoreAccess::read) continue;
    const auto session = *store->begin_session({"0.2.0", "box", "gktune run", example_device()});
    Trial again = store->trials(1)->front();
    again.ended_unix_ms += 1'000'000;
    ASSERT_TRUE(store->add_trial(1, session, again).ok());
  }
  sqlite::Database file(path, sqlite::Database::Access::read, std::chrono::seconds(1));
  EXPECT_EQ(file.integer("PRAGMA user_version"), 5);
  EXPECT_EQ(file.text("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(file.integer("SELECT sum(trials) FROM study_counts WHERE is_current = 1"), 2);
  EXPECT_EQ(file.integer("SELECT sum(trials) FROM study_counts WHERE is_current = 0"), 3);
  EXPECT_EQ(file.integer("SELECT count(*) FROM trials WHERE checksum IS NULL"), 0);
}

// A file that the program wrote with schema 4: two studies of two configurations each with playoffs, one of
// them tuned again with --fresh, and a portfolio.
TEST(MigrationOfSchema4, gives_each_row_a_checksum_and_keeps_its_values) {
  ScratchFolder scratch;
  const auto path = scratch / "gktune.db";
  std::filesystem::copy_file(GKTUNE_SOURCE_DIR "/tests/db/version_4.db", path);
  for (const StoreAccess access : {StoreAccess::read, StoreAccess::write}) {
    auto opened = open_sqlite_store(path, access);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    const auto& store = *opened;
    ASSERT_EQ(store->studies()->size(), 2u);
    EXPECT_EQ(store->trials(1)->size(), 2u);
    const auto best = *store->best("twice");
    ASSERT_EQ(best.size(), 2u);
    EXPECT_TRUE(best[0].from_playoff);
    EXPECT_EQ(best[0].trial.id, 5);
    EXPECT_EQ(best[1].trial.id, 3);
    EXPECT_DOUBLE_EQ(best[0].trial.timing.median_us, 47.9765);
    EXPECT_EQ((*store->trial(5))->host_name, "box");
    EXPECT_TRUE((*store->trial(5))->device.has_value());
    const auto lookup = Lookup::open(path);
    ASSERT_TRUE(lookup.ok()) << lookup.error().message;
    EXPECT_EQ(lookup->best("twice", {{"n", 1000}}).integer("threadsPerBlock"), 64);
    Question question;
    question.prefers_portfolio = true;
    EXPECT_EQ(lookup->best("twice", {{"n", 2000}}, question).match, Match::portfolio);
  }
  sqlite::Database file(path, sqlite::Database::Access::read, std::chrono::seconds(1));
  EXPECT_EQ(file.integer("PRAGMA user_version"), 5);
  EXPECT_EQ(file.text("PRAGMA integrity_check"), "ok");
  for (const SummedTable& table : summed::kAll) {
    const std::string name(table.name);
    EXPECT_GT(file.integer("SELECT count(*) FROM " + name), 0) << name;
    EXPECT_EQ(file.integer("SELECT count(*) FROM " + name + " WHERE NOT " + is_sound(table)), 0) << name;
  }
}

}  // namespace
}  // namespace gktune
