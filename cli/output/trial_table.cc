#include "cli/output/trial_table.h"

#include <algorithm>

#include "cli/output/printable.h"
#include "cli/output/quantity.h"

namespace gktune {
namespace {

// Adds the names that are not listed yet.
void collect_names(const NamedValues& values, std::vector<std::string>& names) {
  for (const auto& [name, value] : values) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
}

TableCell cell(const NamedValues& values, const std::string& name) {
  const Value* value = values.find(name);
  if (value == nullptr) return TableCell::unknown();
  return {value->is_real() ? format_number(value->real()) : value->str(), *value};
}

bool is_text_column(const std::vector<Trial>& trials, const std::string& name) {
  return std::ranges::any_of(trials, [&](const Trial& trial) {
    const Value* value = trial.config.find(name);
    return value != nullptr && value->is_text();
  });
}

std::string first_line(const std::string& text) { return with_short_lines(text.substr(0, text.find('\n'))); }

}  // namespace

std::vector<Trial> ranked(const std::vector<Trial>& trials) {
  std::vector<Trial> good;
  std::ranges::copy_if(trials, std::back_inserter(good), &Trial::ok);
  std::ranges::stable_sort(good, {}, &Trial::objective);
  return good;
}

Table trial_table(const std::vector<Trial>& trials, std::size_t limit, Ids ids) {
  std::vector<std::string> metrics, parameters;
  for (const Trial& trial : trials) {
    collect_names(trial.metrics, metrics);
    collect_names(trial.config, parameters);
  }
  Table table;
  if (ids == Ids::shown) table.add_column("id", Table::Align::right);
  table.add_column("time", Table::Align::right, "time_us");
  table.add_column("±", Table::Align::right, "spread");
  for (const std::string& name : metrics) table.add_column(name, Table::Align::right);
  for (const std::string& name : parameters) {
    table.add_column(name, is_text_column(trials, name) ? Table::Align::left : Table::Align::right);
  }
  for (std::size_t i = 0; i < std::min(limit, trials.size()); ++i) {
    const Trial& trial = trials[i];
    double spread = spread_of(trial.timing);
    std::vector<TableCell> cells;
    if (ids == Ids::shown) cells.push_back({std::to_string(trial.id), Value(trial.id)});
    cells.push_back({format_time_us(trial.timing.median_us), Value(trial.timing.median_us)});
    cells.push_back(spread < 0 ? TableCell::unknown() : TableCell(format_percent(spread), Value(spread)));
    for (const std::string& name : metrics) cells.push_back(cell(trial.metrics, name));
    for (const std::string& name : parameters) cells.push_back(cell(trial.config, name));
    table.add_row(std::move(cells));
    if (i == 0) table.emphasise();
  }
  return table;
}

Table failure_table(const std::vector<Trial>& trials, std::size_t limit) {
  Table table;
  table.add_column("id", Table::Align::right);
  table.add_column("status", Table::Align::left);
  table.add_column("configuration", Table::Align::left);
  table.add_column("message", Table::Align::left);
  for (const Trial& trial : trials) {
    if (limit == 0) break;
    if (trial.ok()) continue;
    table.add_row({{std::to_string(trial.id), Value(trial.id)}, std::string(status_name(trial.status)),
                   trial.config.str(), {first_line(trial.message), Value(trial.message)}});
    --limit;
  }
  return table;
}

std::string score_text(const Trial& trial) {
  std::string text = format_time_us(trial.timing.median_us);
  for (const auto& [name, value] : trial.metrics) text += ", " + cell(trial.metrics, name).text + ' ' + name;
  return text;
}

double spread_of(const Timing& timing) {
  if (timing.median_us <= 0 || timing.high_us < timing.low_us || timing.high_us <= 0) return -1;
  return (timing.high_us - timing.low_us) / 2 / timing.median_us;
}

std::string commonest_message(const std::vector<Trial>& trials) {
  Failures failures = failures_of(trials);
  auto commonest = std::ranges::max_element(failures, {}, [](const auto& each) { return each.second; });
  if (commonest == failures.end()) return {};
  auto trial = std::ranges::find_if(
      trials, [&](const Trial& each) { return each.status == commonest->first && !each.message.empty(); });
  return trial == trials.end() ? std::string() : trial->message;
}

}  // namespace gktune
