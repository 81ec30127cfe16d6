#include "engine/study_facts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "engine/spaces.h"

namespace gktune {
namespace {

constexpr std::size_t kLeaders = 20;
constexpr std::size_t kBins = 40;
constexpr std::size_t kAnalysedValues = 32;  // of a parameter; neighbours share a place beyond this
constexpr double kLongestIdle_s = 10;        // a longer one is a pause between two runs
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Numbers by size, then truth values, then texts.
struct Before {
  bool operator()(const Value& a, const Value& b) const {
    const auto rank = [](const Value& value) { return value.is_number() ? 0 : value.is_boolean() ? 1 : 2; };
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    if (a.is_number() && a.number() != b.number()) return a.number() < b.number();
    return a < b;
  }
};

// For a trial without a value of a parameter that others have.
const Value kMissing = "(none)";

const Value& value_of(const Trial& trial, const std::string& name) {
  const Value* value = trial.config.find(name);
  return value == nullptr ? kMissing : *value;
}

void set_parameters(const std::vector<Trial>& trials, StudyFacts& facts) {
  std::map<std::string, std::map<Value, std::uint32_t, Before>> places;
  for (const Trial& trial : trials) {
    for (const auto& [name, value] : trial.config) places[name][value];
  }
  for (auto& [name, values] : places) {
    for (const Trial& trial : trials) values[value_of(trial, name)];
    StudyFacts::Parameter parameter{name, {}, true};
    for (auto& [value, place] : values) {
      place = static_cast<std::uint32_t>(parameter.values.size());
      parameter.values.push_back(value);
      parameter.is_ordered = parameter.is_ordered && value.is_number();
    }
    facts.parameters.push_back(std::move(parameter));
  }
  for (std::size_t i = 0; i < trials.size(); ++i) {
    for (const StudyFacts::Parameter& parameter : facts.parameters) {
      facts.points[i].places.push_back(
          places[parameter.name].find(value_of(trials[i], parameter.name))->second);
    }
  }
}

// Moments tell when trials ended; a replay has none, so that compilation and execution add up.
void set_elapsed(const std::vector<Trial>& trials, std::vector<StudyFacts::Point>& points) {
  const bool has_moments = !trials.empty() && trials.back().ended_unix_ms > trials.front().started_unix_ms;
  double elapsed_s = 0;
  std::int64_t busy_until_ms = trials.empty() ? 0 : trials.front().started_unix_ms;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const Trial& trial = trials[i];
    if (!has_moments) {
      elapsed_s += trial.compile_s + trial.run_s;
    } else {
      const double idle_s = static_cast<double>(trial.started_unix_ms - busy_until_ms) / 1e3;
      if (idle_s > 0) elapsed_s += std::min(idle_s, kLongestIdle_s);
      const std::int64_t from_ms = std::max(busy_until_ms, trial.started_unix_ms);
      if (trial.ended_unix_ms > from_ms)
        elapsed_s += static_cast<double>(trial.ended_unix_ms - from_ms) / 1e3;
      busy_until_ms = std::max(busy_until_ms, trial.ended_unix_ms);
    }
    points[i].elapsed_s = elapsed_s;
  }
}

// Ranks by the scores, which the report shows.
void rank(StudyFacts& facts) {
  const auto is_better = [&](std::size_t i, std::size_t j) {
    const double a = facts.points[i].score, b = facts.points[j].score;
    return facts.higher_is_better ? a > b : a < b;
  };
  for (std::size_t i = 0; i < facts.points.size(); ++i) {
    if (!facts.points[i].ok() || !std::isfinite(facts.points[i].score)) continue;
    facts.ranking.push_back(i);
    if (facts.improvements.empty() || is_better(i, facts.improvements.back()))
      facts.improvements.push_back(i);
  }
  std::ranges::stable_sort(facts.ranking, is_better);
}

// Messages that differ in their digits alone have one cause.
std::string without_digits(const std::string& line) {
  std::string text;
  for (const char c : line) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit) text += c;
    if (is_digit && !text.ends_with('#')) text += '#';
  }
  return text;
}

void set_causes(const std::vector<Trial>& trials, StudyFacts& facts) {
  std::map<std::pair<Status, std::string>, StudyFacts::Cause> causes;
  for (const Trial& trial : trials) {
    if (trial.ok()) continue;
    const std::string line = trial.message.substr(0, trial.message.find('\n'));
    StudyFacts::Cause& cause = causes[{trial.status, without_digits(line)}];
    if (cause.count++ == 0) cause = {trial.status, line, 1, trial.id};
  }
  for (auto& [key, cause] : causes) facts.causes.push_back(std::move(cause));
  std::ranges::stable_sort(facts.causes, std::ranges::greater(), &StudyFacts::Cause::count);
}

// Leaves out the values with which every trial failed: they have no score.
VarianceShares shares_of(const StudyFacts& facts) {
  Observations observations;
  std::vector<std::vector<std::uint16_t>> analysed;  // the place in the analysis, by parameter and place
  for (std::size_t p = 0; p < facts.parameters.size(); ++p) {
    std::vector<bool> is_known(facts.parameters[p].values.size());
    for (const std::size_t i : facts.ranking) is_known[facts.points[i].places[p]] = true;
    const auto known = static_cast<std::size_t>(std::ranges::count(is_known, true));
    std::size_t before = 0;
    analysed.emplace_back();
    for (const bool each : is_known) {
      const std::size_t place = known <= kAnalysedValues ? before : before * kAnalysedValues / known;
      analysed.back().push_back(static_cast<std::uint16_t>(place));
      before += each ? 1 : 0;
    }
    observations.factors.push_back(
        {std::clamp<std::size_t>(known, 1, kAnalysedValues), facts.parameters[p].is_ordered});
  }
  const bool is_positive =
      std::ranges::all_of(facts.ranking, [&](std::size_t i) { return facts.points[i].score > 0; });
  std::vector<std::uint16_t> point(facts.parameters.size());
  for (const std::size_t i : facts.ranking) {
    for (std::size_t p = 0; p < point.size(); ++p) point[p] = analysed[p][facts.points[i].places[p]];
    const double score = facts.points[i].score;
    observations.add(point, is_positive ? std::log(score) : score);
  }
  return variance_shares(observations);
}

// The winner and the device on which it was measured.
Result<void> set_winner(const Database& store, const Winner& winner, StudyFacts& facts) {
  facts.winner = winner;
  auto studied = GKTUNE_TRY(store.trial(winner.trial.id));
  if (!studied) return {};
  facts.device = studied->device;
  facts.host_name = studied->host_name;
  if (facts.device) facts.peaks = peak_shares(winner.trial.metrics, *facts.device);
  return {};
}

// The gain of the winner over the median configuration.
std::optional<Gain> gain_of(const StudyFacts& facts, const Objective& objective, std::vector<Trial> trials) {
  if (!facts.winner) return std::nullopt;
  Tuning tuning;
  tuning.objective = objective;
  tuning.trials = std::move(trials);
  tuning.outcome.best = facts.winner->trial;
  tuning.outcome.playoff = facts.finalists;
  return gains_of(tuning).over_median;
}

}  // namespace

Result<StudyFacts> facts_of(const Database& store, const StudySummary& summary,
                            const std::vector<Winner>& winners) {
  auto trials = GKTUNE_TRY(store.trials(summary.id));
  auto playoff = GKTUNE_TRY(store.playoff(summary.id));

  StudyFacts facts{.summary = summary};
  const Objective objective = objective_from_text(summary.study.objective);
  facts.score_name = objective.metric.empty() ? "time" : objective.metric;
  facts.higher_is_better = !objective.metric.empty() && objective.maximize;
  for (const Trial& trial : trials) {
    facts.points.push_back(
        {.id = trial.id, .places = {}, .status = trial.status, .score = score_of(trial, objective)});
  }
  set_parameters(trials, facts);
  set_elapsed(trials, facts.points);
  rank(facts);
  for (std::size_t i = 0; i < std::min(kLeaders, facts.ranking.size()); ++i) {
    facts.leaders.push_back(trials[facts.ranking[i]]);
  }
  if (playoff) facts.finalists = playoff->finalists;
  facts.decided_by = std::move(playoff);
  auto references = GKTUNE_TRY(store.reference_trials(summary.id));
  facts.hosts = HostTimes(std::move(references));
  const auto winner = std::ranges::find(winners, summary.id, &Winner::study_id);
  if (winner != winners.end()) GKTUNE_TRY(set_winner(store, *winner, facts));
  std::vector<double> scores;
  for (const std::size_t i : facts.ranking) scores.push_back(facts.points[i].score);
  facts.distribution = histogram_of(scores, kBins);
  facts.failures = failures_of(trials);
  set_causes(trials, facts);
  facts.shares = shares_of(facts);
  facts.gain = gain_of(facts, objective, std::move(trials));
  return facts;
}

std::vector<std::size_t> sample_of(const StudyFacts& facts, std::size_t size) {
  const std::size_t count = facts.points.size();
  std::vector<bool> is_taken(count, count <= size);
  for (const std::size_t i : facts.improvements) is_taken[i] = true;
  for (std::size_t i = 0; i < std::min<std::size_t>(100, facts.ranking.size()); ++i)
    is_taken[facts.ranking[i]] = true;
  const auto taken = static_cast<std::size_t>(std::ranges::count(is_taken, true));
  const std::size_t left = size > taken ? size - taken : 0, others = count - taken;
  std::vector<std::size_t> sample;
  for (std::size_t i = 0, seen = 0; i < count; ++i) {
    // Takes `left` of the others at equal distances.
    const bool is_due = !is_taken[i] && (seen + 1) * left / others > seen * left / others;
    if (!is_taken[i]) ++seen;
    if (is_taken[i] || is_due) sample.push_back(i);
  }
  return sample;
}

}  // namespace gktune
