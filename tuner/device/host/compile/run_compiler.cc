#include "tuner/device/host/compile/run_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <utility>

#include "tuner/core/files.h"
#include "tuner/process/outside_kills.h"
#include "tuner/source/flat_source.h"
#include "tuner/source/source_names.h"
#include "tuner/space/fingerprint.h"

namespace gktune {
namespace {

constexpr const char* kKilledTexts[] = {
    "Killed signal terminated program",  "Terminated signal terminated program",
    "terminated with signal 9 [",        "terminated with signal 15 [",
    "unable to execute command: Killed", "unable to execute command: Terminated"};

// Errors of the system, such as no more files or processes, say nothing about the source.
bool is_the_machines_fault(const std::string& log) {
  return std::ranges::any_of(std::array{ENOSPC, EDQUOT, EFBIG, EROFS, EIO, EMFILE, ENFILE, EAGAIN},
                             [&](int error) { return log.find(std::strerror(error)) != std::string::npos; });
}

// True if something outside, or a system without memory, killed the compiler or a program that it
// started, which GCC and Clang report.
bool was_killed(const CommandOutput& output) {
  if (output.exit_code == 128 + SIGKILL || output.exit_code == 128 + SIGTERM) return true;
  return output.exit_code != 0 && std::ranges::any_of(kKilledTexts, [&](const char* text) {
           return output.text.find(text) != std::string::npos;
         });
}

// Runs a compiler, again where something outside kills it.
Result<CommandOutput> call_compiler(const std::vector<std::string>& words) {
  Result<CommandOutput> result = run_command(words);
  for (int attempt = 1; attempt < kMostAttempts && result && was_killed(*result); ++attempt) {
    result = run_command(words);
  }
  return result;
}

// The part of the line with a compiler's first error that stands before the message.
std::string_view place_of_first_error(std::string_view log) {
  const std::size_t error = log.find("error:");
  if (error == std::string_view::npos) return {};
  const std::size_t begin = log.rfind('\n', error) + 1;  // npos + 1 is 0
  return log.substr(begin, error - begin);
}

}  // namespace

std::optional<std::string> missing_entry(const SourcePlan& source, std::string_view log) {
  const std::string_view place = place_of_first_error(log);
  for (const std::string& entry : source.entries) {
    // entry sum:1:1: as GCC and clang write it, entry sum(1): as nvcc does
    if (!place.starts_with("entry " + entry + ':') && !place.starts_with("entry " + entry + '(')) continue;
    return missing_function(
        entry, source.path,
        text_of(flatten(source.path, source.text, source.include_dirs, AngleIncludes::expand)));
  }
  return std::nullopt;
}

CompilerRun compile_to_cache(const CompilerCommand& command, const std::string& text, CompileCache& cache) {
  const std::string name = content_key(text);
  const std::string input = cache.scratch_path(name + command.input_suffix);
  const std::string output = cache.scratch_path(name + command.output_suffix);
  if (const auto written = write_atomically(input, text); !written)
    return {Status::machine_failed, written.error().message, {}};
  std::vector<std::string> words = command.words;
  words.insert(words.end(), {input, "-o", output});
  words.insert(words.end(), command.libraries.begin(), command.libraries.end());
  const Result<CommandOutput> result = call_compiler(words);
  const auto code = read_whole(output);
  std::error_code ignored;
  for (const std::string& path : {input, output}) std::filesystem::remove(path, ignored);
  if (!result) return {Status::machine_failed, result.error().message, {}};
  if (was_killed(*result)) {
    return {Status::machine_failed, outside_kills_text("the compiler was killed") + '\n' + result->text, {}};
  }
  if (result->exit_code != 0) {
    if (!is_the_machines_fault(result->text)) return {Status::compile_failed, result->text, {}};
    const bool is_limit = result->text.find(std::strerror(EFBIG)) != std::string::npos;
    return {Status::machine_failed,
            fmt::format("the compiler failed because of the system{}:\n{}",
                        is_limit ? ": " + system_reason(EFBIG) : "", result->text),
            {}};
  }
  if (!code) return {Status::compile_failed, fmt::format("{} left no {}", words.front(), output), {}};
  Result<std::string> path = cache.add_code(*code);
  if (!path) return {Status::machine_failed, path.error().message, {}};
  return {Status::ok, result->text, *std::move(path)};
}

}  // namespace gktune
