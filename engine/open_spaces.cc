#include "engine/open_spaces.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/import/replay.h"
#include "tuner/search/strategy.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

using Kind = EngineError::Kind;

// The definitions of all files, or the errors of all files.
Result<std::vector<Definition>, EngineError> read_all(const std::vector<std::string>& paths,
                                                      const std::string& device_kind,
                                                      UnsafeOptions unsafe_options) {
  ReadOptions options{.device_kind = device_kind, .strategies = {}, .unsafe_options = unsafe_options};
  for (const Strategy& strategy : strategies()) options.strategies.emplace_back(strategy.name);
  std::vector<Definition> definitions;
  EngineError error{Kind::invalid, {}, {}};
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

}  // namespace

Result<std::vector<OpenedSpaces>, EngineError> open_spaces(const std::vector<std::string>& paths,
                                                           const DeviceChoice& choice,
                                                           const std::vector<std::string>& worker_argv,
                                                           const Notice& notice, UnsafeOptions options,
                                                           const DeviceCache& cache) {
  auto device = find_device(choice, worker_argv, notice, cache);
  if (!device) return EngineError{Kind::no_device, device.error().message, {}};
  if (device->recordings && paths.empty()) {
    std::vector<Definition> recorded;
    for (const Recording& each : *device->recordings)
      recorded.push_back(definition_of(each, choice.recording));
    std::vector<OpenedSpaces> group;
    group.push_back({*std::move(device), std::move(recorded)});
    return group;
  }
  auto definitions = read_all(paths, device->info.kind, options);
  if (!definitions) return definitions.error();
  std::vector<OpenedSpaces> groups;
  if (device->info.kind == "host") {
    for (const Definition& each : *definitions) {
      if (each.kernel.language != Language::host) continue;
      std::vector<std::string> sources{each.kernel.source_path};
      for (const Reference& reference : each.kernel.references) sources.push_back(reference.path);
      if (each.kernel.verifier) sources.push_back(each.kernel.verifier->path);
      for (const std::string& source : sources) {
        if (language_of(source) == Language::cuda)
          return EngineError{
              Kind::no_device, each.path + ": host code in CUDA C++ needs a GPU: " + source, {}};
      }
    }
  }
  if (device->info.kind == "host" || device->recordings) {
    groups.push_back({*std::move(device), *std::move(definitions)});
    return groups;
  }

  std::vector<std::string> functions;
  for (const Definition& each : *definitions) {
    if (each.kernel.language == Language::cpp) functions.push_back(each.path);
  }
  std::erase_if(*definitions, [](const Definition& each) { return each.kernel.language == Language::cpp; });
  if (!functions.empty() && choice.kind != DeviceChoice::Kind::automatic) {
    return EngineError{
        Kind::wrong_device, functions.front() + ": C++ functions run on the host device only", {}};
  }
  if (!definitions->empty()) groups.push_back({*std::move(device), *std::move(definitions)});
  if (functions.empty()) return groups;
  for (const std::string& path : functions) {
    if (notice) notice(path + ": uses the host device because it is a C++ function");
  }
  auto on_host = open_spaces(functions, {DeviceChoice::Kind::host}, worker_argv, notice, options);
  if (!on_host) return on_host.error();
  groups.push_back(std::move(on_host->front()));
  return groups;
}

}  // namespace gktune
