#include "runtime/bundle/bundle.h"

#include <algorithm>
#include <set>
#include <utility>

#include "db/database.h"
#include "db/values_json.h"
#include "runtime/bundle/definition_json.h"
#include "tuner/space/content_key.h"
#include "tuner/core/spelling.h"
#include "tuner/core/text.h"
#include "tuner/space/definition.h"
#include "tuner/space/plan.h"

namespace gktune {
namespace {

// Machine code of sm_86 runs on sm_89. That of sm_90 and later may use features of one architecture alone.
bool runs_on(std::string_view code, std::string_view device) {
  if (code == device) return true;
  if (code.size() != 5 || device.size() != 5 || !code.starts_with("sm_") || !device.starts_with("sm_"))
    return false;
  return code[3] == device[3] && code[3] < '9' && code[4] <= device[4];
}

bool serves(const StoredCode& code, const DeviceInfo& device) {
  return runs_on(code.architecture, device.architecture) && (code.cpu.empty() || code.cpu == device.name);
}

}  // namespace

std::string variant_key(const SourcePlan& source) {
  std::string parts;
  const auto add = [&parts](const std::string& text) { parts += std::to_string(text.size()) + ':' + text; };
  for (const auto& [name, value] : source.macros) add(name), add(value);
  parts += '\n';
  for (const std::string& option : source.options) add(option);
  parts += '\n';
  for (const std::string& entry : source.entries) add(entry);
  return content_key(parts);
}

struct Bundle::Kernel {
  std::string device_kind;
  Definition definition;
  std::vector<StoredCode> codes;

  const std::string& name() const { return definition.kernel.name; }
};

Bundle::Bundle(std::filesystem::path path) : path_(std::move(path)) {}
Bundle::~Bundle() = default;

Result<std::shared_ptr<const Bundle>> Bundle::open(const std::filesystem::path& path) {
  const std::shared_ptr<Bundle> bundle(new Bundle(path));
  if (auto read = bundle->read(); !read) return read.error();
  return std::shared_ptr<const Bundle>(bundle);
}

Result<void> Bundle::read() {
  const auto database = Database::open(path_, Database::Access::read);
  if (!database) return database.error();
  auto winners = (*database)->kernel_winners();
  if (!winners) return winners.error();
  winners_ = *std::move(winners);
  const auto definitions = (*database)->definitions();
  if (!definitions) return definitions.error();
  auto codes = (*database)->codes();
  if (!codes) return codes.error();
  if (codes->empty()) return Error{path_.string() + ": holds no compiled code; gktune bundle writes it"};
  for (const StoredDefinition& stored : *definitions) {
    Kernel& kernel = kernels_.emplace_back();
    kernel.device_kind = stored.device_kind;
    try {
      kernel.definition = definition_from(SortedJson::parse(stored.body));
    } catch (const std::exception& error) {
      return Error{path_.string() + ": the definition of '" + stored.kernel + "' cannot be read: " + error.what()};
    }
    for (StoredCode& code : *codes) {
      if (code.kernel == stored.kernel && code.fingerprint == stored.fingerprint &&
          code.device_kind == stored.device_kind) {
        kernel.codes.push_back(std::move(code));
      }
    }
  }
  return {};
}

std::vector<std::string> Bundle::kernels() const {
  std::vector<std::string> names;
  for (const Kernel& kernel : kernels_) {
    if (std::ranges::find(names, kernel.name()) == names.end()) names.push_back(kernel.name());
  }
  return names;
}

Result<Definition> Bundle::definition(std::string_view name, const DeviceInfo& device) const {
  std::set<std::string> served;
  for (const Kernel& kernel : kernels_) {
    if (kernel.name() != name) continue;
    for (const StoredCode& code : kernel.codes) {
      if (kernel.device_kind == device.kind && serves(code, device)) return kernel.definition;
      served.insert(code.architecture + (code.cpu.empty() ? "" : " (" + code.cpu + ")"));
    }
  }
  if (served.empty()) {
    const std::string text(name);
    return Error{path_.string() + ": the bundle has no kernel '" + text + "'" +
                 did_you_mean(text, kernels())};
  }
  return Error{path_.string() + ": the bundle has code of " + std::string(name) + " for " + joined(served) +
               ", and none for " + device.architecture + " (" + device.name + ")"};
}

std::optional<BundledCode> Bundle::code(std::string_view name, std::string_view fingerprint,
                                        const SourcePlan& source, const DeviceInfo& device) const {
  const std::string key = variant_key(source);
  const StoredCode* found = nullptr;
  for (const Kernel& kernel : kernels_) {
    if (kernel.name() != name || kernel.device_kind != device.kind ||
        kernel.definition.fingerprint != fingerprint) {
      continue;
    }
    for (const StoredCode& code : kernel.codes) {
      if (code.variant != key || !serves(code, device)) continue;
      if (found == nullptr || code.architecture == device.architecture) found = &code;
    }
  }
  if (found == nullptr) return std::nullopt;
  return BundledCode{found->bytes, found->symbols};
}

}  // namespace gktune
