#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tuner/core/quantity.h"
#include "tuner/core/text.h"
#include "tuner/device/cuda/compile/cuda_text.h"
#include "tuner/device/cuda/compile/module_file.h"
#include "tuner/device/cuda/compile/nvcc_compiler.h"
#include "tuner/device/cuda/compile/nvrtc.h"
#include "tuner/device/cuda/compile/toolkit.h"
#include "tuner/device/worker/backend.h"
#include "tuner/device/worker/compile_cache.h"
#include "tuner/source/flat_source.h"
#include "tuner/source/kernel_code.h"
#include "tuner/source/source_names.h"
#include "tuner/space/fingerprint.h"
#include "tuner/space/plan.h"

namespace gktune {
namespace {

using Macro = std::pair<std::string, std::string>;

// Larger programs gain nothing, and a failure costs more.
constexpr std::size_t kMostTogether = 16;

std::string size_and_time(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  const auto time = std::filesystem::last_write_time(path, error).time_since_epoch().count();
  return path + ' ' + std::to_string(size) + ' ' + std::to_string(time);
}

auto first_error(const std::vector<std::string>& messages) {
  return std::ranges::find_if(
      messages, [](const std::string& message) { return message.find("error") != std::string::npos; });
}

// The name that NVRTC gives to the text with the names of entries.
constexpr std::string_view kEntriesFile = "__nv_name_map(";

// The message for an entry that the source does not define, if the first error is about an entry's name.
std::optional<std::string> missing_entry(const std::vector<std::string>& messages, const FlatSource& flat,
                                         const SourcePlan& source) {
  const auto error = first_error(messages);
  if (error == messages.end() || !error->starts_with(kEntriesFile)) return std::nullopt;
  std::string text = text_of(flat);
  for (const auto& [path, included] : flat.files) text += included;
  for (const std::string& entry : source.entries) {
    if (auto missing = missing_function(entry, source.path, text)) return missing;
  }
  return std::nullopt;
}

class CudaCompiler : public Compiler {
 public:
  CudaCompiler(const ToolkitPlaces& places, Nvrtc nvrtc, std::vector<std::string> include_dirs)
      : places_(places),
        nvrtc_(std::move(nvrtc)),
        include_dirs_(std::move(include_dirs)),
        headers_(standard_headers()) {
    compiler_key_ = "7 " + nvrtc_.version() + ' ' + size_and_time(nvrtc_.path());
    for (const auto& dir : include_dirs_) compiler_key_ += '\n' + size_and_time(dir + "/cuda_fp16.h");
  }

  std::vector<CompiledVariant> compile(const CompileJob& job) override {
    const bool is_launcher = !job.variants.empty() && job.variants.front().language == Language::host;
    if (is_launcher) return compile_launcher(job);
    std::vector<CompiledVariant> results(job.variants.size());
    CompileCache& cache = caches_.try_emplace(job.cache_dir, job.cache_dir, job.scratch_dir).first->second;

    std::vector<bool> is_taken(job.variants.size(), false);
    for (std::size_t first = 0; first < job.variants.size(); ++first) {
      if (is_taken[first]) continue;
      const SourcePlan& model = job.variants[first];
      Batch batch;
      batch.source = flatten(model.path, model.text, model.include_dirs, AngleIncludes::keep);
      batch.options = options_for(model, job.architecture);
      std::string text = text_of(batch.source);
      for (const auto& [path, included] : batch.source.files) text += path + '\n' + included + '\n';
      for (const auto& option : batch.options) text += '\n' + option;
      batch.source_key = content_key(text);
      for (std::size_t i = first; i < job.variants.size(); ++i) {
        const SourcePlan& variant = job.variants[i];
        if (is_taken[i] || batch.pending.size() == kMostTogether || variant.path != model.path ||
            variant.text != model.text || variant.options != model.options ||
            variant.include_dirs != model.include_dirs ||
            !std::ranges::equal(variant.macros, model.macros, {}, &Macro::first, &Macro::first)) {
          continue;
        }
        is_taken[i] = true;
        const std::string key = key_of(batch, variant);
        if (auto known = cache.find(key)) {
          results[i] = std::move(*known);
        } else {
          batch.pending.push_back({&variant, key, &results[i]});
        }
      }
      if (batch.pending.empty()) continue;
      // The key is that of the whole source: the rest depends on the variants of this batch.
      std::vector<const SourcePlan*> variants;
      for (const Pending& pending : batch.pending) variants.push_back(pending.source);
      keep_kernels(batch.source, variants);
      compile_batch(batch, cache);
    }
    return results;
  }

  Result<std::string> loadable_code(const Module& module) const override {
    auto code = GKTUNE_TRY(read_module(module.path));
    return std::move(code.cubin);
  }

  Result<std::string> packed(const std::string& machine_code) const override {
    return pack_module({machine_code, {}});
  }

 private:
  // A variant to compile.
  struct Pending {
    const SourcePlan* source = nullptr;
    std::string key;
    CompiledVariant* result = nullptr;
  };
  // Variants that share a text.
  struct Batch {
    FlatSource source;
    std::vector<std::string> options;
    std::string preamble;
    std::vector<std::string> missing_headers;  // that are empty instead
    std::string source_key;
    std::vector<Pending> pending;
  };

  std::vector<CompiledVariant> compile_launcher(const CompileJob& job) {
    if (!nvcc_) nvcc_ = NvccCompiler::open(places_);
    if (*nvcc_) return (*nvcc_)->compile(job);
    CompiledVariant failed;
    failed.status = Status::machine_failed;
    failed.log = nvcc_->error().message;
    return {job.variants.size(), failed};
  }

  std::vector<std::string> options_for(const SourcePlan& source, const std::string& architecture) const {
    std::vector<std::string> options;
    if (!any_starts_with(source.options, {"-arch", "--gpu-architecture"})) {
      options.push_back("--gpu-architecture=" + real_architecture(architecture, nvrtc_.architectures()));
    }
    if (!any_starts_with(source.options, {"-std", "--std"})) options.emplace_back("--std=c++17");
    options.emplace_back("--ptxas-options=-v");
    for (const auto& dir : source.include_dirs) options.push_back("-I" + dir);
    for (const auto& dir : include_dirs_) options.push_back("-I" + dir);
    options.insert(options.end(), source.options.begin(), source.options.end());
    return options;
  }

  std::string key_of(const Batch& batch, const SourcePlan& source) const {
    std::string text = compiler_key_ + '\n' + batch.source_key;
    for (const auto& [name, value] : source.macros) text += '\n' + name + '=' + value;
    for (const auto& entry : source.entries) text += "\n:" + entry;
    return content_key(text);
  }

  void compile_batch(Batch& batch, CompileCache& cache) {
    const bool is_shared =
        batch.pending.size() > 1 && can_share_text(batch.source) && !unshareable_.contains(batch.source_key);
    if (is_shared && compile_together(batch, cache)) return;
    for (const Pending& pending : batch.pending) compile_alone(batch, pending, cache);
  }

  // False: they have to be compiled one by one. A variant with errors fails alone too, with its own log.
  bool compile_together(Batch& batch, CompileCache& cache) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<const SourcePlan*> sources;
    for (const auto& pending : batch.pending) sources.push_back(pending.source);
    const CudaText program = cuda_text_of_many(batch.source, sources);
    std::vector<std::string> all_entries;
    for (const auto& entries : program.entries) {
      all_entries.insert(all_entries.end(), entries.begin(), entries.end());
    }
    const NvrtcOutput output = compile_text(batch, program.text, *sources.front(), all_entries);
    CompileLog log = read_compile_log(output.log);

    std::string module_path;
    if (output.ok) {
      if (auto path = cache.add_code(pack_module({output.cubin, log.kernels}))) module_path = *path;
    }
    if (module_path.empty()) {
      const bool names_variant = std::ranges::any_of(log.messages, [](const std::string& message) {
        return message.find("warning") == std::string::npos && variant_in_log(message).has_value();
      });
      if (!names_variant) unshareable_.insert(batch.source_key);
      return false;
    }

    const double seconds = seconds_since(start) / static_cast<double>(batch.pending.size());
    std::size_t next_symbol = 0;
    for (std::size_t i = 0; i < batch.pending.size(); ++i) {
      CompiledVariant& result = *batch.pending[i].result;
      result = {};
      for (const auto& message : log.messages) {
        const auto index = variant_in_log(message);
        if (!index || *index == i) result.log += without_variant_names(message);
      }
      result.log += missing_header_warnings(batch);
      result.module.path = module_path;
      for (std::size_t k = 0; k < program.entries[i].size(); ++k) {
        result.module.symbols.push_back(output.symbols[next_symbol++]);
      }
      result.seconds = seconds;
      (void)cache.add(batch.pending[i].key, result);  // the next run will compile it again: no harm
    }
    return true;
  }

  NvrtcOutput compile_text(Batch& batch, const std::string& text, const SourcePlan& source,
                           const std::vector<std::string>& entries) const {
    for (;;) {
      auto headers = headers_;
      for (const std::string& name : batch.missing_headers)
        headers.emplace_back(name, "#pragma once\nnamespace std {}\n");
      NvrtcOutput output =
          nvrtc_.compile({source.path, batch.preamble + text, std::move(headers), batch.options, entries});
      if (output.ok ||
          (!accept_host_functions(batch, output.log) && !accept_missing_header(batch, output.log)))
        return output;
    }
  }

  // NVRTC refuses host functions. Those that are left in a source are members of a class or come from a
  // header, and it accepts them as device code. False if the log complains of none, or did so before.
  static bool accept_host_functions(Batch& batch, std::string_view log) {
    if (log.find("not allowed in JIT mode") == std::string_view::npos) return false;
    bool is_new = false;
    if (unmarked_with(batch.options) == Unmarked::host) {
      batch.options.emplace_back(kAllDevicesOption);
      is_new = true;
    }
    const bool is_marked = log.find("explicitly marked as a __host__ function") != std::string_view::npos;
    if (is_marked && batch.preamble.empty()) {
      batch.preamble = "#undef __host__\n#define __host__\n";
      is_new = true;
    }
    return is_new;
  }

  // Most headers of other libraries serve host code: one that is not found is empty.
  static bool accept_missing_header(Batch& batch, const std::string& log) {
    static const std::regex kMissing("cannot open source file \"([^\"]+)\"");
    std::smatch found;
    if (!std::regex_search(log, found, kMissing)) return false;
    const std::string name = found[1];
    const bool is_of_author = std::ranges::any_of(
        batch.source.lines, [&](const SourceLine& line) { return line.name == '"' + name + '"'; });
    if (is_of_author || std::ranges::count(batch.missing_headers, name) > 0) return false;
    batch.missing_headers.push_back(name);
    return true;
  }

  static std::string missing_header_warnings(const Batch& batch) {
    return joined(batch.missing_headers, "", [](const std::string& header) {
      return "warning: <" + header + "> was not found; it counts as empty\n";
    });
  }

  void compile_alone(Batch& batch, const Pending& pending, CompileCache& cache) {
    const auto start = std::chrono::steady_clock::now();
    const SourcePlan& source = *pending.source;
    FlatSource own = batch.source;
    keep_kernels(own, source);
    const NvrtcOutput output =
        compile_text(batch, cuda_text_of_one(own, source).text, source, source.entries);
    const CompileLog log = read_compile_log(output.log);

    CompiledVariant& result = *pending.result;
    if (!output.ok) {
      result.status = Status::compile_failed;
      result.log = joined(log.messages, "");
      if (auto missing = missing_entry(log.messages, batch.source, source)) result.log = *std::move(missing);
      result.log += host_code_notes(batch.source.host_names, result.log);
      result.log += missing_header_warnings(batch);
      if (include_dirs_.empty()) result.log += "note: CUDA's headers were not found on this machine\n";
    } else if (auto path = cache.add_code(pack_module({output.cubin, log.kernels})); !path) {
      result.status = Status::machine_failed;
      result.log = path.error().message + '\n';
      result.seconds = seconds_since(start);
      return;
    } else {
      result.log = joined(log.messages, "") + missing_header_warnings(batch);
      result.module = {*path, output.symbols};
    }
    result.seconds = seconds_since(start);
    (void)cache.add(pending.key, result);
  }

  ToolkitPlaces places_;
  std::optional<Result<NvccCompiler>> nvcc_;  // opened when it is needed
  Nvrtc nvrtc_;
  std::vector<std::string> include_dirs_;                     // the toolkit's
  std::vector<std::pair<std::string, std::string>> headers_;  // see standard_headers
  std::string compiler_key_;                                  // of the compiler, without the source
  std::map<std::string, CompileCache> caches_;
  std::set<std::string> unshareable_;  // sources whose variants fail only when they share a program
};

}  // namespace

Result<std::unique_ptr<Compiler>> open_cuda_compiler(const ToolkitPlaces& places) {
  auto nvrtc = GKTUNE_TRY(Nvrtc::open(places));
  auto include_dirs = toolkit_include_dirs(places, nvrtc.path());
  return {with_commands(std::make_unique<CudaCompiler>(places, std::move(nvrtc), std::move(include_dirs)))};
}

}  // namespace gktune
