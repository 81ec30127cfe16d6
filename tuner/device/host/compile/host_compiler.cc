#include "tuner/device/host/compile/host_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "tuner/core/files.h"
#include "tuner/core/quantity.h"
#include "tuner/device/host/compile/kernel_headers.h"
#include "tuner/device/host/compile/run_compiler.h"
#include "tuner/device/host/compile/translation_unit.h"
#include "tuner/process/child_process.h"
#include "tuner/source/flat_source.h"
#include "tuner/source/kernel_code.h"
#include "tuner/space/fingerprint.h"
#include "tuner/space/plan.h"

namespace gktune {
namespace {

// The meaning of "-march=native" on this machine: the first core's model and features, without its clock.
std::string cpu_identity() {
  std::ifstream lines("/proc/cpuinfo");
  std::string identity;
  for (std::string line; std::getline(lines, line) && !line.empty();) {
    if (line.find("MHz") == std::string::npos && !line.starts_with("bogomips")) identity += line + '\n';
  }
  return identity;
}

bool asks_for_native(const SourcePlan& source) {
  for (const std::string& option : source.options) {
    if (option.find("native") != std::string::npos) return true;
  }
  return false;
}

// The path of the toolkit's header of cuRAND for kernels, which names its version; empty: there is none.
std::string find_curand(const ToolkitPlaces& places) {
  for (const std::string& dir : toolkit_include_dirs(places)) {
    std::error_code error;
    const std::filesystem::path path =
        std::filesystem::canonical(std::filesystem::path(dir) / "curand_kernel.h", error);
    if (!error) return path.string();
  }
  return {};
}

// $CXX may name a launcher or options too, as make and CMake have it: "ccache g++ -m64".
std::vector<std::string> words_of(const std::string& cxx) {
  std::error_code ignored;
  if (std::filesystem::exists(cxx, ignored)) return {cxx};
  std::istringstream stream(cxx);
  return {std::istream_iterator<std::string>(stream), {}};
}

// A sanitizer's instrumentation without its library: gktune/instrument.h takes the calls.
void add_instrumentation(std::vector<std::string>& all) {
  // Optimised code may load what the source does not read, and not load or check what it reads.
  for (const char* option : {"-O0", "-fno-omit-frame-pointer", "--param=tsan-distinguish-volatile=1",
                             "-include", "gktune/instrument.h",
                             "-fsanitize=thread,alignment,null,bounds,shift-exponent,integer-divide-by-zero,"
                             "bool,enum,return,unreachable,"
                             "vla-bound",
                             "-fno-sanitize-recover=all", "-fno-builtin-memcpy", "-fno-builtin-memmove",
                             "-fno-builtin-memset", "-Wl,-Bsymbolic", "-nodefaultlibs"}) {
    all.emplace_back(option);
  }
}

// The options of the system's compiler for a source: our own, then those of the source that have a meaning
// here. Leaves out the options of a CUDA source that only NVRTC knows.
std::vector<std::string> compiler_options(const SourcePlan& source) {
  // DWARF 5 numbers its files in a way that the addr2line of GCC 12 and clang 14 reads wrongly: code
  // outside the entry's function is attributed to our translation unit.
  std::vector<std::string> all{"-x", "c++", "-O2", "-gdwarf-4", "-g1", "-fPIC", "-shared"};
  if (source.language != Language::cuda) {
    all.emplace_back("-std=c++20");
    all.insert(all.end(), source.options.begin(), source.options.end());
    if (source.instrumentation == Instrumentation::sanitize) {
      // The last option switches optimisation off: compilers merge traps, and the
      // report would name a wrong line.
      all.insert(all.end(), {"-fsanitize=undefined", "-fsanitize-undefined-trap-on-error", "-O0"});
    }
  } else {
    // Kernels often reinterpret pointers and rely on wrapping integers. They have no exceptions.
    for (const char* option : {"-std=c++17", "-w", "-fvisibility=hidden", "-fno-strict-aliasing", "-fwrapv",
                               "-fno-exceptions", "-fno-rtti", "-fno-math-errno", "-fno-trapping-math",
                               "-fno-asynchronous-unwind-tables", "-fstack-clash-protection"}) {
      all.emplace_back(option);
    }
    // The options of a plain C++ source are meant for this compiler.
    all.insert(all.end(), source.options.begin(), source.options.end());
    if (source.instrumentation == Instrumentation::sanitize) add_instrumentation(all);
  }
  for (const std::string& dir : source.include_dirs) all.push_back("-I" + dir);
  return all;
}

// The options behind the source file on the command line; they leave out a sanitizer's own library.
std::vector<std::string> libraries_of(const SourcePlan& source) {
  if (source.language != Language::cuda || source.instrumentation == Instrumentation::none) return {};
  return {"-lstdc++", "-lm", "-lgcc_s", "-lgcc", "-lc"};
}

}  // namespace

Result<std::string> HostCompiler::version(const std::string& cxx) {
  std::vector<std::string> words = words_of(cxx);
  if (words.empty()) return Error{"CXX names none"};
  words.emplace_back("--version");
  const Result<CommandOutput> output = run_command(words);
  if (!output) return output.error();
  if (output->exit_code != 0) return Error{fmt::format("{} --version fails: {}", cxx, output->text)};
  return output->text.substr(0, output->text.find('\n'));
}

Result<void> HostCompiler::prepare(const CompileJob& job) {
  if (version_.empty()) {
    Result<std::string> version = HostCompiler::version(cxx_);
    if (!version) return version.error();
    version_ = *std::move(version);
    curand_ = find_curand(toolkit_);
  }
  Result<std::string> headers = place_kernel_headers(job.cache_dir, job.scratch_dir);
  if (!headers) return headers.error();
  headers_ = *std::move(headers);
  return {};
}

std::string HostCompiler::key(const SourcePlan& source) const {
  const NamedVariant variant{&source, "variant"};
  std::string all;
  if (source.language == Language::cuda) {
    all = cuda_unit(variant, curand_).text;
  } else {
    all = cpp_unit(variant).text;
    const FlatSource flat = flatten(source.path, source.text, source.include_dirs, AngleIncludes::keep);
    for (const auto& [path, text] : flat.files) all += fmt::format("{}\n{}\n", path, text);
  }
  for (const std::string& word : command(source)) all += fmt::format("{}\n", word);
  all += version_;
  if (asks_for_native(source)) all += cpu_identity();
  return content_key(all);
}

std::vector<std::string> HostCompiler::command(const SourcePlan& source) const {
  std::vector<std::string> all = words_of(cxx_);
  // Before the folders of the source, which may be those of the toolkit.
  if (source.language == Language::cuda) all.push_back("-I" + headers_);
  const std::vector<std::string> options = compiler_options(source);
  all.insert(all.end(), options.begin(), options.end());
  const std::string beside = std::filesystem::path(source.path).parent_path().string();
  if (source.language != Language::cuda) all.push_back("-I" + headers_);
  all.insert(all.end(), {"-iquote", beside.empty() ? "." : beside});
  return all;
}

std::vector<CompiledVariant> HostCompiler::compile(const CompileJob& job) {
  std::vector<CompiledVariant> compiled(job.variants.size());
  if (const Result<void> prepared = prepare(job); !prepared) {
    for (CompiledVariant& variant : compiled) {
      variant.status = Status::machine_failed;
      variant.log = prepared.error().message;
    }
    return compiled;
  }

  CompileCache& cache = caches_.try_emplace(job.cache_dir, job.cache_dir, job.scratch_dir).first->second;
  for (std::size_t i = 0; i < job.variants.size(); ++i) {
    const SourcePlan& source = job.variants[i];
    if (source.language == Language::host && language_of(source.path) == Language::cuda) {
      compiled[i].status = Status::compile_failed;
      compiled[i].log =
          fmt::format("{}: error: host code in CUDA C++ cannot run on the host device\n", source.path);
      continue;
    }
    if (source.instrumentation == Instrumentation::sanitize && source.language == Language::cuda &&
        is_clang()) {
      compiled[i].status = Status::machine_failed;
      compiled[i].log =
          fmt::format("kernels are sanitized with GCC, and CXX names {}: set CXX=g++\n", version_);
      continue;
    }
    const std::string key = this->key(source);
    if (auto known = cache.find(key)) {
      compiled[i] = *std::move(known);
    } else {
      compiled[i] = compile_one(source, key, cache);
    }
  }
  return compiled;
}

CompilerRun HostCompiler::build(const SourcePlan& source, const std::string& text, CompileCache& cache) {
  CompilerCommand call{command(source), ".cc", ".so", libraries_of(source)};
  // The working directory is no part of the key: another folder with the same source may get this code.
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::current_path(ignored);
  if (std::filesystem::path(source.path).is_relative() && folder.has_relative_path())
    call.words.push_back("-fdebug-prefix-map=" + folder.string() + "=.");
  return compile_to_cache(call, text, cache);
}

CompiledVariant HostCompiler::compile_one(const SourcePlan& source, const std::string& key,
                                          CompileCache& cache) {
  const auto start = std::chrono::steady_clock::now();
  const bool is_cuda = source.language == Language::cuda;
  const NamedVariant named{&source, "gktune_" + key};
  TranslationUnit unit = is_cuda ? cuda_unit(named, curand_) : cpp_unit(named);
  CompilerRun run = build(source, unit.text, cache);
  CompiledVariant variant;
  variant.status = run.status;
  variant.log = std::move(run.log);
  variant.seconds = seconds_since(start);
  if (run.status == Status::ok) {
    variant.module = {run.output, std::move(unit.symbols)};
    (void)cache.add(key, variant);  // after a failure the next run compiles it again
    return variant;
  }
  // Do not store this: the machine may lack a header or a library.
  const std::string log = variant.log;
  if (auto missing = missing_entry(source, log)) variant.log = *std::move(missing);
  if (!is_cuda || run.status != Status::compile_failed) return variant;
  if (auto feature = unsupported_feature(log, source.text)) variant.log = *std::move(feature);
  variant.log += host_code_notes(unit.host_names, log);
  return variant;
}

}  // namespace gktune
