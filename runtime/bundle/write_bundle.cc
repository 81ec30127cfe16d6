#include "runtime/bundle/write_bundle.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "db/answers/answer_table.h"
#include "db/answers/device_figures.h"
#include "db/portfolio/portfolio_json.h"
#include "db/winners.h"
#include "engine/spaces.h"
#include "runtime/bundle/bundle_format.h"
#include "runtime/bundle/definition_json.h"
#include "runtime/kernel_parts.h"
#include "runtime/temporary_folder.h"
#include "tuner/core/device_kinds.h"
#include "tuner/core/output_file.h"
#include "tuner/core/text.h"
#include "tuner/core/version.h"
#include "tuner/device/backends.h"
#include "tuner/device/host/host_backend.h"
#include "tuner/device/worker/folders.h"
#include "tuner/space/content_key.h"
#include "tuner/space/plan.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

SortedJson json_of(const DeviceIdentity& device, const NamedValues& attributes) {
  return {{"kind", device.kind},
          {"name", device.name},
          {"architecture", device.architecture},
          {"multiprocessors", device.multiprocessors},
          {"attributes", sorted_json(attributes)}};
}

SortedJson json_of(const SessionEnvironment& environment) {
  return {
      {"driver", environment.driver}, {"runtime", environment.runtime}, {"compiler", environment.compiler}};
}

SortedJson json_of(const Winner& winner, std::size_t device) {
  SortedJson json = json_of(winner.environment ? *winner.environment : SessionEnvironment());
  json.update({{"device", device},
               {"problem", sorted_json(winner.study.problem)},
               {"regime", regime_name(winner.study.regime)},
               {"objective", winner.study.objective},
               {"config", sorted_json(winner.config)},
               {"time_us", winner.time_us}});
  if (winner.latest) json["latest"] = json_of(*winner.latest);
  return json;
}

std::string little_endian(std::uint64_t number) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(number >> 8 * i & 0xff);
  return bytes;
}

// True if the compiler makes code for this machine's processor alone.
bool is_for_this_cpu(const SourcePlan& source) {
  return std::ranges::any_of(source.options,
                             [](const std::string& option) { return option.starts_with("-m"); });
}

// A device with winners of a kernel.
struct Target {
  DeviceInfo info;
  std::vector<const Winner*> winners;
  std::vector<const Portfolio*> portfolios;
};

class BundleWriter {
 public:
  BundleWriter(const BundleRequest& request, std::string cache_dir)
      : request_(request), cache_dir_(std::move(cache_dir)) {}

  // False: the database has no winner of this kind of device.
  Result<bool> add(const Definition& definition, const std::string& kind,
                   const std::vector<KernelWinners>& databases) {
    if (auto launchable = check_textures(definition.kernel); !launchable) return launchable.error();
    const auto targets = targets_of(definition, kind, databases);
    if (targets.empty()) return false;
    BundledKernel summary{definition.kernel.name, kind, {}, 0, 0};
    SortedJson entry = {{"kind", kind},
                        {"definition", definition_json(definition)},
                        {"devices", SortedJson::array()},
                        {"winners", SortedJson::array()},
                        {"portfolios", SortedJson::array()},
                        {"code", SortedJson::array()}};
    const KernelSpace space = kernel_space_of(definition, targets.front().info);
    entry["matching"] = sorted_json(space.matching);
    entry["constraints"] = space.constraints;
    keys_.clear();
    for (const Target& target : targets) {
      const std::size_t device = entry["devices"].size();
      entry["devices"].push_back(json_of(identity_of(target.info), target.info.attributes()));
      const std::size_t before = entry["winners"].size();
      for (const Winner* winner : target.winners) {
        auto added = add_code(definition, winner->config, winner->study.problem, target.info, entry["code"]);
        if (!added) return added.error();
        if (!*added) continue;
        entry["winners"].push_back(json_of(*winner, device));
        // A winner is stale if it was measured with another version than the space file.
        note_stale(winner->study, changes_since(*winner, {.fingerprint = definition.fingerprint}));
      }
      if (entry["winners"].size() == before) continue;
      // The configurations that serve where a winner does not, in the variants that the tuned problems take.
      std::vector<Config> spares = {definition.kernel.default_values};
      for (const Portfolio* portfolio : target.portfolios) {
        entry["portfolios"].push_back({{"device", device},
                                       {"regime", regime_name(portfolio->regime)},
                                       {"objective", portfolio->objective},
                                       {"body", body_json(*portfolio)}});
        note_stale({portfolio->kernel,
                    portfolio->fingerprint,
                    portfolio->device,
                    {},
                    portfolio->regime,
                    portfolio->objective},
                   portfolio->stale);
        spares.insert(spares.end(), portfolio->configs.begin(), portfolio->configs.end());
      }
      for (const Config& config : spares) {
        for (const Winner* winner : target.winners) {
          auto added = add_code(definition, config, winner->study.problem, target.info, entry["code"]);
          if (!added) return added.error();
        }
      }
      if (std::ranges::find(summary.architectures, target.info.architecture) == summary.architectures.end())
        summary.architectures.push_back(target.info.architecture);
    }
    summary.winners = entry["winners"].size();
    summary.variants = entry["code"].size();
    if (summary.winners == 0) return false;
    kernels_.push_back(std::move(entry));
    summary_.kernels.push_back(std::move(summary));
    return true;
  }

  Result<BundleSummary> write(const std::filesystem::path& path) {
    const SortedJson index = {{"version", kVersion}, {"kernels", std::move(kernels_)}};
    const std::vector<std::uint8_t> packed = SortedJson::to_cbor(index);
    std::string digested = little_endian(kCodePlace + code_.size()) + little_endian(packed.size()) + code_;
    digested.append(reinterpret_cast<const char*>(packed.data()), packed.size());
    const std::string bytes = std::string(kBundleMagic) + content_key(digested) + digested;
    std::error_code ignored;  // a folder that cannot be made is the next error
    std::filesystem::create_directories(path.parent_path(), ignored);
    if (auto written = write_output(path, bytes); !written) return written.error();
    summary_.bytes = bytes.size();
    return summary_;
  }

 private:
  bool is_asked(const std::string& architecture) const {
    return request_.architectures.empty() ||
           std::ranges::find(request_.architectures, architecture) != request_.architectures.end();
  }

  std::vector<Target> targets_of(const Definition& definition, const std::string& kind,
                                 const std::vector<KernelWinners>& databases) const {
    std::vector<Target> targets;
    for (const KernelWinners& database : databases) {
      const auto target_of = [&](const DeviceIdentity& device) -> Target* {
        if (device.kind != kind || !is_asked(device.architecture)) return nullptr;
        const auto known = std::ranges::find_if(
            targets, [&](const Target& each) { return identity_of(each.info) == device; });
        if (known != targets.end()) return &*known;
        Target& target = targets.emplace_back();
        target.info.kind = device.kind, target.info.name = device.name;
        target.info.architecture = device.architecture, target.info.multiprocessors = device.multiprocessors;
        for (const auto& [identity, attributes] : database.devices) {
          if (identity == device) set_figures(target.info, attributes);
        }
        return &target;
      };
      for (const KernelVersion& version : database.versions) {
        if (version.winners.front().study.fingerprint != definition.fingerprint) continue;
        for (const Winner& winner : version.winners) {
          if (Target* target = target_of(winner.study.device)) target->winners.push_back(&winner);
        }
        for (const Portfolio& portfolio : version.portfolios) {
          if (Target* target = target_of(portfolio.device)) target->portfolios.push_back(&portfolio);
        }
      }
    }
    return targets;
  }

  // False: this configuration does not compile, or does not fit the problem. An
  // error: nothing can be compiled.
  Result<bool> add_code(const Definition& definition, const Config& config, const Problem& problem,
                        const DeviceInfo& device, SortedJson& codes) {
    const auto plan = resolve(definition.kernel, config, problem, device);
    if (!plan) return leave_out(definition, config, plan.error().message);
    const SourcePlan& source = plan->candidate.source;
    const std::string key = variant_key(source);
    const auto [known, is_new] = keys_.try_emplace(device.architecture + ' ' + key, true);
    if (!is_new) return known->second;
    auto compiler = compiler_for(device.kind);
    if (!compiler) return compiler.error();
    const CompiledVariant compiled =
        (*compiler)
            ->compile({.variants = {source}, .architecture = device.architecture, .cache_dir = cache_dir_})
            .front();
    if (compiled.status != Status::ok) {
      known->second = false;
      return leave_out(definition, config, compiled.log);
    }
    auto bytes = (*compiler)->loadable_code(compiled.module);
    if (!bytes) return bytes.error();
    code_.append((kCodeAlignment - (kCodePlace + code_.size()) % kCodeAlignment) % kCodeAlignment, '\0');
    codes.push_back({{"architecture", device.architecture},
                     {"cpu", device.kind == "host" && is_for_this_cpu(source) ? this_cpu() : ""},
                     {"key", key},
                     {"symbols", compiled.module.symbols},
                     {"place", kCodePlace + code_.size()},
                     {"size", bytes->size()}});
    code_ += *bytes;
    return true;
  }

  void note_stale(const Study& study, std::vector<std::string> changes) {
    if (!changes.empty()) summary_.stale.push_back({study, std::move(changes)});
  }

  bool leave_out(const Definition& definition, const Config& config, const std::string& why) {
    const std::string text = definition.kernel.name + ": " + config.str() + ": " + why;
    if (request_.on_notice && std::ranges::find(notices_, text) == notices_.end()) {
      notices_.push_back(text);
      request_.on_notice(text);
    }
    return false;
  }

  Result<Compiler*> compiler_for(const std::string& kind) {
    std::unique_ptr<Compiler>& compiler = compilers_[kind];
    if (compiler != nullptr) return compiler.get();
    const auto backend = open_backend({kind, 0}, {.cxx = request_.cxx, .cuda_home = request_.cuda_home});
    if (!backend) return backend.error();
    auto opened = (*backend)->compiler();
    if (!opened) return opened.error();
    compiler = *std::move(opened);
    return compiler.get();
  }

  static std::string this_cpu() { return HostBackend({}).identify()->name; }

  const BundleRequest& request_;
  const std::string cache_dir_;
  std::map<std::string, std::unique_ptr<Compiler>> compilers_;
  std::map<std::string, bool> keys_;  // of the present kernel: true if there is code
  std::vector<std::string> notices_;
  SortedJson kernels_ = SortedJson::array();
  std::string code_;
  BundleSummary summary_;
};

}  // namespace

Result<BundleSummary> write_bundle(const std::filesystem::path& path, const BundleRequest& request) {
  if (auto checked = check_output(path); !checked) return checked.error();  // before the work
  std::optional<TemporaryFolder> temporary;
  std::string cache_dir;
  if (request.cache_dir.empty()) {
    auto folder = TemporaryFolder::make();
    if (!folder) return folder.error();
    temporary = *std::move(folder);
    cache_dir = temporary->path().string();
  } else {
    auto folder = make_private_folder(request.cache_dir);
    if (!folder) return folder.error();
    cache_dir = folder->string();
  }
  std::vector<Winners> databases;
  for (const auto& database : request.databases) {
    auto winners = Winners::read(database);
    if (!winners) return winners.error();
    databases.push_back(*std::move(winners));
  }
  BundleWriter writer(request, cache_dir);
  std::map<std::string, std::string> files;  // by kernel
  for (const std::string& file : request.space_files) {
    bool has_winners = false;
    std::string name;
    for (const DeviceKind& known : known_device_kinds()) {
      const std::string kind(known.name);
      const auto definition =
          read_space_file(file, {.device_kind = kind, .unsafe_options = request.unsafe_options});
      if (!definition) return Error{joined(definition.error(), "\n", &Diagnostic::str)};
      if (definition->kernel.language == Language::host)
        return Error{file + ": host code is no kernel that a bundle can launch"};
      name = definition->kernel.name;
      std::vector<KernelWinners> winners;
      for (const Winners& database : databases) winners.push_back(database.of(name));
      auto added = writer.add(*definition, kind, winners);
      if (!added) return added.error();
      has_winners = has_winners || *added;
    }
    const auto [other, is_new] = files.try_emplace(name, file);
    if (!is_new) return Error{file + " and " + other->second + " define the same kernel, '" + name + "'"};
    if (!has_winners) {
      std::string architectures;
      for (const std::string& each : request.architectures)
        architectures += (architectures.empty() ? " for " : ", ") + each;
      return Error{"the database has no winner of '" + name + "'" + architectures + " with the sources of " +
                   file + " that can be compiled here; gktune run finds winners"};
    }
  }
  return writer.write(path);
}

}  // namespace gktune
