#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/recording/compressed.h"
#include "tests/scratch_folder.h"
#include "tuner/recording/recording.h"

namespace gktune {
namespace {

// A megabyte that compresses badly.
std::string long_text() {
  std::string text;
  for (std::uint32_t i = 0, x = 1; i < 1'000'000; ++i) {
    x = x * 1664525u + 1013904223u;
    text += static_cast<char>('a' + (x >> 24) % 26);
  }
  return text;
}

TEST(TextFile, a_plain_and_a_compressed_file_have_the_same_text) {
  ScratchFolder folder;
  const std::string text = long_text();
  folder.write("plain.json", text);
  write_compressed(folder.path("packed.json.gz"), text);
  EXPECT_EQ(read_text_file(folder / "plain.json").value(), text);
  EXPECT_EQ(read_text_file(folder / "packed.json.gz").value(), text);
}

TEST(TextFile, an_empty_file_has_an_empty_text) {
  ScratchFolder folder;
  folder.write("empty.json", "");
  EXPECT_EQ(read_text_file(folder / "empty.json").value(), "");
}

TEST(TextFile, a_file_that_is_missing_or_a_folder_is_an_error) {
  ScratchFolder folder;
  EXPECT_EQ(read_text_file(folder / "none.json").error().message,
            folder.path("none.json") + ": No such file or directory");
  EXPECT_EQ(read_text_file(folder.path()).error().message,
            folder.path().string() + ": it is a folder, not a file");
}

TEST(TextFile, compressed_data_that_ends_early_is_an_error) {
  ScratchFolder folder;
  write_compressed(folder.path("whole.gz"), long_text());
  const std::string whole = contents_of(folder.path("whole.gz"));
  for (const std::size_t length : {whole.size() - 4, whole.size() / 2, std::size_t{20}}) {
    folder.write("part.gz", whole.substr(0, length));
    EXPECT_EQ(read_text_file(folder / "part.gz").error().message,
              folder.path("part.gz") + ": the compressed data ends early")
        << length;
  }
}

TEST(TextFile, damaged_compressed_data_is_an_error) {
  ScratchFolder folder;
  write_compressed(folder.path("whole.gz"), long_text());
  std::string damaged = contents_of(folder.path("whole.gz"));
  for (std::size_t i = damaged.size() / 2; i < damaged.size() / 2 + 64; ++i) damaged[i] = '\xff';
  folder.write("damaged.gz", damaged);
  EXPECT_EQ(read_text_file(folder / "damaged.gz").error().message,
            folder.path("damaged.gz") + ": the compressed data is damaged");
}

TEST(TextFile, a_pipe_or_a_device_is_refused_at_once) {
  ScratchFolder folder;
  const std::string pipe = folder.path("pipe.json");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {pipe, std::string("/dev/zero")})
    EXPECT_EQ(read_text_file(path).error().message, path + ": it is not a regular file");
}

TEST(TextFile, more_text_than_the_limit_is_an_error) {
  ScratchFolder folder;
  write_compressed(folder.path("zeros.gz"), std::string(1 << 22, '0'));
  EXPECT_EQ(read_text_file(folder / "zeros.gz", 1 << 20).error().message,
            folder.path("zeros.gz") + ": it has more than 1048576 bytes of text");
}

}  // namespace
}  // namespace gktune
