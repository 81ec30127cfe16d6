#include "engine/tuning_session.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "db/distance.h"
#include "engine/renewal.h"
#include "engine/spaces.h"
#include "tuner/core/quantity.h"
#include "tuner/search/strategy.h"
#include "tuner/space/plan.h"

namespace gktune {
namespace {

constexpr std::chrono::milliseconds kPlayoffInterval{100};
// A claim on a configuration expires this long after the program died.
constexpr std::chrono::seconds kLease{15};
constexpr std::int64_t kOutOfOrder = 200;  // ids in which a later trial may appear before an earlier one

// Renews the claims of a session in a thread and releases them at the end. If the program dies, they expire.
class ClaimRenewal {
 public:
  // The store must outlive this object.
  ClaimRenewal(Database& store, std::int64_t session) : store_(store), session_(session) {
    renewal_.emplace(kLease / 5, [&store, session] { (void)store.renew_claims(session, kLease); });
  }
  ClaimRenewal(const ClaimRenewal&) = delete;
  ClaimRenewal& operator=(const ClaimRenewal&) = delete;
  ~ClaimRenewal() {
    renewal_.reset();
    (void)store_.release_claims(session_);  // else they end with their lease
  }

 private:
  Database& store_;
  std::int64_t session_;
  std::optional<Renewal> renewal_;  // the tuning itself notes that the store fails
};

EngineError failed(const Error& error) { return {EngineError::Kind::failed, error.message}; }

// The largest number of trials; 0: too many to count.
std::int64_t total_of(const Count& valid, std::int64_t limit) {
  const Count total = limit > 0 ? std::min(valid, Count(limit)) : valid;
  return total <= std::numeric_limits<std::int64_t>::max() ? static_cast<std::int64_t>(total) : 0;
}

// The tuning of one problem.
class TuningSession {
 public:
  TuningSession(const TuneRequest& request, const TuneSite& site)
      : request_(request),
        site_(site),
        kernel_(request.definition.kernel),
        study_{kernel_.name,
               request.definition.fingerprint,
               identity_of(site.device.info()),
               request.problem,
               kernel_.regime,
               objective_text(kernel_.objective)} {}

  Result<Tuning, EngineError> run() {
    GKTUNE_TRY(begin());
    search();
    if (error_) return failed({*error_});
    if (auto decided = decide(); !decided) return failed(decided.error());
    if (tuning_.trials.empty()) {
      claims_.reset();
      if (auto removed = site_.store.remove_study_without_trials(id_); !removed) return failed(removed.error());
    }
    return std::move(tuning_);
  }

 private:
  Result<void, EngineError> begin() {
    space_ = GKTUNE_TRY(space_of(request_.definition, request_.problem, site_.device.info()));
    auto related = related_studies();
    if (!related) return failed(related.error());
    auto searcher =
        make_searcher(request_.strategy, {.space = *space_,
                                          .seed = request_.seed,
                                          .budget = {request_.limits.trials, request_.limits.seconds},
                                          .options = request_.options,
                                          .related = *std::move(related)});
    if (!searcher) return EngineError{EngineError::Kind::invalid, searcher.error().message};
    searcher_ = *std::move(searcher);
    if (auto opened = open_study(); !opened) return failed(opened.error());
    if (auto resumed = resume(); !resumed) return failed(resumed.error());
    return {};
  }

  // The nearest studies come first: of this device before others, of the same source before others, of
  // similar problems before others. The search learns from few of them.
  Result<std::vector<RelatedStudy>> related_studies() const {
    constexpr std::size_t kStudies = 4;
    std::vector<RelatedStudy> related;
    if (request_.related == TuneRequest::Related::ignored) return related;
    auto known = GKTUNE_TRY(site_.store.studies(Counts::ignored));
    std::erase_if(known, [this](const StudySummary& each) {
      const Study& study = each.study;
      const bool is_own = study.fingerprint == study_.fingerprint && study.problem == study_.problem &&
                          study.device == study_.device;
      return study.kernel != study_.kernel || study.objective != study_.objective ||
             study.regime != study_.regime || is_own;
    });
    const auto is_farther = [this](const StudySummary& each) {
      const auto apart = distance(study_.problem, each.study.problem);
      return std::tuple(
          each.study.device != study_.device, each.study.device.architecture != study_.device.architecture,
          each.study.fingerprint != study_.fingerprint, !apart, apart ? apart->length : 0.0, -each.id);
    };
    std::ranges::sort(known, {}, is_farther);
    for (const StudySummary& each : known) {
      if (related.size() == kStudies) break;
      auto trials = GKTUNE_TRY(site_.store.trials(each.id));
      if (std::ranges::none_of(trials, &Trial::ok)) continue;
      related.push_back({each.study.device.name + ' ' + each.study.problem.str(), std::move(trials)});
    }
    return related;
  }

  Result<void> open_study() {
    id_ = GKTUNE_TRY(site_.store.study_id(study_));
    return site_.store.describe_space(study_.kernel, study_.fingerprint,
                                      kernel_space_of(request_.definition, site_.device.info()),
                                      texts_of(request_.definition));
  }

  // Trials outside the space (excluded by a selection, or by a changed file) stay in the store and are
  // ignored.
  Result<void> resume() {
    GKTUNE_TRY(begin_learning());
    auto known = GKTUNE_TRY(site_.store.trials(id_));
    held_ = GKTUNE_TRY(site_.store.playoff(id_));
    is_decided_ = held_ && !held_->is_outdated;
    compare_hosts();
    for (Trial& trial : known) {
      if (!space_->contains(trial.config)) {
        if (trial.ok()) best_elsewhere_ = std::min(best_elsewhere_, trial.objective);
      } else if (request_.earlier == TuneRequest::Earlier::resumed) {
        trial.config = in_order_of(request_.definition.parameters, trial.config);
        tuning_.trials.push_back(std::move(trial));
      }
    }
    return {};
  }

  void search() {
    tuning_.kernel = progress_.kernel = kernel_.name;
    tuning_.problem = progress_.problem = request_.problem;
    tuning_.device = site_.device.info().name;
    tuning_.objective = kernel_.objective;
    tuning_.is_checked = kernel_.has_judge();
    tuning_.is_checked_by_default = kernel_.has_default_reference();
    tuning_.valid = space_->size();
    tuning_.cartesian = space_->cartesian();
    tuning_.earlier = std::ssize(tuning_.trials);
    tuning_.is_fresh = request_.earlier == TuneRequest::Earlier::ignored;
    tuning_.budget_s = request_.limits.seconds;
    tuning_.default_config = space_->default_config();
    const TuneTask task = this->task();
    if (tuning_.budget_s > 0) {
      progress_.budget_s = task.limits.seconds;
      is_spent_ = task.limits.seconds <= 0;
    }
    progress_.total = total_of(space_->size(), request_.limits.trials);
    for (const Trial& trial : tuning_.trials) {
      places_.emplace(trial.config.json(), places_.size());
      count(trial);
    }
    progress_.done_before = progress_.done;
    // All of the trials are measured again if it is fresh: there is nothing to share.
    if (!tuning_.is_fresh) claims_.emplace(site_.store, site_.session);
    const std::string description = searcher_->description();
    if (site_.events.on_search && !description.empty()) site_.events.on_search(description);

    begin_s_ = site_.clock_s();
    tuning_.outcome = tune(task, *searcher_, site_.device, events());
    if (is_spent_ && !is_stopped()) tuning_.outcome.end = TuneOutcome::End::seconds;
    tuning_.seconds = site_.clock_s() - begin_s_;
    tuning_.spent_s = seconds_of_trials();
  }

  TuneTask task() const {
    TuneTask task{
        .problem = request_.problem,
        .earlier = tuning_.trials,
        .is_decided = is_decided_,
        .limits = request_.limits,
        .timing = request_.timing,
        .clock_s = [this] { return site_.clock_s() + learned_s_; },
        .default_config = tuning_.default_config,
        .evaluate =
            [this](Trial& trial) { return evaluate_metrics(kernel_, site_.device.info(), trial).ok(); }};
    // A slow configuration may win on another metric.
    if (!kernel_.objective.metric.empty()) task.timing.cutoff = TimingPolicy::Cutoff::none;
    if (task.limits.seconds > 0) task.limits.seconds -= seconds_of_trials();
    return task;
  }

  TuneEvents events() {
    TuneEvents events{.on_trial = [this](const Trial& trial) { add(trial); },
                      .on_learned =
                          [this](const Trial& trial) {
                            learned_s_ += seconds_of(trial);
                            if (progress_.budget_s) *progress_.budget_s -= seconds_of(trial);
                            return replace(trial);
                          },
                      .on_reference =
                          [this](const Trial& trial) {
                            keep(trial);
                            compare_hosts();
                          },
                      .on_revoked =
                          [this](const Trial& trial) {
                            keep(trial);
                            replace(trial);
                          },
                      .on_playoff =
                          [this](const PlayoffProgress& playoff) {
                            progress_.playoff = playoff;
                            show();
                          },
                      .stop = [this] { return is_over(); }};
    if (claims_) {
      events.sharing = {
          .claim = [this](const Config& config) { return claim(config); },
          .learn = [this] { return learn(); },
          .claimed = [this] { return claimed(); },
          .reference = [this] { return reference(); },
          .relative = [this](const Trial& trial) { return hosts_.as_on(site_.host_name, trial); },
          .relative_trials = [this] { return relative_trials(); },
          .claim_playoff = [this](const Config& best) { return claim_playoff(best); }};
    }
    return events;
  }

  // The wall time of a trial, with all compilers and devices at work.
  double seconds_of(const Trial& trial) const {
    return trial.compile_s / request_.compilers + trial.run_s / request_.devices;
  }

  double seconds_of_trials() const {
    double seconds = 0;
    for (const Trial& trial : tuning_.trials) seconds += seconds_of(trial);
    return seconds;
  }

  void add(const Trial& trial) {
    keep(trial);
    if (site_.events.on_trial) site_.events.on_trial(trial);
    replace(trial);
  }

  // Adds a trial, or puts it in the place of the earlier one of its configuration. True: it was added.
  bool replace(const Trial& trial) {
    const auto [place, is_new] = places_.try_emplace(trial.config.json(), tuning_.trials.size());
    if (is_new) {
      tuning_.trials.push_back(trial);
      count(trial);
    } else {
      tuning_.trials[place->second] = trial;
      progress_.done = 0;
      progress_.failures.clear();
      progress_.best.reset();
      for (const Trial& each : tuning_.trials) count(each);
    }
    show();
    return is_new;
  }

  // A trial that cannot be stored ends the run.
  void keep(const Trial& trial) { (void)succeeds(site_.store.add_trial(id_, site_.session, trial)); }

  void count(const Trial& trial) {
    ++progress_.done;
    if (!trial.ok()) ++progress_.failures[trial.status];
    if (trial.ok() && (!progress_.best || trial.objective < progress_.best->objective))
      progress_.best = trial;
  }

  void show() {
    progress_.elapsed_s = site_.clock_s() - begin_s_;
    if (site_.events.on_progress) site_.events.on_progress(progress_);
  }

  // False: notes the error.
  template <class T>
  bool succeeds(const Result<T>& result) {
    if (!result && !error_) error_ = result.error().message;
    return result.ok();
  }

  bool claim(const std::optional<Config>& config) {
    const auto granted = site_.store.claim(id_, site_.session, config, kLease);
    return succeeds(granted) && *granted;
  }

  void note_ids(const OthersWork& others) {
    for (const Trial& trial : others.trials) learned_.insert(trial.id);
    after_id_ = std::max(after_id_, others.newest_id - kOutOfOrder);
    learned_.erase(learned_.begin(), learned_.upper_bound(after_id_));
  }

  // Trials that are stored from now on are learned.
  Result<void> begin_learning() {
    for (const std::int64_t after : {std::numeric_limits<std::int64_t>::max(), std::int64_t{0}}) {
      const auto others =
          GKTUNE_TRY(site_.store.work_of_others(id_, site_.session, std::max(after, after_id_)));
      note_ids(others);
    }
    return {};
  }

  std::vector<Trial> learn() {
    auto others = site_.store.work_of_others(id_, site_.session, after_id_, learned_);
    if (!succeeds(others)) return {};
    note_ids(*others);
    claimed_ = std::move(others->claimed);
    std::vector<Trial>& learned = others->trials;
    const auto is_new_host = [this](const Trial& trial) {
      return !trial.host_name.empty() && !hosts_.has_timed(trial.host_name);
    };
    if (std::ranges::any_of(learned, is_new_host)) compare_hosts();
    std::erase_if(learned, [this](const Trial& trial) { return !space_->contains(trial.config); });
    for (Trial& trial : learned) trial.config = in_order_of(request_.definition.parameters, trial.config);
    // The reference on another host is no news to the search.
    std::erase_if(learned, [this](const Trial& trial) {
      const auto place = trial.ok() ? places_.find(trial.config.json()) : places_.end();
      return place != places_.end() && tuning_.trials[place->second].ok();
    });
    return std::move(learned);
  }

  // The configurations that other sessions were measuring at the last call of learn().
  std::vector<Config> claimed() {
    std::vector<Config> claimed;
    for (const Config& each : claimed_) {
      if (!space_->contains(each)) continue;
      Config config = in_order_of(request_.definition.parameters, each);
      if (!places_.contains(config.json())) claimed.push_back(std::move(config));
    }
    return claimed;
  }

  // Reads how the hosts of the study differ.
  void compare_hosts() {
    if (site_.host_name.empty()) return;
    auto trials = site_.store.reference_trials(id_);
    if (succeeds(trials)) hosts_ = HostTimes(*std::move(trials));
  }

  // Each reference configuration once: the machine may fail for it.
  std::optional<Config> reference() {
    if (!hosts_.awaits(site_.host_name) || hosts_.reference() == timed_reference_) return std::nullopt;
    const std::int64_t most = request_.limits.trials;
    if (is_over() || (most > 0 && std::ssize(tuning_.trials) >= most)) return std::nullopt;
    if (!space_->contains(*hosts_.reference())) return std::nullopt;
    const auto granted = site_.store.claim_reference(id_, site_.session, site_.host_name, kLease);
    if (!succeeds(granted) || !*granted) return std::nullopt;
    timed_reference_ = hosts_.reference();
    return in_order_of(request_.definition.parameters, *timed_reference_);
  }

  std::optional<std::vector<Trial>> relative_trials() const {
    if (hosts_.differences().empty()) return std::nullopt;
    std::vector<Trial> trials;
    for (const Trial& trial : tuning_.trials) trials.push_back(hosts_.as_on(site_.host_name, trial));
    return trials;
  }

  // The search of this session is over: it measures nothing that it has claimed. Waits for the playoff of
  // another session, and repeats it if that was on another host and nobody did yet.
  std::optional<std::vector<Config>> claim_playoff(const Config& best) {
    (void)succeeds(site_.store.release_claims(site_.session));
    for (; !is_over(); std::this_thread::sleep_for(kPlayoffInterval)) {
      const bool is_granted = claim(std::nullopt);
      is_decided_by_others_ = is_decided_by_others(best);
      if (is_decided_by_others_ && (held_->other || held_->host_name == site_.host_name)) return std::nullopt;
      if (!is_granted) continue;
      std::vector<Config> finalists;
      if (is_decided_by_others_) {
        for (const Trial& finalist : held_->finalists)
          finalists.push_back(in_order_of(request_.definition.parameters, finalist.config));
      } else {
        await_claimed();
      }
      return finalists;
    }
    return std::nullopt;
  }

  // Waits for the configurations that others measure at this moment: one of them may be a finalist.
  void await_claimed() {
    std::optional<std::vector<Config>> claimed;
    while (!is_over()) {
      const auto others = site_.store.work_of_others(id_, site_.session, after_id_, learned_);
      if (!succeeds(others)) return;
      if (!claimed) claimed = others->claimed;
      std::erase_if(*claimed, [&](const Config& each) {
        return std::ranges::find(others->claimed, each) == others->claimed.end();
      });
      if (claimed->empty()) return;
      std::this_thread::sleep_for(kPlayoffInterval / 2);
    }
  }

  bool is_decided_by_others(const Config& best) {
    auto held = site_.store.playoff(id_);
    if (!succeeds(held) || !*held || (*held)->is_outdated) return false;
    if (std::ranges::find((*held)->finalists, best, &Trial::config) == (*held)->finalists.end()) return false;
    held_ = *std::move(held);
    return true;
  }

  // Takes over a playoff that decides the study, or stores the one that was held.
  Result<void> decide() {
    TuneOutcome& outcome = tuning_.outcome;
    const bool has_nothing_new = outcome.measured == 0 && outcome.learned == 0;
    const bool is_taken_over =
        is_decided_by_others_ ? outcome.playoff.empty() : is_decided_ && has_nothing_new;
    if (is_taken_over) {
      tuning_.decided_by = held_;
      take_over(*held_);
    } else if (outcome.playoff.empty()) {
      // The times of the search stay as they were measured on the hosts.
      const auto measured = outcome.best ? places_.find(outcome.best->config.json()) : places_.end();
      if (measured != places_.end()) outcome.best = tuning_.trials[measured->second];
    } else if (outcome.best->objective <= best_elsewhere_) {
      GKTUNE_TRY(site_.store.add_playoff(id_, site_.session, {outcome.playoff, now_unix_ms()}));
      tuning_.decided_by = GKTUNE_TRY(site_.store.playoff(id_));
    }
    compare_hosts();
    tuning_.hosts = hosts_;
    return {};
  }

  // Reports a playoff that was held before, with its finalists that are in the space. Keeps the result of the
  // search if the winner of the playoff is outside the space.
  void take_over(Playoff& held) {
    std::vector<Trial> playoff;
    for (Trial& finalist : held.finalists) {
      const auto trial = std::ranges::find(tuning_.trials, finalist.config, &Trial::config);
      if (trial != tuning_.trials.end()) {
        finalist.config = trial->config;  // with the parameters in the order of the space file
        playoff.push_back(std::move(finalist));
      } else if (playoff.empty()) {
        return;
      }
    }
    tuning_.outcome.best = playoff.front();
    tuning_.outcome.playoff = std::move(playoff);
  }

  bool is_over() const { return is_spent_ || error_ || is_stopped(); }
  bool is_stopped() const { return site_.events.stop && site_.events.stop(); }

  const TuneRequest& request_;
  const TuneSite& site_;
  const KernelDefinition& kernel_;
  Study study_;
  std::int64_t id_ = 0;  // of the study
  std::optional<Space> space_;
  std::unique_ptr<Searcher> searcher_;
  Tuning tuning_;
  TuneProgress progress_;
  double begin_s_ = 0;
  double learned_s_ = 0;   // the time that trials of other tuners took in the meantime
  bool is_spent_ = false;  // earlier runs used up the time
  std::unordered_map<std::string, std::size_t> places_;  // of trials, by configuration as JSON
  HostTimes hosts_;
  std::optional<Config> timed_reference_;                            // the last one that this run has timed
  std::optional<Playoff> held_;                                      // the latest playoff
  bool is_decided_ = false, is_decided_by_others_ = false;           // by that playoff
  double best_elsewhere_ = std::numeric_limits<double>::infinity();  // objective outside the space
  std::int64_t after_id_ = 0;       // of trials; those of others with larger ids are learned
  std::set<std::int64_t> learned_;  // their ids that are known
  std::vector<Config> claimed_;     // by others
  std::optional<std::string> error_;                                 // the first one of the store
  std::optional<ClaimRenewal> claims_;                               // none: the study is not shared
};

}  // namespace

Result<Tuning, EngineError> tune_problem(const TuneRequest& request, const TuneSite& site) {
  return TuningSession(request, site).run();
}

namespace {

std::optional<double> ratio(double best, double other, const Objective& objective) {
  // False for NaN too.
  if (!(best > 0 && other > 0)) return std::nullopt;
  return !objective.metric.empty() && objective.maximize ? best / other : other / best;
}

}  // namespace

double score_of(const Trial& trial, const Objective& objective) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (!trial.ok()) return kNone;
  if (objective.metric.empty()) return trial.timing.median_us;
  const Value* value = trial.metrics.find(objective.metric);
  return value != nullptr && value->is_number() ? value->number() : kNone;
}

Gains gains_of(const Tuning& tuning) {
  if (!tuning.outcome.best) return {};
  const std::vector<Trial>& playoff = tuning.outcome.playoff;
  const double best = score_of(*tuning.outcome.best, tuning.objective);
  const auto gain_over = [&](const Trial& other) -> std::optional<Gain> {
    const auto again = std::ranges::find(playoff, other.config, &Trial::config);
    const bool has_played = again != playoff.end();
    const double other_score = score_of(has_played ? *again : other, tuning.objective);
    const auto factor = ratio(best, other_score, tuning.objective);
    if (!factor) return std::nullopt;
    // Both times are from the search if there was no playoff.
    const bool is_comparable = has_played || playoff.empty();
    return Gain{*factor, is_comparable ? Gain::Source::playoff : Gain::Source::search};
  };

  std::vector<const Trial*> good;
  Gains gains;
  for (const Trial& trial : tuning.trials) {
    if (std::isnan(score_of(trial, tuning.objective))) continue;
    good.push_back(&trial);
    if (tuning.default_config && trial.config == *tuning.default_config)
      gains.over_default = gain_over(trial);
  }
  if (good.size() > 1) {
    std::ranges::stable_sort(good, {}, &Trial::objective);
    gains.over_median = gain_over(*good[good.size() / 2]);
  }
  return gains;
}

}  // namespace gktune
