#include "runtime/bundle/write_bundle.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "db/answer_table.h"
#include "db/database.h"
#include "engine/spaces.h"
#include "runtime/kernel_state.h"
#include "tuner/core/device_info.h"
#include "tuner/core/files.h"
#include "tuner/core/text.h"
#include "tuner/device/backends.h"
#include "tuner/device/host/host_backend.h"
#include "tuner/device/worker/folders.h"
#include "tuner/space/fingerprint.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

// True if the compiler makes code for this machine's processor alone.
bool is_for_this_cpu(const SourcePlan& source) {
  return std::ranges::any_of(source.options,
                             [](const std::string& option) { return option.starts_with("-m"); });
}

class BundleWriter {
 public:
  BundleWriter(const BundleRequest& request, std::string cache_dir, Database& bundle, WinnersByKernel winners)
      : request_(request), cache_dir_(std::move(cache_dir)), bundle_(bundle), winners_(std::move(winners)) {}

  // Adds the code of a kernel for one kind of device. False: there is no winner for it.
  Result<bool> add(const Definition& definition, const std::string& kind) {
    GKTUNE_TRY(check_textures(definition.kernel));
    const auto kernel = winners_.find(definition.kernel.name);
    if (kernel == winners_.end()) return false;
    keys_.clear(), codes_.clear();
    BundledKernel summary{definition.kernel.name, kind, {}, 0, 0};
    const DeviceInfo* device = nullptr;
    for (const DeviceInfo& info : kernel->second.devices) {
      if (info.kind != kind || !is_asked(info.architecture)) continue;
      const auto winners = GKTUNE_TRY(add_device(definition, info, kernel->second));
      if (winners == 0) continue;
      device = &info;
      summary.winners += winners;
      if (std::ranges::find(summary.architectures, info.architecture) == summary.architectures.end())
        summary.architectures.push_back(info.architecture);
    }
    if (device == nullptr) return false;
    summary.variants = codes_.size();
    for (StoredCode& code : codes_)
      code.kernel = definition.kernel.name, code.fingerprint = definition.fingerprint, code.device_kind = kind;
    GKTUNE_TRY(bundle_.add_definition(
        {definition.kernel.name, definition.fingerprint, kind, definition_text(definition)}, codes_));
    GKTUNE_TRY(bundle_.describe_space(definition.kernel.name, definition.fingerprint,
                                      kernel_space_of(definition, *device), texts_of(definition)));
    summary_.kernels.push_back(std::move(summary));
    return true;
  }

  // Removes the studies whose winners are not part of the bundle.
  Result<void> remove_others() {
    std::vector<std::int64_t> others;
    for (const auto& [name, kernel] : winners_) {
      for (const KernelVersion& version : kernel.versions) {
        for (const Winner& winner : version.winners) {
          if (!kept_.contains(winner.study_id)) others.push_back(winner.study_id);
        }
      }
    }
    GKTUNE_TRY(bundle_.remove_studies(others, Removal::done));
    return {};
  }

  BundleSummary summary() && { return std::move(summary_); }

 private:
  bool is_asked(const std::string& architecture) const {
    return request_.architectures.empty() ||
           std::ranges::find(request_.architectures, architecture) != request_.architectures.end();
  }

  // Returns the number of winners that have code.
  Result<std::size_t> add_device(const Definition& definition, const DeviceInfo& device,
                                 const KernelWinners& kernel) {
    std::size_t count = 0;
    std::vector<const Problem*> problems;
    // The configurations that serve where a winner does not.
    std::vector<Config> spares = {definition.kernel.default_values};
    for (const KernelVersion& version : kernel.versions) {
      if (version.winners.front().study.fingerprint != definition.fingerprint) continue;
      for (const Winner& winner : version.winners) {
        if (winner.study.device != identity_of(device)) continue;
        problems.push_back(&winner.study.problem);
        auto added = GKTUNE_TRY(add_code(definition, winner.trial.config, winner.study.problem, device));
        if (!added) continue;
        ++count;
        kept_.insert(winner.study_id);
        // A winner is stale if it was measured with another version than the space file.
        note_stale(winner.study, changes_since(winner, kernel, {.fingerprint = definition.fingerprint}));
      }
      for (const Portfolio& portfolio : version.portfolios) {
        if (count == 0 || portfolio.device != identity_of(device)) continue;
        const Study study{portfolio.kernel, portfolio.fingerprint, portfolio.device,
                          {},               portfolio.regime,      portfolio.objective};
        note_stale(study, portfolio.stale);
        spares.insert(spares.end(), portfolio.configs.begin(), portfolio.configs.end());
      }
    }
    if (count == 0) return count;
    for (const Config& config : spares) {
      for (const Problem* problem : problems) {  // each may take another variant
        GKTUNE_TRY(add_code(definition, config, *problem, device));
      }
    }
    return count;
  }

  // False: this configuration does not compile, or does not fit the problem. An error: nothing can be compiled.
  Result<bool> add_code(const Definition& definition, const Config& config, const Problem& problem,
                        const DeviceInfo& device) {
    const auto plan = resolve(definition.kernel, config, problem, device);
    if (!plan) return leave_out(definition, config, plan.error().message);
    const SourcePlan& source = plan->candidate.source;
    const std::string key = variant_key(source);
    const auto [known, is_new] = keys_.try_emplace(device.architecture + ' ' + key, true);
    if (!is_new) return known->second;
    auto compiler = GKTUNE_TRY(compiler_for(device.kind));
    const CompiledVariant compiled =
        compiler
            ->compile({.variants = {source}, .architecture = device.architecture, .cache_dir = cache_dir_})
            .front();
    if (compiled.status != Status::ok) {
      known->second = false;
      return leave_out(definition, config, compiled.log);
    }
    auto bytes = GKTUNE_TRY(compiler->loadable_code(compiled.module));
    StoredCode& code = codes_.emplace_back();
    code.architecture = device.architecture;
    if (device.kind == "host" && is_for_this_cpu(source)) code.cpu = make_host_backend({})->identify()->name;
    code.variant = key;
    code.symbols = compiled.module.symbols;
    code.bytes = std::move(bytes);
    return true;
  }

  void note_stale(const Study& study, std::vector<std::string> changes) {
    if (!changes.empty()) summary_.stale.push_back({study, std::move(changes)});
  }

  bool leave_out(const Definition& definition, const Config& config, const std::string& why) {
    const std::string text = definition.kernel.name + ": " + config.str() + ": " + why;
    if (notices_.insert(text).second && request_.on_notice) request_.on_notice(text);
    return false;
  }

  Result<Compiler*> compiler_for(const std::string& kind) {
    std::unique_ptr<Compiler>& compiler = compilers_[kind];
    if (compiler == nullptr) {
      const auto backend =
          GKTUNE_TRY(open_backend({kind, 0}, {.cxx = request_.cxx, .cuda_home = request_.cuda_home}));
      compiler = GKTUNE_TRY(backend->compiler());
    }
    return compiler.get();
  }

  const BundleRequest& request_;
  const std::string cache_dir_;
  std::map<std::string, std::unique_ptr<Compiler>> compilers_;
  std::map<std::string, bool> keys_;  // of the present kernel: true if there is code
  std::set<std::string> notices_;
  std::vector<StoredCode> codes_;  // of the present kernel
  std::set<std::int64_t> kept_;    // studies
  Database& bundle_;
  const WinnersByKernel winners_;
  BundleSummary summary_;
};

// Adds the kernel of a space file for each kind of device that has winners.
Result<void> add_space(const std::string& file, const BundleRequest& request, BundleWriter& writer,
                       std::map<std::string, std::string>& files) {
  bool has_winners = false;
  std::string name;
  for (const DeviceKind& known : known_device_kinds()) {
    const std::string kind(known.name);
    const auto definition =
        read_space_file(file, {.device_kind = kind, .unsafe_options = request.unsafe_options});
    if (!definition) return Error{joined(definition.error(), "\n", &Diagnostic::str)};
    if (definition->kernel.language == Language::host)
      return Error{file + ": host code is no kernel that a bundle can launch"};
    if (definition->kernel.language == Language::command)
      return Error{file +
                   ": a bundle has no place for the launches that a compiler of language: command says"};
    name = definition->kernel.name;
    auto added = GKTUNE_TRY(writer.add(*definition, kind));
    has_winners = has_winners || added;
  }
  const auto [other, is_new] = files.try_emplace(name, file);
  if (!is_new) return Error{file + " and " + other->second + " define the same kernel, '" + name + "'"};
  if (has_winners) return {};
  const std::string architectures = request.architectures.empty() ? "" : " for " + joined(request.architectures);
  return Error{"the database has no winner of '" + name + "'" + architectures + " with the sources of " + file +
               " that can be compiled here; gktune run finds winners"};
}

Result<BundleSummary> fill_bundle(const std::filesystem::path& path, const BundleRequest& request,
                                  const std::string& cache_dir) {
  auto bundle = GKTUNE_TRY(Database::open(path, Database::Access::write));
  for (const auto& database : request.databases) GKTUNE_TRY(bundle->merge(database, Copied::winners));
  auto winners = GKTUNE_TRY(bundle->kernel_winners());
  BundleWriter writer(request, cache_dir, *bundle, std::move(winners));
  std::map<std::string, std::string> files;  // by kernel
  for (const std::string& file : request.space_files) GKTUNE_TRY(add_space(file, request, writer, files));
  GKTUNE_TRY(writer.remove_others());
  GKTUNE_TRY(bundle->finish());
  return std::move(writer).summary();
}

}  // namespace

Result<BundleSummary> write_bundle(const std::filesystem::path& path, const BundleRequest& request) {
  if (!Bundle::open(path)) {  // a bundle may be replaced, another database may not
    GKTUNE_TRY(check_output(path));
  }
  const auto temporary = GKTUNE_TRY(temporary_folder());
  std::string cache_dir = temporary->string();
  if (!request.cache_dir.empty()) {
    auto folder = GKTUNE_TRY(make_private_folder(request.cache_dir));
    cache_dir = folder.string();
  }
  const std::filesystem::path made = *temporary / "bundle.db";
  auto summary = GKTUNE_TRY(fill_bundle(made, request, cache_dir));
  const auto bytes = GKTUNE_TRY(read_whole(made));
  GKTUNE_TRY(write_atomically(path, bytes));
  summary.bytes = bytes.size();
  return summary;
}

}  // namespace gktune
