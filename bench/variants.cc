#include "bench/variants.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "tuner/space/space_file.h"

namespace gktune {
namespace {

bool holds(const Constraint& constraint, const Scope& scope) {
  const auto value = constraint.condition.evaluate(scope);
  if (!value) return false;
  if (value->is_boolean()) return value->boolean();
  return value->is_number() && value->number() != 0;
}

}  // namespace

Definition read_space(const std::string& path) {
  auto definition = read_space_file(path, {.device_kind = "cuda", .strategies = {}});
  if (definition) return *std::move(definition);
  for (const auto& diagnostic : definition.error()) std::fprintf(stderr, "%s\n", diagnostic.str().c_str());
  std::exit(2);
}

Problem problem_of(const Definition& definition, const Problem& given) {
  Problem problem;
  for (const auto& axis : definition.kernel.axes) {
    const Value* value = given.find(axis.name);
    problem.set(axis.name, value != nullptr ? *value : axis.values.back());
  }
  return problem;
}

void set_axis(Problem& problem, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos) {
    std::fprintf(stderr, "%s: expected axis=value\n", text.c_str());
    std::exit(2);
  }
  const std::string value = text.substr(equals + 1);
  char* end = nullptr;
  const long long number = std::strtoll(value.c_str(), &end, 10);
  problem.set(text.substr(0, equals), *end == '\0' ? Value(number) : Value(value));
}

std::int64_t number_of(const NamedValues& values, const char* name, std::int64_t otherwise) {
  const Value* value = values.find(name);
  return value != nullptr && value->is_integer() ? value->integer() : otherwise;
}

Variants draw_variants(const std::string& space_path, const DeviceInfo& device, const Problem& axes,
                       std::size_t count, unsigned seed) {
  Variants variants;
  variants.definition = read_space(space_path);
  variants.problem = problem_of(variants.definition, axes);
  const auto constraints =
      with_device_limits(variants.definition.constraints, variants.definition.kernel, device);

  std::mt19937 random(seed);
  const NamedValues attributes = device.attributes();
  std::set<std::string> seen;
  for (int attempts = 0; variants.configs.size() < count && attempts < 10'000'000; ++attempts) {
    Config config;
    for (const auto& parameter : variants.definition.parameters) {
      const Value* fixed = axes.find(parameter.name);
      config.set(parameter.name,
                 fixed != nullptr ? *fixed : parameter.values[random() % parameter.values.size()]);
    }
    Scope scope;
    scope.add(config).add(variants.problem).add(attributes, "device.");
    if (!std::ranges::all_of(constraints, [&](const auto& constraint) { return holds(constraint, scope); }))
      continue;
    if (!seen.insert(config.json()).second) continue;
    auto plan = resolve(variants.definition.kernel, config, variants.problem, device);
    if (!plan) continue;
    variants.configs.push_back(std::move(config));
    variants.plans.push_back(std::move(*plan));
  }
  return variants;
}

}  // namespace gktune
