#include "cli/output/trial_table.h"

#include <algorithm>

#include "cli/output/screen.h"
#include "cli/output/units.h"

namespace gktune {
namespace {

// Adds the names that are not listed yet.
void collect_names(const NamedValues& values, std::vector<std::string>& names) {
  for (const auto& [name, value] : values) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
}

void add_values(const NamedValues& values, const std::vector<std::string>& names, Record& record) {
  for (const std::string& name : names) {
    const Value* value = values.find(name);
    record.push_back({name, value != nullptr ? Cell(*value) : Cell(), Unit::none, name});
  }
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
  const auto record_of = [&](const Trial& trial) {
    const double spread = spread_of(trial.timing);
    Record record;
    if (ids == Ids::shown) record.push_back({"id", trial.id});
    record.push_back({"time_us", trial.timing.median_us, Unit::microseconds, "time"});
    record.push_back({"spread", spread < 0 ? Json() : Json(spread), Unit::share, "±"});
    add_values(trial.metrics, metrics, record);
    add_values(trial.config, parameters, record);
    return record;
  };
  Table table(record_of({}));
  for (std::size_t i = 0; i < std::min(limit, trials.size()); ++i) {
    table.add(record_of(trials[i]));
    if (i == 0) table.emphasise();
  }
  return table;
}

Table failure_table(const std::vector<Trial>& trials) {
  const auto record_of = [](const Trial& trial) -> Record {
    return {{"id", trial.id},
            {"status", trial.status},
            {"configuration", trial.config},
            {"message", {first_line(trial.message), Json(trial.message)}}};
  };
  Table table(record_of({}));
  for (const Trial& trial : trials) {
    if (!trial.ok()) table.add(record_of(trial));
  }
  return table;
}

std::string score_text(const Trial& trial) {
  std::string text = format_time_us(trial.timing.median_us);
  for (const auto& [name, value] : trial.metrics) text += ", " + *Cell(value).text + ' ' + name;
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
