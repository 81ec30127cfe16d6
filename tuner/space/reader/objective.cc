#include "tuner/space/reader/objective.h"

#include <algorithm>

#include "tuner/space/reader/scalar.h"

namespace gktune {

Objective read_objective(const YamlNode& node, const std::vector<Metric>& metrics, ErrorList& errors) {
  Objective objective;
  std::vector<std::string> names = {"time"};
  for (const Metric& metric : metrics) names.push_back(metric.name);
  const auto find = [&](const YamlNode& name) {
    if (!name.is_scalar()) {
      errors.add(name, "expected the name of a metric, found " + std::string(kind_words(name)));
    } else if (std::ranges::find(names, name.text) == names.end()) {
      errors.add(name, "unknown metric '" + name.text + "'" + errors.guess(name.text, names));
    } else {
      objective.metric = name.text == "time" ? std::string() : name.text;
    }
  };
  if (node.is_scalar()) {
    if (node.text != "time") {
      errors.add(node, "unknown objective '" + node.text + "'",
                 "expected time, {maximize: METRIC} or {minimize: METRIC}");
    }
    return objective;
  }
  const Fields fields(node, "objective", {"maximize", "minimize"}, errors);
  if (!fields.is_map()) return objective;
  const YamlNode* most = fields.find("maximize");
  const YamlNode* least = fields.find("minimize");
  if ((most == nullptr) == (least == nullptr)) {
    errors.add(node, "expected either maximize or minimize");
    return objective;
  }
  find(most != nullptr ? *most : *least);
  objective.maximize = most != nullptr;
  if (most != nullptr && most->text == "time") errors.add(*most, "time can only be minimized");
  return objective;
}

Regime read_regime(const YamlNode& node, ErrorList& errors) {
  const auto regime = regime_from_name(node.text);
  if (node.is_scalar() && regime) return *regime;
  static const std::vector<std::string> kRegimes = {"cold", "hot"};
  errors.add(node, "unknown regime '" + node.text + "'" + errors.guess(node.text, kRegimes),
             "expected cold or hot");
  return Regime::cold;
}

void read_search(const YamlNode& node, const std::vector<std::string>& strategies, SearchLimits& search,
                 ErrorList& errors) {
  const Fields fields(node, "search", {"strategy", "effort", "trials", "time"}, errors);
  if (const YamlNode* strategy = fields.find("strategy")) {
    const auto name = read_text(*strategy, errors);
    if (name) search.strategy = *name;
    if (name && !strategies.empty() && std::ranges::find(strategies, *name) == strategies.end()) {
      errors.add(*strategy, "unknown strategy '" + *name + "'" + errors.guess(*name, strategies));
    }
  }
  if (const YamlNode* node_of_effort = fields.find("effort")) {
    const auto text = read_text(*node_of_effort, errors);
    const auto effort = text ? effort_from_name(*text) : std::nullopt;
    if (effort) search.effort = *effort;
    if (text && !effort) {
      errors.add(*node_of_effort,
                 "unknown effort '" + *text + "'" + errors.guess(*text, enum_names(search.effort)),
                 "expected quick, normal or thorough");
    }
  }
  if (const YamlNode* trials = fields.find("trials")) {
    const auto count = read_integer(*trials, errors);
    if (count) search.trials = *count;
    if (count && *count < 1) errors.add(*trials, "trials must be at least 1");
  }
  if (const YamlNode* time = fields.find("time")) {
    if (const auto seconds = read_seconds(*time, errors)) search.seconds = *seconds;
  }
}

}  // namespace gktune
