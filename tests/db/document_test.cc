// The queries of docs/database.md run, and find something.
#include <gtest/gtest.h>

#include "db/database.h"
#include "tests/db/example_study.h"
#include "tests/expectations.h"
#include "tests/fenced_blocks.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

TEST(DatabasePage, has_ten_queries_that_find_something) {
  ScratchFolder scratch;
  const auto path = scratch / "gktune.db";
  {
    auto store = std::move(*Database::open(path, Database::Access::write));
    const auto session = *store->begin_session({"0.1.0", "box", "gktune run", example_device()});
    const auto study = *store->study_id(reduce_study());
    for (int i = 0; i < 4; ++i) {
      Trial trial = ok_trial({{"way", i < 2 ? "one_pass" : "two_pass"}, {"a", i}}, 10 + i);
      trial.resources.spill_bytes = 8 * i;
      ASSERT_TRUE(store->add_trial(study, session, trial).ok());
    }
    ASSERT_TRUE(
        store->add_trial(study, session, failed_trial({{"way", "one_pass"}, {"a", 9}}, Status::crashed))
            .ok());
    const auto trials = *store->trials(study);
    ASSERT_TRUE(store->add_playoff(study, session, {{trials[1], trials[0]}, 5000}).ok());
  }
  const std::string page = contents_of(GKTUNE_SOURCE_DIR "/docs/database.md");
  const auto blocks = fenced_blocks(page, "sql");
  ASSERT_EQ(blocks.size(), 1u);
  const auto archive = std::move(*Database::open(path, Database::Access::read));
  std::size_t queries = 0;
  for (std::size_t at = 0; at < blocks[0].size();) {
    const std::size_t end = blocks[0].find(";\n", at);
    if (end == std::string::npos) break;
    const std::string query = blocks[0].substr(at, end - at);
    at = end + 2;
    const auto rows = archive->query(query);
    ASSERT_TRUE(rows.ok()) << query << ": " << rows.error().message;
    EXPECT_GT(rows->rows.size(), 0u) << query;
    ++queries;
  }
  EXPECT_EQ(queries, 10u);
}

// Every test that the page names for a guarantee exists.
TEST(DatabasePage, names_tests_that_exist) {
  const std::string page = contents_of(GKTUNE_SOURCE_DIR "/docs/database.md");
  std::string sources;
  for (const char* folder : {"db", "cli", "engine"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::string(GKTUNE_SOURCE_DIR "/tests/") + folder)) {
      if (entry.path().extension() == ".cc") sources += contents_of(entry.path());
    }
  }
  std::size_t named = 0;
  const auto guarantees = page.substr(page.find("## Guarantees"));
  for (std::size_t at = guarantees.find('`'); at != std::string::npos;) {
    const std::size_t end = guarantees.find('`', at + 1);
    if (end == std::string::npos) break;
    const std::string word = guarantees.substr(at + 1, end - at - 1);
    at = guarantees.find('`', end + 1);
    const std::size_t dot = word.find('.');
    const bool is_code_block = word.find('\n') != std::string::npos;
    if (is_code_block || dot == std::string::npos || word.find('_', dot) == std::string::npos) continue;
    ++named;
    EXPECT_TRUE(contains(sources, "(" + word.substr(0, dot) + ", " + word.substr(dot + 1) + ")")) << word;
  }
  EXPECT_GE(named, 12u);
}

}  // namespace
}  // namespace gktune
