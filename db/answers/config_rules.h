#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "db/answers/axis_value.h"
#include "db/answers/kernel_space.h"
#include "tuner/space/language/expression.h"

namespace gktune {

// The constraints of a space on one device.
class ConfigRules {
 public:
  // The axes are those that questions name. A constraint that cannot be read is never met.
  ConfigRules(const KernelSpace& space, NamedValues device, std::span<const std::string> axes);

  // `of_problem`: the constraints that depend on an axis; the others hold for what
  // was tuned on the same device.
  enum class Which { of_problem, all };
  // True if the configuration is valid for a question with these values. Axes that the question does not name
  // have the values of the tuned problem.
  bool allow(Which which, const Config& config, const Problem& tuned,
             std::span<const AxisValue> values) const;

 private:
  std::vector<std::string> axes_;
  std::vector<Expression> of_problem_, others_;
  NamedValues device_;
  bool is_damaged_ = false;
};

}  // namespace gktune
