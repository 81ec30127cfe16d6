#include "tuner/device/host/sanitize/guard_variables.h"

#include <elf.h>
#include <link.h>

#include <cstring>
#include <string>
#include <string_view>

#include "tuner/device/worker/whole_file.h"

namespace gktune {
namespace {

// Null where the file ends before `count` of them do.
template <class T>
const T* at(std::string_view file, std::uint64_t offset, std::uint64_t count = 1) {
  if (offset > file.size() || count > (file.size() - offset) / sizeof(T)) return nullptr;
  return reinterpret_cast<const T*>(file.data() + offset);
}

}  // namespace

std::vector<std::uintptr_t> find_guard_variables(const std::string& path) {
  const std::string bytes = read_whole(path).value_or("");
  const std::string_view file = bytes;
  std::vector<std::uintptr_t> found;
  const auto* header = at<ElfW(Ehdr)>(file, 0);
  if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return found;
  const auto* sections = at<ElfW(Shdr)>(file, header->e_shoff, header->e_shnum);
  for (unsigned i = 0; sections != nullptr && i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB || sections[i].sh_link >= header->e_shnum) continue;
    const ElfW(Shdr)& names = sections[sections[i].sh_link];
    const std::uint64_t count = sections[i].sh_size / sizeof(ElfW(Sym));
    const auto* symbols = at<ElfW(Sym)>(file, sections[i].sh_offset, count);
    if (symbols == nullptr || at<char>(file, names.sh_offset, names.sh_size) == nullptr) continue;
    const std::string_view text = file.substr(names.sh_offset, names.sh_size);
    for (std::uint64_t k = 0; k < count; ++k) {
      if (ELF64_ST_TYPE(symbols[k].st_info) != STT_TLS || symbols[k].st_name >= text.size()) continue;
      const std::string_view name = text.substr(symbols[k].st_name);
      if (name.starts_with("_ZGV") || name.starts_with("__tls_guard")) found.push_back(symbols[k].st_value);
    }
  }
  return found;
}

}  // namespace gktune
