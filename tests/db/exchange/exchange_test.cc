#include "db/exchange/exchange.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "db/exchange/winner_export.h"
#include "db/portfolio/make_portfolio.h"
#include "db/sqlite/database.h"
#include "db/store/archive.h"
#include "db/store/health.h"
#include "db/store/repair.h"
#include "db/store/sqlite_store.h"
#include "tests/db/example_study.h"
#include "tests/db/reseal.h"
#include "tests/python.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<TrialStore> open_store(const fs::path& path) {
  return std::move(*open_sqlite_store(path, StoreAccess::write));
}

std::int64_t begin(TrialStore& store, const std::string& driver, const std::string& host) {
  DeviceInfo device = example_device();
  device.driver = driver;
  return *store.begin_session({"0.1.0", host, "gktune run", device});
}

std::string exported(const fs::path& path) {
  auto store = open_store(path);
  std::vector<std::int64_t> ids;
  const auto studies = *store->studies();
  for (const auto& each : studies) ids.push_back(each.id);
  std::ostringstream stream;
  EXPECT_TRUE(export_studies(path, ids, stream).ok());
  return stream.str();
}

// Everything that questions get, whatever the ids.
std::string answers(const fs::path& path) {
  auto rows = Archive::open(path)->query(
      "SELECT kernel, fingerprint, problem, device, config, median_us, from_playoff, trials, failed, "
      "updated_ms FROM best_view ORDER BY 1, 2, 3, 4");
  std::string text;
  for (const auto& row : rows->rows) {
    for (const auto& value : row) text += (value ? value->str() : "-") + "|";
    text += "\n";
  }
  return text;
}

std::string import_error(const fs::path& path, const std::string& lines) {
  std::istringstream stream(lines);
  const auto merged = import_lines(path, stream, "x.jsonl");
  return merged ? "no error" : merged.error().message;
}

void tamper(const fs::path& path, const std::string& sql) {
  sqlite::Database(path, sqlite::Database::Access::create, std::chrono::seconds(1)).execute(sql);
}

// The rows are sound afterwards.
void change(const fs::path& path, const std::string& sql) {
  sqlite::Database file(path, sqlite::Database::Access::create, std::chrono::seconds(1));
  file.execute(sql);
  reseal(file);
}

class ExchangeTest : public ::testing::Test {
 protected:
  // A database of one host with trials, failures, repetitions and playoffs, by a seed.
  fs::path database(unsigned seed) const {
    const fs::path path = scratch_ / ("host" + std::to_string(seed) + ".db");
    auto store = open_store(path);
    std::mt19937 random(seed);
    const auto host = "host" + std::to_string(seed);
    for (const char* driver : {"550.54", seed % 2 == 0 ? "580.1" : "550.54"}) {
      const auto session = begin(*store, driver, host);
      for (const std::int64_t n : {1024, 4096}) {
        const auto study = *store->study_id(reduce_study(n));
        std::vector<Trial> finalists;
        for (int i = 0; i < 8; ++i) {
          const auto ended = static_cast<std::int64_t>(random() % 50);
          const Config config{{"a", static_cast<std::int64_t>(random() % 6)}, {"f", 0.1 * (i % 2)}};
          if (random() % 5 == 0) {
            EXPECT_TRUE(store->add_trial(study, session, failed_trial(config, Status::crashed, ended)).ok());
          } else {
            Trial trial = ok_trial(config, 10 + static_cast<double>(random() % 9), ended);
            trial.metrics = {{"GB/s", 1.0 / 3}, {"bad", std::numeric_limits<double>::quiet_NaN()}};
            EXPECT_TRUE(store->add_trial(study, session, trial).ok());
          }
        }
        const auto trials = *store->trials(study);
        for (const Trial& trial : trials) {
          if (trial.ok() && finalists.size() < 3) finalists.push_back(trial);
        }
        if (!finalists.empty() && random() % 3 != 0) {
          EXPECT_TRUE(
              store->add_playoff(study, session, {finalists, static_cast<std::int64_t>(random() % 60)}).ok());
        }
      }
      EXPECT_TRUE(store->end_session(session).ok());
    }
    return path;
  }

  ScratchFolder scratch_;
};

TEST_F(ExchangeTest, an_import_of_exported_lines_gives_the_same_database) {
  const auto source = database(1), target = scratch_ / "target.db";
  const std::string lines = exported(source);
  std::istringstream stream(lines);
  const auto merged = import_lines(target, stream, "x.jsonl");
  ASSERT_TRUE(merged.ok()) << merged.error().message;
  EXPECT_EQ(merged->trials, 32);
  EXPECT_EQ(exported(target), lines);
  EXPECT_EQ(answers(target), answers(source));
  EXPECT_EQ(check_database(target)->findings, std::vector<std::string>{});
}

TEST_F(ExchangeTest, repeated_merges_in_any_order_give_the_same_database) {
  std::vector<fs::path> sources;
  for (unsigned seed = 1; seed <= 3; ++seed) sources.push_back(database(seed));
  std::string lines, winners;
  std::mt19937 random(99);
  for (int round = 0; round < 3; ++round) {
    const fs::path target = scratch_ / ("merged" + std::to_string(round) + ".db");
    std::ranges::shuffle(sources, random);
    auto order = sources;
    order.push_back(sources[random() % sources.size()]);  // once more
    for (const fs::path& source : order) {
      const auto merged = merge_database(target, source);
      ASSERT_TRUE(merged.ok()) << merged.error().message;
    }
    if (round == 0) {
      lines = exported(target);
      winners = answers(target);
      EXPECT_EQ(check_database(target)->findings, std::vector<std::string>{});
    }
    EXPECT_EQ(exported(target), lines) << round;
    EXPECT_EQ(answers(target), winners) << round;
  }
}

TEST_F(ExchangeTest, a_newer_environment_beats_a_later_time_and_a_playoff_beats_a_median) {
  const auto make = [&](const std::string& host, const std::string& driver, double time, std::int64_t ended,
                        bool plays) {
    const fs::path path = scratch_ / (host + ".db");
    auto store = open_store(path);
    const auto session = begin(*store, driver, host);
    const auto study = *store->study_id(reduce_study());
    const Trial trial = ok_trial({{"a", 1}}, time, ended);
    EXPECT_TRUE(store->add_trial(study, session, trial).ok());
    if (plays) {
      EXPECT_TRUE(store->add_playoff(study, session, {{trial}, ended + 1}).ok());
    }
    return path;
  };
  const auto target = scratch_ / "all.db";
  ASSERT_TRUE(merge_database(target, make("old", "550.54", 7, 9000, false)).ok());
  const auto newer = merge_database(target, make("new", "580.65.06", 9, 1000, false));
  EXPECT_EQ(newer->by_environment, 1);
  EXPECT_NE(answers(target).find("|9.0|"), std::string::npos) << answers(target);
  const auto played = merge_database(target, make("played", "580.65.06", 8, 500, true));
  EXPECT_EQ(played->by_playoff, 1);
  EXPECT_NE(answers(target).find("|8.0|1|"), std::string::npos) << answers(target);
}

// The latest session of each host stands for the host, whichever was merged first.
TEST_F(ExchangeTest, a_merge_and_its_winners_agree_on_the_newest_environment) {
  const auto make = [&](const std::string& host, const std::string& driver, double time, std::int64_t begun) {
    const fs::path path = scratch_ / (host + ".db");
    auto store = open_store(path);
    const auto session = begin(*store, driver, host);
    EXPECT_TRUE(
        store->add_trial(*store->study_id(reduce_study()), session, ok_trial({{"a", 1}}, time, begun)).ok());
    change(path, "UPDATE sessions SET begun_ms = " + std::to_string(begun));
    return path;
  };
  const fs::path newer = make("newer", "580.65.06", 9, 1000), older = make("older", "550.54", 7, 9000);
  for (const bool is_newer_first : {true, false}) {
    const fs::path target = scratch_ / (is_newer_first ? "1.db" : "2.db");
    for (const bool is_newer : {is_newer_first, !is_newer_first})
      ASSERT_TRUE(merge_database(target, is_newer ? newer : older).ok());
    const auto archive = *Archive::open(target);
    const Best winner = **archive.winner(1);
    EXPECT_EQ(winner.trial.objective, 9);
    EXPECT_EQ(archive.evidence(winner)->changes, std::vector<std::string>{});
  }
}

TEST_F(ExchangeTest, sessions_with_equal_start_times_are_ordered_by_uuid) {
  std::vector<fs::path> sources;
  for (const char* driver : {"550.54", "551.00", "552.00"}) {
    sources.push_back(scratch_ / (std::string(driver) + ".db"));
    auto store = open_store(sources.back());
    const auto session = begin(*store, driver, "box");
    ASSERT_TRUE(store->add_trial(*store->study_id(reduce_study()), session, ok_trial({{"a", 1}}, 9)).ok());
    change(sources.back(), "UPDATE sessions SET begun_ms = 1000, uuid = '" +
                               std::string(1, driver[2] == '1' ? 'z' : driver[2]) + "'");
  }
  std::set<std::vector<std::string>> changes;
  std::ranges::sort(sources);
  for (int round = 0; round < 6; ++round, std::ranges::next_permutation(sources)) {
    const fs::path target = scratch_ / ("merged" + std::to_string(round) + ".db");
    for (const fs::path& source : sources) ASSERT_TRUE(merge_database(target, source).ok());
    const auto archive = *Archive::open(target);
    Best winner = **archive.winner(1);
    changes.insert(archive.evidence(winner)->changes);
  }
  // The session of driver 551 has the last uuid; it has also measured the trial that counts.
  EXPECT_EQ(changes, std::set<std::vector<std::string>>{{}});
}

TEST_F(ExchangeTest, an_error_names_the_file_that_cannot_be_merged) {
  const fs::path source = database(1), text = scratch_ / "text.db", missing = scratch_ / "missing.db";
  std::ofstream(text) << "no database";
  for (const auto& [target, from, bad] : {std::tuple(text, source, text), {missing, text, text}}) {
    const auto merged = merge_database(target, from);
    ASSERT_FALSE(merged.ok());
    EXPECT_TRUE(merged.error().message.starts_with(bad.string() + ": ")) << merged.error().message;
  }
  EXPECT_FALSE(fs::exists(missing));
}

TEST_F(ExchangeTest, a_session_that_differs_between_databases_is_refused) {
  const fs::path source = database(1), changed = scratch_ / "changed.db", target = scratch_ / "target.db";
  fs::copy_file(source, changed);
  change(changed, "UPDATE sessions SET driver = '999.1' WHERE id = 1");
  for (const bool is_changed_first : {false, true}) {
    fs::remove(target);
    ASSERT_TRUE(merge_database(target, is_changed_first ? changed : source).ok());
    const auto merged = merge_database(target, is_changed_first ? source : changed);
    ASSERT_FALSE(merged.ok());
    EXPECT_NE(merged.error().message.find("'driver' of session "), std::string::npos)
        << merged.error().message;
    EXPECT_NE(merged.error().message.find("one of them was changed"), std::string::npos)
        << merged.error().message;
  }
  // Unknown fields are completed in either order.
  change(changed, "UPDATE sessions SET driver = '', figures = NULL WHERE id = 1");
  for (const bool is_changed_first : {false, true}) {
    fs::remove(target);
    ASSERT_TRUE(merge_database(target, is_changed_first ? changed : source).ok());
    ASSERT_TRUE(merge_database(target, is_changed_first ? source : changed).ok());
    EXPECT_EQ(exported(target), exported(source));
  }
}

TEST_F(ExchangeTest, an_overruled_failure_is_counted) {
  const auto make = [&](const std::string& host, const std::string& driver, const Trial& trial) {
    const fs::path path = scratch_ / (host + ".db");
    auto store = open_store(path);
    EXPECT_TRUE(store->add_trial(*store->study_id(reduce_study()), begin(*store, driver, host), trial).ok());
    return path;
  };
  const fs::path failed = make("failed", "550.54", failed_trial({{"a", 1}}, Status::wrong_result, 9000));
  const fs::path worked = make("worked", "580.1", ok_trial({{"a", 1}}, 5));
  EXPECT_EQ(merge_database(failed, worked)->overruled_failures, 1);
  EXPECT_EQ(merge_database(worked, make("old", "500.1", ok_trial({{"a", 1}}, 4)))->overruled_failures, 0);
}

TEST_F(ExchangeTest, an_incomplete_file_is_refused_wherever_it_ends) {
  const std::string lines = exported(database(1));
  const fs::path target = scratch_ / "target.db";
  for (std::size_t end = lines.find('\n') + 1; end < lines.size(); end = lines.find('\n', end) + 1) {
    const auto error = import_error(target, lines.substr(0, end));
    EXPECT_NE(
        error.find(
            "the file is incomplete: its last line, {\"type\":\"end\", …}, is missing; nothing was imported"),
        std::string::npos)
        << error;
    if (end > lines.size() / 2) end = std::max(end, lines.rfind('\n', lines.size() - 2) - 1);
  }
  EXPECT_NE(import_error(target, lines.substr(0, lines.size() - 3)).find("not JSON"), std::string::npos);
  // A line in the middle is lost.
  std::string shorter = lines;
  const auto trial = shorter.rfind("{\"", shorter.find("\"type\":\"trial\""));
  const auto begin_of_line = shorter.rfind('\n', trial) + 1;
  shorter.erase(begin_of_line, shorter.find('\n', begin_of_line) + 1 - begin_of_line);
  EXPECT_NE(import_error(target, shorter).find("the file is incomplete: it has 31 trials of 32"),
            std::string::npos)
      << import_error(target, shorter);
  EXPECT_NE(import_error(target, lines + "{\"type\":\"end\",\"studies\":0,\"trials\":0,\"playoffs\":0}\n")
                .find("a line after the last one"),
            std::string::npos);
  EXPECT_TRUE(open_store(target)->studies()->empty());
  // Several files may follow each other; those of version 1 have no last line.
  const std::string old = "{\"type\":\"gktune\",\"version\":1}\n";
  EXPECT_EQ(import_error(target, lines + lines + old), "no error");
  EXPECT_NE(import_error(target, lines.substr(0, lines.find('\n') + 1) + lines)
                .find("x.jsonl:2: the file is incomplete"),
            std::string::npos);
}

TEST_F(ExchangeTest, a_changed_winner_is_reported) {
  const fs::path a = scratch_ / "a.db", b = scratch_ / "b.db";
  for (const auto& [path, best] : {std::pair(a, 1), std::pair(b, 2)}) {
    auto store = open_store(path);
    const auto session = begin(*store, "550.54", path.stem().string());
    ASSERT_TRUE(
        store->add_trial(*store->study_id(reduce_study()), session, ok_trial({{"a", best}}, 30 - best)).ok());
  }
  const auto merged = *merge_database(a, b);
  ASSERT_EQ(merged.changed_winners.size(), 1u);
  EXPECT_NE(merged.changed_winners[0].find("{\"a\":1} (median) -> {\"a\":2} (median)"), std::string::npos)
      << merged.changed_winners[0];
  EXPECT_TRUE(merge_database(a, b)->changed_winners.empty());
}

TEST_F(ExchangeTest, damaged_rows_are_left_out_counted_and_never_become_sound) {
  const auto source = database(1), sound = scratch_ / "sound.db";
  fs::copy_file(source, sound);
  tamper(source,
         "UPDATE trials SET objective = 0.25, median_us = 0.25 WHERE id = 3;"
         "UPDATE trials SET config = '{\"a\":' WHERE id = 5;"
         "UPDATE finalists SET objective = 0.125 WHERE place = 2 AND playoff_id = 1;"
         "UPDATE sessions SET figures = '{' WHERE id = 1");
  std::ostringstream stream;
  const auto written = export_studies(source, {1, 2}, stream);
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_EQ(written->damaged, 4);
  EXPECT_EQ(written->trials, 30);
  EXPECT_EQ(stream.str().find("0.125"), std::string::npos);
  EXPECT_EQ(stream.str().find("0.25"), std::string::npos);
  const auto merged = scratch_ / "merged.db", imported = scratch_ / "imported.db";
  const auto added = merge_database(merged, source);
  ASSERT_TRUE(added.ok()) << added.error().message;
  EXPECT_EQ(added->damaged, 4);
  EXPECT_EQ(added->trials, 30);
  EXPECT_EQ(check_database(merged)->findings, std::vector<std::string>{});
  std::istringstream lines(stream.str());
  ASSERT_TRUE(import_lines(imported, lines, "x").ok());
  EXPECT_EQ(answers(imported), answers(merged));
  // The sound rows take the place of the damaged ones.
  const auto healed = merge_database(source, sound);
  ASSERT_TRUE(healed.ok()) << healed.error().message;
  EXPECT_EQ(healed->trials, 2);
  EXPECT_EQ(answers(source), answers(sound));
}

TEST_F(ExchangeTest, a_finalist_whose_trial_is_in_no_study_is_left_out) {
  const auto source = database(1);
  tamper(source,
         "PRAGMA foreign_keys = OFF; UPDATE trials SET study_id = 99, is_current = 0 WHERE id IN (SELECT "
         "trial_id FROM finalists)");
  const auto merged = scratch_ / "merged.db";
  const auto added = merge_database(merged, source);
  ASSERT_TRUE(added.ok()) << added.error().message;
  EXPECT_GT(added->trials, 0);
  EXPECT_EQ(check_database(merged)->findings, std::vector<std::string>{});
}

TEST_F(ExchangeTest, trials_of_a_missing_session_are_left_out_and_counted) {
  const auto source = database(1), merged = scratch_ / "merged.db";
  tamper(source, "PRAGMA foreign_keys = OFF; DELETE FROM sessions WHERE id = 1");
  const auto added = merge_database(merged, source);
  ASSERT_TRUE(added.ok()) << added.error().message;
  EXPECT_EQ(added->trials, 16);
  EXPECT_GE(added->damaged, 16);
  EXPECT_EQ(check_database(merged)->findings, std::vector<std::string>{});
}

TEST_F(ExchangeTest, a_damaged_session_is_unknown_in_an_export_and_replaced_by_a_sound_one) {
  const auto source = database(1), sound = scratch_ / "sound.db", merged = scratch_ / "merged.db";
  fs::copy_file(source, sound);
  tamper(source, "UPDATE sessions SET driver = '999.9' WHERE id = 1");
  std::ostringstream stream;
  const auto written = export_studies(source, {1, 2}, stream);
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_EQ(written->damaged, 1);
  EXPECT_EQ(written->trials, 32);
  EXPECT_EQ(stream.str().find("999.9"), std::string::npos);
  ASSERT_TRUE(merge_database(merged, source).ok());
  EXPECT_EQ(check_database(merged)->findings, std::vector<std::string>{});
  for (const fs::path& target : {merged, source}) {
    const auto healed = merge_database(target, sound);
    ASSERT_TRUE(healed.ok()) << healed.error().message;
    EXPECT_EQ(exported(target), exported(sound));
    EXPECT_EQ(check_database(target)->findings, std::vector<std::string>{});
  }
}

TEST_F(ExchangeTest, damaged_playoffs_spaces_and_portfolios_are_left_out_and_replaced_by_sound_ones) {
  const auto source = database(3), sound = scratch_ / "sound.db";
  ASSERT_TRUE(open_store(source)->describe_space("reduce", "f1", {{}, {"a >= 0"}, {{"a", 1}}}).ok());
  Portfolio portfolio;
  portfolio.kernel = "reduce", portfolio.fingerprint = "f1", portfolio.objective = "time",
  portfolio.device = kH200;
  portfolio.configs = {{{"a", 1}}};
  portfolio.tree = {{"", {}, 0, 0, 0}};
  ASSERT_TRUE(store_portfolio(source, portfolio).ok());
  fs::copy_file(source, sound);
  const std::string whole = exported(sound);
  tamper(source, "UPDATE spaces SET default_config = '{\"a\":7}'; UPDATE portfolios SET made_ms = 9999");
  const auto left = exported(source);
  EXPECT_EQ(left.find("\"type\":\"space\""), std::string::npos);
  EXPECT_EQ(left.find("\"type\":\"portfolio\""), std::string::npos);
  EXPECT_NE(whole.find("\"type\":\"space\""), std::string::npos);
  EXPECT_NE(whole.find("\"type\":\"portfolio\""), std::string::npos);
  EXPECT_EQ(merge_database(scratch_ / "merged.db", source)->damaged, 2);
  ASSERT_TRUE(merge_database(source, sound).ok());
  EXPECT_EQ(exported(source), whole);
  tamper(source, "UPDATE playoffs SET held_ms = 9999");
  EXPECT_EQ(exported(source).find("\"type\":\"playoff\""), std::string::npos);
}

TEST_F(ExchangeTest, a_merge_into_a_damaged_study_or_device_is_refused_with_the_name_of_the_row) {
  const auto source = database(1);
  for (const auto& [sql, name] :
       {std::pair("UPDATE studies SET recorded = '{}' WHERE id = 1", "the study of 'reduce'"),
        std::pair("UPDATE devices SET checksum = 0", "the device 'NVIDIA H200'")}) {
    const fs::path target = scratch_ / "target.db";
    fs::remove(target);
    fs::copy_file(source, target);
    tamper(target, sql);
    const auto merged = merge_database(target, source);
    ASSERT_FALSE(merged.ok());
    EXPECT_TRUE(merged.error().message.starts_with(target.string() + ": damaged: the checksum of " + name))
        << merged.error().message;
    EXPECT_TRUE(merged.error().message.ends_with("; nothing of " + source.string() + " was added"));
  }
}

TEST_F(ExchangeTest, a_merge_from_a_damaged_page_names_the_source) {
  const auto source = database(1), target = database(2);
  tamper(source, "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE");
  const auto page = sqlite::Database(source, sqlite::Database::Access::read, std::chrono::seconds(1))
                        .integer("SELECT rootpage FROM sqlite_schema WHERE name = 'trials'");
  {
    std::fstream file(source, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp((page - 1) * 4096);
    file << std::string(4096, '\xa5');
  }
  const std::string before = exported(target);
  const auto merged = merge_database(target, source);
  ASSERT_FALSE(merged.ok());
  EXPECT_TRUE(merged.error().message.starts_with(source.string() + ": damaged: ")) << merged.error().message;
  EXPECT_EQ(exported(target), before);
}

TEST_F(ExchangeTest, a_target_with_a_missing_row_is_named_as_damaged) {
  const auto source = database(1), other = database(2), target = scratch_ / "target.db";
  fs::copy_file(source, target);
  tamper(target, "PRAGMA foreign_keys = OFF; DELETE FROM sessions WHERE id = 2");
  const auto merged = merge_database(target, other);
  ASSERT_FALSE(merged.ok());
  EXPECT_TRUE(merged.error().message.starts_with(target.string() + ": damaged: ")) << merged.error().message;
  EXPECT_NE(merged.error().message.find("`gktune db repair --db " + target.string()), std::string::npos);
}

// Their checksums are right. Checks, exports, merges and repairs have one set of rules.
TEST_F(ExchangeTest, rows_that_no_version_writes_are_left_out_and_counted) {
  const auto whole = database(3), source = scratch_ / "source.db";
  ASSERT_TRUE(
      open_store(whole)->describe_space("reduce", "f1", {{{"n", "exact"}}, {"a >= 0"}, {{"a", 1}}}).ok());
  Portfolio portfolio;
  portfolio.kernel = "reduce", portfolio.fingerprint = "f1", portfolio.objective = "time",
  portfolio.device = kH200;
  portfolio.configs = {{{"a", 1}}};
  portfolio.tree = {{"", {}, 0, 0, 0}};
  ASSERT_TRUE(store_portfolio(whole, portfolio).ok());
  tamper(whole, "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE");
  for (const char* sql : {"sessions SET uuid = '' WHERE id = 1",
                          "sessions SET figures = '{\"a\":\"x\"}' WHERE id = 1",
                          "sessions SET figures = '' WHERE id = 1",
                          "trials SET metrics = '{\"a\":[]}' WHERE id = 3",
                          "trials SET metrics = '{' WHERE id = 3",
                          "trials SET throttled = 7 WHERE id = 3",
                          "trials SET is_dropped_early = -1 WHERE id = 3",
                          "trials SET median_us = -1 WHERE id = 3",
                          "trials SET registers = -5 WHERE id = 3",
                          "trials SET grid_x = -1 WHERE id = 3",
                          "trials SET config = '{\"b\":1,\"a\":1}' WHERE id = 3",
                          "trials SET config = '{\"a\":null}' WHERE id = 3",
                          "trials SET status = 'fine' WHERE id = 3",
                          "trials SET samples = x'00000000000000c0' WHERE id = 3",
                          "trials SET samples = x'00' WHERE id = 3",
                          "trials SET objective = 9e999 WHERE id = 3",
                          "trials SET compile_s = -1 WHERE id = 3",
                          "trials SET number = -3 WHERE id = 3",
                          "trials SET recorded = '{' WHERE id = 3",
                          "trials SET min_us = median_us + 1 WHERE id = 3",
                          "finalists SET metrics = '[]' WHERE id = 1",
                          "finalists SET mean_us = -2 WHERE id = 1",
                          "finalists SET place = -1 WHERE id = 1",
                          "studies SET regime = 'warm' WHERE id = 1",
                          "studies SET problem = '{\"n\":1024,\"T\":\"float\"}' WHERE id = 1",
                          "studies SET recorded = '{' WHERE id = 1",
                          "spaces SET matching = '{\"n\":\"far\"}'",
                          "spaces SET constraints = '{\"0\":1}'",
                          "spaces SET default_config = '{\"a\":null}'",
                          "portfolios SET body = '{}'",
                          "portfolios SET body = replace(body, 'at_least', 'at_most')",
                          "portfolios SET within = -1",
                          "portfolios SET regime = 'warm'"}) {
    const fs::path merged = scratch_ / "merged.db", imported = scratch_ / "imported.db",
                   repaired = scratch_ / "repaired.db";
    for (const fs::path& path : {source, merged, imported, repaired}) {
      for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(path.string() + suffix);
    }
    fs::copy_file(whole, source);
    change(source, std::string("UPDATE ") + sql);
    const std::string table(sql, std::string_view(sql).find(' '));
    const auto health = check_database(source);
    ASSERT_TRUE(health.ok()) << sql << ": " << health.error().message;
    ASSERT_FALSE(health->findings.empty()) << sql;
    EXPECT_TRUE(health->findings.front().starts_with(table + " ")) << sql << ": " << health->findings.front();
    std::ostringstream stream;
    const auto written = export_studies(source, {1, 2}, stream);
    ASSERT_TRUE(written.ok()) << sql << ": " << written.error().message;
    EXPECT_GT(written->damaged, 0) << sql;
    std::istringstream lines(stream.str());
    const auto read = import_lines(imported, lines, "x");
    EXPECT_TRUE(read.ok()) << sql << ": " << read.error().message;
    const auto added = merge_database(merged, source);
    ASSERT_TRUE(added.ok()) << sql << ": " << added.error().message;
    EXPECT_EQ(added->damaged, written->damaged) << sql;
    const auto repair = repair_database(source, repaired);
    ASSERT_TRUE(repair.ok()) << sql << ": " << repair.error().message;
    for (const fs::path& path : {merged, imported, repaired})
      EXPECT_EQ(check_database(path)->findings, std::vector<std::string>{}) << sql << ": " << path;
    if (table == "trials") {
      EXPECT_EQ(written->trials, 31) << sql;
      ASSERT_TRUE(merge_database(source, whole).ok()) << sql;
    }
  }
}

TEST_F(ExchangeTest, a_damaged_study_stops_neither_an_export_nor_a_merge) {
  const auto source = database(1);
  tamper(source, "UPDATE studies SET problem = '{\"n\":' WHERE id = 1");
  std::ostringstream stream;
  const auto written = export_studies(source, {1, 2}, stream);
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_EQ(written->studies, 1);
  EXPECT_EQ(written->damaged, 1);
  const auto added = merge_database(scratch_ / "merged.db", source);
  ASSERT_TRUE(added.ok()) << added.error().message;
  EXPECT_EQ(added->studies, 1);
}

TEST_F(ExchangeTest, an_import_names_bad_lines_and_imports_nothing) {
  const std::string lines = exported(database(1));
  const fs::path target = scratch_ / "target.db";
  const auto with = [&](const std::string& part, const std::string& replacement) {
    std::string changed = lines;
    const auto at = changed.find(part);
    EXPECT_NE(at, std::string::npos) << part;
    return import_error(target, changed.replace(at, part.size(), replacement));
  };
  EXPECT_EQ(import_error(target, ""),
            "x.jsonl: it is empty; the first line would be {\"type\":\"gktune\", …}; "
            "nothing was imported");
  EXPECT_EQ(import_error(target, "{\"type\":\"gktune\",\"version\":1}\nnonsense\n"),
            "x.jsonl:2: not JSON; nothing was imported");
  EXPECT_NE(import_error(target, "[]").find("'type' is missing"), std::string::npos);
  EXPECT_NE(import_error(target, "{\"type\":\"gktune\",\"version\":3}").find("version 3 of the format"),
            std::string::npos);
  EXPECT_NE(with("\"type\":\"trial\"", "\"type\":\"trail\"").find("'type' is 'trail'"), std::string::npos);
  EXPECT_NE(with("\"number\":1,", "").find("'number' is missing"), std::string::npos);
  EXPECT_NE(with("\"number\":1,", "\"number\":\"1\",").find("'number' is not an integer"), std::string::npos);
  EXPECT_NE(with("\"status\":\"ok\"", "\"status\":\"fine\"").find("'status' is 'fine'"), std::string::npos);
  EXPECT_NE(with("\"samples\":[", "\"samples\":[-1,").find("'samples' is not an array of times"),
            std::string::npos);
  EXPECT_NE(with("\"regime\":\"cold\"", "\"regime\":\"warm\"").find("'regime'"), std::string::npos);
  EXPECT_NE(with("\"place\":2", "\"place\":1").find("two finalists have the place 1"), std::string::npos);
  EXPECT_NE(with("{\"a\":", "{\"a\":[],\"b\":").find("not a value"), std::string::npos);
  EXPECT_TRUE(open_store(target)->studies()->empty());
  // The same trial with other contents.
  std::istringstream good(lines);
  ASSERT_TRUE(import_lines(target, good, "x").ok());
  EXPECT_NE(with("\"compile_s\":0.0", "\"compile_s\":1.0").find("differs from the one in the database"),
            std::string::npos);
}

TEST_F(ExchangeTest, python_reads_the_lines_and_the_database) {
  const auto source = database(1);
  std::ofstream(scratch_ / "trials.jsonl") << exported(source);
  const std::string script = R"(
import json, sqlite3, struct, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
assert lines[0] == {"type": "gktune", "version": 2}
trials = [line for line in lines if line["type"] == "trial"]
database = sqlite3.connect("file:" + sys.argv[2] + "?mode=ro", uri=True)
rows = database.execute("SELECT c.uuid, t.number, t.config, t.samples FROM trials t JOIN sessions c ON c.id = t.session_id").fetchall()
assert len(rows) == len(trials) == 32
by_key = {(t["session"], t["number"]): t for t in trials}
for uuid, number, config, samples in rows:
    trial = by_key[uuid, number]
    assert json.loads(config) == trial["config"]
    assert list(struct.unpack("<%dd" % (len(samples) // 8), samples)) == trial["samples"]
)";
  EXPECT_EQ(run_python(scratch_, script, {scratch_.path("trials.jsonl"), source.string()}), 0);
}

class WinnerExport : public ::testing::Test {
 protected:
  void SetUp() override {
    auto store = open_store(path_);
    const auto session = begin(*store, "550.54", "box");
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
    winners_ = *store->best("");
    const auto sources = *read_costs(path_, "reduce", {});
    portfolio_ = make_portfolio(sources[0].table, {});
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
  fs::path path_ = scratch_ / "gktune.db";
  std::vector<Best> winners_;
  Portfolio portfolio_;
};

TEST_F(WinnerExport, the_header_answers_and_refuses_questions_that_do_not_fit_the_kernel) {
  const auto text = header_text(winners_, portfolio_);
  ASSERT_TRUE(text.ok()) << text.error().message;
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

TEST_F(WinnerExport, a_header_holds_one_kernel_and_one_device) {
  auto mixed = winners_;
  mixed.back().study.device = kH100;
  EXPECT_FALSE(header_text(mixed, portfolio_).ok());
  mixed = winners_;
  mixed.back().study.problem = {{"m", 1}};
  EXPECT_FALSE(header_text(mixed, portfolio_).ok());
  mixed = winners_;
  mixed.back().trial.config = {{"threads", "many"}, {"way", "a"}, {"fast", true}, {"x", 1}};
  EXPECT_FALSE(header_text(mixed, portfolio_).ok());
  EXPECT_FALSE(header_text({}, portfolio_).ok());
}

TEST_F(WinnerExport, names_that_look_like_code_stay_texts) {
  auto hostile = std::vector<Best>{winners_.front()};
  hostile[0].study.kernel = "class \"; int x;\n#error";
  hostile[0].study.device.name = "\\\n#error \"?\?/";
  hostile[0].study.problem = {{"Problem", 1}};
  hostile[0].trial.config = {
      {"int", 1}, {"a b", "x\"\n"}, {"a_b", true}, {"Config", 2}, {"NULL", "char16_t"}};
  Portfolio portfolio;
  portfolio.configs = {hostile[0].trial.config};
  portfolio.tree.emplace_back();
  write("reduce_tuned.h", *header_text(hostile, portfolio));
  EXPECT_EQ(compile("#include \"reduce_tuned.h\"\nint main() {}\n"), 0);
}

TEST_F(WinnerExport, flags_are_quoted_for_a_shell) {
  EXPECT_EQ(definition_flags({{"threads", 256}, {"way", "one_pass"}, {"fast", true}, {"x", 0.5}}),
            "-Dthreads=256 -Dway=one_pass -Dfast=true -Dx=0.5");
  EXPECT_EQ(definition_flags({{"T", "unsigned int"}, {"s", "it's; rm"}}),
            "'-DT=unsigned int' '-Ds=it'\\''s; rm'");
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
  std::ifstream file(scratch_ / "values.txt");
  EXPECT_EQ((std::string{std::istreambuf_iterator<char>(file), {}}), expected);
}

TEST_F(WinnerExport, a_recorded_problem_has_several_sizes_in_the_wisdom) {
  auto recorded = std::vector<Best>{winners_[0], winners_[1]};
  const auto sizes = [&](const char* first, const char* second) -> std::string {
    recorded[0].study.problem = {{"problem_size", first}};
    recorded[1].study.problem = {{"problem_size", second}};
    const auto text = wisdom_text(recorded);
    if (!text) return text.error().message;
    std::string found;
    for (std::size_t at = text->find("\"problem_size\":["); at != text->npos;
         at = text->find("\"problem_size\":[", at + 1))
      found += text->substr(at + 15, text->find(']', at) - at - 14);
    return found;
  };
  EXPECT_EQ(sizes("4096x4096", "64x2"), "[4096,4096][64,2]");
  EXPECT_EQ(sizes("8x4x2", "1x1x1"), "[8,4,2][1,1,1]");
  EXPECT_EQ(sizes("1x2x3x4", "1x2x3x5"), "Kernel Launcher knows at most three sizes of a problem");
  for (const char* other : {"64", "64x", "x64", "64xy", "64x-"})
    EXPECT_NE(sizes("4096x4096", other).find("choose one value of 'problem_size'"), std::string::npos)
        << other;
}

TEST_F(WinnerExport, python_reads_the_file_of_a_device_and_the_wisdom) {
  const auto file = write("device.json", device_json(kH200, winners_));
  const auto wisdom = write("reduce.wisdom", *wisdom_text(winners_));
  EXPECT_EQ(device_file_name(kH200), "NVIDIA_H200-sm_90-132.json");
  const std::string script = R"(
import json, sys
device = json.load(open(sys.argv[1]))
assert device["format"] == "gktune winners" and device["version"] == 1
winners = device["kernels"]["reduce"]
assert len(winners) == 6 and winners[0]["config"]["threads"] in (64, 128, 256)
lines = [json.loads(line) for line in open(sys.argv[2])]
assert lines[0]["version"] == "1.0" and lines[0]["key"] == "reduce" and lines[0]["objective"] == "time"
for line in lines[1:]:
    assert len(line["config"]) == len(lines[0]["tunable_parameters"]) and len(line["problem_size"]) == 1
    assert line["environment"]["device_name"] == "NVIDIA H200" and line["time"] == 0.1
)";
  EXPECT_EQ(run_python(scratch_, script, {file, wisdom}), 0);
  auto two_types = winners_;
  two_types.back().study.problem.set("T", "int");
  const auto refused = wisdom_text(two_types);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("choose one value of 'T', for example --problem T="),
            std::string::npos)
      << refused.error().message;
  two_types.back().study.kernel = "scan";
  EXPECT_EQ(wisdom_text(two_types).error().message, "a wisdom file holds one kernel");
}

// Lines of the wisdom after its header: the value of `threads` for each.
std::vector<std::int64_t> threads_in(const std::string& wisdom) {
  std::vector<std::int64_t> threads;
  std::istringstream lines(wisdom);
  std::string line;
  std::getline(lines, line);
  const auto names = nlohmann::json::parse(line)["tunable_parameters"];
  const auto place = static_cast<std::size_t>(std::ranges::find(names, "threads") - names.begin());
  while (std::getline(lines, line)) threads.push_back(nlohmann::json::parse(line)["config"][place]);
  return threads;
}

TEST_F(WinnerExport, a_problem_has_one_line_and_prefers_the_cold_regime_and_time) {
  const Best& tuned = winners_.front();
  const auto variant = [&](std::int64_t id, Regime regime, const std::string& objective, std::int64_t threads,
                           std::int64_t updated) {
    Best best = tuned;
    best.study_id = id, best.updated_unix_ms = updated;
    best.study.regime = regime, best.study.objective = objective;
    best.trial.config.set("threads", threads);
    return best;
  };
  const Best hot = variant(1, Regime::hot, "time", 1, 9000),
             other = variant(2, Regime::cold, "maximize GB/s", 2, 9000),
             old = variant(3, Regime::cold, "time", 3, 1000),
             cold = variant(4, Regime::cold, "time", 4, 2000);
  std::vector<Best> all = {hot, other, old, cold};
  do {
    EXPECT_EQ(threads_in(*wisdom_text(one_for_each_problem(all))), (std::vector<std::int64_t>{4}));
  } while (std::ranges::next_permutation(all, {}, &Best::study_id).found);
  EXPECT_EQ(threads_in(*wisdom_text(one_for_each_problem({hot, other}))), (std::vector<std::int64_t>{2}));
  EXPECT_EQ(threads_in(*wisdom_text(one_for_each_problem({hot}))), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(one_for_each_problem(winners_).size(), winners_.size());
  EXPECT_TRUE(one_for_each_problem({}).empty());
}

TEST_F(WinnerExport, a_wisdom_file_never_holds_two_lines_for_one_device_and_problem) {
  std::vector<Best> two = {winners_.front(), winners_.front()};
  two.back().study_id = 99;
  two.back().study.device.multiprocessors = 66;  // another model of the same name
  ASSERT_EQ(one_for_each_problem(two).size(), 2u);
  const auto refused = wisdom_text(two);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("devices called 'NVIDIA H200'"), std::string::npos)
      << refused.error().message;
  two.back().study.device.name = "NVIDIA H100";
  EXPECT_EQ(threads_in(*wisdom_text(two)).size(), 2u);
}

}  // namespace
}  // namespace gktune
