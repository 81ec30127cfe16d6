#include "tuner/tune.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>
#include <utility>

#include "tuner/measure/statistics.h"

namespace gktune {
namespace {

using End = TuneOutcome::End;

// A trial that was cut off still joins the playoff if its time is less than the best one's by this factor.
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
    if (std::erase_if(trials_, [&](const Trial& trial) { return trial.config == config; }) == 0) return;
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

  const Trial* best() const { return trials_.empty() ? nullptr : &trials_.front(); }
  const Trial* median() const { return trials_.empty() ? nullptr : &trials_[trials_.size() / 2]; }

  // A trial that was cut off close to the best gets a second chance: its few samples may have been unlucky.
  std::vector<const Trial*> finalists(int count) const {
    std::vector<const Trial*> chosen;
    for (const Trial& trial : trials_) {
      if (std::ssize(chosen) == count) break;
      if (!trial.is_dropped_early || trial.timing.median_us < kSecondChance * leader_.median_us)
        chosen.push_back(&trial);
    }
    return chosen;
  }

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

// False: the trial says nothing about the run time.
bool has_run(const Trial& trial) { return trial.ok() || (trial.run_s > 0 && !ends_problem(trial.status)); }

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

// A playoff takes no longer than the search, or than this if the search was shorter. But it has a few rounds
// in any case.
constexpr double kShortPlayoffS = 1;
constexpr std::size_t kFewestRounds = 10;

// The default and the median configuration join the playoff unless they are slower than a finalist by more.
constexpr double kBaselineFactor = 3;

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

// The interval between questions to other tuners while they measure the rest.
constexpr std::chrono::milliseconds kSharingInterval{50};

// The configurations that other tuners measure.
class SharedWork {
 public:
  explicit SharedWork(const Sharing& sharing) : sharing_(sharing) {}

  bool has_others() const { return sharing_.learn != nullptr; }

  std::vector<Trial> learn() {
    if (!sharing_.learn) return {};
    std::vector<Trial> learned = sharing_.learn();
    for (const Trial& trial : learned) std::erase(awaited_, trial.config);
    return learned;
  }

  // The configurations that others measured when they were asked last.
  const std::vector<Config>& claimed() {
    claimed_ = sharing_.claimed ? sharing_.claimed() : std::vector<Config>();
    for (const Config& each : claimed_) {
      if (std::ranges::find(awaited_, each) == awaited_.end()) awaited_.push_back(each);
    }
    return claimed_;
  }

  // False: another tuner has it, and its trial will be learned.
  bool claim(const Config& config) {
    if (!sharing_.claim || sharing_.claim(config)) return true;
    claimed_.push_back(config);
    awaited_.push_back(config);
    return false;
  }
  std::optional<std::vector<Config>> claim_playoff(const Trial* best) const {
    if (!sharing_.claim_playoff || best == nullptr) return std::vector<Config>();
    return sharing_.claim_playoff(best->config);
  }
  std::optional<Config> reference() const { return sharing_.reference ? sharing_.reference() : std::nullopt; }
  Trial relative(const Trial& trial) const { return sharing_.relative ? sharing_.relative(trial) : trial; }
  std::optional<std::vector<Trial>> relative_trials() const {
    return sharing_.relative_trials ? sharing_.relative_trials() : std::nullopt;
  }
  bool is_waiting() const { return !awaited_.empty(); }

  // An awaited configuration whose tuner gave it up or died.
  std::optional<Config> abandoned() {
    for (auto each = awaited_.begin(); each != awaited_.end(); ++each) {
      if (std::ranges::find(claimed_, *each) != claimed_.end()) continue;
      Config config = *each;
      awaited_.erase(each);
      if (claim(config)) return config;
      return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  const Sharing& sharing_;
  std::vector<Config> awaited_;  // trials of these will be learned
  std::vector<Config> claimed_;  // the others measure these
};

// Counts the trials that were submitted after the best one became known. Earlier ones were chosen without it.
class Patience {
 public:
  explicit Patience(const TuneLimits& limits) : limits_(limits) {}

  void note(const Trial* best, std::int64_t submitted) {
    if (best == nullptr) return;
    if (objective_ && best->objective > *objective_ - limits_.gain * std::abs(*objective_)) return;
    objective_ = best->objective;
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

// One call of tune().
class TuneRun {
 public:
  TuneRun(const TuneTask& task, Searcher& searcher, Device& device, const TuneEvents& events)
      : task_(task),
        searcher_(searcher),
        device_(device),
        events_(events),
        begin_s_(task.clock_s()),
        patience_(task.limits),
        watch_(task.timing.drift_interval, task.earlier),
        shared_(events.sharing) {
    if (task.timing.cutoff == TimingPolicy::Cutoff::learned) cutoff_ = std::make_shared<Cutoff>();
  }

  TuneOutcome run() {
    // First, so that the earlier trials of other hosts are compared with those of this one.
    if (submit_reference()) search_next();
    for (const Trial& trial : task_.earlier) {
      ++submitted_;
      if (trial.config != failed_reference_) rank(shared_.relative(trial));
    }
    search();
    conclude();
    if (is_playoff_due()) hold_playoff();
    return std::move(outcome_);
  }

 private:
  void search() {
    while (true) {
      learn();
      if (cutoff_) *cutoff_ = ranking_.cutoff();
      fill_device();
      if (in_flight_ == 0) return;
      search_next();
    }
  }

  void search_next() {
    std::optional<Trial> trial = device_.next_while([this] { return !is_stopped(); });
    if (!trial) {
      in_flight_ = 0;
      end_ = End::stopped;
      return;
    }
    --in_flight_;
    take(*std::move(trial));
  }

  // False: it is not due.
  bool submit_reference() {
    std::optional<Config> config = shared_.reference();
    if (!config) return false;
    reference_ = config;
    submit(*std::move(config), nullptr);
    return true;
  }

  void rank(const Trial& trial) {
    searcher_.tell(trial);
    ranking_.add(trial);
    patience_.note(ranking_.best(), submitted_);
  }

  // Takes over the trials of other tuners. True: one is of this configuration.
  bool learn(const Config* config = nullptr) {
    bool has_config = false;
    for (const Trial& trial : shared_.learn()) {
      ++outcome_.learned;
      const bool is_new = !events_.on_learned || events_.on_learned(trial);
      is_new ? void(++submitted_) : ranking_.remove(trial.config);
      rank(shared_.relative(trial));
      has_config = has_config || (config != nullptr && trial.config == *config);
    }
    for (const Config& each : shared_.claimed()) searcher_.expect(each);
    return has_config;
  }

  void fill_device() {
    while (!is_over() && in_flight_ < device_.capacity()) {
      if (std::optional<Config> reference = watch_.ask(ranking_)) {
        submit(*std::move(reference), nullptr);
      } else if (submit_reference()) {
        continue;
      } else if (!submit_next() && !wait_for_others()) {
        return;
      }
    }
  }

  // False: the searcher proposes nothing.
  bool submit_next() {
    std::optional<Config> config = std::exchange(claimed_, std::nullopt);
    if (!config) config = shared_.abandoned();
    if (!config) {
      config = searcher_.ask();
      if (!config) return false;
      if (!shared_.claim(*config)) return true;
    }
    patience_.expect(searcher_.expected_gain());
    // Trials that other tuners stored before they could see the claim may be of this configuration, or end
    // the search.
    if (shared_.has_others()) {
      if (learn(&*config)) return true;
      if (is_over()) {
        claimed_ = std::move(config);
        return true;
      }
    }
    submit(*std::move(config), cutoff_);
    ++submitted_;
    return true;
  }

  void submit(Config config, std::shared_ptr<const Cutoff> cutoff) {
    device_.submit({std::move(config), task_.problem, std::move(cutoff)});
    ++in_flight_;
  }

  // True: trials of other tuners may have led the searcher to new candidates. False: only trials in flight
  // can, or nothing is left to try.
  bool wait_for_others() {
    if (in_flight_ > 0) return false;
    if (shared_.is_waiting()) {
      std::this_thread::sleep_for(kSharingInterval);
      learn();
      return true;
    }
    if (auto why = searcher_.failure()) fail(End::machine_failed, *std::move(why));
    return false;
  }

  bool is_stopped() const { return events_.stop && events_.stop(); }

  // True: submit no more candidates. Later trials can only lift an end by convergence.
  bool is_over() {
    const bool is_decided = end_ && end_ != End::converged;
    // After the last candidate was submitted, a stop takes back the candidates that wait.
    if (is_decided && (end_ == End::stopped || !is_stopped())) return true;
    end_ = is_decided ? End::stopped : reason_to_end();
    if (end_ == End::seconds || end_ == End::stopped) in_flight_ -= device_.withdraw();
    return end_.has_value();
  }

  std::optional<End> reason_to_end() const {
    if (is_stopped()) return End::stopped;
    if (task_.limits.trials > 0 && submitted_ >= task_.limits.trials) return End::trials;
    if (is_time_over(playoff_s())) return End::seconds;
    if (patience_.is_over(submitted_)) return End::converged;
    return std::nullopt;
  }

  bool is_time_over(double reserved_s) const {
    const double limit_s = task_.limits.seconds;
    return limit_s > 0 && task_.clock_s() - begin_s_ >= limit_s - reserved_s;
  }

  // The time that the search leaves for the playoff, by the trials of the finalists: at most a quarter.
  double playoff_s() const {
    const auto finalists = ranking_.finalists(task_.timing.finalists);
    if (finalists.size() < 2) return 0;
    double seconds = 0;
    for (const Trial* trial : finalists) {
      const auto samples = std::max<std::ptrdiff_t>(std::ssize(trial->samples_us), 1);
      seconds += trial->run_s * task_.timing.rounds.count / static_cast<double>(samples);
    }
    return std::min(seconds, 0.25 * task_.limits.seconds);
  }

  // Takes back the candidates that wait: they would fail as well. A later run tries them.
  void fail(End end, std::string why) {
    if (outcome_.failure) return;
    outcome_.failure = std::move(why);
    end_ = end;
    in_flight_ -= device_.withdraw();
  }

  // Takes a trial that ended.
  void take(Trial trial) {
    const bool is_reference = trial.config == reference_;
    if (is_reference) reference_.reset();
    const bool is_repeated = is_reference || watch_.awaits(trial);
    const bool is_unjudged = trial.status == Status::machine_failed;
    if (is_unjudged && !is_repeated) take_back(trial);
    unjudged_in_a_row_ = is_unjudged ? unjudged_in_a_row_ + 1 : 0;
    if (unjudged_in_a_row_ >= kMostUnjudged || trial.status == Status::reference_failed) {
      fail(is_unjudged ? End::machine_failed : End::reference_failed, std::move(trial.message));
    } else if (is_reference) {
      take_reference(trial);
    } else if (is_repeated) {
      take_repeated(trial);
    } else if (!is_unjudged) {
      watch_.count_trial();
      ++outcome_.measured;
      rank(trial);
      if (events_.on_trial) events_.on_trial(trial);
    }
  }

  // The machine failed for a configuration: another one may take its place.
  void take_back(const Trial& trial) {
    ++outcome_.unjudged;
    outcome_.why_unjudged = trial.message;
    --submitted_;
    if (end_ == End::trials) end_.reset();
    searcher_.tell(trial);
  }

  void take_repeated(const Trial& trial) {
    watch_.tell(trial);
    if (!trial.ok()) revoke(trial);
  }

  // The trial of another host is ranked, relative to this one.
  void take_reference(const Trial& trial) {
    if (!trial.ok()) {
      if (has_run(trial)) failed_reference_ = trial.config;
      return revoke(trial);
    }
    ++outcome_.measured;
    if (events_.on_reference) events_.on_reference(trial);
  }

  void revoke(const Trial& trial) {
    if (!has_run(trial)) return;
    ranking_.remove(trial.config);
    if (events_.on_revoked) events_.on_revoked(trial);
  }

  void conclude() {
    // No trial has shown that the machine works.
    if (outcome_.unjudged > 0 && outcome_.measured == 0) fail(End::machine_failed, outcome_.why_unjudged);
    outcome_.end = is_stopped() ? End::stopped : end_.value_or(End::exhausted);
    outcome_.drift = watch_.drift();
    learn_last();
  }

  // Learns what other tuners have measured until now. Later times of the reference correct how earlier trials
  // compare.
  void learn_last() {
    learn();
    if (auto all = shared_.relative_trials()) {
      ranking_ = {};
      for (const Trial& trial : *all) ranking_.add(trial);
    }
    if (const Trial* best = ranking_.best()) outcome_.best = *best;
  }

  // The machine may have failed or the user stopped while the last trials ran.
  bool is_playoff_due() {
    const bool is_new = outcome_.measured > 0 || outcome_.learned > 0 || !task_.is_decided;
    if (!is_new || outcome_.failure || outcome_.was_cut_short()) return false;
    auto claimed = shared_.claim_playoff(ranking_.best());
    if (!claimed) return false;
    learn_last();
    repeated_ = *std::move(claimed);
    return true;
  }

  std::vector<Trial> entrants() const {
    if (repeated_.empty()) return playoff_entrants(task_, ranking_);
    std::vector<Trial> entrants;
    for (const Config& config : repeated_) {
      const Trial* trial = ranking_.find(config);
      if (trial == nullptr) return {};
      entrants.push_back(*trial);
    }
    return entrants;
  }

  // Times the finalists in turn, so that drift affects all alike, and picks the best. One that fails now is
  // no valid configuration. A stop drops the playoff.
  void hold_playoff() {
    std::vector<Trial> entrants = this->entrants();
    if (entrants.empty()) return;
    std::vector<Config> configs;
    for (const Trial& trial : entrants) configs.push_back(trial.config);
    playoff_begin_s_ = task_.clock_s();
    std::vector<Trial> played =
        device_.playoff(task_.problem, std::move(configs), task_.timing.rounds,
                        [this](const std::vector<Samples>& so_far) { return goes_on(so_far); });
    if (outcome_.end == End::stopped) return;
    for (std::size_t i = 0; i < entrants.size(); ++i) {
      if (!played[i].ok()) revoke(played[i]);
      if (!played[i].samples_us.empty()) place(std::move(entrants[i]), std::move(played[i].samples_us));
    }
    std::ranges::stable_sort(outcome_.playoff, {}, &Trial::objective);
    const Trial* best = outcome_.playoff.empty() ? ranking_.best() : &outcome_.playoff.front();
    outcome_.best = best == nullptr ? std::nullopt : std::optional(*best);
  }

  // Called between the rounds of the playoff.
  bool goes_on(const std::vector<Samples>& so_far) {
    if (events_.on_playoff)
      events_.on_playoff({so_far.size(), static_cast<int>(rounds_of(so_far)), task_.timing.rounds.count});
    if (is_stopped()) outcome_.end = End::stopped;
    if (outcome_.end == End::stopped) return false;
    // The other host's playoff may have used up the time.
    if (repeated_.empty() && is_time_over(0)) return false;
    const double longest_s = std::max(kShortPlayoffS, playoff_begin_s_ - begin_s_);
    if (rounds_of(so_far) >= kFewestRounds && task_.clock_s() - playoff_begin_s_ > longest_s) return false;
    // Another objective than time is decided by all rounds.
    if (task_.timing.cutoff == TimingPolicy::Cutoff::none) return true;
    return !is_playoff_decided(
        so_far, {.tolerance = task_.timing.tolerance, .deviation = ranking_.cutoff().noise.deviation});
  }

  void place(Trial entrant, Samples samples) {
    entrant.samples_us = std::move(samples);
    entrant.timing = summarize(entrant.samples_us);
    entrant.objective = entrant.timing.median_us;
    entrant.is_dropped_early = false;
    if (!task_.evaluate || task_.evaluate(entrant)) outcome_.playoff.push_back(std::move(entrant));
  }

  const TuneTask& task_;
  Searcher& searcher_;
  Device& device_;
  const TuneEvents& events_;
  Ranking ranking_;
  double begin_s_, playoff_begin_s_ = 0;
  Patience patience_;
  DriftWatch watch_;
  SharedWork shared_;
  std::shared_ptr<Cutoff> cutoff_;  // of all candidates in flight
  std::optional<Config> claimed_;   // and not submitted, because the search was over
  std::optional<Config> reference_, failed_reference_;  // in flight; failed on this host
  std::vector<Config> repeated_;                        // the finalists of a playoff on another host
  std::int64_t submitted_ = 0;      // trials, including trials of earlier runs and of other tuners
  std::size_t in_flight_ = 0;
  int unjudged_in_a_row_ = 0;
  std::optional<End> end_;  // why the run submits no more candidates
  TuneOutcome outcome_;
};

}  // namespace

double wall_clock_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Failures failures_of(const std::vector<Trial>& trials) {
  Failures failures;
  for (const Trial& trial : trials) {
    if (!trial.ok()) ++failures[trial.status];
  }
  return failures;
}

double Drift::least() const { return *std::ranges::min_element(times_us) / times_us.front() - 1; }

double Drift::greatest() const { return *std::ranges::max_element(times_us) / times_us.front() - 1; }

TuneOutcome tune(const TuneTask& task, Searcher& searcher, Device& device, const TuneEvents& events) {
  return TuneRun(task, searcher, device, events).run();
}

}  // namespace gktune
