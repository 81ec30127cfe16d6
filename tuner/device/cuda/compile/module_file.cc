#include "tuner/device/cuda/compile/module_file.h"

#include <algorithm>
#include <charconv>
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
