#include "runtime/bundle/definition_json.h"

#include <stdexcept>
#include <string>
#include <vector>

#include "tuner/space/language/expression_text.h"

namespace gktune {
namespace {

const std::string kCpp = "cpp";  // Language::cpp

SortedJson json_of(const Expression& expression) { return expanded_text(expression); }

Expression expression_from(const SortedJson& json) {
  auto parsed = Expression::parse(json.get<std::string>());
  if (!parsed) throw std::runtime_error(parsed.error().message);
  return *std::move(parsed);
}

SortedJson json_of(const std::optional<Expression>& expression) {
  return expression ? json_of(*expression) : SortedJson();
}

std::optional<Expression> maybe_expression_from(const SortedJson& json) {
  if (json.is_null()) return std::nullopt;
  return expression_from(json);
}

SortedJson json_of(const std::vector<std::string>& texts) { return SortedJson(texts); }

// An array of literals, each followed by an expression or null.
SortedJson json_of(const Pattern& pattern) {
  SortedJson parts = SortedJson::array();
  for (const Pattern::Part& part : pattern.parts) {
    parts.push_back(part.literal);
    parts.push_back(json_of(part.expression));
  }
  return {{"parts", std::move(parts)}, {"text", pattern.text}};
}

Pattern pattern_from(const SortedJson& json) {
  Pattern pattern;
  const SortedJson& parts = json.at("parts");
  for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
    pattern.parts.push_back({parts[i].get<std::string>(), maybe_expression_from(parts[i + 1])});
  }
  pattern.text = json.at("text").get<std::string>();
  return pattern;
}

SortedJson json_of(const std::vector<Option>& options) {
  SortedJson array = SortedJson::array();
  for (const Option& option : options)
    array.push_back({{"flag", json_of(option.flag)}, {"when", json_of(option.when)}});
  return array;
}

std::vector<Option> options_from(const SortedJson& json) {
  std::vector<Option> options;
  for (const SortedJson& each : json) {
    options.push_back({pattern_from(each.at("flag")), maybe_expression_from(each.at("when"))});
  }
  return options;
}

using Extents = std::array<std::optional<Expression>, 3>;

SortedJson json_of(const Extents& extents) {
  return SortedJson::array({json_of(extents[0]), json_of(extents[1]), json_of(extents[2])});
}

Extents extents_from(const SortedJson& json) {
  return {maybe_expression_from(json.at(0)), maybe_expression_from(json.at(1)),
          maybe_expression_from(json.at(2))};
}

SortedJson json_of(const std::vector<Expression>& expressions) {
  SortedJson array = SortedJson::array();
  for (const Expression& each : expressions) array.push_back(json_of(each));
  return array;
}

std::vector<Expression> expressions_from(const SortedJson& json) {
  std::vector<Expression> expressions;
  for (const SortedJson& each : json) expressions.push_back(expression_from(each));
  return expressions;
}

SortedJson json_of(const std::optional<TensorMap>& map) {
  if (!map) return {};
  return {{"buffer", map->buffer},
          {"sizes", json_of(map->sizes)},
          {"strides", json_of(map->strides)},
          {"box", json_of(map->box)},
          {"swizzle", json_of(map->swizzle)}};
}

std::optional<TensorMap> tensor_map_from(const SortedJson& json) {
  if (json.is_null()) return std::nullopt;
  TensorMap map{json.at("buffer").get<std::string>(), expressions_from(json.at("sizes")),
                expressions_from(json.at("strides")), expressions_from(json.at("box")),
                maybe_expression_from(json.at("swizzle"))};
  if (map.sizes.empty() || map.sizes.size() > 5 || map.box.size() != map.sizes.size() ||
      (!map.strides.empty() && map.strides.size() + 1 != map.sizes.size())) {
    throw std::runtime_error("a tensor map of no shape");
  }
  return map;
}

SortedJson json_of(const std::vector<PassedArgument>& passed) {
  SortedJson array = SortedJson::array();
  for (const PassedArgument& argument : passed) {
    array.push_back({{"name", argument.name},
                     {"type", json_of(argument.type)},
                     {"value", json_of(argument.value)},
                     {"members", json_of(argument.members)},
                     {"tensor_map", json_of(argument.tensor_map)}});
  }
  return array;
}

std::vector<PassedArgument> passed_from(const SortedJson& json) {
  std::vector<PassedArgument> passed;
  for (const SortedJson& argument : json) {
    passed.push_back({argument.at("name").get<std::string>(), pattern_from(argument.at("type")),
                      maybe_expression_from(argument.at("value")), passed_from(argument.at("members")),
                      tensor_map_from(argument.at("tensor_map"))});
  }
  return passed;
}

SortedJson json_of(const std::vector<Launch>& launches) {
  SortedJson array = SortedJson::array();
  for (const Launch& launch : launches) {
    array.push_back({{"entry", json_of(launch.entry)},
                     {"fill", launch.fill},
                     {"fill_byte", json_of(launch.fill_byte)},
                     {"grid", json_of(launch.grid)},
                     {"block", json_of(launch.block)},
                     {"shared_bytes", json_of(launch.shared_bytes)},
                     {"when", json_of(launch.when)},
                     {"cluster", json_of(launch.cluster)},
                     {"cooperative", json_of(launch.cooperative)},
                     {"programmatic", json_of(launch.programmatic)},
                     {"carveout", json_of(launch.carveout)},
                     {"arguments", json_of(launch.arguments)},
                     {"rounds", json_of(launch.rounds)},
                     {"index", launch.index},
                     {"swap", json_of(launch.swap)},
                     {"body", json_of(launch.body)}});
  }
  return array;
}

std::vector<Launch> launches_from(const SortedJson& json) {
  std::vector<Launch> launches;
  for (const SortedJson& each : json) {
    Launch& launch = launches.emplace_back();
    launch.entry = pattern_from(each.at("entry"));
    launch.fill = each.at("fill").get<std::string>();
    launch.fill_byte = maybe_expression_from(each.at("fill_byte"));
    launch.grid = extents_from(each.at("grid"));
    launch.block = extents_from(each.at("block"));
    launch.shared_bytes = maybe_expression_from(each.at("shared_bytes"));
    launch.when = maybe_expression_from(each.at("when"));
    launch.cluster = extents_from(each.at("cluster"));
    launch.cooperative = maybe_expression_from(each.at("cooperative"));
    launch.programmatic = maybe_expression_from(each.at("programmatic"));
    launch.carveout = maybe_expression_from(each.at("carveout"));
    launch.arguments = passed_from(each.at("arguments"));
    launch.rounds = maybe_expression_from(each.at("rounds"));
    launch.index = each.at("index").get<std::string>();
    launch.swap = each.at("swap").get<std::vector<std::string>>();
    if (!launch.swap.empty() && launch.swap.size() != 2) throw std::runtime_error("swap names two buffers");
    launch.body = launches_from(each.at("body"));
  }
  return launches;
}

constexpr std::pair<Argument::Role, const char*> kRoles[] = {{Argument::Role::in, "in"},
                                                             {Argument::Role::out, "out"},
                                                             {Argument::Role::inout, "inout"},
                                                             {Argument::Role::scratch, "scratch"}};

SortedJson json_of(const Argument& argument) {
  SortedJson json = {{"name", argument.name},
                     {"type", json_of(argument.type)},
                     {"value", json_of(argument.value)},
                     {"extent", json_of(argument.extent)},
                     {"symbol", argument.symbol}};
  for (const auto& [role, name] : kRoles) {
    if (role == argument.role) json["role"] = name;
  }
  return json;
}

Argument argument_from(const SortedJson& json) {
  Argument argument;
  argument.name = json.at("name").get<std::string>();
  argument.type = pattern_from(json.at("type"));
  argument.value = maybe_expression_from(json.at("value"));
  argument.extent = maybe_expression_from(json.at("extent"));
  argument.symbol = json.at("symbol").get<std::string>();
  if (!argument.value && !argument.extent) throw std::runtime_error("an argument without value and extent");
  bool has_role = false;
  for (const auto& [role, name] : kRoles) {
    if (json.at("role") == name) argument.role = role, has_role = true;
  }
  if (!has_role) throw std::runtime_error("an unknown role of an argument");
  return argument;
}

SortedJson json_of(const std::vector<Axis>& axes) {
  SortedJson array = SortedJson::array();
  for (const Axis& axis : axes) {
    array.push_back({{"name", axis.name},
                     {"value", sorted_json(axis.values.front())},
                     {"macro", axis.macro},
                     {"match", axis.match}});
  }
  return array;
}

std::vector<Axis> axes_from(const SortedJson& json) {
  std::vector<Axis> axes;
  for (const SortedJson& each : json) {
    Axis& axis = axes.emplace_back();
    axis.name = each.at("name").get<std::string>();
    axis.values = {value_from(each.at("value"))};
    axis.macro = each.at("macro").get<std::string>();
    axis.match = each.at("match").get<std::string>();
  }
  return axes;
}

}  // namespace

SortedJson definition_json(const Definition& definition) {
  const KernelDefinition& kernel = definition.kernel;
  SortedJson arguments = SortedJson::array(), constraints = SortedJson::array(),
             undefined = SortedJson::array();
  for (const Argument& argument : kernel.arguments) arguments.push_back(json_of(argument));
  // Constraints do not count if the configurations are listed.
  if (definition.listed.empty()) {
    for (const Constraint& constraint : definition.constraints)
      constraints.push_back(json_of(constraint.condition));
  }
  const auto add_undefined = [&](const std::string& name) {
    if (kernel.undefined_names.contains(name)) undefined.push_back(name);
  };
  for (const std::string& name : kernel.parameter_names) add_undefined(name);
  for (const Axis& axis : kernel.axes) add_undefined(axis.macro);
  return {{"name", kernel.name},
          {"language", kernel.language == Language::cpp ? kCpp : language_name(kernel.language)},
          {"fingerprint", definition.fingerprint},
          {"options", json_of(kernel.options)},
          {"host_options", json_of(kernel.host_options)},
          {"axes", json_of(kernel.axes)},
          {"parameters", json_of(kernel.parameter_names)},
          {"declared", std::move(undefined)},
          {"default", sorted_json(kernel.default_values)},
          {"arguments", std::move(arguments)},
          {"setup_once", json_of(kernel.setup.once)},
          {"setup_each", json_of(kernel.setup.each)},
          {"launches", json_of(kernel.launches)},
          {"constraints", std::move(constraints)}};
}

Definition definition_from(const SortedJson& json) {
  Definition definition;
  KernelDefinition& kernel = definition.kernel;
  kernel.name = definition.path = json.at("name").get<std::string>();
  const auto language = json.at("language").get<std::string>();
  if (language != kCpp && language != language_name(Language::cuda))
    throw std::runtime_error("an unknown language");
  kernel.language = language == kCpp ? Language::cpp : Language::cuda;
  definition.fingerprint = json.at("fingerprint").get<std::string>();
  kernel.options = options_from(json.at("options"));
  kernel.host_options = options_from(json.at("host_options"));
  kernel.unsafe_options = UnsafeOptions::allowed;  // they were judged when the code was compiled
  kernel.axes = axes_from(json.at("axes"));
  kernel.parameter_names = json.at("parameters").get<std::vector<std::string>>();
  for (const SortedJson& name : json.at("declared")) kernel.undefined_names.insert(name.get<std::string>());
  kernel.default_values = values_from(json.at("default"));
  for (const SortedJson& each : json.at("arguments")) kernel.arguments.push_back(argument_from(each));
  kernel.setup = {launches_from(json.at("setup_once")), launches_from(json.at("setup_each"))};
  kernel.launches = launches_from(json.at("launches"));
  for (const SortedJson& each : json.at("constraints"))
    definition.constraints.push_back({expression_from(each)});
  return definition;
}

}  // namespace gktune
