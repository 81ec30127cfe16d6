#include "tuner/device/host/sanitize/module_symbols.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "tuner/core/files.h"
#include "tuner/process/source_line.h"

namespace gktune {
void find_source_line(const void* code, char* line, std::size_t size) {
  line[0] = '\0';
  Dl_info info;
  if (dladdr(code, &info) == 0 || info.dli_fname == nullptr) return;
  char offset[32];
  std::snprintf(offset, sizeof(offset), "0x%zx",
                reinterpret_cast<std::uintptr_t>(code) - reinterpret_cast<std::uintptr_t>(info.dli_fbase));
  char output[4096];
  output[find_lines(info.dli_fname, offset, output, sizeof(output) - 1)] = '\0';
  // From the innermost function out: the first line that is in none of this project's headers.
  char* rest = nullptr;
  for (char* one = strtok_r(output, "\n", &rest); one != nullptr; one = strtok_r(nullptr, "\n", &rest)) {
    if (std::strstr(one, "??") != nullptr || std::strstr(one, "/host-headers-") != nullptr) continue;
    while (std::strncmp(one, "./", 2) == 0) one += 2;
    if (char* comment = std::strstr(one, " (")) *comment = '\0';
    std::snprintf(line, size, "%s", one);
    return;
  }
}

namespace {

// Null if the file ends before `count` elements.
template <class T>
const T* at(std::string_view file, std::uint64_t offset, std::uint64_t count = 1) {
  if (offset > file.size() || count > (file.size() - offset) / sizeof(T)) return nullptr;
  return reinterpret_cast<const T*>(file.data() + offset);
}

// Decides by the mangled name. The library's global functions are always inlined.
bool is_of_library(std::string_view name) {
  if (!name.starts_with("_Z")) return false;
  name.remove_prefix(2);
  while (name.starts_with('Z')) name.remove_prefix(1);  // within a function
  if (name.starts_with("St")) return true;
  if (!name.starts_with('N')) return false;
  name.remove_prefix(1);
  if (name.starts_with('K')) name.remove_prefix(1);
  return name.starts_with("St") || name.starts_with("6gktune6kernel") || name.starts_with("4cuda") ||
         name.starts_with("3cub") || name.starts_with("18cooperative_groups");
}

}  // namespace

bool ModuleSymbols::is_library(std::uintptr_t code) const {
  const auto after = std::ranges::upper_bound(library_functions, code, {}, &Range::begin);
  return after != library_functions.begin() && code < std::prev(after)->end;
}

bool ModuleSymbols::is_guard(std::uintptr_t thread_local_offset) const {
  return std::ranges::find(guard_variables, thread_local_offset) != guard_variables.end();
}

ModuleSymbols read_module_symbols(const std::string& path) {
  const auto bytes = read_whole(path);
  ModuleSymbols found;
  if (!bytes) return found;
  const std::string_view file = *bytes;
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
      if (symbols[k].st_name >= text.size()) continue;
      const std::string_view name = text.substr(symbols[k].st_name);
      const unsigned type = ELF64_ST_TYPE(symbols[k].st_info);
      if (type == STT_TLS && (name.starts_with("_ZGV") || name.starts_with("__tls_guard")))
        found.guard_variables.push_back(symbols[k].st_value);
      if (type == STT_FUNC && symbols[k].st_size > 0 && is_of_library(name))
        found.library_functions.push_back({symbols[k].st_value, symbols[k].st_value + symbols[k].st_size});
    }
  }
  std::ranges::sort(found.library_functions, {}, &ModuleSymbols::Range::begin);
  return found;
}

}  // namespace gktune
