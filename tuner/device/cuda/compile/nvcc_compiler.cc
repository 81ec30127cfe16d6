#include "tuner/device/cuda/compile/nvcc_compiler.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <utility>

#include "tuner/core/quantity.h"
#include "tuner/device/cuda/compile/cuda_text.h"
#include "tuner/device/cuda/compile/nvrtc.h"
#include "tuner/device/host/compile/kernel_headers.h"
#include "tuner/device/host/compile/run_compiler.h"
#include "tuner/device/host/compile/translation_unit.h"
#include "tuner/process/child_process.h"
#include "tuner/source/flat_source.h"
#include "tuner/space/fingerprint.h"

namespace gktune {
namespace {

// The headers by which the engine calls launcher code. They are put in as text: their folder also has headers
// that stand in for the toolkit's.
std::string engine_headers() {
  std::string text = line_directive(1, "gktune");
  for (const std::string_view path : {"gktune/abi.h", "gktune/trampoline.h", "gktune/launcher.h"}) {
    const auto header = std::ranges::find(kernel_headers(), path, &EmbeddedFile::path);
    std::istringstream lines{std::string(header->text)};
    for (std::string line; std::getline(lines, line);) {
      if (line != "#pragma once" && !line.starts_with("#include \"gktune/")) text += line + '\n';
    }
  }
  return text;
}

// nvcc's log without the lines that name its temporary files.
std::string readable(const std::string& log) {
  std::string text;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(" detected in the compilation of \"") == std::string::npos) text += line + '\n';
  }
  return text;
}

// The settings that nvcc takes from its environment: NVCC_PREPEND_FLAGS, NVCC_APPEND_FLAGS and NVCC_CCBIN.
struct NvccSettings {
  std::string options;      // the lines that show them
  std::string cxx = "g++";  // the C++ compiler that it calls
};

// Reads the settings from the lines of `nvcc --dryrun`, such as `#$ NVCC_APPEND_FLAGS="-O1"` and
// `#$ "/usr/bin"/g++ -D… -E -x c++ …`.
NvccSettings settings_in(const std::string& steps) {
  NvccSettings settings;
  std::istringstream lines(steps);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#$ NVCC_")) settings.options += line + '\n';
    if (!line.starts_with("#$ ") || line.find(" -E -x c++ ") == std::string::npos) continue;
    const std::size_t options = line.find(" -D", 3);
    if (options == std::string::npos) continue;
    settings.cxx = line.substr(3, options - 3);
    std::erase(settings.cxx, '"');
  }
  return settings;
}

// "13.0.88" of `Cuda compilation tools, release 13.0, V13.0.88`; empty if the text does not say.
std::string release_of(const std::string& version) {
  const std::size_t at = version.find(", V");
  if (at == std::string::npos) return {};
  return version.substr(at + 3, version.find('\n', at) - at - 3);
}

Result<std::string> output_of(const std::vector<std::string>& words) {
  const auto output = GKTUNE_TRY(run_command(words));
  if (output.exit_code != 0) return Error{words.front() + ' ' + words.back() + " fails: " + output.text};
  return output.text;
}

}  // namespace

Result<NvccCompiler> NvccCompiler::open(const ToolkitPlaces& places) {
  const auto nvcc = GKTUNE_TRY(find_nvcc(places));
  const auto version = GKTUNE_TRY(output_of({nvcc, "--version"}));
  const auto targets = GKTUNE_TRY(output_of({nvcc, "--list-gpu-code"}));
  NvccCompiler opened;
  opened.nvcc_ = nvcc;
  std::istringstream lines(targets);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("sm_")) opened.architectures_.push_back(std::atoi(line.c_str() + 3));
  }
  const auto steps = GKTUNE_TRY(output_of({nvcc, "-x", "cu", "/dev/null", "--dryrun"}));
  const NvccSettings settings = settings_in(steps);
  const auto cxx = output_of({settings.cxx, "--version"});
  if (!cxx) return Error{"nvcc's C++ compiler: " + cxx.error().message};
  opened.version_ = "nvcc " + release_of(version) + " with " + cxx->substr(0, cxx->find('\n'));
  opened.compiler_key_ = "2 " + nvcc + '\n' + version + settings.options + settings.cxx + '\n' + *cxx;
  return opened;
}

std::vector<std::string> NvccCompiler::command(const SourcePlan& source,
                                               const std::string& architecture) const {
  // Candidates would share the static variables of inline functions, and stay loaded.
  std::vector<std::string> all{nvcc_, "-x", "cu", "--shared", "-Xcompiler", "-fPIC,-fno-gnu-unique"};
  // The toolkit's libraries, such as cuBLAS, are found where nvcc is.
  const std::filesystem::path libraries = std::filesystem::path(nvcc_).parent_path().parent_path() / "lib64";
  all.insert(all.end(), {"-Xlinker", "-rpath", "-Xlinker", libraries.string()});
  // nvcc refuses to be told twice.
  if (!any_starts_with(source.options, {"-arch", "--gpu-architecture"}))
    all.push_back("--gpu-architecture=" + real_architecture(architecture, architectures_));
  if (!any_starts_with(source.options, {"-std", "--std"})) all.emplace_back("--std=c++17");
  if (!any_starts_with(source.options, {"-O", "--optimize"})) all.emplace_back("-O3");
  for (const std::string& dir : source.include_dirs) all.push_back("-I" + dir);
  all.insert(all.end(), source.options.begin(), source.options.end());
  return all;
}

std::vector<CompiledVariant> NvccCompiler::compile(const CompileJob& job) {
  std::vector<CompiledVariant> results;
  CompileCache& cache = caches_.try_emplace(job.cache_dir, job.cache_dir, job.scratch_dir).first->second;
  for (const SourcePlan& variant : job.variants) results.push_back(compile(variant, job.architecture, cache));
  return results;
}

CompiledVariant NvccCompiler::compile(const SourcePlan& source, const std::string& architecture,
                                      CompileCache& cache) {
  const auto start = std::chrono::steady_clock::now();
  const FlatSource flat = flatten(source.path, source.text, source.include_dirs, AngleIncludes::keep);
  std::string text = engine_headers() + cuda_text_of_one(flat, source).text;
  const std::vector<std::string> words = command(source, architecture);
  std::string all = compiler_key_ + text;
  for (const auto& [path, included] : flat.files) all += '\n' + path + '\n' + included;
  for (const std::string& word : words) all += '\n' + word;
  for (const std::string& entry : source.entries) all += "\n:" + entry;
  const std::string key = content_key(all);
  if (auto known = cache.find(key)) return *std::move(known);

  CompiledVariant result;
  result.module.symbols = add_entries(text, {&source, "gktune_" + key}, "launcher_entry");
  CompilerRun run = compile_to_cache({words, ".cu", ".so"}, text, cache);
  result.seconds = seconds_since(start);
  result.status = run.status;
  result.log = run.status == Status::machine_failed ? std::move(run.log) : readable(run.log);
  if (run.status == Status::ok) {
    result.module.path = run.output;
    (void)cache.add(key, result);  // after a failure the next run compiles it again
  } else {
    // Do not store this: the machine may lack a header or a library.
    result.module = {};
    if (auto missing = missing_entry(source, result.log)) result.log = *std::move(missing);
  }
  return result;
}

}  // namespace gktune
