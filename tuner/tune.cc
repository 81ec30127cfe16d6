#include "tuner/tune.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "tuner/measure/statistics.h"

namespace gktune {
namespace {

using Clock = std::chrono::steady_clock;

// The trials that went well, best first: who leads, who is out of the race, who plays off.
class Standings {
 public:
  void add(const Trial& trial) {
    if (!trial.ok()) return;
    auto place = std::ranges::upper_bound(trials_, trial.objective, {}, &Trial::objective);
    trials_.insert(place, trial);
    fastest_us_ = std::min(fastest_us_, trial.timing.median_us);
  }

  double cutoff_us(double factor) const {
    return factor > 0 ? fastest_us_ * factor : std::numeric_limits<double>::infinity();
  }

  std::optional<Trial> best() const {
    if (trials_.empty()) return std::nullopt;
    return trials_.front();
  }

  std::vector<Trial> finalists(int count) const {
    std::vector<Trial> chosen;
    for (const Trial& trial : trials_) {
      if (std::ssize(chosen) == count) break;
      if (!trial.out_of_race) chosen.push_back(trial);
    }
    return chosen;
  }

 private:
  std::vector<Trial> trials_;
  double fastest_us_ = std::numeric_limits<double>::infinity();
};

// Times the finalists in turn, so that drift hits them alike, and crowns the fastest.
void hold_playoff(const TuneTask& task, const Standings& standings, Device& device, TuneOutcome& outcome) {
  std::vector<Trial> finalists = standings.finalists(task.race.finalists);
  if (finalists.size() < 2) return;
  std::vector<Config> configs;
  for (const Trial& trial : finalists) configs.push_back(trial.config);
  std::vector<Samples> samples = device.playoff(task.problem, std::move(configs), task.race.rounds);

  double least_us = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    if (samples[i].empty()) continue;
    const double median_us = summarize(samples[i]).median_us;
    if (median_us < least_us) {
      least_us = median_us;
      outcome.best = finalists[i];
      outcome.playoff = std::move(samples[i]);
    }
  }
}

}  // namespace

TuneOutcome tune(const TuneTask& task, Searcher& searcher, Device& device, const TuneEvents& events) {
  using End = TuneOutcome::End;
  TuneOutcome outcome;
  Standings standings;
  for (const Trial& trial : task.earlier) {
    searcher.tell(trial);
    standings.add(trial);
  }

  const auto begin = Clock::now();
  const auto budget = std::chrono::duration<double>(task.limits.seconds);
  auto submitted = std::ssize(task.earlier);
  std::size_t in_flight = 0;

  auto reason_to_end = [&]() -> std::optional<End> {
    if (events.stop && events.stop()) return End::stopped;
    if (task.limits.trials > 0 && submitted >= task.limits.trials) return End::trials;
    if (task.limits.seconds > 0 && Clock::now() - begin >= budget) return End::seconds;
    return std::nullopt;
  };

  std::optional<End> end;
  while (true) {
    while (!end && in_flight < device.capacity()) {
      end = reason_to_end();
      if (end) break;
      std::optional<Config> config = searcher.ask();
      if (!config) {
        // What is in flight may still teach the searcher something new to try.
        if (in_flight == 0) end = End::exhausted;
        break;
      }
      device.submit({std::move(*config), task.problem, standings.cutoff_us(task.race.cutoff_factor)});
      ++submitted;
      ++in_flight;
    }
    if (in_flight == 0) break;

    Trial trial = device.next();
    --in_flight;
    ++outcome.measured;
    searcher.tell(trial);
    standings.add(trial);
    if (events.on_trial) events.on_trial(trial);
  }
  outcome.end = end.value_or(End::exhausted);
  // Asked to stop while the last ones were in flight: no playoff either.
  if (events.stop && events.stop()) outcome.end = End::stopped;

  outcome.best = standings.best();
  if (outcome.end != End::stopped && outcome.measured > 0) hold_playoff(task, standings, device, outcome);
  return outcome;
}

}  // namespace gktune
