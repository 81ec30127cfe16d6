// A database whose writers are killed, or that has several writers.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <random>
#include <thread>

#include "db/database.h"
#include "db/sqlite/connection.h"
#include "tests/db/example_study.h"
#include "tests/process/processes.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

// A child that runs `body` with the write end of a pipe, and its read end.
class Child {
 public:
  template <class Body>
  explicit Child(Body body) {
    int ends[2];
    if (pipe(ends) != 0) abort();
    pid_ = fork();
    if (pid_ == 0) {
      close(ends[0]);
      _exit(body(ends[1]));
    }
    close(ends[1]);
    read_end_ = ends[0];
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { close(read_end_); }

  void kill() const { ::kill(pid_, SIGKILL); }
  int wait() const {
    int status = 0;
    waitpid(pid_, &status, 0);
    return status;
  }
  // Waits for so many bytes, or for its end; how many there were.
  std::int64_t read_bytes(std::int64_t most) const {
    std::int64_t total = 0;
    char byte = 0;
    while (total < most && read(read_end_, &byte, 1) == 1) ++total;
    return total;
  }

 private:
  pid_t pid_ = 0;
  int read_end_ = -1;
};

constexpr std::int64_t kAll = 1'000'000'000;

// Writes trials from `first` on, and a byte to the pipe after each. 1: something failed.
int write_trials(const std::filesystem::path& path, std::int64_t first, std::int64_t count, int pipe_end) {
  auto store = Database::open(path, Database::Access::write);
  if (!store.ok()) return 1;
  auto session = (*store)->begin_session({});
  auto study = (*store)->study_id(reduce_study());
  if (!session.ok() || !study.ok()) return 1;
  for (std::int64_t i = first; i < first + count; ++i) {
    Trial trial = ok_trial({{"a", i}}, 5);
    trial.samples_us.assign(100, 5.0);
    if (!(*store)->add_trial(*study, *session, trial).ok()) return 1;
    if (!(*store)->add_playoff(*study, *session, {{trial}, i + 1}).ok()) return 1;
    if (::write(pipe_end, "x", 1) != 1) return 1;
  }
  return 0;
}

TEST(StoreCrash, a_kill_at_any_moment_loses_at_most_the_trial_in_flight) {
  ScratchFolder scratch;
  std::mt19937 random(20240607);
  std::int64_t known = 0;
  std::filesystem::path path;
  for (int round = 0; round < 60; ++round) {
    if (round % 4 == 0) {  // also while the file is being made
      path = scratch / std::to_string(round);
      known = 0;
    }
    Child child([&](int pipe_end) { return write_trials(path, known, 1'000'000, pipe_end); });
    auto acknowledged = child.read_bytes(std::uniform_int_distribution<int>(0, 12)(random));
    std::this_thread::sleep_for(
        std::chrono::microseconds(std::uniform_int_distribution<int>(0, 4000)(random)));
    child.kill();
    ASSERT_TRUE(WIFSIGNALED(child.wait()));
    acknowledged += child.read_bytes(kAll);

    auto store = Database::open(path, Database::Access::write);
    auto study = (*store)->study_id(reduce_study());
    auto trials = (*store)->trials(*study);
    auto count = static_cast<std::int64_t>(trials->size());
    EXPECT_GE(count, known + acknowledged);
    EXPECT_LE(count, known + acknowledged + 1);
    for (std::int64_t i = 0; i < count; ++i) {
      ASSERT_EQ(trials->at(static_cast<std::size_t>(i)).config, (Config{{"a", i}}));
    }
    sqlite::Connection database(path, sqlite::Connection::Access::read, std::chrono::seconds(1));
    EXPECT_EQ(database.text("PRAGMA integrity_check"), "ok");
    known = count;
  }
}

TEST(StoreCrash, several_programs_may_write_one_new_file_at_once) {
  ScratchFolder scratch;
  auto path = scratch / "gktune.db";
  constexpr std::int64_t kEach = 100;
  EXPECT_TRUE(holds_in_children(
      4, [&](int i) { return write_trials(path, i * kEach, kEach, ::open("/dev/null", O_WRONLY)) == 0; }));
  auto store = Database::open(path, Database::Access::read);
  ASSERT_EQ((*store)->studies()->size(), 1u);
  EXPECT_EQ((*store)->trials(1)->size(), 4u * kEach);
}

}  // namespace
}  // namespace gktune
