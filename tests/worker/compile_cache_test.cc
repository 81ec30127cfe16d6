#include "tuner/device/worker/compile_cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>

#include "tests/process/processes.h"
#include "tests/scratch_folder.h"
#include "tests/unprivileged.h"
#include "tuner/core/files.h"

namespace gktune {
namespace {

namespace fs = std::filesystem;

// A variant of this code, kept under the key.
CompiledVariant keep(CompileCache& cache, const std::string& key, const std::string& code) {
  const auto path = cache.add_code(code);
  EXPECT_TRUE(path.ok()) << (path.ok() ? "" : path.error().message);
  CompiledVariant variant;
  variant.log = "a warning\n";
  variant.module = {*path, {"k", "second"}};
  variant.seconds = 0.5;
  EXPECT_TRUE(cache.add(key, variant).ok());
  return variant;
}

void set_age(const std::string& path, std::chrono::hours age) {
  fs::last_write_time(path, fs::file_time_type::clock::now() - age);
}

TEST(compile_cache, finds_added_code) {
  ScratchFolder folder;
  CompileCache cache(folder.path("cache"));
  EXPECT_FALSE(cache.find("key").has_value());
  const CompiledVariant variant = keep(cache, "key", "code");

  const auto found = CompileCache(folder.path("cache")).find("key");
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->from_cache);
  EXPECT_EQ(found->seconds, 0);
  EXPECT_EQ(found->module, variant.module);
  EXPECT_EQ(found->log, "a warning\n");
  EXPECT_EQ(*read_whole(found->module.path), "code");
}

TEST(compile_cache, stores_equal_code_once) {
  ScratchFolder folder;
  CompileCache cache(folder.path("cache"));
  EXPECT_EQ(keep(cache, "a", "code").module.path, keep(cache, "b", "code").module.path);
  EXPECT_NE(keep(cache, "c", "other code").module.path, cache.find("a")->module.path);
}

TEST(compile_cache, remembers_failed_compilations) {
  ScratchFolder folder;
  CompileCache cache(folder.path("cache"));
  CompiledVariant variant;
  variant.status = Status::compile_failed;
  variant.log = "error: no\n";
  ASSERT_TRUE(cache.add("key", variant).ok());
  EXPECT_EQ(cache.find("key")->status, Status::compile_failed);
  EXPECT_EQ(cache.find("key")->log, "error: no\n");
}

TEST(compile_cache, finds_its_files_after_the_folder_is_moved) {
  ScratchFolder folder;
  CompileCache cache(folder.path("cache"));
  keep(cache, "key", "code");
  fs::rename(folder.path("cache"), folder.path("moved"));
  const auto found = CompileCache(folder.path("moved")).find("key");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(*read_whole(found->module.path), "code");
}

TEST(compile_cache, drops_the_least_recently_used_files_when_it_is_full) {
  ScratchFolder folder;
  for (const char* name : {"newer.code", "old.code", "older.new7.so", "oldest.txt"}) {
    folder.write(std::string("cache/") + name, std::string(3000, 'x'));
  }
  set_age(folder.path("cache/newer.code"), std::chrono::hours(25));
  set_age(folder.path("cache/old.code"), std::chrono::hours(26));
  set_age(folder.path("cache/older.new7.so"), std::chrono::hours(27));  // of a process that died
  set_age(folder.path("cache/oldest.txt"), std::chrono::hours(28));     // not its own

  CompileCache cache(folder.path("cache"), {}, 6000);
  ASSERT_TRUE(cache.add_code(std::string(500, 'x')).ok());
  EXPECT_TRUE(fs::exists(folder.path("cache/newer.code")));
  EXPECT_FALSE(fs::exists(folder.path("cache/old.code")));
  EXPECT_FALSE(fs::exists(folder.path("cache/older.new7.so")));
  EXPECT_TRUE(fs::exists(folder.path("cache/oldest.txt")));
}

TEST(compile_cache, drops_no_file_that_was_just_found) {
  ScratchFolder folder;
  CompileCache cache(folder.path("cache"), {}, 1000);
  const CompiledVariant variant = keep(cache, "key", std::string(3000, 'x'));
  for (const std::string& path : {variant.module.path, folder.path("cache/key.variant")}) {
    set_age(path, std::chrono::hours(25));
  }
  ASSERT_TRUE(cache.find("key").has_value());
  ASSERT_TRUE(cache.add_code(std::string(3000, 'y')).ok());
  EXPECT_TRUE(cache.find("key").has_value());
}

TEST(compile_cache, does_not_use_an_entry_with_a_changed_byte) {
  ScratchFolder folder;
  CompileCache cache(folder.path("cache"));
  const std::string code = keep(cache, "key", std::string(100, 'x')).module.path;
  for (const std::string& path : {folder.path("cache/key.variant"), code}) {
    const std::string whole = *read_whole(path);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ 1);
      ASSERT_TRUE(write_atomically(path, damaged).ok());
      EXPECT_FALSE(cache.find("key").has_value()) << path << ", byte " << i;
      EXPECT_FALSE(fs::exists(path)) << "a damaged file stays";
      keep(cache, "key", std::string(100, 'x'));
    }
    ASSERT_TRUE(write_atomically(path, whole.substr(0, whole.size() / 2)).ok());
    EXPECT_FALSE(cache.find("key").has_value()) << path << ", cut short";
    keep(cache, "key", std::string(100, 'x'));
  }
  EXPECT_TRUE(cache.find("key").has_value());
}

TEST(compile_cache, verifies_code_before_it_is_loaded) {
  ScratchFolder folder;
  CompileCache cache(folder.path("cache"));
  const std::string code = *cache.add_code("code");
  EXPECT_TRUE(CompileCache::verify(code).ok());
  ASSERT_TRUE(write_atomically(code, "codf").ok());
  EXPECT_EQ(CompileCache::verify(code).error().message, "the compiled code in " + code + " is damaged");
  fs::remove(code);
  EXPECT_EQ(CompileCache::verify(code).error().message, "there is no compiled code at " + code);
}

TEST(compile_cache, writes_unfinished_files_into_the_scratch_folder) {
  ScratchFolder folder;
  fs::create_directory(folder / "scratch");
  CompileCache cache(folder.path("cache"), folder.path("scratch"));
  EXPECT_EQ(fs::path(cache.scratch_path("a.so")).parent_path(), folder / "scratch");
  EXPECT_TRUE(CompileCache::verify(keep(cache, "key", "code").module.path).ok());
  fs::remove(folder / "scratch");
  EXPECT_FALSE(cache.add_code("other code").ok()) << "written elsewhere";
}

TEST(compile_cache, serves_several_processes_at_once) {
  constexpr int kProcesses = 4, kRounds = 50;
  ScratchFolder folder;
  EXPECT_TRUE(holds_in_children(kProcesses, [&](int me) {
    // All processes use the same keys with different code. Each must find complete code of some process.
    CompileCache cache(folder.path("cache"), {}, 4000);
    bool is_whole = true;
    for (int round = 0; round < kRounds; ++round) {
      const std::string key = "key" + std::to_string(round % 3);
      keep(cache, key, std::string(1000 + static_cast<std::size_t>(round), static_cast<char>('a' + me)));
      const auto found = cache.find(key);
      const std::string code = found ? *read_whole(found->module.path) : std::string();
      is_whole = is_whole && code.size() >= 1000 && code.find_first_not_of(code.front()) == code.npos;
    }
    return is_whole;
  }));
  for (const auto& entry : fs::directory_iterator(folder.path("cache"))) {
    EXPECT_FALSE(is_unfinished(entry.path())) << entry.path();
  }
}

TEST(compile_cache, a_failure_to_write_a_file_gives_its_reason) {
  const ScratchFolder folder;
  const auto written = write_atomically(folder.path(std::string(300, 'x')), "code");
  ASSERT_FALSE(written.ok());
  EXPECT_TRUE(written.error().message.ends_with(": File name too long")) << written.error().message;
}

TEST(compile_cache, is_an_error_in_a_folder_that_cannot_be_made) {
  ScratchFolder folder;
  folder.write("file", "");
  CompileCache cache(folder.path("file/cache"));
  const std::string why = cache.add_code("code").error().message;
  EXPECT_TRUE(why.starts_with("cannot write " + folder.path("file/cache"))) << why;
  EXPECT_TRUE(why.ends_with(": Not a directory")) << why;
  EXPECT_FALSE(cache.add("key", {}).ok());
  EXPECT_FALSE(cache.find("key").has_value());
}

TEST(unfinished_path, is_different_each_time) {
  const fs::path one = unfinished_path("folder/a.so"), other = unfinished_path("folder/a.so");
  EXPECT_NE(one, other);
  EXPECT_TRUE(is_unfinished(one));
  EXPECT_EQ(one.parent_path(), "folder");
  EXPECT_EQ(one.extension(), ".so");
}

}  // namespace
}  // namespace gktune
