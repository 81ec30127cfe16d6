#include "tuner/device/host/host_backend.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/scratch_folder.h"

namespace gktune {
namespace {

class UsableMemory : public ::testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) { root_.write(path, text + '\n'); }

  ScratchFolder root_;
};

TEST_F(UsableMemory, is_the_memory_of_the_machine_if_nothing_limits_it) {
  write("proc/self/cgroup", "0::/");
  EXPECT_EQ(usable_memory_bytes(root_.path()), static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                                                   static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
}

TEST_F(UsableMemory, is_the_free_memory_of_the_tightest_group) {
  write("proc/self/cgroup", "0::/a/b");
  write("sys/fs/cgroup/memory.max", "max");
  write("sys/fs/cgroup/a/memory.max", "4096");
  write("sys/fs/cgroup/a/b/memory.max", "8192");
  EXPECT_EQ(usable_memory_bytes(root_.path()), 4096u);
}

TEST_F(UsableMemory, is_that_of_the_group_that_a_container_sees) {
  write("proc/self/cgroup", "9:cpu:/somewhere\n4:memory:/docker/0123\n0::/");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "12288");
  EXPECT_EQ(usable_memory_bytes(root_.path()), 12288u);
}

}  // namespace
}  // namespace gktune
