#include "engine/spaces.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/import/recordings.h"
#include "tuner/core/quantity.h"
#include "tuner/search/strategy.h"
#include "tuner/space/language/expression.h"
#include "tuner/space/plan.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

// The definitions of all files, or the errors of all files.
Result<std::vector<Definition>, EngineError> read_all(const std::vector<std::string>& paths,
                                                      const std::string& device_kind,
                                                      UnsafeOptions unsafe_options) {
  ReadOptions options{.device_kind = device_kind, .strategies = {}, .unsafe_options = unsafe_options};
  for (const Strategy& strategy : strategies()) options.strategies.emplace_back(strategy.name);
  std::vector<Definition> definitions;
  EngineError error{.kind = EngineError::Kind::invalid, .message = {}};
  for (const std::string& path : paths) {
    auto definition = read_space_file(path, options);
    if (definition) {
      definitions.push_back(*std::move(definition));
    } else {
      std::ranges::copy(definition.error(), std::back_inserter(error.diagnostics));
    }
  }
  if (definitions.size() != paths.size()) return error;
  return definitions;
}

// Without a space file, each study of a recording becomes a definition.
OpenedSpaces recorded_spaces(FoundDevice device, const std::string& path) {
  OpenedSpaces opened;
  for (const Recording& each : *device.recordings) opened.definitions.push_back(definition_of(each, path));
  opened.device = std::move(device);
  return opened;
}

// The host runs no CUDA C++ of host code.
Result<void, EngineError> check_host_code(const std::vector<Definition>& definitions) {
  for (const Definition& each : definitions) {
    if (each.kernel.language != Language::host) continue;
    std::vector<std::string> sources{each.kernel.source_path};
    if (each.kernel.reference) sources.push_back(each.kernel.reference->path);
    if (each.kernel.verifier) sources.push_back(each.kernel.verifier->path);
    const auto cuda = std::ranges::find(sources, Language::cuda, language_of);
    if (cuda != sources.end()) {
      return EngineError{EngineError::Kind::no_device,
                         each.path + ": host code in CUDA C++ needs a GPU: " + *cuda};
    }
  }
  return {};
}

// The constraints of a space for one problem on a device, and the names that they may use.
class ConstrainedSpace {
 public:
  ConstrainedSpace(const Definition& definition, const Problem& problem, const DeviceInfo& device)
      : definition_(definition),
        attributes_(device.attributes()),
        constraints_(with_device_limits(definition.constraints, definition.kernel, device)) {
    scope_.add(problem).add(attributes_, "device.");
  }

  Result<Space, EngineError> build() const {
    if (!definition_.listed.empty()) return build_listed();
    auto space = Space::build(definition_.parameters, constraints_, scope_);
    if (!space) return failure(space.error());
    return *std::move(space);
  }

 private:
  // The listed configurations whose parameters all have a value that is still listed.
  Result<Space, EngineError> build_listed() const {
    std::vector<Space::Ranks> valid;
    for (const Config& config : definition_.listed) {
      Space::Ranks ranks;
      for (const Parameter& parameter : definition_.parameters) {
        const auto value = std::ranges::find(parameter.values, *config.find(parameter.name));
        if (value == parameter.values.end()) break;
        ranks.push_back(static_cast<std::uint32_t>(value - parameter.values.begin()));
      }
      if (ranks.size() == definition_.parameters.size()) valid.push_back(std::move(ranks));
    }
    if (valid.empty()) {
      return EngineError{EngineError::Kind::no_configuration,
                         definition_.path + ": no recorded configuration has these values"};
    }
    return Space::of(definition_.parameters, std::move(valid));
  }

  EngineError failure(const SpaceError& error) const {
    std::string message = definition_.path + ": " + error.message;
    if (error.kind == SpaceError::Kind::empty)
      return {EngineError::Kind::no_configuration, std::move(message)};
    if (error.constraint) {
      message += fmt::format("\n  {}\n  {}{}", constraints_[*error.constraint].condition.text(),
                             std::string(error.offset, ' '),
                             std::string(std::max<std::size_t>(error.length, 1), '^'));
    }
    return {EngineError::Kind::invalid, std::move(message)};
  }

  const Definition& definition_;
  NamedValues attributes_;
  std::vector<Constraint> constraints_;
  Scope scope_;
};

}  // namespace

Result<std::vector<OpenedSpaces>, EngineError> open_spaces(const std::vector<std::string>& paths,
                                                           const DeviceChoice& choice,
                                                           const std::vector<std::string>& worker_argv,
                                                           const Notice& notice, UnsafeOptions options,
                                                           const DeviceCache& cache) {
  auto device = find_device(choice, worker_argv, notice, cache);
  if (!device) return EngineError{EngineError::Kind::no_device, device.error().message};
  std::vector<OpenedSpaces> groups;
  if (device->recordings && paths.empty()) {
    groups.push_back(recorded_spaces(*std::move(device), choice.recording));
    return groups;
  }
  auto definitions = GKTUNE_TRY(read_all(paths, device->info.kind, options));
  const bool is_host = device->info.kind == "host";
  if (is_host) GKTUNE_TRY(check_host_code(definitions));
  if (is_host || device->recordings) {
    groups.push_back({*std::move(device), std::move(definitions)});
    return groups;
  }

  std::vector<std::string> functions;
  for (const Definition& each : definitions) {
    if (each.kernel.language == Language::cpp) functions.push_back(each.path);
  }
  std::erase_if(definitions, [](const Definition& each) { return each.kernel.language == Language::cpp; });
  if (!functions.empty() && choice.kind != DeviceChoice::Kind::automatic) {
    return EngineError{EngineError::Kind::wrong_device,
                       functions.front() + ": C++ functions run on the host device only"};
  }
  if (!definitions.empty()) groups.push_back({*std::move(device), std::move(definitions)});
  if (functions.empty()) return groups;
  for (const std::string& path : functions) {
    if (notice) notice(path + ": uses the host device because it is a C++ function");
  }
  auto on_host = GKTUNE_TRY(open_spaces(functions, {DeviceChoice::Kind::host}, worker_argv, notice, options));
  groups.push_back(std::move(on_host.front()));
  return groups;
}

Result<Space, EngineError> space_of(const Definition& definition, const Problem& problem,
                                    const DeviceInfo& device) {
  return ConstrainedSpace(definition, problem, device).build();
}

KernelSpace kernel_space_of(const Definition& definition, const DeviceInfo& device) {
  KernelSpace space;
  for (const Axis& axis : definition.kernel.axes) {
    if (!axis.match.empty()) space.matching.set(axis.name, axis.match);
  }
  // Constraints do not count if the configurations are listed.
  const auto constraints = definition.listed.empty()
                               ? with_device_limits(definition.constraints, definition.kernel, device)
                               : device_limits(definition.kernel, device);
  for (const Constraint& constraint : constraints) {
    space.constraints.push_back(field_text(constraint.condition));
  }
  space.default_config = definition.kernel.default_values;
  return space;
}

TextValues texts_of(const Definition& definition) {
  TextValues texts;
  const auto add = [](const auto& named, std::map<std::string, std::set<std::string>>& of_names) {
    for (const auto& each : named) {
      for (const Value& value : each.values) {
        if (value.is_text()) of_names[each.name].insert(value.text());
      }
    }
  };
  add(definition.kernel.axes, texts.axes);
  add(definition.parameters, texts.parameters);
  return texts;
}

std::string objective_text(const Objective& objective) {
  if (objective.metric.empty()) return "time";
  return (objective.maximize ? "maximize " : "minimize ") + objective.metric;
}

Objective objective_from_text(const std::string& text) {
  if (text.starts_with("maximize ")) return {text.substr(9), true};
  if (text.starts_with("minimize ")) return {text.substr(9), false};
  return {};
}

}  // namespace gktune
