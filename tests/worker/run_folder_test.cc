#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <vector>

#include "tests/process/processes.h"
#include "tests/scratch_folder.h"
#include "tuner/device/worker/folders.h"

namespace gktune {
namespace {

namespace fs = std::filesystem;

std::size_t count_of(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

// A process that has made a folder and waits.
pid_t process_with_folder(const fs::path& parent) {
  int ready[2];
  EXPECT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    auto folder = RunFolder::make(parent);
    const char is_made = folder.ok() ? 1 : 0;
    if (write(ready[1], &is_made, 1) != 1) _exit(1);
    while (true) pause();
  }
  char is_made = 0;
  EXPECT_EQ(read(ready[0], &is_made, 1), 1);
  EXPECT_EQ(is_made, 1);
  close(ready[0]);
  close(ready[1]);
  return child;
}

void end(pid_t child) {
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST(RunFolder, is_removed_with_its_run) {
  const ScratchFolder parent;
  fs::path path;
  {
    const auto folder = RunFolder::make(parent.path());
    path = folder->path();
    EXPECT_EQ(path.parent_path(), parent.path());
    std::ofstream(path / "file") << "text";
    fs::create_directories(path / "a" / "b");
  }
  EXPECT_EQ(count_of(parent.path()), 0u);
}

TEST(RunFolder, is_removed_by_the_next_run_if_its_process_was_killed) {
  const ScratchFolder parent;
  const pid_t dead = process_with_folder(parent.path());
  end(dead);
  EXPECT_EQ(count_of(parent.path()), 1u);
  const auto folder = RunFolder::make(parent.path());
  ASSERT_TRUE(folder.ok());
  EXPECT_EQ(count_of(parent.path()), 1u) << "the dead one's and the new one";
}

TEST(RunFolder, stays_while_its_process_lives_even_if_that_is_stopped) {
  const ScratchFolder parent;
  const pid_t other = process_with_folder(parent.path());
  kill(other, SIGSTOP);
  { const auto folder = RunFolder::make(parent.path()); }
  EXPECT_EQ(count_of(parent.path()), 1u);
  end(other);
}

TEST(RunFolder, removes_nothing_else_and_follows_no_link) {
  const ScratchFolder parent, other;
  parent.write("run-file", "text");
  parent.write("code", "text");
  other.write("file", "text");
  fs::create_directory_symlink(other.path(), parent / "run-linked");
  { const auto folder = RunFolder::make(parent.path()); }
  EXPECT_EQ(count_of(parent.path()), 3u);
  EXPECT_TRUE(fs::exists(other / "file"));
}

TEST(RunFolder, is_removed_if_its_process_died_before_locking_it) {
  const ScratchFolder parent;
  fs::create_directory(parent / "run-abcdef");
  { const auto folder = RunFolder::make(parent.path()); }
  EXPECT_EQ(count_of(parent.path()), 0u);
}

TEST(RunFolder, can_be_made_by_many_processes_at_once) {
  const ScratchFolder parent;
  EXPECT_TRUE(holds_in_children(4, [&](int) {
    bool is_mine = true;
    for (int round = 0; round < 200; ++round) {
      const auto folder = RunFolder::make(parent.path());
      std::error_code error;
      if (folder.ok()) std::ofstream(folder->path() / "file") << "text";
      is_mine = is_mine && folder.ok() && fs::file_size(folder->path() / "file", error) == 4;
    }
    return is_mine;
  }));
  EXPECT_EQ(count_of(parent.path()), 0u);
}

TEST(RunFolder, says_why_it_cannot_be_made) {
  const ScratchFolder parent;
  const auto folder = RunFolder::make(parent / "missing");
  ASSERT_FALSE(folder.ok());
  EXPECT_TRUE(folder.error().message.ends_with(": No such file or directory")) << folder.error().message;
}

}  // namespace
}  // namespace gktune
