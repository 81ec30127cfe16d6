// Tests what a database on a server has and a file has not: a network, other hosts, and rights.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <atomic>
#include <thread>

#include "db/database.h"
#include "db/postgres/connection.h"
#include "db/postgres/dialect.h"
#include "db/sql/failure.h"
#include "db/sqlite/connection.h"
#include "tests/db/contents.h"
#include "tests/db/example_study.h"
#include "tests/db/postgres_server.h"
#include "tests/expectations.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

using Access = Database::Access;

std::string refusal(const std::string& uri, Access access = Access::read) {
  const auto opened = Database::open(uri, access);
  return opened ? "" : opened.error().message;
}

TEST(PostgresUri, a_password_is_refused_and_not_printed) {
  if (!PostgresServer::is_installed()) GTEST_SKIP() << "PostgreSQL is not installed";
  for (const char* uri : {"postgresql://me:secret@127.0.0.1/x", "postgres://127.0.0.1/x?password=secret",
                          "postgresql://127.0.0.1/x?sslpassword=secret&user=me"}) {
    const std::string message = refusal(uri);
    EXPECT_TRUE(contains(message, "a password in the URI can be read by others")) << message;
    EXPECT_FALSE(contains(message, "secret")) << message;
  }
}

TEST(PostgresUri, a_malformed_one_and_a_server_that_is_not_there_are_one_line) {
  if (!PostgresServer::is_installed()) GTEST_SKIP() << "PostgreSQL is not installed";
  for (const char* uri : {"postgresql://127.0.0.1:port/x", "postgresql://127.0.0.1/x?nonsense=1",
                          "postgresql://127.0.0.1:1/x", "postgresql://no-such-host.invalid/x"}) {
    const std::string message = refusal(uri, Access::write);
    EXPECT_TRUE(message.starts_with(std::string(uri) + ": ")) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(Dialect, parameters_get_numbers_and_texts_in_quotes_stay) {
  EXPECT_EQ(postgres::translated("SELECT ?, ?2, '?', \"?\" FROM t -- ?\nWHERE x = ?"),
            "SELECT $1, $2, '?', \"?\" FROM t -- ?\nWHERE x = $2");
}

class Postgres : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!PostgresServer::is_installed()) GTEST_SKIP() << "PostgreSQL is not installed";
    uri_ = server().new_database();
  }
  static PostgresServer& server() { return PostgresServer::shared(); }
  std::unique_ptr<Database> open(Access access = Access::write) const {
    return std::move(*Database::open(uri_, access));
  }
  void execute(const std::string& sql) const {
    postgres::Connection(uri_, std::chrono::seconds(10)).execute(sql);
  }
  // A database in a file with two kernels, a failure, a playoff, and values of every kind.
  std::unique_ptr<Database> tuned_file(const char* name) const {
    auto file = std::move(*Database::open(scratch_ / name, Access::write));
    const auto session = *file->begin_session({"0.1.0", name, "gktune run", example_device()});
    for (const char* kernel : {"reduce", "scan"}) {
      Study study = reduce_study();
      study.kernel = kernel;
      const auto id = *file->study_id(study);
      const Trial quick = ok_trial({{"a", 1}, {"way", name}}, 10), slow = ok_trial({{"a", 0}}, 100, 1100);
      EXPECT_TRUE(file->add_trial(id, session, slow).ok() && file->add_trial(id, session, quick).ok());
      for (int i = 2; i < 12; ++i)
        EXPECT_TRUE(file->add_trial(id, session, failed_trial({{"a", i}}, Status::wrong_result)).ok());
      EXPECT_TRUE(file->add_playoff(id, session, {{quick, slow}, 2000}).ok());
      EXPECT_TRUE(file->describe_space(kernel, "f1", {{}, {"a != 7"}, {{"a", 0}}}).ok());
    }
    EXPECT_TRUE(file->end_session(session).ok());
    return file;
  }

  ScratchFolder scratch_;
  std::string uri_;
};

TEST_F(Postgres, a_file_is_pushed_and_pulled_without_loss_and_once) {
  const auto file = tuned_file("east");
  auto store = open();
  EXPECT_EQ(store->merge(scratch_ / "east")->trials, 24);
  EXPECT_EQ(store->merge(scratch_ / "east")->trials, 0);
  EXPECT_EQ(contents_of(*store), contents_of(*file));
  auto pulled = std::move(*Database::open(scratch_ / "pulled", Access::write));
  EXPECT_EQ(pulled->merge(uri_)->trials, 24);
  EXPECT_EQ(pulled->merge(uri_)->trials, 0);
  EXPECT_EQ(contents_of(*pulled), contents_of(*file));
  for (const auto& entry : std::filesystem::directory_iterator(scratch_.path()))
    EXPECT_FALSE(contains(entry.path().string(), ".pulled-")) << entry.path();
}

TEST_F(Postgres, one_kernel_may_be_pulled_alone) {
  tuned_file("east");
  ASSERT_TRUE(open()->merge(scratch_ / "east").ok());
  auto pulled = std::move(*Database::open(scratch_ / "pulled", Access::write));
  EXPECT_EQ(pulled->merge(uri_, Copied::all, "scan")->trials, 12);
  EXPECT_EQ(pulled->studies()->size(), 1u);
  EXPECT_EQ(pulled->winner(1)->value().trial.config, (Config{{"a", 1}, {"way", "east"}}));
}

TEST_F(Postgres, the_databases_of_two_servers_are_merged) {
  tuned_file("east"), tuned_file("west");
  const std::string other = server().new_database();
  ASSERT_TRUE(open()->merge(scratch_ / "east").ok());
  auto second = std::move(*Database::open(other, Access::write));
  ASSERT_TRUE(second->merge(scratch_ / "west").ok());
  EXPECT_EQ(second->merge(uri_)->trials, 24);
  EXPECT_EQ(rows_of(*second, "sessions"), 2);
}

TEST_F(Postgres, several_hosts_may_create_the_schema_and_a_study_at_once) {
  std::vector<std::jthread> hosts;
  std::atomic<std::int64_t> ids = 0;
  for (int i = 0; i < 4; ++i) {
    hosts.emplace_back([&] {
      auto opened = Database::open(uri_, Access::write);
      ASSERT_TRUE(opened.ok()) << opened.error().message;
      ids += (*opened)->study_id(reduce_study()).value();
    });
  }
  hosts.clear();
  EXPECT_EQ(rows_of(*open(), "studies"), 1);
}

TEST_F(Postgres, of_several_hosts_one_measures_each_configuration) {
  auto first = open();
  const auto study = *first->study_id(reduce_study());
  std::atomic<int> stored = 0;
  {
    std::vector<std::jthread> hosts;
    for (int host = 0; host < 4; ++host) {
      hosts.emplace_back([&] {
        auto store = open();
        const auto session = *store->begin_session({"0.1.0", "h", "", example_device()});
        for (int i = 0; i < 50; ++i) {
          const Config config{{"a", i}};
          const auto claimed = store->claim(study, session, config, std::chrono::seconds(15));
          ASSERT_TRUE(claimed.ok()) << claimed.error().message;
          if (!*claimed) continue;
          // Another host may have stored it at the same moment.
          const auto others = store->work_of_others(study, session, 0)->trials;
          if (std::ranges::find(others, config, &Trial::config) != others.end()) continue;
          stored += store->add_trial(study, session, ok_trial(config, 10)).ok();
        }
      });
    }
  }
  EXPECT_EQ(stored, 50);
  EXPECT_EQ(first->query("SELECT count(DISTINCT config) FROM trials")->rows[0][0], Value(50));
}

TEST_F(Postgres, another_schema_is_refused) {
  open();
  execute("UPDATE gktune.schema_version SET version = 77");
  EXPECT_TRUE(contains(refusal(uri_), "has schema 77, and this version of gktune knows"));
}

TEST_F(Postgres, an_empty_database_is_refused_for_reading_and_stays_empty) {
  EXPECT_TRUE(contains(refusal(uri_), "empty: nothing was tuned yet"));
  postgres::Connection connection(uri_, std::chrono::seconds(10));
  EXPECT_EQ(connection.integer("SELECT count(*) FROM pg_namespace WHERE nspname = 'gktune'"), 0);
}

// The grants of docs/fleet.md.
TEST_F(Postgres, a_reader_cannot_write_and_a_tuner_cannot_drop_tables) {
  open();
  const std::string database = uri_.substr(uri_.rfind('/') + 1);
  execute("CREATE ROLE reader_" + database + " LOGIN; CREATE ROLE tuner_" + database + " LOGIN;" +
          "GRANT USAGE ON SCHEMA gktune TO reader_" + database + ", tuner_" + database + ";" +
          "GRANT SELECT ON ALL TABLES IN SCHEMA gktune TO reader_" + database + ", tuner_" + database + ";" +
          "GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA gktune TO tuner_" + database + ";" +
          "REVOKE INSERT, UPDATE, DELETE ON gktune.schema_version FROM tuner_" + database);
  const auto as = [&](const std::string& role) {
    std::string uri = uri_;
    uri.replace(uri.find("gktune@"), 6, role + '_' + database);
    return uri;
  };
  auto reader = Database::open(as("reader"), Access::write);
  ASSERT_TRUE(reader.ok()) << reader.error().message;
  EXPECT_TRUE((*reader)->studies().ok());
  EXPECT_TRUE(contains((*reader)->study_id(reduce_study()).error().message, "permission denied"));
  tuned_file("east");
  auto tuner = Database::open(as("tuner"), Access::write);
  ASSERT_TRUE(tuner.ok()) << tuner.error().message;
  const auto merged = (*tuner)->merge(scratch_ / "east");
  ASSERT_TRUE(merged.ok()) << merged.error().message;
  EXPECT_EQ((*reader)->winners("")->size(), 2u);
  const auto session = (*tuner)->begin_session({"0.1.0", "west", "gktune run", example_device()});
  ASSERT_TRUE(session.ok()) << session.error().message;
  const Trial trial = ok_trial({{"a", 99}}, 10);
  const auto study = (*tuner)->study_id(reduce_study());
  ASSERT_TRUE(study.ok()) << study.error().message;
  EXPECT_TRUE(*(*tuner)->claim(*study, *session, trial.config, std::chrono::seconds(15)));
  ASSERT_TRUE((*tuner)->add_trial(*study, *session, trial).ok());
  const auto held = (*tuner)->add_playoff(*study, *session, {{trial, trial}, 2000});
  EXPECT_TRUE(held.ok()) << held.error().message;
  EXPECT_EQ((*tuner)->enqueue({{.kernel = "line"}}).value(), 1);
  EXPECT_TRUE((*tuner)->take_queued({"line"}, "H200", "west", std::chrono::seconds(15))->has_value());
  EXPECT_TRUE((*tuner)->end_session(*session).ok());
  const auto removed = (*tuner)->remove_studies({1}, Removal::done);
  ASSERT_TRUE(removed.ok()) << removed.error().message;
  postgres::Connection connection(as("tuner"), std::chrono::seconds(10));
  EXPECT_THROW(connection.execute("DROP TABLE gktune.trials"), sql::Failure);
  EXPECT_THROW(connection.execute("UPDATE gktune.schema_version SET version = 1"), sql::Failure);
}

TEST_F(Postgres, a_query_cannot_write) {
  const auto store = open();
  for (const char* query :
       {"INSERT INTO devices (kind, name, architecture, multiprocessors) VALUES ('', '', '', 1)",
        "SELECT 1; SELECT 2", "CREATE TABLE t (x int)", "SELECT nextval('trials_id_seq')"})
    EXPECT_FALSE(store->query(query).ok()) << query;
  EXPECT_EQ(rows_of(*store, "devices"), 0);
}

class Outages : public Postgres {
 protected:
  void SetUp() override {
    Postgres::SetUp();
    if (IsSkipped()) return;
    store_ = open();
    bridge();
    session_ = *store_->begin_session({"0.1.0", "box", "gktune run", example_device()});
    study_ = *store_->study_id(reduce_study());
  }
  void bridge() {
    const auto delivered =
        store_->bridge_outages({.on_lost = [this](const std::string&) { ++lost_; },
                                .on_back = [this](std::int64_t trials) { back_ += trials; },
                                .stop = [this] { return is_stopped_.load(); }},
                               scratch_ / "journal");
    ASSERT_TRUE(delivered.ok()) << delivered.error().message;
    left_ += *delivered;
  }
  void TearDown() override {
    if (!IsSkipped()) server().start_again();
  }
  static Config config(int a) { return {{"a", a}}; }
  std::int64_t journals() const {
    std::int64_t count = 0;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(scratch_ / "journal", error))
      count += entry.path().extension() == ".db";
    return count;
  }

  std::unique_ptr<Database> store_;
  std::int64_t session_ = 0, study_ = 0;
  std::atomic<std::int64_t> lost_ = 0, back_ = 0, left_ = 0;
  std::atomic<bool> is_stopped_ = false;
};

TEST_F(Outages, trials_wait_in_a_journal_and_are_delivered_once) {
  ASSERT_TRUE(*store_->claim(study_, session_, config(1), std::chrono::seconds(15)));
  ASSERT_TRUE(*store_->claim(study_, session_, config(2), std::chrono::seconds(15)));
  server().stop();
  EXPECT_TRUE(store_->add_trial(study_, session_, ok_trial(config(1), 10)).ok());
  EXPECT_TRUE(store_->add_trial(study_, session_, ok_trial(config(2), 20)).ok());
  EXPECT_EQ(lost_, 1);
  EXPECT_EQ(journals(), 1);
  server().start_again();
  EXPECT_TRUE(store_->add_trial(study_, session_, ok_trial(config(3), 30)).ok());
  EXPECT_EQ(store_->trials(study_)->size(), 3u);
  EXPECT_EQ(back_, 3);
  EXPECT_EQ(journals(), 0);
  EXPECT_EQ(store_->query("SELECT count(*) FROM claims")->rows[0][0], Value(0));
  EXPECT_EQ(store_->query("SELECT count(*), count(DISTINCT number) FROM trials")->rows[0][1], Value(3));
}

TEST_F(Outages, a_claim_waits_for_the_server) {
  server().stop("immediate");
  std::jthread restart([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    server().start_again();
  });
  EXPECT_TRUE(*store_->claim(study_, session_, config(1), std::chrono::seconds(15)));
  EXPECT_EQ(lost_, 1);
}

TEST_F(Outages, waiting_ends_when_told_to_stop) {
  server().stop();
  is_stopped_ = true;
  const auto claimed = store_->claim(study_, session_, config(1), std::chrono::seconds(15));
  ASSERT_FALSE(claimed.ok());
  EXPECT_TRUE(claimed.error().message.starts_with(uri_ + ": ")) << claimed.error().message;
}

TEST_F(Outages, the_journal_of_a_program_that_was_killed_is_delivered_by_the_next_one) {
  server().stop();
  if (const pid_t child = ::fork(); child == 0) {
    // A copy of the connection is of no use: the server is gone.
    ::_exit(store_->add_trial(study_, session_, ok_trial(config(1), 10)).ok() ? 0 : 1);
  } else {
    int status = 1;
    ::waitpid(child, &status, 0);
    ASSERT_EQ(status, 0);
  }
  EXPECT_EQ(journals(), 1);
  server().start_again();
  store_ = open();
  bridge();
  EXPECT_EQ(left_, 1);
  EXPECT_EQ(journals(), 0);
  EXPECT_EQ(store_->trials(study_)->size(), 1u);
}

TEST_F(Outages, a_damaged_journal_is_named_and_kept) {
  scratch_.write("journal/placeholder", "");
  server().stop();
  ASSERT_TRUE(store_->add_trial(study_, session_, ok_trial(config(1), 10)).ok());
  server().start_again();
  std::filesystem::path journal;
  for (const auto& entry : std::filesystem::directory_iterator(scratch_ / "journal")) {
    if (entry.path().extension() == ".db") journal = entry.path();
  }
  std::filesystem::path damaged = journal;
  damaged.replace_filename(journal.filename().string().substr(0, 17) + "other.db");
  std::ofstream(damaged) << "no database";
  const auto bridged = open()->bridge_outages({}, scratch_ / "journal");
  ASSERT_FALSE(bridged.ok());
  EXPECT_TRUE(contains(bridged.error().message, "the journal " + damaged.string() + " of an earlier run: "))
      << bridged.error().message;
  EXPECT_TRUE(std::filesystem::exists(damaged));
  EXPECT_EQ(store_->trials(study_)->size(), 1u);
}

TEST_F(Outages, the_journal_of_a_program_that_runs_is_left_to_it) {
  server().stop();
  ASSERT_TRUE(store_->add_trial(study_, session_, ok_trial(config(1), 10)).ok());
  server().start_again();
  auto other = open();
  EXPECT_EQ(*other->bridge_outages({}, scratch_ / "journal"), 0);
  EXPECT_TRUE(other->trials(study_)->empty());
  EXPECT_EQ(store_->trials(study_)->size(), 1u);
}

TEST_F(Outages, a_server_that_restarts_between_two_statements_is_not_noticed) {
  for (const char* mode : {"fast", "immediate"}) {
    server().stop(mode);
    server().start_again();
    EXPECT_TRUE(store_->studies().ok());
  }
}

}  // namespace
}  // namespace gktune
