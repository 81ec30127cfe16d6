#include "tuner/array/npy.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fstream>
#include <istream>
#include <memory>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "tuner/core/files.h"
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

struct BadArchive {
  std::string message;
};

// The constructor and the members throw BadArchive.
class Archive {
 public:
  explicit Archive(const std::string& path) {
    auto opened = open_regular(path);
    if (!opened) throw BadArchive{"cannot be opened: " + opened.error().message};
    file_ = *std::move(opened);
    file_.seekg(0, std::ios::end);
    size_ = static_cast<std::uint64_t>(file_.tellg());
    const std::uint64_t end_size = std::min<std::uint64_t>(size_, kLongestEnd);
    const std::string end = read(size_ - end_size, end_size, "cannot be read");
    const std::size_t at = end.rfind(std::string("PK\5\6"));
    if (at == std::string::npos || at + 22 > end.size()) throw BadArchive{"not a .npz file"};
    const std::uint64_t count = number_at(end, at + 10, 2), size = number_at(end, at + 12, 4),
                        offset = number_at(end, at + 16, 4);
    if (count == 0xffff || size == 0xffffffff || offset == 0xffffffff)
      throw BadArchive{"archives of more than 4 GiB are not read"};
    if (size > kLongestDirectory) throw BadArchive{kDamaged};
    const std::string directory = read(offset, size, kDamaged);
    std::size_t next = 0;
    while (members_.size() < count) next = add_member(directory, next);
  }

  const std::vector<Member>& members() const { return members_; }

  std::string contents(const Member& member, std::size_t limit) {
    const std::string damaged = "the array '" + member.name + "' is damaged";
    const std::string head = read(member.offset, 30, damaged);
    if (head.compare(0, 4, "PK\3\4") != 0) throw BadArchive{damaged};
    const std::uint64_t begin = member.offset + 30 + number_at(head, 26, 2) + number_at(head, 28, 2);
    const std::uint64_t wanted = std::min<std::uint64_t>(member.size, limit);
    if (member.method == 0) return read(begin, wanted, damaged);
    if (member.method != 8)
      throw BadArchive{"the array '" + member.name + "' is compressed by method " +
                       std::to_string(member.method) + ", which is not known"};
    // No program stores more for the bytes that are wanted.
    const std::uint64_t needed = std::min<std::uint64_t>(member.stored, compressBound(wanted));
    std::string stored = read(begin, needed, damaged), bytes(wanted, '\0');
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw BadArchive{"zlib cannot start"};
    stream.next_in = reinterpret_cast<Bytef*>(stored.data());
    stream.avail_in = static_cast<uInt>(stored.size());
    stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
    stream.avail_out = static_cast<uInt>(bytes.size());
    const int code = inflate(&stream, Z_FINISH);
    inflateEnd(&stream);
    const bool is_sound = code == Z_STREAM_END || code == Z_BUF_ERROR || code == Z_OK;
    if (stream.avail_out != 0 || !is_sound) throw BadArchive{damaged};
    return bytes;
  }

 private:
  static constexpr const char* kDamaged = "its directory is damaged";

  // Reads the entry of the directory at `at`. Returns where the next one begins.
  std::size_t add_member(const std::string& directory, std::size_t at) {
    if (at + 46 > directory.size() || directory.compare(at, 4, "PK\1\2") != 0) throw BadArchive{kDamaged};
    const auto number = [&](std::size_t offset, int size) { return number_at(directory, at + offset, size); };
    const std::size_t name = number(28, 2), end = at + 46 + name + number(30, 2) + number(32, 2);
    if (end > directory.size()) throw BadArchive{kDamaged};
    Member member{directory.substr(at + 46, name), static_cast<unsigned>(number(10, 2)), number(20, 4),
                  number(24, 4), number(42, 4)};
    if (member.stored == 0xffffffff || member.size == 0xffffffff)
      throw BadArchive{"arrays of more than 4 GiB are not read"};
    if (member.name.ends_with(kNpy)) member.name.resize(member.name.size() - kNpy.size());
    members_.push_back(std::move(member));
    return end;
  }

  std::string read(std::uint64_t at, std::uint64_t size, const std::string& message) {
    if (at > size_ || size > size_ - at) throw BadArchive{message};
    std::string bytes(size, '\0');
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(at));
    file_.read(bytes.data(), static_cast<std::streamsize>(size));
    if (static_cast<std::uint64_t>(file_.gcount()) != size) throw BadArchive{message};
    return bytes;
  }

  std::ifstream file_;
  std::uint64_t size_ = 0;
  std::vector<Member> members_;
};

// The first bytes of an array in a .npz file (a zip archive of .npy files), at most `limit`. Without a name
// the file must have one array.
Result<std::string> npz_array(const std::string& path, const std::string& array, std::size_t limit) {
  const auto error = [&](const std::string& message) { return Error{path + ": " + message}; };
  try {
    Archive archive(path);
    const std::vector<Member>& members = archive.members();
    if (members.empty()) return error("it has no arrays");
    const std::string names = joined(members, ", ", &Member::name);
    if (array.empty() && members.size() > 1) return error("it has several arrays; name one of " + names);
    const auto found = array.empty() ? members.begin() : std::ranges::find(members, array, &Member::name);
    if (found == members.end()) return error("it has no array '" + array + "'; its arrays are " + names);
    return archive.contents(*found, limit);
  } catch (const BadArchive& bad) {
    return error(bad.message);
  }
}

struct Header {
  std::string dtype;
  bool is_fortran = false;
  std::vector<std::uint64_t> extents;
  std::uint64_t count = 1;
  std::string shape;  // as written: (3, 4)
};

constexpr std::size_t kLongestHeader = 1 << 16;
constexpr std::string_view kBlanks = " \t\n";

// The text behind 'key': in the dictionary.
std::optional<std::string_view> behind(std::string_view text, std::string_view key) {
  const std::size_t at = text.find("'" + std::string(key) + "'");
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t colon = text.find(':', at);
  if (colon == std::string_view::npos) return std::nullopt;
  return trimmed(text.substr(colon + 1), kBlanks);
}

bool read_shape(std::string_view text, Header& header) {
  const std::size_t close = text.find(')');
  if (text.empty() || text.front() != '(' || close == std::string_view::npos) return false;
  header.shape = text.substr(0, close + 1);
  std::string_view rest = text.substr(1, close - 1);
  while (!trimmed(rest, kBlanks).empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view size = trimmed(rest.substr(0, comma), kBlanks);
    std::uint64_t value = 0;
    auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), value);
    if (error != std::errc() || end != size.data() + size.size()) return false;
    if (value != 0 && header.count > UINT64_MAX / value) return false;
    header.count *= value;
    header.extents.push_back(value);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return true;
}

std::optional<Header> parse_header(std::string_view text) {
  const auto dtype = behind(text, "descr"), order = behind(text, "fortran_order"),
             shape = behind(text, "shape");
  if (!dtype || !order || !shape || dtype->empty() || dtype->front() != '\'') return std::nullopt;
  const std::size_t end = dtype->find('\'', 1);
  if (end == std::string_view::npos) return std::nullopt;
  Header header;
  header.dtype = dtype->substr(1, end - 1);
  header.is_fortran = order->starts_with("True");
  if (!read_shape(*shape, header)) return std::nullopt;
  return header;
}

// NumPy's name of an element type, without the byte order: i4, f8. It has no bfloat16 and no numbers of eight
// bits: their bits are unsigned integers.
std::string kind_of(ElementType type) {
  const bool is_float =
      type == ElementType::float16 || type == ElementType::float32 || type == ElementType::float64;
  const char letter = is_complex(type) ? 'c' : is_float ? 'f' : type <= ElementType::int64 ? 'i' : 'u';
  return letter + std::to_string(element_size(type));
}

bool fits(std::string_view dtype, ElementType type) {
  if (dtype.size() < 3 || dtype.front() == '>') return false;
  const std::string_view kind = dtype.substr(1);
  return kind == kind_of(type) || (type == ElementType::bfloat16 && kind == "V2");
}

// An array that is open at its first byte.
struct OpenArray {
  std::unique_ptr<std::istream> bytes;
  Header header;
};

std::string name_of(const ArrayFile& file) {
  return file.array.empty() ? file.path : file.path + ": " + file.array;
}

bool read_bytes(std::istream& from, void* to, std::size_t size) {
  from.read(static_cast<char*>(to), static_cast<std::streamsize>(size));
  return static_cast<std::size_t>(from.gcount()) == size;
}

// `limit` bounds the bytes of an array in a .npz file.
Result<OpenArray> open_array(const ArrayFile& file, std::size_t limit) {
  auto error = [&](const std::string& what) { return Error{name_of(file) + ": " + what}; };
  OpenArray array;
  if (!file.array.empty() || file.path.ends_with(".npz")) {
    auto bytes = npz_array(file.path, file.array, limit);
    if (!bytes) return bytes.error();
    array.bytes = std::make_unique<std::istringstream>(*std::move(bytes));
  } else {
    auto opened = open_regular(file.path);
    if (!opened) return error("cannot be opened: " + opened.error().message);
    array.bytes = std::make_unique<std::ifstream>(*std::move(opened));
  }
  std::array<unsigned char, 12> start{};
  if (!read_bytes(*array.bytes, start.data(), 10) || std::memcmp(start.data(), "\x93NUMPY", 6) != 0) {
    return error("not a .npy file");
  }
  const unsigned version = start[6];
  if (version < 1 || version > 3)
    return error("version " + std::to_string(version) + " of the .npy format is not known");
  std::size_t length = start[8] + 256u * start[9];
  if (version > 1) {
    if (!read_bytes(*array.bytes, start.data() + 10, 2)) return error("ends within its header");
    length += (std::size_t{start[10]} << 16) + (std::size_t{start[11]} << 24);
  }
  if (length > kLongestHeader) return error("its header is too long");
  std::string text(length, '\0');
  if (!read_bytes(*array.bytes, text.data(), length)) return error("ends within its header");
  const std::optional<Header> header = parse_header(text);
  if (!header) return error("its header makes no sense: " + std::string(trimmed(text, kBlanks)));
  array.header = *header;
  return array;
}

}  // namespace

namespace {

// The array whose elements follow, if there are as many as expected, of that type.
Result<OpenArray> open_elements(const ArrayFile& file, ElementType type, std::uint64_t count) {
  auto error = [&](const std::string& what) { return Error{name_of(file) + ": " + what}; };
  // A larger array is too large anyway.
  auto array = open_array(file, count * element_size(type) + kLongestHeader + 16);
  if (!array) return array;
  const Header& header = array->header;
  if (header.dtype.starts_with('>')) return error("its elements are big-endian (" + header.dtype + ')');
  if (!fits(header.dtype, type)) {
    return error("its elements are " + header.dtype + ", expected " + std::string(element_type_name(type)));
  }
  if (header.is_fortran && header.extents.size() > 1) {
    return error("is in Fortran order; save it with numpy.ascontiguousarray");
  }
  if (header.count != count) {
    return error("holds " + std::to_string(header.count) + " elements, of shape " + header.shape +
                 "; expected " + std::to_string(count));
  }
  return array;
}

Error ends_early(const ArrayFile& file) { return {name_of(file) + ": ends before its last element"}; }

}  // namespace

Result<void> read_npy(const ArrayFile& file, ElementType type, std::span<std::byte> buffer) {
  const auto array = open_elements(file, type, buffer.size() / element_size(type));
  if (!array) return array.error();
  if (!read_bytes(*array->bytes, buffer.data(), buffer.size())) return ends_early(file);
  return {};
}

Result<void> read_npy(const ArrayFile& file, ElementType type, std::uint64_t count,
                      const std::function<void(std::span<const std::byte>)>& take) {
  constexpr std::uint64_t kPiece = std::uint64_t{16} << 20;
  const auto array = open_elements(file, type, count);
  if (!array) return array.error();
  std::uint64_t left = count * element_size(type);
  std::vector<std::byte> piece(std::min(left, kPiece));
  for (; left > 0; left -= piece.size()) {
    piece.resize(std::min(left, kPiece));
    if (!read_bytes(*array->bytes, piece.data(), piece.size())) return ends_early(file);
    take(piece);
  }
  return {};
}

Result<std::vector<std::uint64_t>> npy_shape(const ArrayFile& file) {
  auto array = open_array(file, kLongestHeader + 16);
  if (!array) return array.error();
  return std::move(array->header.extents);
}

Result<void> write_npy(const std::string& path, ElementType type, std::span<const std::byte> elements) {
  const std::size_t size = element_size(type);
  std::string header = std::string("{'descr': '") + (size == 1 ? '|' : '<') + kind_of(type) +
                       "', 'fortran_order': False, 'shape': (" + std::to_string(elements.size() / size) +
                       ",), }";
  header.append((64 - (10 + header.size() + 1) % 64) % 64, ' ');
  header += '\n';
  std::ofstream file(path, std::ios::binary);
  file << "\x93NUMPY" << '\x01' << '\0' << static_cast<char>(header.size() & 0xff)
       << static_cast<char>(header.size() >> 8) << header;
  file.write(reinterpret_cast<const char*>(elements.data()), static_cast<std::streamsize>(elements.size()));
  file.close();
  if (!file) return Error{path + ": cannot be written"};
  return {};
}

}  // namespace gktune
