#include "tuner/array/npy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include "tuner/core/files.h"
#include "tuner/core/text.h"

namespace gktune {
namespace {

struct Header {
  std::string dtype;
  bool is_fortran = false;
  std::size_t dimensions = 0;
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
    ++header.dimensions;
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
  std::ifstream bytes;
  Header header;
};

bool read_bytes(std::ifstream& from, void* to, std::size_t size) {
  from.read(static_cast<char*>(to), static_cast<std::streamsize>(size));
  return static_cast<std::size_t>(from.gcount()) == size;
}

Result<OpenArray> open_array(const std::string& path) {
  auto error = [&](const std::string& what) { return Error{path + ": " + what}; };
  auto opened = open_regular(path);
  if (!opened) return error("cannot be opened: " + opened.error().message);
  OpenArray array{*std::move(opened), {}};
  std::array<unsigned char, 12> start{};
  if (!read_bytes(array.bytes, start.data(), 10) || std::memcmp(start.data(), "\x93NUMPY", 6) != 0) {
    return error("not a .npy file");
  }
  const unsigned version = start[6];
  if (version < 1 || version > 3)
    return error("version " + std::to_string(version) + " of the .npy format is not known");
  std::size_t length = start[8] + 256u * start[9];
  if (version > 1) {
    if (!read_bytes(array.bytes, start.data() + 10, 2)) return error("ends within its header");
    length += (std::size_t{start[10]} << 16) + (std::size_t{start[11]} << 24);
  }
  if (length > kLongestHeader) return error("its header is too long");
  std::string text(length, '\0');
  if (!read_bytes(array.bytes, text.data(), length)) return error("ends within its header");
  const std::optional<Header> header = parse_header(text);
  if (!header) return error("its header makes no sense: " + std::string(trimmed(text, kBlanks)));
  array.header = *header;
  return array;
}

// The array whose elements follow, if there are as many as expected, of that type.
Result<OpenArray> open_elements(const std::string& path, ElementType type, std::uint64_t count) {
  auto error = [&](const std::string& what) { return Error{path + ": " + what}; };
  auto array = GKTUNE_TRY(open_array(path));
  const Header& header = array.header;
  if (header.dtype.starts_with('>')) return error("its elements are big-endian (" + header.dtype + ')');
  if (!fits(header.dtype, type)) {
    return error("its elements are " + header.dtype + ", expected " + std::string(element_type_name(type)));
  }
  if (header.is_fortran && header.dimensions > 1) {
    return error("is in Fortran order; save it with numpy.ascontiguousarray");
  }
  if (header.count != count) {
    return error("holds " + std::to_string(header.count) + " elements, of shape " + header.shape +
                 "; expected " + std::to_string(count));
  }
  return array;
}

Error ends_early(const std::string& path) { return {path + ": ends before its last element"}; }

}  // namespace

Result<void> read_npy(const std::string& path, ElementType type, std::span<std::byte> buffer) {
  auto array = GKTUNE_TRY(open_elements(path, type, buffer.size() / element_size(type)));
  if (!read_bytes(array.bytes, buffer.data(), buffer.size())) return ends_early(path);
  return {};
}

Result<void> read_npy(const std::string& path, ElementType type, std::uint64_t count,
                      const std::function<void(std::span<const std::byte>)>& take) {
  constexpr std::uint64_t kPiece = std::uint64_t{16} << 20;
  auto array = GKTUNE_TRY(open_elements(path, type, count));
  std::uint64_t left = count * element_size(type);
  std::vector<std::byte> piece(std::min(left, kPiece));
  for (; left > 0; left -= piece.size()) {
    piece.resize(std::min(left, kPiece));
    if (!read_bytes(array.bytes, piece.data(), piece.size())) return ends_early(path);
    take(piece);
  }
  return {};
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
