#include "tuner/device/cuda/compile/module_file.h"

#include <elf.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "tuner/core/fields_json.h"
#include "tuner/core/files.h"

namespace gktune {
namespace {

// The number that stands before a word: 16 in "…, 16 bytes spill stores".
std::int64_t number_before(std::string_view line, std::string_view word) {
  const auto at = line.find(word);
  if (at == std::string_view::npos) return 0;
  auto start = at;
  while (start > 0 && line[start - 1] >= '0' && line[start - 1] <= '9') --start;
  std::int64_t number = 0;
  std::from_chars(line.data() + start, line.data() + at, number);
  return number;
}

std::int64_t number_after(std::string_view line, std::string_view word) {
  const auto at = line.find(word);
  std::int64_t number = 0;
  if (at != std::string_view::npos) {
    std::from_chars(line.data() + at + word.size(), line.data() + line.size(), number);
  }
  return number;
}

std::string_view between(std::string_view line, std::string_view before, std::string_view after) {
  const auto start = line.find(before);
  if (start == std::string_view::npos) return {};
  const auto rest = line.substr(start + before.size());
  return rest.substr(0, rest.find(after));
}

// True for a line of the assembler's report. The line is stored in the report.
bool read_report(std::string_view line, std::vector<KernelResources>& kernels) {
  if (!line.starts_with("ptxas info") && !line.starts_with("ptxas         .")) return false;
  if (line.find("Compiling entry function '") != std::string_view::npos) {
    kernels.push_back({});
    kernels.back().symbol = std::string(between(line, "Compiling entry function '", "'"));
  } else if (!kernels.empty() && line.find("bytes stack frame") != std::string_view::npos) {
    auto& kernel = kernels.back();
    kernel.stack_bytes = number_before(line, " bytes stack frame");
    kernel.spill_bytes =
        number_before(line, " bytes spill stores") + number_before(line, " bytes spill loads");
  } else if (!kernels.empty() && line.find(": Used ") != std::string_view::npos) {
    kernels.back().registers = static_cast<int>(number_after(line, ": Used "));
    kernels.back().static_shared_bytes = number_before(line, " bytes smem");
  }
  return true;
}

bool starts_message(std::string_view line) {
  return line.find("): error") != std::string_view::npos ||
         line.find("): warning") != std::string_view::npos ||
         line.find("): catastrophic error") != std::string_view::npos || line.starts_with("ptxas") ||
         line.starts_with("nvrtc: ");
}

bool is_noise(std::string_view line) {
  return line.starts_with("Remark: The warnings can be suppressed") ||
         line.find(" detected in the compilation of ") != std::string_view::npos;
}

}  // namespace

CompileLog read_compile_log(std::string_view log) {
  CompileLog result;
  std::optional<std::string> message;
  auto end_message = [&] {
    if (message) result.messages.push_back(std::move(*message));
    message.reset();
  };
  for (std::size_t start = 0; start < log.size();) {
    const auto end = std::min(log.find('\n', start), log.size());
    const std::string_view line = log.substr(start, end - start);
    start = end + 1;
    if (line.empty() || is_noise(line) || read_report(line, result.kernels)) {
      end_message();
      continue;
    }
    if (starts_message(line)) end_message();
    if (!message) message.emplace();
    *message += line;
    *message += '\n';
  }
  end_message();
  return result;
}

namespace {

// Reads sections of an ELF file for CUDA.
class Cubin {
 public:
  explicit Cubin(std::string_view bytes) : bytes_(bytes) {}

  struct Section {
    std::string_view name;
    Elf64_Shdr header;
  };
  // Empty: this is no cubin.
  std::vector<Section> sections() const {
    constexpr std::uint16_t kCudaMachine = 190;
    Elf64_Ehdr header;
    Elf64_Shdr names;
    if (!read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != kCudaMachine ||
        header.e_shstrndx >= header.e_shnum || !read(place_of(header, header.e_shstrndx), names))
      return {};
    const std::string_view all_names = contents(names);
    std::vector<Section> sections;
    for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
      Section& each = sections.emplace_back();
      if (!read(place_of(header, i), each.header) || each.header.sh_name >= all_names.size()) return {};
      each.name = all_names.substr(each.header.sh_name);
      each.name = each.name.substr(0, each.name.find('\0'));
    }
    return sections;
  }

  // The registers of kernels, by the numbers of their symbols. The section .nv.info has attributes: a form, a
  // kind, and the size of the data behind them.
  std::map<std::uint32_t, int> registers(const Elf64_Shdr& info) const {
    constexpr unsigned char kSized = 4, kRegisters = 0x2f;
    struct Count {
      std::uint32_t symbol, registers;
    };
    const Cubin data(contents(info));
    std::map<std::uint32_t, int> found;
    std::uint64_t at = 0;
    for (Attribute attribute; data.read(at, attribute);) {
      at += sizeof attribute;
      if (attribute.form != kSized) continue;
      Count count;
      if (attribute.kind == kRegisters && data.read(at, count))
        found[count.symbol] = static_cast<int>(count.registers);
      at += attribute.size;
    }
    return found;
  }

 private:
  struct Attribute {
    unsigned char form, kind;
    std::uint16_t size;
  };
  static std::uint64_t place_of(const Elf64_Ehdr& header, std::uint64_t section) {
    return header.e_shoff + section * sizeof(Elf64_Shdr);
  }
  template <class T>
  bool read(std::uint64_t offset, T& object) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return false;
    std::memcpy(&object, bytes_.data() + offset, sizeof(T));
    return true;
  }
  std::string_view contents(const Elf64_Shdr& section) const {
    return section.sh_offset > bytes_.size() ? std::string_view()
                                             : bytes_.substr(section.sh_offset, section.sh_size);
  }

  std::string_view bytes_;
};

}  // namespace

// A kernel's instructions are in .text.NAME, whose sh_info has the number of its symbol in the lower 24 bits;
// .nv.shared.NAME is as large as its static shared memory. Code that has a section for the system's own
// shared memory counts that too.
Result<std::vector<KernelResources>> kernels_in(std::string_view bytes) {
  constexpr std::string_view kText = ".text.", kShared = ".nv.shared.";
  constexpr std::uint32_t kSymbol = 0xffffff;
  constexpr std::int64_t kSystemsSharedBytes = 1024;
  const Cubin cubin(bytes);
  const std::vector<Cubin::Section> sections = cubin.sections();
  if (sections.empty()) return Error{"it is no cubin: an ELF file of 64 bits for CUDA"};
  std::map<std::uint32_t, int> registers;
  std::map<std::string_view, std::int64_t> shared_bytes;
  bool counts_systems = false;
  for (const auto& [name, header] : sections) {
    if (name == ".nv.info") registers = cubin.registers(header);
    if (name.starts_with(kShared))
      shared_bytes[name.substr(kShared.size())] = static_cast<std::int64_t>(header.sh_size);
    counts_systems = counts_systems || name.starts_with(".nv.shared.reserved.");
  }
  std::vector<KernelResources> kernels;
  for (const auto& [name, header] : sections) {
    if (!name.starts_with(kText)) continue;
    const std::string_view symbol = name.substr(kText.size());
    kernels.push_back({.symbol = std::string(symbol),
                       .registers = registers[header.sh_info & kSymbol],
                       .spill_bytes = -1,
                       .static_shared_bytes = std::max<std::int64_t>(
                           0, shared_bytes[symbol] - (counts_systems ? kSystemsSharedBytes : 0))});
  }
  return kernels;
}

std::string pack_module(const CompiledModule& module) {
  std::string bytes;
  nlohmann::json::to_cbor(written<nlohmann::json>(module), bytes);
  return bytes;
}

Result<CompiledModule> read_module(const std::filesystem::path& path) {
  const auto bytes = read_whole(path);
  if (!bytes) return Error{"no compiled module at " + path.string()};
  try {
    return read_as<CompiledModule>(nlohmann::json::from_cbor(*bytes));
  } catch (const std::exception&) {  // thrown by the library
    return Error{"the compiled module " + path.string() + " is broken"};
  }
}

}  // namespace gktune
