#include "runtime/npy_file.h"

#include <fstream>
#include <string>

namespace gktune {
namespace {

const char* descriptor(ElementType type) {
  switch (type) {
    case ElementType::int8:
      return "|i1";
    case ElementType::int16:
      return "<i2";
    case ElementType::int32:
      return "<i4";
    case ElementType::int64:
      return "<i8";
    case ElementType::uint8:
      return "|u1";
    case ElementType::uint16:
    case ElementType::bfloat16:  // NumPy has none
      return "<u2";
    case ElementType::uint32:
      return "<u4";
    case ElementType::uint64:
      return "<u8";
    case ElementType::float16:
      return "<f2";
    case ElementType::float32:
      return "<f4";
    case ElementType::float64:
      break;
  }
  return "<f8";
}

}  // namespace

Result<void> write_npy(const std::filesystem::path& path, ElementType type, std::span<const std::byte> elements) {
  std::string header = std::string("{'descr': '") + descriptor(type) + "', 'fortran_order': False, 'shape': (" +
                       std::to_string(elements.size() / element_size(type)) + ",), }";
  header.append((64 - (10 + header.size() + 1) % 64) % 64, ' ');
  header += '\n';
  std::ofstream file(path, std::ios::binary);
  file << "\x93NUMPY" << '\x01' << '\0' << static_cast<char>(header.size() & 0xff)
       << static_cast<char>(header.size() >> 8) << header;
  file.write(reinterpret_cast<const char*>(elements.data()), static_cast<std::streamsize>(elements.size()));
  file.close();
  if (!file) return Error{"cannot write " + path.string()};
  return {};
}

}  // namespace gktune
