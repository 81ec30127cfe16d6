#include "tuner/core/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ostream>
#include <set>
#include <thread>

#include "tests/file_limit.h"
#include "tests/scratch_folder.h"
#include "tests/unprivileged.h"

namespace gktune {
namespace {

namespace fs = std::filesystem;

class OutputFile : public ::testing::Test {
 protected:
  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& each : fs::directory_iterator(folder_.path())) names.insert(each.path().filename());
    return names;
  }

  ScratchFolder folder_;
  fs::path path_ = folder_ / "out.txt";
};

TEST_F(OutputFile, replaces_an_older_one) {
  for (const std::string text : {"one\n", "two\n"}) {
    ASSERT_TRUE(write_output(path_, text).ok());
    EXPECT_EQ(contents_of(path_), text);
  }
  EXPECT_EQ(files(), (std::set<std::string>{"out.txt"}));
}

TEST_F(OutputFile, is_unchanged_if_writing_fails) {
  folder_.write("out.txt", "older\n");
  const auto failed = write_output(path_, [](std::ostream& stream) -> Result<void> {
    stream << "half";
    return Error{"the database is damaged"};
  });
  EXPECT_EQ(failed.error().message, "the database is damaged");
  {
    const FileLimit limit(1000);
    EXPECT_EQ(
        write_output(path_, std::string(100'000, 'x')).error().message,
        "cannot write " + path_.string() + ": File too large: no file may exceed 1000 bytes (ulimit -f)");
  }
  EXPECT_EQ(contents_of(path_), "older\n");
  EXPECT_EQ(files(), (std::set<std::string>{"out.txt"}));
}

TEST_F(OutputFile, replaces_the_target_of_a_link_and_keeps_the_link) {
  fs::create_directory(folder_ / "deep");
  fs::create_symlink("deep/middle.txt", folder_ / "link.txt");
  fs::create_symlink("../out.txt", folder_ / "deep/middle.txt");
  ASSERT_TRUE(write_output(folder_ / "link.txt", "text").ok());
  EXPECT_TRUE(fs::is_symlink(folder_ / "link.txt"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "deep/middle.txt"));
  EXPECT_EQ(contents_of(path_), "text");
}

TEST_F(OutputFile, a_descriptor_is_written_directly) {
  const int descriptor = open(path_.c_str(), O_CREAT | O_RDWR, 0600);
  const fs::path name = "/proc/self/fd/" + std::to_string(descriptor);
  fs::create_symlink(name, folder_ / "stdout");  // as /dev/stdout is one
  ASSERT_TRUE(write_output(folder_ / "stdout", "text").ok());
  EXPECT_EQ(fs::read_symlink(folder_ / "stdout"), name);
  char read[8] = {};
  EXPECT_EQ(pread(descriptor, read, sizeof read, 0), 4);
  EXPECT_STREQ(read, "text");
  close(descriptor);
}

TEST_F(OutputFile, a_pipe_or_a_device_is_written_directly) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = contents_of(path_); });
  EXPECT_TRUE(write_output(path_, "text").ok());
  reader.join();
  EXPECT_EQ(read, "text");
  EXPECT_TRUE(fs::is_fifo(path_));
  EXPECT_EQ(write_output("/dev/full", "text").error().message,
            "cannot write /dev/full: No space left on device");
}

TEST_F(OutputFile, is_never_a_folder_or_a_database) {
  EXPECT_EQ(write_output(folder_.path(), "text").error().message, folder_.path().string() + " is a folder");
  const std::string database = std::string("SQLite format 3\0", 16) + "rows";
  folder_.write("out.txt", database);
  fs::create_symlink("out.txt", folder_ / "link.db");
  for (const char* name : {"out.txt", "link.db"}) {
    EXPECT_EQ(write_output(folder_ / name, "text").error().message,
              folder_.path(name) + " is a database, which is not replaced");
  }
  EXPECT_EQ(contents_of(path_), database);
}

TEST_F(OutputFile, fails_in_a_folder_that_is_missing_or_read_only) {
  EXPECT_EQ(write_output(folder_ / "none/out.txt", "text").error().message,
            "cannot write " + folder_.path("none/out.txt") + ": No such file or directory");
  fs::permissions(folder_.path(), fs::perms(0555));
  {
    const Unprivileged somebody;
    EXPECT_EQ(write_output(path_, "text").error().message,
              "cannot write " + path_.string() + ": Permission denied");
  }
  fs::permissions(folder_.path(), fs::perms(0755));
  EXPECT_EQ(files(), std::set<std::string>());
}

}  // namespace
}  // namespace gktune
