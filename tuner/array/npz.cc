#include "tuner/array/npz.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <utility>
#include <vector>

#include "tuner/core/text.h"

namespace gktune {
namespace {

constexpr std::string_view kNpy = ".npy";
// The end record of an archive has at most this many bytes.
constexpr std::size_t kLongestEnd = 22 + 65'535;
constexpr std::size_t kLongestDirectory = std::size_t{1} << 26;

std::uint64_t number_at(const std::string& bytes, std::size_t at, int size) {
  std::uint64_t value = 0;
  for (int i = size; i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
  return value;
}

struct Member {
  std::string name;
  unsigned method = 0;
  std::uint64_t stored = 0, size = 0, offset = 0;
};

class Archive {
 public:
  explicit Archive(const std::string& path) : file_(path, std::ios::binary) {}

  // Empty if it can be read.
  std::string open() {
    if (!file_) return std::string("cannot be opened: ") + std::strerror(errno);
    file_.seekg(0, std::ios::end);
    size_ = static_cast<std::uint64_t>(file_.tellg());
    const std::uint64_t end_size = std::min<std::uint64_t>(size_, kLongestEnd);
    std::string end;
    if (!read(size_ - end_size, end_size, end)) return "cannot be read";
    const std::size_t at = end.rfind(std::string("PK\5\6"));
    if (at == std::string::npos || at + 22 > end.size()) return "not a .npz file";
    const std::uint64_t count = number_at(end, at + 10, 2), size = number_at(end, at + 12, 4),
                        offset = number_at(end, at + 16, 4);
    if (count == 0xffff || size == 0xffffffff || offset == 0xffffffff)
      return "archives of more than 4 GiB are not read";
    std::string directory;
    if (size > kLongestDirectory || !read(offset, size, directory)) return "its directory is damaged";
    std::size_t next = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      if (next + 46 > directory.size() || directory.compare(next, 4, "PK\1\2") != 0)
        return "its directory is damaged";
      Member member;
      member.method = static_cast<unsigned>(number_at(directory, next + 10, 2));
      member.stored = number_at(directory, next + 20, 4);
      member.size = number_at(directory, next + 24, 4);
      member.offset = number_at(directory, next + 42, 4);
      const std::size_t name = number_at(directory, next + 28, 2);
      const std::size_t rest = number_at(directory, next + 30, 2) + number_at(directory, next + 32, 2);
      if (next + 46 + name + rest > directory.size()) return "its directory is damaged";
      member.name = directory.substr(next + 46, name);
      if (member.stored == 0xffffffff || member.size == 0xffffffff)
        return "arrays of more than 4 GiB are not read";
      if (member.name.ends_with(kNpy)) member.name.resize(member.name.size() - kNpy.size());
      members_.push_back(std::move(member));
      next += 46 + name + rest;
    }
    return {};
  }

  const std::vector<Member>& members() const { return members_; }

  Result<std::string> contents(const Member& member, std::size_t limit) {
    const Error damaged{"the array '" + member.name + "' is damaged"};
    std::string head;
    if (!read(member.offset, 30, head) || head.compare(0, 4, "PK\3\4") != 0) return damaged;
    const std::uint64_t begin = member.offset + 30 + number_at(head, 26, 2) + number_at(head, 28, 2);
    const std::uint64_t wanted = std::min<std::uint64_t>(member.size, limit);
    std::string stored;
    if (member.method == 0) {
      if (!read(begin, wanted, stored)) return damaged;
      return stored;
    }
    if (member.method != 8) {
      return Error{"the array '" + member.name + "' is compressed by method " +
                   std::to_string(member.method) + ", which is not known"};
    }
    if (!read(begin, member.stored, stored)) return damaged;
    std::string bytes(wanted, '\0');
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return Error{"zlib cannot start"};
    stream.next_in = reinterpret_cast<Bytef*>(stored.data());
    stream.avail_in = static_cast<uInt>(stored.size());
    stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
    stream.avail_out = static_cast<uInt>(bytes.size());
    const int code = inflate(&stream, Z_FINISH);
    const bool is_whole =
        stream.avail_out == 0 && (code == Z_STREAM_END || code == Z_BUF_ERROR || code == Z_OK);
    inflateEnd(&stream);
    if (!is_whole) return damaged;
    return bytes;
  }

 private:
  bool read(std::uint64_t at, std::uint64_t size, std::string& to) {
    if (at > size_ || size > size_ - at) return false;
    to.resize(size);
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(at));
    file_.read(to.data(), static_cast<std::streamsize>(size));
    return static_cast<std::uint64_t>(file_.gcount()) == size;
  }

  std::ifstream file_;
  std::uint64_t size_ = 0;
  std::vector<Member> members_;
};

}  // namespace

Result<std::string> npz_array(const std::string& path, const std::string& array, std::size_t limit) {
  const auto error = [&](const std::string& message) { return Error{path + ": " + message}; };
  Archive archive(path);
  if (const std::string message = archive.open(); !message.empty()) return error(message);
  const std::vector<Member>& members = archive.members();
  if (members.empty()) return error("it has no arrays");
  const std::string names = joined(members, ", ", &Member::name);
  if (array.empty() && members.size() > 1) return error("it has several arrays; name one of " + names);
  const auto found = array.empty() ? members.begin() : std::ranges::find(members, array, &Member::name);
  if (found == members.end()) return error("it has no array '" + array + "'; its arrays are " + names);
  auto contents = archive.contents(*found, limit);
  if (!contents) return error(contents.error().message);
  return contents;
}

}  // namespace gktune
