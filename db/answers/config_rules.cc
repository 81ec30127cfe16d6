#include "db/answers/config_rules.h"

#include <algorithm>
#include <utility>

#include "tuner/space/language/evaluate.h"

namespace gktune {

ConfigRules::ConfigRules(const KernelSpace& space, NamedValues device, std::span<const std::string> axes)
    : axes_(axes.begin(), axes.end()), device_(std::move(device)) {
  for (const std::string& text : space.constraints) {
    auto constraint = Expression::parse(text);
    if (!constraint) {
      is_damaged_ = true;
      continue;
    }
    const bool is_of_problem = std::ranges::any_of(constraint->names(), [&](const Expression::NameUse& use) {
      return std::ranges::find(axes_, use.name) != axes_.end();
    });
    (is_of_problem ? of_problem_ : others_).push_back(*std::move(constraint));
  }
}

bool ConfigRules::allow(Which which, const Config& config, const Problem& tuned,
                       std::span<const AxisValue> values) const {
  if (is_damaged_) return false;
  if (of_problem_.empty() && (which == Which::of_problem || others_.empty())) return true;
  Problem asked;
  for (std::size_t i = 0; i < axes_.size(); ++i) asked.set(axes_[i], values[i].value());
  Scope scope;
  scope.add(config).add(asked).add(tuned).add(device_, "device.");
  return all_hold(of_problem_, scope) && (which == Which::of_problem || all_hold(others_, scope));
}

}  // namespace gktune
