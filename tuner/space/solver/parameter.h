#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gktune/values.h"
#include "tuner/space/language/expression.h"

namespace gktune {

// A parameter of a kernel; the tuner chooses its value.
struct Parameter {
  std::string name;
  std::vector<Value> values;  // in the order of the file, without duplicates
  std::optional<Value> default_value;
};

// Puts the values of a configuration in the order of the parameters. Requires a value for each.
inline Config in_order_of(const std::vector<Parameter>& parameters, const Config& config) {
  Config ordered;
  for (const Parameter& parameter : parameters) ordered.set(parameter.name, *config.find(parameter.name));
  return ordered;
}

// Condition on a configuration, and its origin.
struct Constraint {
  enum class Origin { file, block_limit, shared_memory_limit };
  Expression condition;
  Origin origin = Origin::file;
};

}  // namespace gktune
