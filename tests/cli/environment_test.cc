#include "cli/context.h"

#include <gtest/gtest.h>

namespace gktune {
namespace {

TEST(Environment, the_database_is_named_by_the_variable_or_in_the_working_directory) {
  EXPECT_EQ(default_database("/data/all.db"), "/data/all.db");
  EXPECT_EQ(default_database(""), "gktune.db");
  EXPECT_EQ(default_database(nullptr), "gktune.db");
}

TEST(Environment, the_cache_is_below_xdg_cache_home_or_else_home) {
  EXPECT_EQ(default_cache_dir("/cache", "/home/me"), "/cache/gktune");
  EXPECT_EQ(default_cache_dir("relative", "/home/me"), "/home/me/.cache/gktune");
  EXPECT_EQ(default_cache_dir(nullptr, "/home/me"), "/home/me/.cache/gktune");
  EXPECT_EQ(default_cache_dir("", nullptr), "");
  EXPECT_EQ(default_cache_dir("relative", "."), "");
}

}  // namespace
}  // namespace gktune
