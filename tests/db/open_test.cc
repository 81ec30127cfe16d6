#include "db/open.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <thread>

#include "db/database.h"
#include "db/schema.h"
#include "db/sql/failure.h"
#include "db/sqlite/connection.h"
#include "gktune/lookup.h"
#include "tests/db/example_study.h"
#include "tests/expectations.h"
#include "tests/file_limit.h"
#include "tests/process/processes.h"
#include "tests/scratch_folder.h"
#include "tests/unprivileged.h"

namespace gktune {
namespace {

void write(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

namespace fs = std::filesystem;
using sqlite::Connection;
using std::chrono::milliseconds;

class OpenTest : public ::testing::Test {
 protected:
  // Why it cannot be opened.
  static std::string refusal(const fs::path& path, Database::Access mode,
                             milliseconds patience = milliseconds(50)) {
    auto store = Database::open(path, mode, patience);
    if (store.ok()) return "";
    auto message = store.error().message;
    auto prefix = path.string() + ": ";
    EXPECT_EQ(message.substr(0, prefix.size()), prefix);
    return message.substr(prefix.size());
  }
  // The same for both ways to open it. Neither changes a file.
  std::string refusal_for_both(const fs::path& path) const {
    const auto before = everything();
    auto reading = refusal(path, Database::Access::read);
    EXPECT_EQ(refusal(path, Database::Access::write), reading);
    EXPECT_EQ(everything(), before);
    return reading;
  }
  static void execute_in(const fs::path& path, const std::string& sql) {
    Connection(path, Connection::Access::create, milliseconds(50)).execute(sql);
  }
  void execute(const std::string& sql) const { execute_in(path_, sql); }

  // The refusal of a damaged file.
  std::string repairable(const std::string& reason) const {
    return reason + "; `gktune db repair --db " + path_.string() + "` copies the readable rows to a new file";
  }

  // A database with one study.
  void make(int trials = 1) const {
    auto store = Database::open(path_, Database::Access::write);
    auto session = (*store)->begin_session({});
    auto study = (*store)->study_id(reduce_study());
    for (int a = 1; a <= trials; ++a)
      ASSERT_TRUE((*store)->add_trial(*study, *session, ok_trial({{"a", a}}, 4 + a)).ok());
  }

  // The state of an unchanged folder.
  std::map<std::string, std::string> everything() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(scratch_.path())) {
      files[entry.path().filename()] = entry.is_regular_file() ? contents_of(entry.path()) : "";
    }
    return files;
  }

  std::set<std::string> names() const {
    std::set<std::string> names;
    for (const auto& [name, content] : everything()) names.insert(name);
    return names;
  }

  ScratchFolder scratch_;
  fs::path path_ = scratch_ / "gktune.db";
};

TEST_F(OpenTest, a_new_file_has_the_mark_the_version_and_a_write_ahead_log) {
  Connection database = open_for_writing(path_, milliseconds(50));
  EXPECT_EQ(database.integer("PRAGMA application_id"), 0x676b7475);
  EXPECT_EQ(database.integer("PRAGMA user_version"), kSchemaVersion);
  EXPECT_EQ(database.text("PRAGMA journal_mode"), "wal");
  EXPECT_EQ(database.integer("PRAGMA synchronous"), 1);
  EXPECT_GT(database.integer("PRAGMA wal_autocheckpoint"), 1000);
  EXPECT_EQ(database.integer("PRAGMA foreign_keys"), 1);
}

TEST_F(OpenTest, an_empty_file_can_become_a_database) {
  write(path_, "");
  EXPECT_EQ(refusal(path_, Database::Access::read), "empty: nothing was tuned yet");
  EXPECT_EQ(refusal(path_, Database::Access::write), "");
  EXPECT_EQ(refusal(path_, Database::Access::read), "");
}

TEST_F(OpenTest, a_missing_file_is_made_for_writing_only) {
  EXPECT_EQ(refusal(path_, Database::Access::read), "no such file");
  EXPECT_FALSE(fs::exists(path_));
  EXPECT_EQ(refusal(scratch_ / "no/such/folder.db", Database::Access::write),
            "there is no directory " + (scratch_ / "no/such").string());
  EXPECT_EQ(refusal("", Database::Access::write), "no path of a database given");
  EXPECT_EQ(refusal("", Database::Access::read), "no path of a database given");
}

TEST_F(OpenTest, a_directory_or_a_pipe_is_not_a_database) {
  EXPECT_EQ(refusal_for_both(scratch_.path()), "is a directory, not a database");
  auto pipe = scratch_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(refusal_for_both(pipe), "is not a regular file");
  EXPECT_EQ(refusal_for_both("/dev/null"), "is not a regular file");
}

TEST_F(OpenTest, names_with_a_meaning_for_sqlite_are_names_of_files) {
  auto before = fs::current_path();
  fs::current_path(scratch_.path());
  for (const char* name : {":memory:", "file:x?mode=memory", "100%41#?.db"}) {
    EXPECT_EQ(refusal(name, Database::Access::write), "");
    EXPECT_TRUE(fs::exists(name)) << name;
    EXPECT_EQ(refusal(name, Database::Access::read), "");
  }
  fs::current_path(before);
}

TEST_F(OpenTest, a_file_of_another_kind_is_refused_and_unchanged) {
  write(path_, "kernel: reduce\n");
  EXPECT_EQ(refusal_for_both(path_), "not a database of gktune");
  write(path_, std::string("SQLite format 3\0", 16));
  EXPECT_EQ(refusal_for_both(path_), "not a database of gktune");
  write(path_, "kernel: reduce\n");
}

TEST_F(OpenTest, a_database_of_another_program_is_refused_and_unchanged) {
  execute("CREATE TABLE bookmarks (url TEXT); PRAGMA user_version = 1");
  EXPECT_EQ(refusal_for_both(path_), "a database of another program, not of gktune");
}

TEST_F(OpenTest, a_file_in_which_another_connection_creates_the_schema_is_not_refused) {
  for (int round = 0; round < 30; ++round) {
    const fs::path path = scratch_ / ("new" + std::to_string(round) + ".db");
    execute_in(path, "PRAGMA journal_mode = WAL");
    const std::jthread other([&] {
      Connection connection(path, Connection::Access::read, std::chrono::seconds(10));
      EXPECT_NO_THROW({
        while (!has_schema(connection)) {
        }
      });
    });
    Connection connection(path, Connection::Access::create, std::chrono::seconds(10));
    create_schema(connection);
  }
}

TEST_F(OpenTest, tables_of_another_program_are_found_even_if_the_header_hides_them) {
  Connection other = Connection::in_memory();
  other.execute("CREATE TABLE bookmarks (url TEXT)");
  EXPECT_THROW(create_schema(other), sql::Failure);
  other.execute("PRAGMA user_version = 1");
  EXPECT_THROW(create_schema(other), sql::Failure);
  EXPECT_EQ(other.integer("SELECT count(*) FROM sqlite_schema"), 1);
}

TEST_F(OpenTest, a_newer_schema_is_refused_if_only_the_log_holds_it) {
  Connection writer = open_for_writing(path_, milliseconds(50));
  writer.execute("PRAGMA user_version = 77");
  EXPECT_NE(refusal(path_, Database::Access::write).find("has schema 77"), std::string::npos);
  EXPECT_NE(refusal(path_, Database::Access::read).find("has schema 77"), std::string::npos);
  EXPECT_EQ(writer.integer("PRAGMA user_version"), 77);
}

TEST_F(OpenTest, another_schema_is_refused_and_unchanged) {
  make();
  const std::string known = std::to_string(kSchemaVersion);
  execute("PRAGMA user_version = 77; PRAGMA journal_mode = DELETE");
  EXPECT_EQ(refusal_for_both(path_),
            "has schema 77, and this version of gktune knows " + known + ": it was written by a newer one");
  execute("PRAGMA user_version = 5");
  EXPECT_EQ(refusal_for_both(path_),
            "has schema 5 of an older gktune, and this version knows " + known + ": tune into a new file");
}

// SQLite would delete the file that such a journal names.
TEST_F(OpenTest, a_journal_that_names_another_journal_is_refused_and_not_followed) {
  make();
  const auto journal = path_.string() + "-journal";
  write(journal, std::string(600, 'x') + "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7");
  EXPECT_EQ(refusal_for_both(path_), journal + " makes SQLite change other files; gktune does not follow it");
}

TEST_F(OpenTest, opening_waits_for_a_lock_and_then_names_it) {
  make();
  auto store = Database::open(path_, Database::Access::write, milliseconds(20));
  Connection other(path_, Connection::Access::create, milliseconds(0));
  {
    sql::Transaction lock(other, sql::Transaction::Kind::write);
    EXPECT_EQ(message_of((*store)->begin_session({})), path_.string() + ": locked by another program");
    EXPECT_EQ((*store)->studies()->size(), 1u);  // readers do not wait
  }
  EXPECT_TRUE((*store)->begin_session({}).ok());

  auto patient = Database::open(path_, Database::Access::write, milliseconds(30'000));
  auto lock = std::make_unique<sql::Transaction>(other, sql::Transaction::Kind::write);
  std::thread release([&] {
    std::this_thread::sleep_for(milliseconds(50));
    lock.reset();
  });
  EXPECT_TRUE((*patient)->begin_session({}).ok());
  release.join();
}

TEST_F(OpenTest, opening_names_a_new_file_that_is_locked) {
  Connection other(path_, Connection::Access::create, milliseconds(0));
  other.execute("BEGIN EXCLUSIVE");
  EXPECT_EQ(refusal(path_, Database::Access::write, milliseconds(20)), "locked by another program");
}

TEST_F(OpenTest, a_read_only_file_can_be_read_and_not_written) {
  make();
  fs::permissions(path_, fs::perms(0444));
  fs::permissions(scratch_.path(), fs::perms(0777));
  Unprivileged somebody;
  EXPECT_EQ(refusal(path_, Database::Access::write), "cannot be written: it is read-only");
  {
    auto store = Database::open(path_, Database::Access::read);
    EXPECT_EQ((*store)->studies()->size(), 1u);
  }
  EXPECT_EQ(names(), std::set<std::string>{"gktune.db"});
}

TEST_F(OpenTest, a_reader_leaves_no_log_so_that_the_owner_can_write) {
  make();
  fs::permissions(scratch_.path(), fs::perms(0777));
  const auto read = [&] {
    auto store = Database::open(path_, Database::Access::read);
    EXPECT_EQ((*store)->studies()->size(), 1u);
    EXPECT_TRUE(Lookup::open(path_).ok());
  };
  for (const auto mode : {fs::perms(0644), fs::perms(0666)}) {  // of another user, and of everyone
    fs::permissions(path_, mode);
    const Unprivileged somebody;
    read();
    EXPECT_EQ(names(), std::set<std::string>{"gktune.db"});
  }
  read();
  EXPECT_EQ(names(), std::set<std::string>{"gktune.db"});
  EXPECT_EQ(refusal(path_, Database::Access::write), "");
}

TEST_F(OpenTest, a_reader_takes_no_log_away_from_a_writer) {
  auto store = Database::open(path_, Database::Access::write);
  EXPECT_EQ(refusal(path_, Database::Access::read), "");
  const auto session = (*store)->begin_session({});
  ASSERT_TRUE(
      (*store)->add_trial(*(*store)->study_id(reduce_study()), *session, ok_trial({{"a", 1}}, 5)).ok());
  {
    auto reader = Database::open(path_, Database::Access::read);
    store->reset();
    EXPECT_EQ((*reader)->trials(1)->size(), 1u);
  }
  EXPECT_EQ((*Database::open(path_, Database::Access::read))->trials(1)->size(), 1u);
}

// A process that opens and closes the file again would lose the locks of its first reader, so that a writer
// would take the log away, and the reader would never see another trial.
TEST_F(OpenTest, a_reader_sees_the_trials_of_every_later_writer) {
  make();
  const auto reader = std::move(*Database::open(path_, Database::Access::read));
  for (std::int64_t a = 100; a < 103; ++a) {
    const std::size_t before = reader->trials(1)->size();
    EXPECT_TRUE(Lookup::open(path_).ok());
    EXPECT_EQ(refusal(path_, Database::Access::read), "");
    EXPECT_TRUE(holds_in_children(1, [&](int) {
      auto store = Database::open(path_, Database::Access::write);
      const auto session = (*store)->begin_session({});
      return (*store)->add_trial(1, *session, ok_trial({{"a", a}}, 5)).ok();
    }));
    EXPECT_EQ(reader->trials(1)->size(), before + 1);
  }
}

TEST_F(OpenTest, the_log_is_beside_the_file_that_a_link_names) {
  make();
  fs::permissions(scratch_.path(), fs::perms(0777));
  fs::create_directory(scratch_ / "links");
  const fs::path link = scratch_ / "links/linked.db";
  fs::create_symlink("../gktune.db", link);
  auto store = Database::open(path_, Database::Access::write);
  const auto session = *(*store)->begin_session({});
  const auto trials = [&] {
    auto reader = Database::open(link, Database::Access::read);
    return (*reader)->trials(1)->size();
  };
  for (std::size_t known = 1; known < 4; ++known) {
    {
      const Unprivileged somebody;
      EXPECT_EQ(trials(), known);
      EXPECT_TRUE(Lookup::open(link).ok());
    }
    EXPECT_EQ(trials(), known);
    ASSERT_TRUE((*store)->add_trial(1, session, ok_trial({{"b", static_cast<int>(known)}}, 5)).ok());
  }
}

TEST_F(OpenTest, a_reader_needs_no_room_on_the_disk) {
  make();
  const FileLimit limit(1000);
  auto store = Database::open(path_, Database::Access::read);
  EXPECT_EQ((*store)->winners("reduce")->size(), 1u);
  EXPECT_TRUE(Lookup::open(path_).ok());
}

TEST_F(OpenTest, a_log_of_another_user_is_named) {
  if (geteuid() != 0) GTEST_SKIP() << "needs two users";
  make();
  fs::permissions(scratch_.path(), fs::perms(0777));
  ASSERT_EQ(chown(path_.c_str(), Unprivileged::kNobody, Unprivileged::kNobody), 0);
  write(path_.string() + "-wal", "");
  const Unprivileged somebody;
  EXPECT_EQ(refusal(path_, Database::Access::write),
            "cannot be written: " + path_.string() + "-wal belongs to another user");
}

TEST_F(OpenTest, a_file_in_a_read_only_folder_can_be_read) {
  make();
  fs::permissions(path_, fs::perms(0444));
  fs::permissions(scratch_.path(), fs::perms(0555));
  {
    Unprivileged somebody;
    auto store = Database::open(path_, Database::Access::read);
    EXPECT_EQ((*store)->winners("reduce")->size(), 1u);
    EXPECT_TRUE(Lookup::open(path_).ok());
    EXPECT_EQ(refusal(scratch_ / "new.db", Database::Access::write),
              "cannot be made in " + fs::absolute(scratch_.path()).string() + ": Permission denied");
  }
  fs::permissions(scratch_.path(), fs::perms(0755));
}

TEST_F(OpenTest, a_log_left_by_a_kill_is_read_or_reported) {
  auto killed = scratch_ / "killed.db";
  {
    auto store = Database::open(path_, Database::Access::write);
    ASSERT_TRUE((*store)->study_id(reduce_study()).ok());
    fs::copy(path_, killed);
    fs::copy(path_.string() + "-wal", killed.string() + "-wal");
  }
  fs::permissions(scratch_.path(), fs::perms(0555));
  {
    Unprivileged somebody;
    EXPECT_EQ(refusal(killed, Database::Access::read),
              "its latest trials are in a log beside it, which cannot be read without the right and the room "
              "to write there");
  }
  fs::permissions(scratch_.path(), fs::perms(0755));
  EXPECT_EQ((*Database::open(killed, Database::Access::read))->studies()->size(), 1u);
}

TEST_F(OpenTest, an_error_says_that_a_file_must_not_be_read) {
  make();
  fs::permissions(path_, fs::perms(0000));
  fs::permissions(scratch_.path(), fs::perms(0755));
  Unprivileged somebody;
  EXPECT_EQ(refusal_for_both(path_), "cannot be read: Permission denied");
}

TEST_F(OpenTest, a_writable_file_in_a_read_only_folder_is_not_written) {
  make();
  fs::permissions(path_, fs::perms(0666));
  fs::permissions(scratch_.path(), fs::perms(0555));
  {
    Unprivileged somebody;
    EXPECT_EQ(refusal(path_, Database::Access::write), "cannot be written: it needs a log in " +
                                                           fs::absolute(scratch_.path()).string() +
                                                           ": Permission denied");
  }
  fs::permissions(scratch_.path(), fs::perms(0755));
}

TEST_F(OpenTest, reading_a_cut_file_is_an_error) {
  make(100);
  const auto whole = contents_of(path_);
  for (const std::size_t size :
       {std::size_t{50}, std::size_t{100}, std::size_t{4096}, std::size_t{9000}, whole.size() / 2}) {
    write(path_, whole.substr(0, size));
    const auto store = Database::open(path_, Database::Access::read);
    EXPECT_FALSE(store.ok() && (*store)->winners("").ok() && (*store)->trials(1).ok()) << size;
  }
}

TEST_F(OpenTest, a_damaged_file_is_never_written) {
  make(100);
  const auto whole = contents_of(path_);
  std::int64_t free_pages = 0;  // their contents mean nothing
  {
    Connection database(path_, Connection::Access::read, milliseconds(50));
    free_pages = database.integer("PRAGMA freelist_count");
  }
  const std::size_t page = 4096;
  std::int64_t opened = 0;
  for (std::size_t at = 0; at < whole.size(); at += page) {
    auto bytes = whole;
    bytes.replace(at, page, page, '\0');
    write(path_, bytes);
    if (refusal(path_, Database::Access::write).empty()) {
      ++opened;
    } else {
      EXPECT_EQ(contents_of(path_), bytes) << "page " << at / page + 1;
    }
  }
  EXPECT_LE(opened, free_pages);
  write(path_, whole);
  EXPECT_EQ(refusal(path_, Database::Access::write), "");
}

TEST_F(OpenTest, an_endless_view_with_the_name_of_a_known_one_is_refused) {
  make();
  execute(
      "DROP VIEW study_view;"
      "CREATE VIEW study_view AS WITH RECURSIVE endless (x) AS (SELECT 1 UNION ALL SELECT x FROM endless)"
      " SELECT x AS study_id FROM endless");
  const auto before = contents_of(path_);
  EXPECT_EQ(refusal_for_both(path_), repairable("damaged: its view study_view is not that of schema " +
                                                std::to_string(kSchemaVersion)));
  EXPECT_FALSE(Lookup::open(path_).ok());
  EXPECT_EQ(contents_of(path_), before);
}

TEST_F(OpenTest, a_table_with_a_generated_column_or_without_its_index_is_refused) {
  make();
  execute("ALTER TABLE devices ADD COLUMN x TEXT AS (name || name)");
  EXPECT_EQ(refusal_for_both(path_),
            repairable("damaged: its table devices is not that of schema " + std::to_string(kSchemaVersion)));
  fs::remove(path_);
  make();
  execute("DROP INDEX trials_by_result");
  EXPECT_EQ(refusal_for_both(path_), repairable("damaged: its index trials_by_result is not that of schema " +
                                                std::to_string(kSchemaVersion)));
}

TEST_F(OpenTest, a_trigger_is_refused) {
  make();
  execute("CREATE TRIGGER t AFTER INSERT ON trials BEGIN DELETE FROM studies; END");
  EXPECT_EQ(refusal_for_both(path_), repairable("damaged: has a trigger, t, which gktune never adds"));
}

TEST_F(OpenTest, a_view_that_a_user_added_is_not_damage) {
  make();
  execute("CREATE VIEW mine AS SELECT * FROM trial_view; CREATE INDEX quick ON trials (median_us)");
  EXPECT_EQ(refusal_for_both(path_), "");
}

TEST_F(OpenTest, a_database_without_rows_is_not_damaged) {
  ASSERT_TRUE(Database::open(path_, Database::Access::write).ok());
  auto store = Database::open(path_, Database::Access::read);
  EXPECT_TRUE((*store)->studies()->empty());
  EXPECT_TRUE((*store)->winners("")->empty());
  EXPECT_FALSE((*store)->study(1)->has_value());
  EXPECT_FALSE((*store)->trial(1)->has_value());
  EXPECT_TRUE(Lookup::open(path_).ok());
}

TEST_F(OpenTest, an_unknown_status_is_an_error_that_names_the_trial) {
  make();
  execute("UPDATE trials SET status = 'melted'");
  auto store = Database::open(path_, Database::Access::read);
  EXPECT_EQ((*store)->trials(1).error().message,
            path_.string() + ": trial 1: its status \"melted\" is unknown");
}

TEST_F(OpenTest, a_full_disk_is_an_error_and_loses_nothing_that_was_written) {
  make();
  auto store = Database::open(path_, Database::Access::write);
  {
    FileLimit limit(64 * 1024);
    std::string failure;
    for (int i = 0; i < 100 && failure.empty(); ++i) {
      Trial trial = ok_trial({{"b", i}}, 5);
      trial.message = std::string(20'000, 'x');
      if (const auto added = (*store)->add_trial(1, 1, trial); !added) failure = added.error().message;
    }
    EXPECT_NE(failure.find("no file may exceed 65536 bytes (ulimit -f)"), std::string::npos) << failure;
  }
  EXPECT_GE((*store)->trials(1)->size(), 1u);
  EXPECT_TRUE((*store)->add_trial(1, 1, ok_trial({{"c", 1}}, 5)).ok());
}

}  // namespace
}  // namespace gktune
