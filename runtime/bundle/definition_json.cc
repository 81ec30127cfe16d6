#include "runtime/bundle/definition_json.h"

#include <stdexcept>
#include <string>
#include <vector>

#include "tuner/core/fields_json.h"
#include "tuner/space/language/expression_text.h"

namespace gktune {
namespace {

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

}  // namespace

SortedJson definition_json(const Definition& definition) {
  const KernelDefinition& kernel = definition.kernel;
  std::vector<Argument> arguments = kernel.arguments;
  for (Argument& argument : arguments) {  // an application has contents of its own
    argument.contents = {};
    argument.check.reset();
  }
  std::vector<Axis> axes = kernel.axes;
  for (Axis& axis : axes) axis.values.resize(1);
  // Constraints do not count if the configurations are listed.
  std::vector<Expression> constraints;
  if (definition.listed.empty()) {
    for (const Constraint& constraint : definition.constraints) constraints.push_back(constraint.condition);
  }
  std::vector<std::string> undefined;
  const auto add_undefined = [&](const std::string& name) {
    if (kernel.undefined_names.contains(name)) undefined.push_back(name);
  };
  for (const std::string& name : kernel.parameter_names) add_undefined(name);
  for (const Axis& axis : kernel.axes) add_undefined(axis.macro);
  return {{"name", kernel.name},
          {"language", written<SortedJson>(kernel.language)},
          {"fingerprint", definition.fingerprint},
          {"options", written<SortedJson>(kernel.options)},
          {"host_options", written<SortedJson>(kernel.host_options)},
          {"axes", written<SortedJson>(axes)},
          {"parameters", kernel.parameter_names},
          {"declared", undefined},
          {"default", written<SortedJson>(kernel.default_values)},
          {"arguments", written<SortedJson>(arguments)},
          {"setup", written<SortedJson>(kernel.setup)},
          {"launches", written<SortedJson>(kernel.launches)},
          {"constraints", written<SortedJson>(constraints)}};
}

Definition definition_from(const SortedJson& json) {
  Definition definition;
  KernelDefinition& kernel = definition.kernel;
  read_into(kernel.name, json.at("name"));
  definition.path = kernel.name;
  read_into(kernel.language, json.at("language"));
  read_into(definition.fingerprint, json.at("fingerprint"));
  read_into(kernel.options, json.at("options"));
  read_into(kernel.host_options, json.at("host_options"));
  kernel.unsafe_options = UnsafeOptions::allowed;  // they were judged when the code was compiled
  read_into(kernel.axes, json.at("axes"));
  read_into(kernel.parameter_names, json.at("parameters"));
  for (const SortedJson& name : json.at("declared")) kernel.undefined_names.insert(name.get<std::string>());
  read_into(kernel.default_values, json.at("default"));
  read_into(kernel.arguments, json.at("arguments"));
  check(kernel.arguments);
  read_into(kernel.setup, json.at("setup"));
  read_into(kernel.launches, json.at("launches"));
  for (const auto* launches : {&kernel.setup.once, &kernel.setup.each, &kernel.launches}) check(*launches);
  for (auto& condition : read_as<std::vector<Expression>>(json.at("constraints")))
    definition.constraints.push_back({std::move(condition)});
  return definition;
}

}  // namespace gktune
