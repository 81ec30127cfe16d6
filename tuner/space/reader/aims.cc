#include "tuner/space/reader/aims.h"

#include <algorithm>

#include "tuner/space/reader/scalar.h"

namespace gktune {

Objective read_objective(const YamlNode& node, const std::vector<Metric>& metrics, Complaints& complaints) {
  Objective objective;
  std::vector<std::string> names = {"time"};
  for (const Metric& metric : metrics) names.push_back(metric.name);
  const auto find = [&](const YamlNode& name) {
    if (!name.is_scalar()) {
      complaints.add(name, "expected the name of a metric, here is " + std::string(kind_words(name)));
    } else if (std::ranges::find(names, name.text) == names.end()) {
      complaints.add(name, "there is no metric '" + name.text + "'" + complaints.guess(name.text, names));
    } else {
      objective.metric = name.text == "time" ? std::string() : name.text;
    }
  };
  if (node.is_scalar()) {
    if (node.text != "time") {
      complaints.add(node, "'" + node.text + "' is no objective",
                     "time, {maximize: metric} or {minimize: metric}");
    }
    return objective;
  }
  const Fields fields(node, "an objective", {"maximize", "minimize"}, complaints);
  if (!fields.is_map()) return objective;
  const YamlNode* most = fields.find("maximize");
  const YamlNode* least = fields.find("minimize");
  if ((most == nullptr) == (least == nullptr)) {
    complaints.add(node, "an objective is one of maximize and minimize");
    return objective;
  }
  find(most != nullptr ? *most : *least);
  objective.maximize = most != nullptr;
  if (most != nullptr && most->text == "time") complaints.add(*most, "the longest time is nobody's aim");
  return objective;
}

Regime read_regime(const YamlNode& node, Complaints& complaints) {
  const auto regime = regime_from_name(node.text);
  if (node.is_scalar() && regime) return *regime;
  static const std::vector<std::string> kRegimes = {"cold", "hot"};
  complaints.add(node, "'" + node.text + "' is no regime" + complaints.guess(node.text, kRegimes),
                 "cold, or hot");
  return Regime::cold;
}

void read_search(const YamlNode& node, const std::vector<std::string>& strategies, SearchLimits& search,
                 Complaints& complaints) {
  const Fields fields(node, "search", {"strategy", "trials", "time"}, complaints);
  if (const YamlNode* strategy = fields.find("strategy")) {
    const auto name = read_text(*strategy, complaints);
    if (name) search.strategy = *name;
    if (name && !strategies.empty() && std::ranges::find(strategies, *name) == strategies.end()) {
      complaints.add(*strategy, "'" + *name + "' is no strategy" + complaints.guess(*name, strategies));
    }
  }
  if (const YamlNode* trials = fields.find("trials")) {
    const auto count = read_integer(*trials, complaints);
    if (count) search.trials = *count;
    if (count && *count < 1) complaints.add(*trials, "at least one trial is needed");
  }
  if (const YamlNode* time = fields.find("time")) {
    if (const auto seconds = read_seconds(*time, complaints)) search.seconds = *seconds;
  }
}

}  // namespace gktune
