#include "tuner/tune.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>

#include "tuner/measure/playoff_rule.h"
#include "tuner/measure/sampling_noise.h"
#include "tuner/measure/statistics.h"

namespace gktune {
namespace {

double wall_clock_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// A trial that was given up still joins the playoff if its time is less than the best one's by this factor.
constexpr double kSecondChance = 1.02;

// The trials that went well, best first.
class Ranking {
 public:
  void add(const Trial& trial) {
    if (!trial.ok()) return;
    auto place = std::ranges::upper_bound(trials_, trial.objective, {}, &Trial::objective);
    trials_.insert(place, trial);
    noise_.add(trial.samples_us);
    lead(trial);
  }

  Cutoff cutoff() const { return {leader_, noise_.level()}; }

  void remove(const Config& config) {
    std::erase_if(trials_, [&](const Trial& trial) { return trial.config == config; });
    leader_ = {};
    for (const Trial& trial : trials_) lead(trial);
  }

  // The middle one of the trials that were not cut off: its time is neither lucky nor long.
  const Trial* middle() const {
    const auto in_race = [](const Trial& trial) { return !trial.is_dropped_early; };
    auto left = std::ranges::count_if(trials_, in_race) / 2;
    for (const Trial& trial : trials_) {
      if (in_race(trial) && left-- == 0) return &trial;
    }
    return nullptr;
  }

  std::optional<double> best_objective() const {
    return trials_.empty() ? std::nullopt : std::optional(trials_.front().objective);
  }

  std::optional<Trial> best() const {
    if (trials_.empty()) return std::nullopt;
    return trials_.front();
  }

  // A trial that was given up comes in for a second chance: its few samples may have been unlucky.
  std::vector<const Trial*> finalists(int count) const {
    std::vector<const Trial*> chosen;
    for (const Trial& trial : trials_) {
      if (std::ssize(chosen) == count) break;
      if (!trial.is_dropped_early || trial.timing.median_us < kSecondChance * leader_.median_us)
        chosen.push_back(&trial);
    }
    return chosen;
  }

  const Trial* median() const { return trials_.empty() ? nullptr : &trials_[trials_.size() / 2]; }

  const Trial* find(const Config& config) const {
    auto trial = std::ranges::find(trials_, config, &Trial::config);
    return trial == trials_.end() ? nullptr : &*trial;
  }

 private:
  void lead(const Trial& trial) {
    if (trial.is_dropped_early || trial.timing.median_us >= leader_.median_us) return;
    const double deviation = std::max(noise_.level().deviation, deviation_of_neighbours(trial.samples_us));
    leader_ = {trial.timing.median_us,
               median_error(deviation, std::max<std::size_t>(trial.samples_us.size(), 1))};
  }

  std::vector<Trial> trials_;
  Leader leader_;
  SamplingNoise noise_;
};

// Otherwise it says nothing about run time.
bool has_run(const Trial& trial) {
  return trial.ok() || (trial.run_s > 0 && trial.status != Status::machine_failed);
}

// Times a reference candidate again after every `interval` trials.
class DriftWatch {
 public:
  // After earlier runs it is due with the first new trial, to compare old and new times.
  DriftWatch(int interval, const std::vector<Trial>& earlier)
      : interval_(interval), since_(earlier.empty() ? 0 : interval - 1) {}

  // The configuration to time again, if it is due.
  std::optional<Config> ask(const Ranking& ranking) {
    if (interval_ <= 0 || is_asked_ || since_ < interval_) return std::nullopt;
    if (drift_.times_us.empty()) {
      const Trial* reference = ranking.middle();
      if (reference == nullptr) return std::nullopt;
      drift_.config = reference->config;
      drift_.times_us.push_back(reference->timing.median_us);
    }
    since_ = 0;
    is_asked_ = true;
    return drift_.config;
  }

  bool awaits(const Trial& trial) const { return is_asked_ && trial.config == drift_.config; }

  void tell(const Trial& trial) {
    is_asked_ = false;
    if (!has_run(trial)) return;
    // A reference that fails is replaced next time.
    trial.ok() ? drift_.times_us.push_back(trial.timing.median_us) : drift_.times_us.clear();
  }

  void count_trial() { ++since_; }
  const Drift& drift() const { return drift_; }

 private:
  int interval_;
  int since_;  // trials since the reference was timed
  bool is_asked_ = false;
  Drift drift_;
};

// Part of the time limit that the search leaves for the playoff, at most.
constexpr double kPlayoffShare = 0.25;
// The default and the median configuration join the playoff unless they are slower than a finalist by more.
constexpr double kBaselineFactor = 3;

// How long a playoff takes, estimated from the trials of the finalists.
double playoff_s(const std::vector<const Trial*>& finalists, Rounds rounds) {
  if (finalists.size() < 2) return 0;
  double seconds = 0;
  for (const Trial* trial : finalists) {
    const auto samples = std::max<std::ptrdiff_t>(std::ssize(trial->samples_us), 1);
    seconds += trial->run_s * rounds.count / static_cast<double>(samples);
  }
  return seconds;
}

// The finalists, the default and the median configuration.
std::vector<Trial> playoff_entrants(const TuneTask& task, const Ranking& ranking) {
  std::vector<Trial> entrants;
  double slowest_us = 0;
  for (const Trial* finalist : ranking.finalists(task.timing.finalists)) {
    entrants.push_back(*finalist);
    slowest_us = std::max(slowest_us, finalist->timing.median_us);
  }
  if (entrants.size() < 2) return {};
  const Trial* by_default = task.default_config ? ranking.find(*task.default_config) : nullptr;
  for (const Trial* baseline : {by_default, ranking.median()}) {
    if (baseline == nullptr || baseline->timing.median_us > kBaselineFactor * slowest_us) continue;
    if (std::ranges::find(entrants, baseline->config, &Trial::config) == entrants.end())
      entrants.push_back(*baseline);
  }
  return entrants;
}

// Times the finalists in turn, so that drift affects all alike, and picks the best. A stop drops the playoff.
void hold_playoff(const TuneTask& task, const Ranking& ranking, Device& device, const TuneEvents& events,
                  const std::function<bool()>& has_time, TuneOutcome& outcome) {
  std::vector<Trial> entrants = playoff_entrants(task, ranking);
  if (entrants.empty()) return;
  std::vector<Config> configs;
  for (const Trial& trial : entrants) configs.push_back(trial.config);
  const PlayoffOptions decision{.tolerance = task.timing.tolerance,
                                .deviation = ranking.cutoff().noise.deviation};
  const auto go_on = [&](const std::vector<Samples>& so_far) {
    const auto rounds_done = static_cast<int>(rounds_of(so_far));
    if (events.on_playoff) events.on_playoff({entrants.size(), rounds_done, task.timing.rounds.count});
    if (events.stop && events.stop()) outcome.end = TuneOutcome::End::stopped;
    if (outcome.end == TuneOutcome::End::stopped || !has_time()) return false;
    // Another objective than time is decided by all rounds.
    return task.timing.cutoff == TimingPolicy::Cutoff::none || !is_playoff_decided(so_far, decision);
  };
  std::vector<Samples> samples = device.playoff(task.problem, std::move(configs), task.timing.rounds, go_on);
  if (outcome.end == TuneOutcome::End::stopped) return;

  for (std::size_t i = 0; i < entrants.size(); ++i) {
    if (samples[i].empty()) continue;
    Trial& again = entrants[i];
    again.samples_us = std::move(samples[i]);
    again.timing = summarize(again.samples_us);
    again.objective = again.timing.median_us;
    again.is_dropped_early = false;
    if (!task.evaluate || task.evaluate(again)) outcome.playoff.push_back(std::move(again));
  }
  std::ranges::stable_sort(outcome.playoff, {}, &Trial::objective);
  if (!outcome.playoff.empty()) outcome.best = outcome.playoff.front();
}

// While other tuners measure what is left.
constexpr std::chrono::milliseconds kSharingInterval{50};

// The configurations that other tuners measure.
class SharedWork {
 public:
  explicit SharedWork(const Sharing& sharing) : sharing_(sharing) {}

  bool is_shared() const { return static_cast<bool>(sharing_.claim); }
  std::vector<Trial> learn() { return sharing_.learn ? sharing_.learn() : std::vector<Trial>(); }

  // False: another tuner has it, and its trial will be learned.
  bool claim(const Config& config) {
    if (!is_shared() || sharing_.claim(config)) return true;
    awaited_.push_back(config);
    return false;
  }
  void forget(const Config& config) { std::erase(awaited_, config); }
  bool is_waiting() const { return !awaited_.empty(); }

  // One of them if its tuner gave it up or died. Asks for all of them every now and then.
  std::optional<Config> abandoned() {
    const auto now = std::chrono::steady_clock::now();
    if (awaited_.empty() || now < next_) return std::nullopt;
    const auto free = std::ranges::find_if(awaited_, sharing_.claim);
    if (free == awaited_.end()) {
      next_ = now + kSharingInterval;
      return std::nullopt;
    }
    Config config = std::move(*free);
    awaited_.erase(free);
    return config;
  }

 private:
  const Sharing& sharing_;
  std::vector<Config> awaited_;
  std::chrono::steady_clock::time_point next_;
};

// Counts the trials that were submitted since the best one of that time was known. Those that were in flight
// then were chosen without it.
class Patience {
 public:
  explicit Patience(const TuneLimits& limits) : limits_(limits) {}

  void note(const Ranking& ranking, std::int64_t submitted) {
    const std::optional<double> best = ranking.best_objective();
    if (!best || (objective_ && *best > *objective_ - limits_.gain * std::abs(*objective_))) return;
    objective_ = best;
    since_ = submitted;
  }
  void expect(std::optional<double> gain) { is_promised_ = gain && *gain >= limits_.gain; }
  bool is_over(std::int64_t submitted) const {
    return limits_.gain > 0 && objective_ && !is_promised_ && submitted - since_ >= limits_.patience;
  }

 private:
  const TuneLimits& limits_;
  std::optional<double> objective_;  // the last one that saved enough
  std::int64_t since_ = 0;           // trials that were submitted before it was known
  bool is_promised_ = false;
};

}  // namespace

double Drift::least() const { return *std::ranges::min_element(times_us) / times_us.front() - 1; }

double Drift::greatest() const { return *std::ranges::max_element(times_us) / times_us.front() - 1; }

TuneOutcome tune(const TuneTask& task, Searcher& searcher, Device& device, const TuneEvents& events) {
  using End = TuneOutcome::End;
  TuneOutcome outcome;
  Ranking ranking;
  Patience patience(task.limits);
  std::int64_t submitted = 0;
  for (const Trial& trial : task.earlier) {
    searcher.tell(trial);
    ranking.add(trial);
    patience.note(ranking, ++submitted);
  }

  const std::function<double()> clock_s = task.clock_s ? task.clock_s : wall_clock_s;
  const double begin_s = clock_s();
  // The search leaves time for the playoff.
  const auto search_s = [&] {
    const double playoff = playoff_s(ranking.finalists(task.timing.finalists), task.timing.rounds);
    return task.limits.seconds - std::min(playoff, kPlayoffShare * task.limits.seconds);
  };
  SharedWork shared(events.sharing);
  std::size_t in_flight = 0;
  int unjudged_in_a_row = 0;

  End failed_end = End::machine_failed;
  auto reason_to_end = [&]() -> std::optional<End> {
    if (events.stop && events.stop()) return End::stopped;
    if (outcome.failure) return failed_end;
    if (task.limits.trials > 0 && submitted >= task.limits.trials) return End::trials;
    if (task.limits.seconds > 0 && clock_s() - begin_s >= search_s()) return End::seconds;
    if (patience.is_over(submitted)) return End::converged;
    return std::nullopt;
  };

  DriftWatch watch(task.timing.drift_interval, task.earlier);
  // Sums over all candidates in flight.
  const bool has_cutoff = task.timing.cutoff == TimingPolicy::Cutoff::learned;
  const auto cutoff = has_cutoff ? std::make_shared<Cutoff>(ranking.cutoff()) : nullptr;
  End end = End::exhausted;
  bool has_ended = false;
  const auto is_over = [&] {
    const bool is_decided = has_ended && end != End::converged;
    // After the last candidate was submitted, a stop still takes back those that wait.
    const bool is_stopped = is_decided && end != End::stopped && events.stop && events.stop();
    if (is_decided && !is_stopped) return true;
    const std::optional<End> reason = is_stopped ? End::stopped : reason_to_end();
    has_ended = reason.has_value();  // one of the last trials may be much better than expected
    if (!reason) return false;
    end = *reason;
    // Do not wait for candidates that have not begun.
    if (end == End::seconds || end == End::stopped) in_flight -= device.withdraw();
    return true;
  };
  const auto learn = [&] {
    for (const Trial& trial : shared.learn()) {
      shared.forget(trial.config);
      ++submitted;
      ++outcome.learned;
      searcher.tell(trial);
      if (ranking.find(trial.config) != nullptr) ranking.remove(trial.config);
      ranking.add(trial);
      patience.note(ranking, submitted);
      if (events.on_learned) events.on_learned(trial);
    }
  };
  while (true) {
    learn();
    if (cutoff) *cutoff = ranking.cutoff();
    while (!is_over() && in_flight < device.capacity()) {
      if (std::optional<Config> reference = watch.ask(ranking)) {
        device.submit({*std::move(reference), task.problem});
        ++in_flight;
        continue;
      }
      std::optional<Config> config = shared.abandoned();
      const bool is_abandoned = config.has_value();
      if (!config) config = searcher.ask();
      if (!config) {
        if (in_flight == 0 && shared.is_waiting()) {
          std::this_thread::sleep_for(kSharingInterval);
          learn();
          continue;
        }
        // Trials in flight may lead the searcher to new candidates.
        if (in_flight == 0) {
          end = End::exhausted;
          outcome.failure = searcher.failure();
        }
        break;
      }
      if (!is_abandoned && !shared.claim(*config)) continue;
      patience.expect(searcher.expected_gain());
      device.submit({std::move(*config), task.problem, cutoff});
      ++submitted;
      ++in_flight;
    }
    if (in_flight == 0) break;

    Trial trial = device.next();
    --in_flight;
    const bool is_repeated = watch.awaits(trial);
    if (trial.status == Status::machine_failed && !is_repeated) {
      ++outcome.unjudged;
      outcome.why_unjudged = trial.message;
      --submitted;
      if (end == End::trials) has_ended = false;  // there is room for another
      searcher.tell(trial);                       // it proposes others
    }
    unjudged_in_a_row = trial.status == Status::machine_failed ? unjudged_in_a_row + 1 : 0;
    if (unjudged_in_a_row >= kMostUnjudged || trial.status == Status::reference_failed) {
      if (outcome.failure) continue;
      outcome.failure = std::move(trial.message);
      failed_end = trial.status == Status::machine_failed ? End::machine_failed : End::reference_failed;
      in_flight -= device.withdraw();  // the others would fail as well; a later run tries them
      continue;
    }
    if (is_repeated) {
      watch.tell(trial);
      if (trial.ok() || !has_run(trial)) continue;
      ranking.remove(trial.config);
      if (events.on_revoked) events.on_revoked(trial);
      continue;
    }
    if (trial.status == Status::machine_failed) continue;
    watch.count_trial();
    ++outcome.measured;
    searcher.tell(trial);
    ranking.add(trial);
    patience.note(ranking, submitted);
    if (events.on_trial) events.on_trial(trial);
  }
  outcome.end = end;
  // No trial has shown that the machine works.
  if (outcome.unjudged > 0 && outcome.measured == 0 && !outcome.failure)
    outcome.failure = outcome.why_unjudged;
  // The machine may fail or the user may stop while the last trials run: hold no playoff then.
  if (outcome.failure) outcome.end = failed_end;
  if (events.stop && events.stop()) outcome.end = End::stopped;

  outcome.drift = watch.drift();
  learn();
  outcome.best = ranking.best();
  const bool is_new = outcome.measured > 0 || outcome.learned > 0 || !task.is_decided;
  const auto claim_playoff = [&] {
    if (!events.sharing.claim_playoff || !outcome.best) return true;
    return events.sharing.claim_playoff(outcome.best->config);
  };
  if (is_new && !outcome.failure && !outcome.was_cut_short() && claim_playoff()) {
    const auto has_time = [&] {
      return task.limits.seconds <= 0 || clock_s() - begin_s < task.limits.seconds;
    };
    hold_playoff(task, ranking, device, events, has_time, outcome);
  }
  return outcome;
}

}  // namespace gktune
