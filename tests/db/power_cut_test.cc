#include <gtest/gtest.h>
#include <sqlite3.h>

#include <fstream>

#include "db/database.h"
#include "tests/db/example_study.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

namespace fs = std::filesystem;

// After a power cut the file is as it was at the last checkpoint, and the log holds what reached the disk: it
// ends anywhere, or in blocks of zeros.
TEST(PowerCut, leaves_a_consistent_database_wherever_the_log_ends) {
  ScratchFolder scratch;
  const fs::path path = scratch / "gktune.db", after = scratch / "after.db";
  auto store = std::move(*Database::open(path, Database::Access::write));
  const auto session = *store->begin_session({"0.1.0", "box", "gktune run", example_device()});
  const auto study = *store->study_id(reduce_study());
  for (int i = 0; i < 20; ++i)
    ASSERT_TRUE(store->add_trial(study, session, ok_trial({{"a", i}}, 10 + i)).ok());
  const std::string file = contents_of(path), log = contents_of(path.string() + "-wal");
  ASSERT_GT(log.size(), 100'000u);
  std::int64_t trials = 0, most = 0;
  for (std::size_t part = 0; part <= 10; ++part) {
    const std::size_t size = log.size() * part / 10;
    for (const bool has_zeros : {false, true}) {
      std::string left = log.substr(0, size);
      if (has_zeros) left.resize(log.size());
      std::ofstream(after, std::ios::binary) << file;
      std::ofstream(after.string() + "-wal", std::ios::binary) << left;
      fs::remove(after.string() + "-shm");
      auto again = Database::open(after, Database::Access::write);
      const auto studies = *(*again)->studies();
      const std::int64_t kept = studies.empty() ? 0 : studies.front().trials;
      EXPECT_GE(kept, trials);
      trials = kept;
      most = std::max(most, kept);
      again->reset();
      if (kept > 0) {
        EXPECT_EQ(*check_database(after), std::vector<std::string>{}) << size;
      }
    }
  }
  EXPECT_EQ(most, 20);
}

// NFS and some others cannot share memory between programs; neither can this VFS of SQLite.
TEST(PowerCut, a_file_system_without_shared_memory_is_refused) {
  sqlite3_vfs* const usual = sqlite3_vfs_find(nullptr);
  ASSERT_EQ(sqlite3_vfs_register(sqlite3_vfs_find("unix-dotfile"), 1), SQLITE_OK);
  ScratchFolder scratch;
  const auto store = Database::open(scratch / "gktune.db", Database::Access::write);
  sqlite3_vfs_register(usual, 1);
  ASSERT_FALSE(store.ok());
  EXPECT_NE(store.error().message.find("its file system has no shared memory, which a write-ahead log needs"),
            std::string::npos)
      << store.error().message;
}

}  // namespace
}  // namespace gktune
