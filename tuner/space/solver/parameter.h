#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/core/value.h"
#include "tuner/space/language/expression.h"

namespace gktune {

// A value that the author of a kernel leaves to the tuner.
struct Parameter {
  std::string name;
  std::vector<Value> values;  // in the order of the file, none twice
  std::optional<Value> default_value;
};

// Condition on a configuration, and its origin.
struct Constraint {
  enum class Origin { file, block_limit, shared_memory_limit };
  Expression condition;
  Origin origin = Origin::file;
};

}  // namespace gktune
