
#include <gtest/gtest.h>
#include <zlib.h>

#include <vector>

#include "tests/scratch_folder.h"
#include "tuner/array/npy.h"

namespace gktune {
namespace {

std::string number(std::uint64_t value, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
  return bytes;
}

std::string deflated(const std::string& text) {
  std::string out(compressBound(text.size()) + 16, '\0');
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// An .npy file of unsigned 32-bit integers.
std::string npy(const std::vector<std::uint32_t>& values, const std::string& shape) {
  std::string header = "{'descr': '<u4', 'fortran_order': False, 'shape': " + shape + ", }\n";
  std::string bytes = std::string("\x93NUMPY\x01\x00", 8) + number(header.size(), 2) + header;
  for (const std::uint32_t value : values) bytes += number(value, 4);
  return bytes;
}

class Npz : public testing::Test {
 protected:
  struct Member {
    std::string name, contents;
    int method;
  };
  // Writes the file as numpy.savez and numpy.savez_compressed do.
  void write(const std::vector<Member>& members) {
    std::string archive, directory;
    for (const Member& member : members) {
      const std::string stored = member.method == 8 ? deflated(member.contents) : member.contents;
      const std::string common =
          number(20, 2) + number(0, 2) + number(static_cast<std::uint64_t>(member.method), 2) + number(0, 8) +
          number(stored.size(), 4) + number(member.contents.size(), 4) + number(member.name.size(), 2);
      directory += "PK\1\2" + number(20, 2) + common + number(0, 2) + number(0, 2) + number(0, 8) +
                   number(archive.size(), 4) + member.name;
      const std::string extra(20, 'x');
      archive += "PK\3\4" + common + number(extra.size(), 2) + member.name + extra + stored;
    }
    const std::string end = "PK\5\6" + number(0, 4) + number(members.size(), 2) + number(members.size(), 2) +
                            number(directory.size(), 4) + number(archive.size(), 4) + number(0, 2);
    folder_.write("a.npz", archive + directory + end);
  }
  std::string message(const std::string& array, std::size_t count = 3) {
    std::vector<std::uint32_t> values(count);
    const auto result =
        read_npy({path_, array}, ElementType::uint32, std::as_writable_bytes(std::span(values)));
    if (result.ok()) return "";
    const std::string& text = result.error().message;
    EXPECT_TRUE(text.starts_with(path_ + ": ")) << text;
    return text.substr(path_.size() + 2);
  }
  ScratchFolder folder_;
  std::string path_ = folder_.path("a.npz");
};

TEST_F(Npz, stored_and_compressed_arrays_are_read_by_name) {
  std::vector<std::uint32_t> many(100'000);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<std::uint32_t>(i);
  write({{"small.npy", npy({1, 2, 3}, "(3,)"), 0}, {"large.npy", npy(many, "(1000, 100)"), 8}});
  std::vector<std::uint32_t> values(3), all(many.size());
  ASSERT_TRUE(
      read_npy({path_, "small"}, ElementType::uint32, std::as_writable_bytes(std::span(values))).ok());
  EXPECT_EQ(values, (std::vector<std::uint32_t>{1, 2, 3}));
  ASSERT_TRUE(read_npy({path_, "large"}, ElementType::uint32, std::as_writable_bytes(std::span(all))).ok());
  EXPECT_EQ(all, many);
  EXPECT_EQ(*npy_shape({path_, "large"}), (std::vector<std::uint64_t>{1000, 100}));
}

TEST_F(Npz, the_only_array_needs_no_name) {
  write({{"arr_0.npy", npy({5, 6, 7}, "(3,)"), 8}});
  EXPECT_EQ(message(""), "");
  EXPECT_EQ(*npy_shape({path_, ""}), (std::vector<std::uint64_t>{3}));
}

TEST_F(Npz, errors_say_why_an_archive_cannot_be_read) {
  EXPECT_TRUE(message("x").starts_with("cannot be opened"));
  folder_.write("a.npz", "");
  EXPECT_EQ(message("x"), "not a .npz file");
  folder_.write("a.npz", "PK\5\6 too short");
  EXPECT_EQ(message("x"), "not a .npz file");
  write({});
  EXPECT_EQ(message("x"), "it has no arrays");
  write({{"a.npy", npy({1, 2, 3}, "(3,)"), 0}, {"b.npy", "", 0}});
  EXPECT_EQ(message(""), "it has several arrays; name one of a, b");
  EXPECT_EQ(message("c"), "it has no array 'c'; its arrays are a, b");
  EXPECT_EQ(message("b"), "b: not a .npy file");
  EXPECT_EQ(message("a", 4), "a: holds 3 elements, of shape (3,); expected 4");
  write({{"a.npy", npy({1, 2, 3}, "(3,)"), 9}});
  EXPECT_EQ(message("a"), "the array 'a' is compressed by method 9, which is not known");
}

TEST_F(Npz, damaged_bytes_do_not_crash_and_cut_files_are_errors) {
  write({{"a.npy", npy({1, 2, 3}, "(3,)"), 8}});
  const std::string good = contents_of(path_);
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0xff);
    folder_.write("a.npz", bad);
    std::vector<std::uint32_t> values(3);
    (void)read_npy({path_, "a"}, ElementType::uint32, std::as_writable_bytes(std::span(values)));
    folder_.write("a.npz", good.substr(0, i));
    EXPECT_FALSE(read_npy({path_, "a"}, ElementType::uint32, std::as_writable_bytes(std::span(values))).ok())
        << i;
  }
}

}  // namespace
}  // namespace gktune
