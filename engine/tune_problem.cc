#include "engine/tune_problem.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "db/answers/distance.h"
#include "engine/device/known_device.h"
#include "engine/kernel_space.h"
#include "engine/objective_text.h"
#include "engine/problem_space.h"
#include "engine/shared_study.h"
#include "tuner/search/strategy.h"
#include "tuner/space/plan.h"

namespace gktune {
namespace {

double wall_clock_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The largest number of trials; 0: too many to count.
std::int64_t total_of(const Count& valid, std::int64_t limit) {
  Count total = limit > 0 ? std::min(valid, Count(limit)) : valid;
  return total <= std::numeric_limits<std::int64_t>::max() ? static_cast<std::int64_t>(total) : 0;
}

// Stores each trial as it ends and counts how far the search has come.
class TrialLog {
 public:
  TrialLog(const TuneSite& site, std::int64_t study, TuneProgress state)
      : site_(site), study_(study), state_(std::move(state)), begin_s_(now_s()) {}

  void recall(const std::vector<Trial>& earlier) {
    for (const Trial& trial : earlier) count(trial);
    state_.done_before = state_.done;
  }

  void add(const Trial& trial) {
    keep(trial);
    count(trial);
    show();
  }

  // A trial that another program stored; `all` are the current trials, with this one.
  void learn(const Trial& trial, const std::vector<Trial>& all) {
    state_.done = std::ssize(all);
    if (!trial.ok()) ++state_.failures[trial.status];
    state_.best.reset();
    for (const Trial& each : all) note_best(each);
    show();
  }

  // Replaces a trial that went well; `all` are the current trials.
  void revoke(const Trial& trial, const std::vector<Trial>& all) {
    keep(trial);
    ++state_.failures[trial.status];
    state_.best.reset();
    for (const Trial& each : all) note_best(each);
    show();
  }

  void show_playoff(const PlayoffProgress& playoff) {
    state_.playoff = playoff;
    show();
  }

  // Why a trial could not be stored.
  const std::optional<std::string>& error() const { return error_; }
  double seconds() const { return now_s() - begin_s_; }

 private:
  double now_s() const { return site_.clock_s ? site_.clock_s() : wall_clock_s(); }

  void keep(const Trial& trial) {
    auto stored = site_.store.add_trial(study_, site_.session, trial);
    if (!stored && !error_) error_ = stored.error().message;
  }

  void show() {
    state_.elapsed_s = now_s() - begin_s_;
    if (site_.events.on_progress) site_.events.on_progress(state_);
  }

  void count(const Trial& trial) {
    ++state_.done;
    if (!trial.ok()) ++state_.failures[trial.status];
    note_best(trial);
  }

  void note_best(const Trial& trial) {
    if (trial.ok() && (!state_.best || trial.objective < state_.best->objective)) state_.best = trial;
  }

  const TuneSite& site_;
  std::int64_t study_;
  TuneProgress state_;
  double begin_s_;
  std::optional<std::string> error_;
};

// The wall time of these trials, with all compilers and devices at work.
double seconds_of(const std::vector<Trial>& trials, const TuneRequest& request) {
  double compile_s = 0, run_s = 0;
  for (const Trial& trial : trials) {
    compile_s += trial.compile_s;
    run_s += trial.run_s;
  }
  return compile_s / request.compilers + run_s / request.devices;
}

// The nearest studies come first: of this device before others, of the same source before others, of like
// problems before others. The search learns from few of them.
Result<std::vector<RelatedStudy>> related_studies(const TuneSite& site, const Study& own) {
  constexpr std::size_t kStudies = 4;
  auto known = site.store.studies();
  if (!known) return known.error();
  std::erase_if(*known, [&](const auto& each) {
    const Study& study = each.study;
    const bool is_own =
        study.fingerprint == own.fingerprint && study.problem == own.problem && study.device == own.device;
    return study.kernel != own.kernel || study.objective != own.objective || study.regime != own.regime ||
           is_own || each.trials == each.failed;
  });
  const auto is_farther = [&](const auto& each) {
    const auto apart = distance(own.problem, each.study.problem);
    return std::tuple(
        each.study.device != own.device, each.study.device.architecture != own.device.architecture,
        each.study.fingerprint != own.fingerprint, !apart, apart ? apart->length : 0.0, -each.id);
  };
  std::ranges::sort(*known, {}, is_farther);
  if (known->size() > kStudies) known->resize(kStudies);
  std::vector<RelatedStudy> related;
  for (const auto& each : *known) {
    auto trials = site.store.trials(each.id);
    if (!trials) return trials.error();
    related.push_back({each.study.device.name + ' ' + each.study.problem.str(), *std::move(trials)});
  }
  return related;
}

// Takes over the playoff of an earlier run if its winner is still in the space.
void recall_playoff(Playoff& held, Tuning& tuning) {
  std::vector<Trial> playoff;
  for (Trial& finalist : held.finalists) {
    auto trial = std::ranges::find(tuning.trials, finalist.config, &Trial::config);
    if (trial == tuning.trials.end() && playoff.empty()) return;
    if (trial == tuning.trials.end()) continue;
    finalist.config = trial->config;  // with the parameters in the order of the space file
    playoff.push_back(std::move(finalist));
  }
  tuning.outcome.best = playoff.front();
  tuning.outcome.playoff = std::move(playoff);
}

std::int64_t now_unix_ms() {
  auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count();
}

}  // namespace

Result<Tuning, EngineError> tune_problem(const TuneRequest& request, const TuneSite& site) {
  const Definition& definition = request.definition;
  const DeviceInfo& device = site.device.info();
  auto failed = [](const Error& error) { return EngineError{EngineError::Kind::failed, error.message, {}}; };

  auto space = ProblemSpace(definition, request.problem, device).build();
  if (!space) return space.error();
  const KernelDefinition& kernel = definition.kernel;
  const Study identity = {kernel.name,     definition.fingerprint, identity_of(device),
                          request.problem, kernel.regime,          objective_text(kernel.objective)};
  std::vector<RelatedStudy> related;
  if (request.related == TuneRequest::Related::used) {
    auto found = related_studies(site, identity);
    if (!found) return failed(found.error());
    related = *std::move(found);
  }
  auto searcher = make_searcher(request.strategy, {.space = *space,
                                                   .seed = request.seed,
                                                   .budget = {request.trials, request.budget_s},
                                                   .options = request.options,
                                                   .related = std::move(related)});
  if (!searcher) return EngineError{EngineError::Kind::invalid, searcher.error().message, {}};
  auto study = site.store.study_id(identity);
  if (!study) return failed(study.error());
  if (auto described = site.store.describe_space(identity.kernel, identity.fingerprint,
                                                 kernel_space_of(definition, device));
      !described) {
    return failed(described.error());
  }
  std::vector<Trial> earlier;
  std::int64_t last_id = 0;
  double best_elsewhere = std::numeric_limits<double>::infinity();
  auto known = site.store.trials(*study);
  if (!known) return failed(known.error());
  auto held = site.store.playoff(*study);
  if (!held) return failed(held.error());
  // A trial after the playoff calls for another one.
  const bool is_decided = held->has_value() && std::ranges::none_of(*known, [&](const Trial& trial) {
                            return trial.ended_unix_ms > (*held)->held_unix_ms;
                          });
  // Trials outside the space (excluded by a selection, or by a changed file)
  // stay in the store and are ignored.
  for (Trial& trial : *known) {
    last_id = std::max(last_id, trial.id);
    if (!space->contains(trial.config)) {
      if (trial.ok()) best_elsewhere = std::min(best_elsewhere, trial.objective);
    } else if (request.earlier == TuneRequest::Earlier::resumed) {
      trial.config = in_order_of(definition.parameters, trial.config);
      earlier.push_back(std::move(trial));
    }
  }
  const double spent_s = seconds_of(earlier, request);

  Tuning tuning;
  tuning.kernel = kernel.name;
  tuning.problem = request.problem;
  tuning.device = device.name;
  tuning.objective = kernel.objective;
  tuning.is_checked = kernel.has_judge();
  tuning.valid = space->size().str();
  tuning.cartesian = space->cartesian().str();
  tuning.trials = earlier;
  tuning.earlier = std::ssize(earlier);
  tuning.is_fresh = request.earlier == TuneRequest::Earlier::ignored;
  tuning.budget_s = request.budget_s;
  tuning.default_config = space->default_config();
  TuneTask task;
  task.problem = request.problem;
  task.earlier = std::move(earlier);
  task.clock_s = site.clock_s;
  task.is_decided = is_decided;
  task.default_config = tuning.default_config;
  task.evaluate = [&](Trial& trial) { return evaluate_metrics(kernel, device, trial).ok(); };
  task.timing = request.timing;
  // A slow configuration may win on another metric.
  if (!kernel.objective.metric.empty()) task.timing.cutoff = TimingPolicy::Cutoff::none;
  task.limits.trials = request.trials;
  task.limits.gain = request.gain;
  task.limits.patience = request.patience;
  bool budget_is_spent = request.budget_s > 0 && spent_s >= request.budget_s;
  if (request.budget_s > 0) task.limits.seconds = request.budget_s - spent_s;

  TuneProgress state;
  state.kernel = kernel.name;
  state.problem = request.problem;
  state.total = total_of(space->size(), request.trials);
  if (request.budget_s > 0) state.budget_s = task.limits.seconds;
  TrialLog log(site, *study, std::move(state));
  log.recall(task.earlier);

  TuneEvents events;
  events.on_trial = [&](const Trial& trial) {
    if (site.events.on_trial) site.events.on_trial(trial);
    log.add(trial);
    tuning.trials.push_back(trial);
  };
  events.on_playoff = [&](const PlayoffProgress& playoff) { log.show_playoff(playoff); };
  events.on_revoked = [&](const Trial& trial) {
    *std::ranges::find(tuning.trials, trial.config, &Trial::config) = trial;
    log.revoke(trial, tuning.trials);
  };
  // All of the trials are measured again: there is nothing to share.
  std::optional<SharedStudy> shared;
  if (request.earlier == TuneRequest::Earlier::resumed) {
    shared.emplace(site.store, *study, site.session, last_id, site.lease);
  }
  const auto error = [&] { return log.error() || !shared ? log.error() : shared->error(); };
  const auto is_stopped = [&] { return site.events.stop && site.events.stop(); };
  // A trial that cannot be stored ends the run.
  events.stop = [&] { return budget_is_spent || error() || is_stopped(); };
  if (shared) {
    events.sharing = shared->sharing(events.stop);
    events.sharing.learn = [&, learn = std::move(events.sharing.learn)] {
      std::vector<Trial> learned = learn();
      std::erase_if(learned, [&](const Trial& trial) { return !space->contains(trial.config); });
      for (Trial& trial : learned) trial.config = in_order_of(definition.parameters, trial.config);
      return learned;
    };
  }
  events.on_learned = [&](const Trial& trial) {
    const auto before = std::ranges::find(tuning.trials, trial.config, &Trial::config);
    before == tuning.trials.end() ? tuning.trials.push_back(trial) : void(*before = trial);
    log.learn(trial, tuning.trials);
  };
  if (const std::string search = (*searcher)->description(); site.events.on_search && !search.empty()) {
    site.events.on_search(search);
  }
  tuning.outcome = tune(task, **searcher, site.device, events);
  if (budget_is_spent && !is_stopped()) tuning.outcome.end = TuneOutcome::End::seconds;
  tuning.seconds = log.seconds();
  if (error()) return EngineError{EngineError::Kind::failed, *error(), {}};
  tuning.spent_s = seconds_of(tuning.trials, request);

  if (shared && shared->playoff_of_others()) *held = shared->playoff_of_others();
  const bool is_held = tuning.outcome.measured == 0 && tuning.outcome.learned == 0 && is_decided;
  if (is_held || (shared && shared->playoff_of_others())) {
    recall_playoff(**held, tuning);
  } else if (tuning.outcome.best && !tuning.outcome.playoff.empty() &&
             tuning.outcome.best->objective <= best_elsewhere) {
    auto kept = site.store.add_playoff(*study, site.session, {tuning.outcome.playoff, now_unix_ms()});
    if (!kept) return failed(kept.error());
  }
  return tuning;
}

}  // namespace gktune
