#include "tuner/device/cuda/module_cache.h"

#include <gtest/gtest.h>

#include "tests/cuda/scratch_folder.h"

namespace gktune {
namespace {

const CompiledModule kModule{std::string(5000, 'x'), {{"k", 24, 8, 16, 1024}}};

TEST(module_file, holds_code_and_what_was_said_of_it) {
  ScratchFolder folder;
  ASSERT_TRUE(write_module(folder.path("a.module"), kModule).ok());
  const auto back = read_module(folder.path("a.module"));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->cubin, kModule.cubin);
  EXPECT_EQ(back->kernels, kModule.kernels);
}

TEST(module_file, that_is_broken_or_gone_is_an_error) {
  ScratchFolder folder;
  EXPECT_EQ(read_module(folder.path("no")).error().message, "no compiled module at " + folder.path("no"));
  folder.write("text", "no module");
  EXPECT_FALSE(read_module(folder.path("text")).ok());
  folder.write("half", "gktune module 1\n{\"packing\":\"zstd\",\"size\":5000,\"kernels\":[]}\nabc");
  EXPECT_FALSE(read_module(folder.path("half")).ok());
}

TEST(module_cache, finds_what_was_added) {
  ScratchFolder folder;
  ModuleCache cache(folder.path("cache"), 1 << 20);
  EXPECT_FALSE(cache.find("key").has_value());
  const auto path = cache.add_module(kModule);
  ASSERT_TRUE(path.ok()) << path.error().message;
  CompiledVariant variant;
  variant.log = "a warning\n";
  variant.module = {*path, {"k"}};
  ASSERT_TRUE(cache.add("key", variant).ok());

  const auto found = ModuleCache(folder.path("cache"), 1 << 20).find("key");
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->from_cache);
  EXPECT_EQ(found->module, variant.module);
  EXPECT_EQ(found->log, "a warning\n");
}

TEST(module_cache, remembers_what_did_not_compile) {
  ScratchFolder folder;
  ModuleCache cache(folder.path("cache"), 1 << 20);
  CompiledVariant variant;
  variant.status = Status::compile_failed;
  variant.log = "error: no\n";
  ASSERT_TRUE(cache.add("key", variant).ok());
  EXPECT_EQ(cache.find("key")->status, Status::compile_failed);
}

TEST(module_cache, misses_where_the_code_is_gone_or_the_entry_broken) {
  ScratchFolder folder;
  ModuleCache cache(folder.path("cache"), 1 << 20);
  CompiledVariant variant;
  variant.module = {folder.path("cache/0.module"), {"k"}};
  ASSERT_TRUE(cache.add("gone", variant).ok());
  EXPECT_FALSE(cache.find("gone").has_value());
  folder.write("cache/broken.variant", "{");
  EXPECT_FALSE(cache.find("broken").has_value());
}

TEST(module_cache, drops_what_was_not_used_for_long_once_it_is_full) {
  ScratchFolder folder;
  folder.write("cache/old.module", std::string(3000, 'x'));
  folder.write("cache/older.module", std::string(3000, 'x'));
  folder.write("cache/older.txt", std::string(3000, 'x'));  // not its own
  const auto now = std::filesystem::file_time_type::clock::now();
  std::filesystem::last_write_time(folder.path("cache/old.module"), now - std::chrono::hours(1));
  std::filesystem::last_write_time(folder.path("cache/older.module"), now - std::chrono::hours(2));
  std::filesystem::last_write_time(folder.path("cache/older.txt"), now - std::chrono::hours(3));

  ModuleCache cache(folder.path("cache"), 5000);
  ASSERT_TRUE(cache.add_module({std::string(500, 'x'), {}}).ok());
  EXPECT_FALSE(std::filesystem::exists(folder.path("cache/older.module")));
  EXPECT_TRUE(std::filesystem::exists(folder.path("cache/old.module")));
  EXPECT_TRUE(std::filesystem::exists(folder.path("cache/older.txt")));
}

TEST(module_cache, in_a_folder_that_cannot_be_is_an_error) {
  ScratchFolder folder;
  folder.write("file", "");
  EXPECT_FALSE(ModuleCache(folder.path("file/cache"), 1000).add_module(kModule).ok());
}

TEST(content_key, is_one_for_each_content) {
  EXPECT_EQ(content_key("").size(), 32u);
  EXPECT_EQ(content_key("a"), content_key("a"));
  EXPECT_NE(content_key("a"), content_key("b"));
}

}  // namespace
}  // namespace gktune
