#include "runtime/bundle/bundle.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <utility>

#include "db/database.h"
#include "db/identity.h"
#include "tuner/core/fields_json.h"
#include "tuner/core/text.h"
#include "tuner/space/definition.h"
#include "tuner/space/fingerprint.h"
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

// Throws for launches that cannot be evaluated.
void check(const std::vector<PassedArgument>& arguments) {
  for (const PassedArgument& argument : arguments) {
    check(argument.members);
    const auto& map = argument.tensor_map;
    if (!map) continue;
    if (map->sizes.empty() || map->sizes.size() > 5 || map->box.size() != map->sizes.size() ||
        (!map->strides.empty() && map->strides.size() + 1 != map->sizes.size())) {
      throw std::runtime_error("a tensor map of no shape");
    }
  }
}

void check(const std::vector<Launch>& launches) {
  for (const Launch& launch : launches) {
    if (!launch.swap.empty() && launch.swap.size() != 2) throw std::runtime_error("swap names two buffers");
    check(launch.arguments);
    check(launch.body);
  }
}

void check(const std::vector<Argument>& arguments) {
  for (const Argument& argument : arguments) {
    if (!argument.value && !argument.extent) throw std::runtime_error("an argument without value and extent");
  }
}

// Members that are stored in another form.
struct Rest {
  std::vector<std::string> undefined;   // parameters and axes that are no macros
  std::vector<Expression> constraints;  // without names
};

template <class Archive, Is<Definition> S, Is<Rest> R>
void fields(Archive&& archive, S& definition, R& rest) {
  auto& kernel = definition.kernel;
  archive("name", kernel.name);
  archive("language", kernel.language);
  archive("fingerprint", definition.fingerprint);
  archive("options", kernel.options);
  archive("host_options", kernel.host_options);
  archive("axes", kernel.axes);
  archive("parameters", kernel.parameter_names);
  archive("declared", rest.undefined);
  archive("default", kernel.default_values);
  archive("arguments", kernel.arguments);
  archive("setup", kernel.setup);
  archive("launches", kernel.launches);
  archive("constraints", rest.constraints);
}

}  // namespace

std::string definition_text(Definition definition) {
  KernelDefinition& kernel = definition.kernel;
  for (Argument& argument : kernel.arguments) {  // an application has contents of its own
    argument.contents = {};
    argument.check.reset();
  }
  for (Axis& axis : kernel.axes) axis.values.resize(1);
  Rest rest;
  // Constraints do not count if the configurations are listed.
  if (definition.listed.empty()) {
    for (const Constraint& constraint : definition.constraints) rest.constraints.push_back(constraint.condition);
  }
  std::vector<std::string> names = kernel.parameter_names;
  for (const Axis& axis : kernel.axes) names.push_back(axis.macro);
  std::ranges::copy_if(names, std::back_inserter(rest.undefined),
                       [&](const std::string& name) { return kernel.undefined_names.contains(name); });
  SortedJson json;
  fields([&](const char* name, const auto& member) { json[name] = written<SortedJson>(member); }, definition, rest);
  return json.dump();
}

Definition definition_from(const std::string& text) {
  const auto json = SortedJson::parse(text);
  Definition definition;
  Rest rest;
  fields([&](const char* name, auto& member) { read_into(member, json.at(name)); }, definition, rest);
  KernelDefinition& kernel = definition.kernel;
  definition.path = kernel.name;
  kernel.unsafe_options = UnsafeOptions::allowed;  // they were judged when the code was compiled
  kernel.undefined_names.insert(rest.undefined.begin(), rest.undefined.end());
  check(kernel.arguments);
  for (const auto* launches : {&kernel.setup.once, &kernel.setup.each, &kernel.launches}) check(*launches);
  for (Expression& condition : rest.constraints) definition.constraints.push_back({std::move(condition)});
  return definition;
}

std::string variant_key(const SourcePlan& source) {
  std::string parts;
  const auto add = [&parts](const std::string& text) { parts += std::to_string(text.size()) + ':' + text; };
  for (const auto& [name, value] : source.macros) add(name), add(value);
  parts += '\n';
  for (const std::string& option : source.options) add(option);
  parts += '\n';
  for (const std::string& entry : source.entries) add(entry);
  if (!source.request.empty()) add(source.request);
  return content_key(parts);
}

Bundle::Bundle(std::filesystem::path path) : path_(std::move(path)) {}
Bundle::~Bundle() = default;

Result<std::shared_ptr<const Bundle>> Bundle::open(const std::filesystem::path& path, const std::string* bytes) {
  const std::shared_ptr<Bundle> bundle(new Bundle(path));
  GKTUNE_TRY(bundle->read(bytes));
  return std::shared_ptr<const Bundle>(bundle);
}

Result<void> Bundle::read(const std::string* bytes) {
  const auto database = GKTUNE_TRY(bytes != nullptr ? Database::from_bytes(path_, *bytes)
                                                    : Database::open(path_, Database::Access::read));
  winners_ = GKTUNE_TRY(database->kernel_winners());
  const auto definitions = GKTUNE_TRY(database->definitions());
  auto codes = GKTUNE_TRY(database->codes());
  if (codes.empty())
    return Error{path_.string() + ": holds no compiled code; gktune bundle writes it", ErrorCode::not_found};
  codes_ = std::move(codes);
  for (const StoredDefinition& stored : definitions) {
    try {
      definitions_.emplace_back(stored.device_kind, definition_from(stored.body));
    } catch (const std::exception& error) {
      return Error{path_.string() + ": the definition of '" + stored.kernel + "' cannot be read: " + error.what(),
                   ErrorCode::damaged};
    }
  }
  return {};
}

std::vector<std::string> Bundle::kernels() const {
  std::vector<std::string> names;
  for (const auto& [kind, definition] : definitions_) {
    if (std::ranges::find(names, definition.kernel.name) == names.end()) names.push_back(definition.kernel.name);
  }
  return names;
}

Result<Definition> Bundle::definition(std::string_view name, const DeviceInfo& device) const {
  std::set<std::string> served;
  for (const StoredCode& code : codes_) {
    if (code.kernel != name) continue;
    served.insert(code.architecture + (code.cpu.empty() ? "" : " (" + code.cpu + ")"));
    if (code.device_kind != device.kind || !serves(code, device)) continue;
    for (const auto& [kind, definition] : definitions_) {
      if (kind == code.device_kind && definition.kernel.name == name && definition.fingerprint == code.fingerprint)
        return definition;
    }
  }
  const std::string text(name);
  if (served.empty())
    return Error{path_.string() + ": the bundle has no kernel '" + text + "'" + did_you_mean(text, kernels())};
  return Error{path_.string() + ": the bundle has code of " + text + " for " + joined(served) + ", and none for " +
               device.architecture + " (" + device.name + ")"};
}

const StoredCode* Bundle::code(std::string_view name, std::string_view fingerprint, const SourcePlan& source,
                               const DeviceInfo& device) const {
  const std::string key = variant_key(source);
  const StoredCode* found = nullptr;
  for (const StoredCode& code : codes_) {
    if (code.kernel != name || code.fingerprint != fingerprint || code.device_kind != device.kind ||
        code.variant != key || !serves(code, device)) {
      continue;
    }
    if (found == nullptr || code.architecture == device.architecture) found = &code;
  }
  return found;
}

}  // namespace gktune
