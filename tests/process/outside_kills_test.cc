#include "tuner/process/outside_kills.h"

#include <gtest/gtest.h>

#include "tests/scratch_folder.h"

namespace gktune {
namespace {

constexpr const char* kVmstat = "nr_free_pages 17\noom_kill 9\npgfault 3\n";

TEST(memory_kills, are_counted_by_the_control_group_of_the_process) {
  const ScratchFolder root;
  root.write("proc/vmstat", kVmstat);
  root.write("proc/self/cgroup", "0::/jobs/17\n");
  root.write("sys/fs/cgroup/jobs/17/memory.events", "low 0\nhigh 0\nmax 12\noom 3\noom_kill 2\n");
  EXPECT_EQ(memory_kills(root.path()), 2u);
}

TEST(memory_kills, are_counted_by_a_control_group_of_version_1_too) {
  const ScratchFolder root;
  root.write("proc/vmstat", kVmstat);
  root.write("proc/self/cgroup", "9:name=systemd:/\n4:memory:/jobs/17\n1:cpu:/\n0::/\n");
  root.write("sys/fs/cgroup/memory/jobs/17/memory.oom_control",
             "oom_kill_disable 0\nunder_oom 0\noom_kill 5\n");
  EXPECT_EQ(memory_kills(root.path()), 5u);
}

TEST(memory_kills, are_those_of_the_machine_if_no_control_group_counts_them) {
  const ScratchFolder root;
  root.write("proc/vmstat", kVmstat);
  for (const char* groups : {"0::/\n", "4:memory:/elsewhere\n", "", "nonsense\n:\n"}) {
    root.write("proc/self/cgroup", groups);
    EXPECT_EQ(memory_kills(root.path()), 9u) << groups;
  }
}

TEST(memory_kills, are_unknown_if_the_system_does_not_count_them) {
  const ScratchFolder root;
  EXPECT_EQ(memory_kills(root.path()), std::nullopt);
  root.write("proc/vmstat", "oom_kill many\n");
  EXPECT_EQ(memory_kills(root.path()), std::nullopt);
}

TEST(OutsideKills, say_how_the_work_ended_and_how_often) {
  EXPECT_TRUE(
      OutsideKills().str("killed by SIGKILL").starts_with("killed by SIGKILL from outside in 4 attempts"));
}

}  // namespace
}  // namespace gktune
