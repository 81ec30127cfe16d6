#include "tuner/array/npy.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <vector>

#include "tests/scratch_folder.h"

namespace gktune {
namespace {

class Npy : public ::testing::Test {
 protected:
  void write(const std::string& bytes) { folder_.write("array.npy", bytes); }

  // A file of version 1 with that dictionary and data.
  static std::string file(std::string header, const std::string& data) {
    header += '\n';
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(header.size() & 0xff);
    bytes += static_cast<char>(header.size() >> 8);
    return bytes + header + data;
  }

  // The reader's error message without the file's path; empty on success.
  std::string message(ElementType type, std::span<std::byte> buffer) {
    Result<void> result = read_npy(path_, type, buffer);
    if (result.ok()) return "";
    EXPECT_TRUE(result.error().message.starts_with(path_ + ": "));
    return result.error().message.substr(path_.size() + 2);
  }

  ScratchFolder folder_;
  std::string path_ = folder_.path("array.npy");
};

const char kFourBytes[] = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2), }";

TEST_F(Npy, a_large_array_is_read_in_pieces) {
  constexpr std::size_t kCount = (std::size_t{40} << 20) / 4 + 7;
  std::vector<std::uint32_t> numbers(kCount), read;
  for (std::size_t i = 0; i < kCount; ++i) numbers[i] = static_cast<std::uint32_t>(i * 2654435761u);
  ASSERT_TRUE(write_npy(path_, ElementType::uint32, std::as_bytes(std::span(numbers))).ok());
  int pieces = 0;
  const auto take = [&](std::span<const std::byte> piece) {
    ++pieces;
    const auto* begin = reinterpret_cast<const std::uint32_t*>(piece.data());
    read.insert(read.end(), begin, begin + piece.size() / 4);
  };
  ASSERT_TRUE(read_npy(path_, ElementType::uint32, kCount, take).ok());
  EXPECT_EQ(pieces, 3);
  EXPECT_EQ(read, numbers);
  EXPECT_TRUE(
      read_npy(path_, ElementType::uint32, kCount - 1, take).error().message.ends_with("expected 10485766"));
  std::filesystem::resize_file(path_, 20 << 20);
  EXPECT_TRUE(read_npy(path_, ElementType::uint32, kCount, take)
                  .error()
                  .message.ends_with("ends before its last element"));
}

TEST_F(Npy, elements_are_read) {
  write(file(kFourBytes, "\1\2\3\4"));
  std::vector<std::byte> buffer(4);
  EXPECT_EQ(message(ElementType::uint8, buffer), "");
  EXPECT_EQ(buffer[3], std::byte{4});
}

TEST_F(Npy, wider_elements_and_longer_headers_are_read) {
  std::string header = "{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }" + std::string(300, ' ');
  std::string bytes("\x93NUMPY\x02\x00", 8);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += std::string(2, '\0') + header + std::string("\0\0\x80\x3f", 4);
  write(bytes);
  float value = 0;
  EXPECT_EQ(message(ElementType::float32, std::as_writable_bytes(std::span(&value, 1))), "");
  EXPECT_EQ(value, 1.0f);
}

TEST_F(Npy, errors_name_the_mismatch) {
  std::vector<std::byte> four(4), eight(8);
  EXPECT_TRUE(message(ElementType::uint8, four).starts_with("cannot be opened"));
  write("PK\3\4 and so on");
  EXPECT_EQ(message(ElementType::uint8, four), "not a .npy file");
  write(file(kFourBytes, "\1\2\3"));
  EXPECT_EQ(message(ElementType::uint8, four), "ends before its last element");
  write(file(kFourBytes, "\1\2\3\4"));
  EXPECT_EQ(message(ElementType::int8, four), "its elements are |u1, expected int8");
  EXPECT_EQ(message(ElementType::uint8, eight), "holds 4 elements, of shape (2, 2); expected 8");
  write(file("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }", std::string(16, '\0')));
  EXPECT_EQ(message(ElementType::float32, four), "is in Fortran order; save it with numpy.ascontiguousarray");
  write(file("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", std::string(4, '\0')));
  EXPECT_EQ(message(ElementType::float32, four), "its elements are big-endian (>f4)");
}

TEST_F(Npy, pipes_devices_and_folders_are_refused_at_once) {
  std::vector<std::byte> four(4);
  const std::string path = folder_.path("pipe.npy");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  for (const std::string& file : {path, std::string("/dev/zero"), folder_.path().string()}) {
    const auto read = read_npy(file, ElementType::uint8, four);
    ASSERT_FALSE(read.ok()) << file;
    EXPECT_TRUE(read.error().message.starts_with(file + ": cannot be opened: it is "))
        << read.error().message;
  }
}

TEST_F(Npy, broken_headers_are_refused) {
  std::vector<std::byte> four(4);
  const char* const headers[] = {
      "",
      "{",
      "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }",
      "{'descr': '<f4', 'fortran_order': False, 'shape': 1, }",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (x,), }",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }"};
  for (const char* header : headers) {
    write(file(header, "\1\2\3\4"));
    EXPECT_TRUE(message(ElementType::float32, four).starts_with("its header makes no sense")) << header;
  }
  write(std::string("\x93NUMPY\x01\x00\xff\x00{", 11));
  EXPECT_EQ(message(ElementType::uint8, four), "ends within its header");
  write(std::string("\x93NUMPY\x09\x00\x01\x00{", 11));
  EXPECT_EQ(message(ElementType::uint8, four), "version 9 of the .npy format is not known");
  write(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff{", 13));
  EXPECT_EQ(message(ElementType::uint8, four), "its header is too long");
}

TEST_F(Npy, written_elements_of_every_type_are_read_back) {
  for (int type = 0; type <= static_cast<int>(ElementType::complex128); ++type) {
    const auto element = static_cast<ElementType>(type);
    std::vector<std::byte> written(element_size(element) * 37), found(written.size());
    for (std::size_t i = 0; i < written.size(); ++i) written[i] = static_cast<std::byte>(i * 7 + 1);
    ASSERT_TRUE(write_npy(path_, element, written).ok());
    EXPECT_EQ(message(element, found), "");
    EXPECT_EQ(found, written) << element_type_name(element);
  }
}

TEST_F(Npy, complex_numbers_have_numpys_names) {
  const std::vector<float> numbers{1, 2, 3, -4};
  ASSERT_TRUE(write_npy(path_, ElementType::complex64, std::as_bytes(std::span(numbers))).ok());
  std::vector<std::byte> found(16);
  EXPECT_EQ(message(ElementType::float32, found), "its elements are <c8, expected float32");
  EXPECT_EQ(message(ElementType::complex128, found), "its elements are <c8, expected complex128");
  write(file("{'descr': '<c16', 'fortran_order': False, 'shape': (1,), }", std::string(16, '\1')));
  EXPECT_EQ(message(ElementType::complex128, found), "");
  EXPECT_EQ(found[15], std::byte{1});
}

TEST_F(Npy, writing_in_a_folder_that_does_not_exist_is_an_error) {
  EXPECT_EQ(write_npy("/no/such/folder/x.npy", ElementType::int8, {}).error().message,
            "/no/such/folder/x.npy: cannot be written");
}

}  // namespace
}  // namespace gktune
