// The reader's part for compiler options, the environment, metrics, the objective and the search.
#include <algorithm>

#include "tuner/space/reader/definition_reader.h"
#include "tuner/space/safe_settings.h"

namespace gktune {

std::vector<Option> DefinitionReader::read_options(const YamlNode& node) {
  std::vector<Option> options;
  for (const YamlNode& item : items_of(node)) {
    std::optional<Pattern> flag;
    std::optional<Expression> when;
    if (item.kind == YamlNode::Kind::map) {
      const Fields fields(item, "option", {"flag", "when"}, errors_);
      if (const YamlNode* text = fields.require("flag", "for example {flag: \"-O3\", when: unroll > 1}")) {
        flag = names_.pattern(*text, View::candidate);
      }
      when = names_.expression(fields, "when", View::candidate);
    } else {
      flag = names_.pattern(item, View::candidate);
    }
    if (!flag) continue;
    // An option with expressions is checked once their values are known.
    const bool is_literal =
        std::ranges::none_of(flag->parts, [](const auto& part) { return part.expression.has_value(); });
    const std::string text = is_literal && !flag->parts.empty() ? flag->parts.front().literal : "";
    if (options_.unsafe_options == UnsafeOptions::refused && !text.empty() && !is_safe_option(text)) {
      errors_.add(item, unsafe_option_error(text), "it may run programs and write files");
    }
    options.push_back({*std::move(flag), std::move(when)});
  }
  return options;
}

void DefinitionReader::read_environment(const YamlNode& node) {
  if (!check_map(node, "environment", errors_)) return;
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    const std::string& name = node.keys[i].text;
    if (name.empty() || name.find_first_of("= \t\n") != std::string::npos) {
      errors_.add(node.keys[i], "invalid environment variable name '" + name + "'");
    } else if (changes_loader(name)) {
      errors_.add(node.keys[i], "environment cannot set " + name + ": it changes what a process loads");
    }
    if (auto value = names_.expression(node.items[i], View::candidate)) {
      definition_.kernel.environment.push_back({name, *std::move(value)});
    }
  }
}

void DefinitionReader::read_metrics(const Fields& fields) {
  KernelDefinition& kernel = definition_.kernel;
  if (const YamlNode* node = fields.section("metrics");
      node != nullptr && check_map(*node, "metrics", errors_)) {
    for (std::size_t i = 0; i < node->keys.size(); ++i) {
      auto value = names_.expression(node->items[i], View::trial);
      kernel.metrics.push_back({node->keys[i].text, std::move(value).value_or(Expression())});
    }
  }
  if (const YamlNode* node = fields.find("objective")) read_objective(*node);
}

void DefinitionReader::read_objective(const YamlNode& node) {
  Objective& objective = definition_.kernel.objective;
  std::vector<std::string> names = {"time"};
  for (const Metric& metric : definition_.kernel.metrics) names.push_back(metric.name);
  const auto find = [&](const YamlNode& name) {
    if (!require_scalar(name, "the name of a metric", errors_)) return;
    if (std::ranges::find(names, name.text) == names.end()) {
      errors_.add_unknown(name, "metric", names);
    } else {
      objective.metric = name.text == "time" ? std::string() : name.text;
    }
  };
  if (node.is_scalar()) {
    if (node.text != "time") {
      errors_.add(node, "unknown objective '" + node.text + "'",
                  "expected time, {maximize: METRIC} or {minimize: METRIC}");
    }
    return;
  }
  const Fields fields(node, "objective", {"maximize", "minimize"}, errors_);
  if (!fields.is_map()) return;
  const YamlNode* most = fields.find("maximize");
  const YamlNode* least = fields.find("minimize");
  if ((most == nullptr) == (least == nullptr)) {
    errors_.add(node, "expected either maximize or minimize");
    return;
  }
  find(most != nullptr ? *most : *least);
  objective.maximize = most != nullptr;
  if (most != nullptr && most->text == "time") errors_.add(*most, "time can only be minimized");
}

void DefinitionReader::read_search(const YamlNode& node, SearchLimits& search) {
  const std::vector<std::string>& strategies = options_.strategies;
  const Fields fields(node, "search", {"strategy", "effort", "trials", "time"}, errors_);
  if (const YamlNode* strategy = fields.find("strategy")) {
    const auto name = read_text(*strategy, errors_);
    if (name) search.strategy = *name;
    if (name && !strategies.empty() && std::ranges::find(strategies, *name) == strategies.end()) {
      errors_.add_unknown(*strategy, "strategy", strategies);
    }
  }
  if (const YamlNode* effort = fields.find("effort"))
    search.effort = read_enum<Effort>(*effort, "effort", errors_).value_or(search.effort);
  if (const YamlNode* trials = fields.find("trials")) {
    const auto count = read_integer(*trials, errors_);
    if (count) search.trials = *count;
    if (count && *count < 1) errors_.add(*trials, "trials must be at least 1");
  }
  if (const YamlNode* time = fields.find("time")) {
    if (const auto seconds = read_seconds(*time, errors_)) search.seconds = *seconds;
  }
}

}  // namespace gktune
