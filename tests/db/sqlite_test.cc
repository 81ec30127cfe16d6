#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "db/sql/failure.h"
#include "db/sql/statement.h"
#include "db/sqlite/connection.h"

namespace gktune::sqlite {
namespace {

using namespace sql;
using sqlite::Connection;

class Sqlite : public ::testing::Test {
 protected:
  Sqlite() { database_.execute("CREATE TABLE t (x)"); }
  std::int64_t rows() { return database_.integer("SELECT count(*) FROM t"); }

  Connection database_ = Connection::in_memory();
};

TEST_F(Sqlite, empty_texts_are_not_null_and_nan_is_null) {
  Statement echo(database_, "SELECT typeof(?), typeof(?), typeof(?), ?4, typeof(?4)");
  ASSERT_TRUE(echo.bind(std::string_view(), std::vector<double>(), "", std::nan("")).step());
  Row row = echo.row();
  EXPECT_EQ(row.text(), "text");
  EXPECT_EQ(row.text(), "blob");
  EXPECT_EQ(row.text(), "text");
  EXPECT_TRUE(std::isnan(row.real()));
  EXPECT_EQ(row.text(), "null");
}

TEST_F(Sqlite, a_blob_with_an_incomplete_double_is_damage) {
  Statement select(database_, "SELECT x'0102030405'");
  ASSERT_TRUE(select.step());
  EXPECT_THROW(select.row().reals(), Failure);
}

TEST_F(Sqlite, a_transaction_that_is_not_committed_is_undone) {
  {
    Transaction transaction(database_, Transaction::Kind::write);
    database_.execute("INSERT INTO t VALUES (1)");
  }
  EXPECT_EQ(rows(), 0);
  {
    Transaction transaction(database_, Transaction::Kind::write);
    database_.execute("INSERT INTO t VALUES (1)");
    transaction.commit();
  }
  EXPECT_EQ(rows(), 1);
  EXPECT_THROW(
      {
        Transaction transaction(database_, Transaction::Kind::write);
        database_.execute("INSERT INTO t VALUES (2)");
        database_.execute("INSERT INTO nowhere VALUES (2)");
      },
      Failure);
  EXPECT_EQ(rows(), 1);
}

TEST_F(Sqlite, malformed_sql_fails_with_a_message) {
  try {
    Statement(database_, "SELECT y FROM t");
    FAIL() << "nothing was thrown";
  } catch (const Failure& failure) {
    EXPECT_STREQ(failure.what(), "no such column: y");
    EXPECT_FALSE(failure.is(Failure::Cause::busy));
    EXPECT_FALSE(failure.is(Failure::Cause::no_access));
  }
  EXPECT_THROW(database_.integer("SELECT x FROM t"), Failure);
}

TEST_F(Sqlite, an_endless_query_is_stopped) {
  database_.limit_work();
  Statement endless(database_,
                    "WITH RECURSIVE e (x) AS (SELECT 1 UNION ALL SELECT x FROM e) SELECT count(*) FROM e");
  try {
    endless.step();
    FAIL() << "it ended";
  } catch (const Failure& failure) {
    EXPECT_STREQ(failure.what(), "a query takes too long: it asks too much, or the file is damaged");
  }
  EXPECT_EQ(rows(), 0);
  database_.execute(
      "WITH RECURSIVE e (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM e LIMIT 100000)"
      " INSERT INTO t SELECT x FROM e");
  EXPECT_EQ(rows(), 100000);
}

// One instruction for a whole table could not be stopped.
TEST_F(Sqlite, rows_are_counted_one_by_one) {
  database_.limit_work();
  database_.execute("INSERT INTO t VALUES (5), (6), (6), (NULL)");
  Statement plan(database_, "EXPLAIN SELECT count(*) FROM t");
  int rows_visited = 0;
  while (plan.step()) {
    Row row = plan.row();
    (void)row.integer();  // its address
    const std::string instruction = row.text();
    EXPECT_NE(instruction, "Count");
    rows_visited += instruction == "Next";
  }
  EXPECT_EQ(rows_visited, 1);
  EXPECT_EQ(database_.integer("SELECT count(*) FROM t"), 4);
  EXPECT_EQ(database_.integer("SELECT count(*) FROM t WHERE x = 7"), 0);
  EXPECT_EQ(database_.integer(
                "SELECT max(n) FROM (SELECT count(*) OVER (ORDER BY rowid ROWS 1 PRECEDING) AS n FROM t)"),
            2);
}

TEST_F(Sqlite, sizes_and_depths_are_limited) {
  EXPECT_THROW(database_.integer("SELECT length(zeroblob(300 * 1024 * 1024))"), Failure);
  std::string deep = "SELECT 1";
  for (int i = 0; i < 200; ++i) deep += " + (1";
  EXPECT_THROW(database_.integer(deep + std::string(200, ')')), Failure);
  EXPECT_THROW(database_.execute("ATTACH ':memory:' AS other"), Failure);
}

TEST_F(Sqlite, triggers_do_not_run) {
  database_.execute("CREATE TRIGGER again AFTER INSERT ON t BEGIN INSERT INTO t VALUES (7); END");
  database_.execute("INSERT INTO t VALUES (1)");
  EXPECT_EQ(rows(), 1);
}

TEST_F(Sqlite, a_copy_has_the_rows_of_the_original) {
  database_.execute("INSERT INTO t VALUES (42)");
  Connection copy = Connection::in_memory();
  copy.execute("CREATE TABLE gone (y)");
  database_.copy_to(copy);
  EXPECT_EQ(copy.integer("SELECT x FROM t"), 42);
  EXPECT_THROW(copy.execute("SELECT * FROM gone"), Failure);
}

TEST_F(Sqlite, a_file_cannot_load_code_through_its_schema) {
  EXPECT_THROW(database_.execute("SELECT load_extension('x')"), Failure);
  EXPECT_THROW(database_.execute("PRAGMA writable_schema = ON; DELETE FROM sqlite_schema"), Failure);
}

TEST(Constraint, a_row_that_breaks_a_rule_of_the_schema_is_named) {
  Connection database = Connection::in_memory();
  database.execute("CREATE TABLE parents (id INTEGER PRIMARY KEY, name TEXT NOT NULL)");
  try {
    database.execute("INSERT INTO parents VALUES (3, NULL)");
    FAIL() << "nothing was thrown";
  } catch (const Failure& failure) {
    EXPECT_STREQ(failure.what(),
                 "a row breaks a rule of the schema: NOT NULL constraint failed: parents.name");
    EXPECT_TRUE(failure.is(Failure::Cause::constraint));
  }
}

TEST(Guarded, turns_a_failure_into_an_error_that_names_the_database) {
  auto result = guarded("a.db", []() -> int { throw Failure("damaged"); });
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message, "a.db: damaged");
  result = guarded("a.db", []() -> int { throw Failure("damaged: page 3", Failure::Cause::damaged_file); });
  EXPECT_EQ(result.error().message,
            "a.db: damaged: page 3; `gktune db repair --db a.db` copies the readable rows to a new file");
  EXPECT_EQ(*guarded("a.db", [] { return 7; }), 7);
  EXPECT_TRUE(guarded("a.db", [] {}).ok());
}

}  // namespace
}  // namespace gktune::sqlite
