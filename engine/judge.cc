#include "engine/judge.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/spaces.h"
#include "tuner/core/content_key.h"
#include "tuner/measure/element.h"
#include "tuner/search/strategy.h"
#include "tuner/space/plan.h"
#include "tuner/tune.h"

namespace gktune {
namespace {

// Configurations of each problem that are compiled and sanitized. The search runs more.
constexpr std::int64_t kSampled = 4;
constexpr double kSanitizerS = 30;
constexpr int kMostRounds = 100'000;
constexpr int kOtherRounds = 16;  // in the regime that decides nothing

constexpr std::size_t kNearProblems = 4;
constexpr std::uint64_t kMostDraws = 8;  // of near sizes, until both kernels have a configuration for them

// The value of all elements of the floating-point inputs in another execution. Where integers are equal too,
// those that are drawn have their smallest value.
struct SpecialInputs {
  std::string name;
  const char* value;
  bool is_nan = false, has_equal_integers = false;
};
const std::array<SpecialInputs, 5> kSpecialInputs = {{{"0", "0"},
                                                      {"1", "1", false, true},
                                                      {"1e-40", "1e-40"},
                                                      {"infinite", "1e308 * 10"},
                                                      {"NaN", "1e308 * 10 - 1e308 * 10", true}}};

// A configuration that the device cannot run is none: others may be fine.
bool is_unusable(Status status) {
  return status == Status::invalid || status == Status::compile_failed ||
         status == Status::compile_timed_out || status == Status::launch_failed ||
         status == Status::out_of_memory;
}

bool is_rejecting(const Trial& trial) {
  return !trial.ok() && !is_unusable(trial.status) && !ends_problem(trial.status);
}

bool is_doubtful(const Finding& finding) { return finding.status == Status::wrong_result; }

// Goes through the rejecting trials of the findings that are concerned, and removes those that are excused
// until one stays.
void drop_excused(std::vector<Finding>& findings, const std::function<bool(const Finding&)>& is_concerned,
                  const std::function<bool(const Trial&)>& is_excused) {
  bool is_settled = false;
  for (Finding& finding : findings) {
    if (!is_concerned(finding)) continue;
    std::erase_if(finding.trials, [&](const Trial& trial) {
      if (is_settled || !is_rejecting(trial)) return false;
      is_settled = !is_excused(trial);
      return !is_settled;
    });
  }
  std::erase_if(findings, [](const Finding& finding) { return finding.trials.empty(); });
}

// The kernel with such inputs; null if it has none. Where they are NaN, a result may have to be NaN.
std::shared_ptr<const KernelDefinition> with_inputs(const KernelDefinition& kernel, const Plan& plan,
                                                    const SpecialInputs& special) {
  auto changed = std::make_shared<KernelDefinition>(kernel);
  bool is_changed = false;
  // A candidate's own arguments are behind those of the space; they are no inputs.
  for (std::size_t i = 0; i < plan.arguments.size(); ++i) {
    const ArgumentPlan& planned = plan.arguments[i];
    std::optional<Tolerance>& check = changed->arguments[i].check;
    if (check && special.is_nan) check->nan_equals = true;
    if (planned.is_scalar || !is_input(planned.role) || planned.contents.is_computed) continue;
    Contents& contents = changed->arguments[i].contents;
    if (is_floating(planned.type) && contents.kind != ContentsKind::zero) {
      contents = {.kind = ContentsKind::constant, .a = Expression::parse(special.value).value()};
    } else if (special.has_equal_integers && contents.kind == ContentsKind::uniform) {
      contents.kind = ContentsKind::constant;
    } else {
      continue;
    }
    is_changed = true;
  }
  return is_changed ? std::move(changed) : nullptr;
}

using Stop = std::function<bool()>;

Trial run_one(WorkerDevice& device, Candidate candidate, const Stop& stop) {
  device.submit(std::move(candidate));
  const auto trial = device.next_while([&] { return !stop || !stop(); });
  return trial.value_or(Trial{.status = Status::machine_failed, .message = "it was stopped"});
}

// Again if other work on the machine may have made it fail.
Trial run_surely(WorkerDevice& device, const Candidate& candidate, const Stop& stop) {
  Trial trial;
  for (int attempt = 0; attempt < 3; ++attempt) {
    trial = run_one(device, candidate, stop);
    const bool may_be_slow = trial.status == Status::timed_out || trial.status == Status::reference_failed ||
                             trial.status == Status::machine_failed;
    if (!may_be_slow || (stop && stop())) break;
  }
  return trial;
}

std::uint64_t elements_of(const Plan& plan) {
  std::uint64_t count = 0;
  for (const ArgumentPlan& argument : plan.arguments) count += argument.count;
  return count;
}

// The same texts: problems of one kind, of any size.
bool is_alike(const Problem& a, const Problem& b) {
  return std::ranges::all_of(a, [&](const auto& axis) {
    const Value* other = b.find(axis.first);
    return axis.second.is_integer() || (other != nullptr && *other == axis.second);
  });
}

// The candidate, without the kinds of problems that it need not solve.
Definition judged_on(const std::vector<Problem>& problems, Definition candidate) {
  std::erase_if(candidate.check_problems, [&](const Problem& small) {
    return std::ranges::none_of(problems, [&](const Problem& judged) { return is_alike(small, judged); });
  });
  candidate.kernel.listed_problems = problems;
  return candidate;
}

std::shared_ptr<const KernelDefinition> padded(KernelDefinition kernel, std::size_t arguments) {
  pad_arguments(kernel, arguments);
  return std::make_shared<const KernelDefinition>(std::move(kernel));
}

}  // namespace

Ruling ruling_of(const Trial& trial) {
  if (trial.reuses_results) return Ruling::cheating;
  switch (trial.status) {
    case Status::ok:
      return Ruling::accepted;
    case Status::wrong_result:
    case Status::input_changed:
    case Status::undefined_behavior:
      return Ruling::wrong;
    case Status::guard_violated:
    case Status::illegal_access:
    case Status::misaligned_access:
      return Ruling::out_of_bounds;
    case Status::barrier_divergence:
    case Status::data_race:
      return Ruling::race;
    case Status::aborted:
    case Status::crashed:
      return Ruling::crashed;
    case Status::timed_out:
      return Ruling::hung;
    case Status::reference_failed:
    case Status::machine_failed:
      return Ruling::not_judged;
    default:
      return Ruling::does_not_compile;
  }
}

bool Judgement::is_slower() const {
  return std::ranges::any_of(comparisons,
                             [](const auto& each) { return each.speedup.relation == Relation::slower; });
}

bool Judgement::is_not_slower() const {
  return std::ranges::all_of(comparisons, [](const auto& each) { return each.speedup.is_not_slower; });
}

// The best configuration for a problem, or the trial of a failure.
struct Judge::Best {
  std::optional<Trial> trial;
  std::optional<Trial> rejected;
  bool was_stopped = false;
};

Result<Judgement, EngineError> Judge::judge(const Definition& candidate) {
  auto examined = GKTUNE_TRY(examine(candidate, request_.workers.jobs));
  return judge(candidate, std::move(examined));
}

Judge::Examiner Judge::take_examiner(std::int64_t jobs) {
  const std::lock_guard lock(mutex_);
  const auto idle = std::ranges::find(idle_examiners_, jobs, &Examiner::jobs);
  if (idle == idle_examiners_.end()) return {jobs, nullptr, nullptr, std::nullopt};
  Examiner examiner = std::move(*idle);
  idle_examiners_.erase(idle);
  return examiner;
}

void Judge::put_back(Examiner examiner) {
  const std::lock_guard lock(mutex_);
  idle_examiners_.push_back(std::move(examiner));
}

WorkerSettings Judge::workers_for(std::int64_t jobs) const {
  WorkerSettings workers = request_.workers;
  workers.jobs = jobs;
  return workers;
}

Result<Examined, EngineError> Judge::examine(const Definition& candidate, std::int64_t jobs) {
  Examined examined;
  examined.judgement.sandbox = request_.sandbox;
  if (candidate.kernel.is_untrusted_host_code()) examined.judgement.code = CodeClass::host_code;
  Examiner examiner = take_examiner(jobs);
  GKTUNE_TRY(examine(candidate, examiner, examined));
  if (examined.judgement.verdict != Ruling::not_judged) put_back(std::move(examiner));
  return examined;
}

Judge::Done Judge::examine(const Definition& candidate, Examiner& examiner, Examined& examined) {
  Judgement& judgement = examined.judgement;
  GKTUNE_TRY(compile(candidate, examiner, judgement));
  judgement.was_stopped = judgement.was_stopped || is_stopped();
  if (judgement.was_stopped || !judgement.is_accepted()) return {};
  GKTUNE_TRY(sanitize(candidate, examiner, examined));
  judgement.was_stopped = judgement.was_stopped || is_stopped();
  return {};
}

Result<Judgement, EngineError> Judge::judge(const Definition& candidate, Examined examined) {
  Judgement judgement = std::move(examined.judgement);
  if (judgement.was_stopped || !judgement.is_accepted()) return judgement;
  if (examined.doubtful) {
    GKTUNE_TRY(confirm_results(candidate, *examined.doubtful, judgement));
    take_findings(*examined.doubtful, judgement);
  }
  GKTUNE_TRY(finish(candidate, judgement));
  // Candidates of a GPU share the process that executes them.
  if (!is_host() && runner_ && runner_->has_kept_memory()) runner_.reset();
  return judgement;
}

// The stages that execute candidates on the device.
Judge::Done Judge::finish(const Definition& candidate, Judgement& judgement) {
  if (judgement.was_stopped || !judgement.is_accepted()) return {};
  using Step = Done (Judge::*)(const Definition&, Judgement&);
  const std::pair<JudgeStage, Step> steps[] = {{JudgeStage::special_values, &Judge::try_special_values},
                                               {JudgeStage::near_sizes, &Judge::try_near_sizes},
                                               {JudgeStage::time, &Judge::time}};
  for (const auto& [stage, step] : steps) {
    judgement.stage = stage;
    if (events_.on_stage) events_.on_stage(stage);
    GKTUNE_TRY((this->*step)(candidate, judgement));
    judgement.was_stopped = judgement.was_stopped || is_stopped();
    if (judgement.was_stopped || !judgement.is_accepted()) return {};
  }
  for (const Baseline& baseline : request_.baselines) {
    std::vector<Speedup> speedups;
    for (const BaselineComparison& each : judgement.comparisons) {
      if (each.baseline == baseline.name && each.rounds > 0) speedups.push_back(each.speedup);
    }
    if (!speedups.empty()) judgement.means.push_back({baseline.name, mean_of(speedups, request_.effect)});
  }
  return {};
}

void Judge::reject(Judgement& judgement, const Trial& trial) const {
  judgement.verdict = ruling_of(trial);
  judgement.status = trial.status;
  judgement.message = trial.message;
  judgement.problem = trial.problem;
  judgement.config = trial.config;
  judgement.seed = request_.workers.seed;
}

// Takes the first finding about the kernel. Those of unusable configurations count if there is no usable one.
void Judge::take_findings(const CheckResult& checked, Judgement& judgement) const {
  judgement.was_stopped = checked.was_stopped;
  for (const Finding& finding : checked.findings) {
    if (is_rejecting(finding.trials.front())) return reject(judgement, finding.trials.front());
  }
  if (checked.failure)
    return reject(judgement, {.status = Status::machine_failed, .message = *checked.failure});
  if (checked.passed.empty() && !checked.findings.empty() && !checked.was_stopped)
    reject(judgement, checked.findings.front().trials.front());
}

// The configurations of all problems, or the lack of them: a candidate has to solve every problem.
Judge::Done Judge::compile(const Definition& candidate, Examiner& examiner, Judgement& judgement) const {
  judgement.stage = JudgeStage::compile;
  for (const Problem& problem : request_.problems) {
    const auto space = space_of(candidate, problem, request_.device.info);
    if (space) continue;
    if (space.error().kind == EngineError::Kind::invalid) return space.error();
    reject(judgement, {.problem = problem, .status = Status::invalid, .message = space.error().message});
    return {};
  }
  const auto checked = GKTUNE_TRY(check_space({.definition = candidate,
                                               .device = request_.device,
                                               .workers = workers_for(examiner.jobs),
                                               .work = DeviceWork::compile,
                                               .problems = request_.problems,
                                               .sample = kSampled,
                                               .opened = &examiner.compiler},
                                              {.on_progress = {}, .stop = events_.stop}));
  take_findings(checked, judgement);
  return {};
}

// On the CPU, for kernels of all devices. A kernel that does not compile there is not examined.
Judge::Done Judge::sanitize(const Definition& candidate, Examiner& examiner, Examined& examined) {
  Judgement& judgement = examined.judgement;
  judgement.stage = JudgeStage::sanitize;
  if (is_host()) examiner.host = request_.device;
  if (!examiner.host) {
    auto found = find_device({DeviceChoice::Kind::host}, request_.workers.argv, {});
    if (!found) {
      judgement.notes.push_back("not sanitized: " + found.error().message);
      return {};
    }
    examiner.host = *std::move(found);
  }
  const double begin_s = wall_clock_s();
  bool hangs = false;  // other executions may take as long
  const auto note_hang = [&](const CheckResult& so_far) {
    hangs = std::ranges::count(so_far.findings, Status::timed_out, &Finding::status) > 0;
  };
  const auto stop = [&] { return is_stopped() || hangs || wall_clock_s() - begin_s > kSanitizerS; };
  const Definition judged = judged_on(request_.problems, candidate);
  auto checked = GKTUNE_TRY(check_space({.definition = judged,
                                         .device = *examiner.host,
                                         .workers = workers_for(examiner.jobs),
                                         .work = DeviceWork::sanitize,
                                         .problems = std::nullopt,
                                         .sample = kSampled,
                                         .opened = &examiner.sanitizer},
                                        {.on_progress = note_hang, .stop = stop}));
  // The space has no reference for sizes that it does not list, or the CPU cannot compile the kernel.
  const auto is_excused = [&](const Finding& finding) {
    return finding.status == Status::reference_failed || (!is_host() && is_unusable(finding.status));
  };
  const auto excused = std::ranges::find_if(checked.findings, is_excused);
  if (excused != checked.findings.end()) judgement.notes.push_back("sanitized in part: " + excused->message);
  std::erase_if(checked.findings, is_excused);
  if (checked.was_stopped && !is_stopped()) {
    judgement.notes.push_back("sanitized in part: " + std::to_string(checked.checked) + " of " +
                              checked.chosen.str() + " executions; then " +
                              (hangs ? "one hung" : "the time was over"));
    checked.was_stopped = false;
  }
  const bool has_doubts = !is_host() && std::ranges::any_of(checked.findings, is_doubtful);
  drop_excused(
      checked.findings, [&](const Finding& finding) { return is_host() || !is_doubtful(finding); },
      [&](const Trial& trial) {
        return fails_in_the_space_too(trial, *examiner.sanitizer, examiner.host->info, judgement);
      });
  if (has_doubts) {
    examined.doubtful = std::move(checked);
  } else {
    take_findings(checked, judgement);
  }
  return {};
}

// The sanitizer's sizes are not listed: the space may not be defined for them.
bool Judge::fails_in_the_space_too(const Trial& trial, WorkerDevice& device, const DeviceInfo& info,
                                   Judgement& judgement) {
  const std::pair problem(info.kind, trial.problem.json());
  std::unique_lock lock(mutex_);
  auto known = own_rulings_.find(problem);
  if (known == own_rulings_.end()) {
    lock.unlock();
    const auto own = space_of(*request_.space, trial.problem, info);
    if (!own) return false;
    const auto kernel = std::make_shared<const KernelDefinition>(request_.space->kernel);
    const Trial ended =
        run_surely(device, {*own->default_config(), trial.problem, nullptr, kernel}, events_.stop);
    lock.lock();
    known = own_rulings_.emplace(problem, ruling_of(ended)).first;
  }
  if (known->second != ruling_of(trial)) return false;
  judgement.notes.push_back("not examined: " + trial.problem.str() +
                            ", which the space's kernel does not solve: " + trial.message);
  return true;
}

// A CPU rounds otherwise than a GPU, which fuses products with sums: a result is wrong if it is wrong there
// too.
Judge::Done Judge::confirm_results(const Definition& candidate, CheckResult& checked, Judgement& judgement) {
  const auto device = GKTUNE_TRY(runner_for(request_.space->kernel, DeviceWork::check));
  const auto kernel = std::make_shared<const KernelDefinition>(candidate.kernel);
  bool is_right_there = false;
  drop_excused(checked.findings, is_doubtful, [&](const Trial& trial) {
    if (!is_rejecting(run_one(*device, {trial.config, trial.problem, nullptr, kernel}, events_.stop)))
      return is_right_there = true;
    return fails_in_the_space_too(trial, *device, request_.device.info, judgement);
  });
  if (is_right_there)
    judgement.notes.push_back("a CPU, which rounds otherwise, finds wrong results that the device does not");
  return {};
}

Result<WorkerDevice*, EngineError> Judge::runner_for(const KernelDefinition& kernel, DeviceWork work) {
  using LastStep = WorkerDeviceOptions::Work;
  if (!runner_) {
    runner_ = GKTUNE_TRY(open_device(kernel, request_.device, request_.workers, work));
  }
  runner_->serve(std::make_shared<const KernelDefinition>(kernel),
                 work == DeviceWork::time ? LastStep::time : LastStep::check);
  return runner_.get();
}

Result<void, EngineError> Judge::get_ready() {
  if (!is_host()) GKTUNE_TRY(runner_for(request_.space->kernel, DeviceWork::check))->get_ready();
  return {};
}

std::vector<Problem> Judge::smallest_problems() const {
  const Definition& space = *request_.space;
  std::vector<std::pair<std::uint64_t, Problem>> sizes;
  for (const Problem& problem : request_.problems) {
    const auto plan = resolve(space.kernel, space.kernel.default_values, problem, request_.device.info);
    if (plan) sizes.emplace_back(elements_of(*plan), problem);
  }
  std::ranges::stable_sort(sizes, {}, &std::pair<std::uint64_t, Problem>::first);
  std::vector<Problem> problems;
  for (auto& [size, problem] : sizes) problems.push_back(std::move(problem));
  return problems;
}

// On the smallest problem. Values that the space's own kernel does not solve are not defined for it.
Judge::Done Judge::try_special_values(const Definition& candidate, Judgement& judgement) {
  const Definition& space = *request_.space;
  const std::vector<Problem> problems = smallest_problems();
  if (problems.empty() || !space.kernel.has_judge()) return {};
  const Problem& smallest = problems.front();
  const Plan plan =
      resolve(space.kernel, space.kernel.default_values, smallest, request_.device.info).value();
  const auto own = space_of(space, smallest, request_.device.info),
             its = space_of(candidate, smallest, request_.device.info);
  if (!own || !its) return {};
  const auto device = GKTUNE_TRY(runner_for(space.kernel, DeviceWork::check));
  for (const SpecialInputs& special : kSpecialInputs) {
    const auto defined = with_inputs(space.kernel, plan, special);
    if (defined == nullptr) continue;
    if (is_stopped()) return {};
    const auto [why_not, is_new] = undefined_because_.try_emplace(special.name);
    if (is_new) {
      const Trial known =
          run_surely(*device, {*own->default_config(), smallest, nullptr, defined}, events_.stop);
      if (!known.ok()) why_not->second = known.message;
    }
    if (!why_not->second.empty()) {
      judgement.notes.push_back("not tried: all elements of its floating-point inputs are " + special.name +
                                ", which the space's kernel does not solve: " + why_not->second);
      continue;
    }
    Trial trial = run_one(
        *device, {*its->default_config(), smallest, nullptr, with_inputs(candidate.kernel, plan, special)},
        events_.stop);
    if (!is_rejecting(trial)) continue;
    trial.message += "; all elements of its floating-point inputs are " + special.name;
    reject(judgement, trial);
    return {};
  }
  return {};
}

// Near the smallest problems, at sizes that the space's own kernel solves. The candidate's text decides
// which, so that it cannot know them.
Judge::Done Judge::try_near_sizes(const Definition& candidate, Judgement& judgement) {
  const Definition& space = *request_.space;
  std::vector<Problem> listed = smallest_problems();
  if (listed.size() > kNearProblems) listed.resize(kNearProblems);
  const std::uint64_t seed =
      request_.workers.seed ^ std::stoull(content_key(candidate.kernel.source_text).substr(16), nullptr, 16);
  const auto device = GKTUNE_TRY(runner_for(space.kernel, DeviceWork::check));
  for (const Problem& problem : listed) {
    for (std::uint64_t draw = 0; draw < kMostDraws && !is_stopped(); ++draw) {
      const Problem near = near_problems(space.kernel, {problem}, seed, draw).front();
      const auto own = space_of(space, near, request_.device.info),
                 its = space_of(candidate, near, request_.device.info);
      if (!own || !its || near == problem) continue;
      const auto known = padded(space.kernel, candidate.kernel.arguments.size());
      if (!run_surely(*device, {*own->default_config(), near, nullptr, known}, events_.stop).ok()) continue;
      const Trial trial = run_one(
          *device, {*its->default_config(), near, nullptr, padded(candidate.kernel, 0)}, events_.stop);
      if (is_rejecting(trial)) reject(judgement, trial);
      if (!judgement.is_accepted()) return {};
      judgement.near.push_back(near);
      break;
    }
  }
  return {};
}

Judge::Done Judge::time(const Definition& candidate, Judgement& judgement) {
  for (const Problem& problem : request_.problems) {
    judgement.stage = JudgeStage::time;
    auto best = GKTUNE_TRY(search(candidate, problem));
    judgement.was_stopped = best.was_stopped;
    if (best.rejected) reject(judgement, *best.rejected);
    if (judgement.was_stopped || !best.trial) return {};
    judgement.resources = best.trial->resources;
    judgement.stage = JudgeStage::compare;
    if (events_.on_stage) events_.on_stage(judgement.stage);
    GKTUNE_TRY(compare(candidate, problem, best.trial->config, judgement));
    if (judgement.was_stopped || !judgement.is_accepted()) return {};
    const double time_us = judgement.comparisons.empty() ? 0 : judgement.comparisons.back().time_us;
    note_limits(problem, time_us > 0 ? time_us : best.trial->timing.median_us, judgement);
  }
  return {};
}

// Every configuration that the search tries has to be right.
Result<Judge::Best, EngineError> Judge::search(const Definition& definition, const Problem& problem) {
  const auto device = GKTUNE_TRY(runner_for(definition.kernel, DeviceWork::time));
  const auto space = GKTUNE_TRY(space_of(definition, problem, request_.device.info));
  const auto searcher =
      make_searcher(definition.search.strategy,
                    {.space = space, .seed = request_.workers.seed, .budget = {0, request_.seconds}});
  if (!searcher) return EngineError{EngineError::Kind::invalid, searcher.error().message};
  TuneTask task;
  task.problem = problem;
  if (space.size() > Count(1)) task.limits.seconds = request_.seconds;
  task.timing.finalists = task.timing.drift_interval = 0;
  Best best;
  std::optional<Trial> unusable;
  TuneEvents events;
  events.on_trial = [&](const Trial& trial) {
    if (is_rejecting(trial) && !best.rejected) best.rejected = trial;
    if (!trial.ok()) unusable = trial;
  };
  events.stop = [&] { return best.rejected.has_value() || is_stopped(); };
  const TuneOutcome outcome = tune(task, **searcher, *device, events);
  best.was_stopped = !best.rejected && outcome.end == TuneOutcome::End::stopped;
  if (best.rejected || best.was_stopped) return best;
  if (outcome.failure) {
    const bool is_reference = outcome.end == TuneOutcome::End::reference_failed;
    best.rejected = Trial{.problem = problem,
                          .status = is_reference ? Status::reference_failed : Status::machine_failed,
                          .message = *outcome.failure};
  } else if (!outcome.best) {
    best.rejected = unusable.value_or(Trial{.problem = problem,
                                            .status = Status::machine_failed,
                                            .message = "no configuration was tried in time"});
  } else {
    best.trial = outcome.best;
  }
  return best;
}

// None: it has no configuration that works.
Result<std::optional<Config>, EngineError> Judge::config_of(Baseline& baseline, const Problem& problem) {
  const auto known = baseline.configs.find(problem.json());
  if (known != baseline.configs.end()) return std::optional(known->second);
  const auto space = space_of(*baseline.definition, problem, request_.device.info);
  if (!space && space.error().kind == EngineError::Kind::no_configuration) return std::optional<Config>();
  if (!space) return space.error();
  std::optional<Config> config = space->default_config();
  if (baseline.is_searched && space->size() > Count(1)) {
    const auto best = GKTUNE_TRY(search(*baseline.definition, problem));
    if (!best.trial) return std::optional<Config>();
    config = best.trial->config;
  }
  baseline.configs[problem.json()] = *config;
  return config;
}

// The candidate and those baselines that have a configuration, on one problem.
struct Judge::Match {
  std::vector<Candidate> finalists;  // the candidate first
  std::vector<BaselineComparison> comparisons;
  std::vector<std::size_t> places;  // of the baselines among the finalists; 0: it has no configuration
};

Result<Judge::Match, EngineError> Judge::match_of(const Definition& candidate, const Problem& problem,
                                                  const Config& best) {
  std::size_t arguments = candidate.kernel.arguments.size();
  for (const Baseline& baseline : request_.baselines)
    arguments = std::max(arguments, baseline.definition->kernel.arguments.size());
  Match match{{{best, problem, nullptr, padded(candidate.kernel, arguments)}}, {}, {}};
  for (Baseline& baseline : request_.baselines) {
    const auto config = GKTUNE_TRY(config_of(baseline, problem));
    match.comparisons.push_back({.baseline = baseline.name, .problem = problem, .config = best});
    match.places.push_back(config ? match.finalists.size() : 0);
    if (!config) {
      match.comparisons.back().failure = "no configuration works";
      continue;
    }
    match.comparisons.back().baseline_config = *config;
    match.finalists.push_back({*config, problem, nullptr, padded(baseline.definition->kernel, arguments)});
  }
  return match;
}

// In the regime of the space until each comparison is decided, and then a few rounds in the other one.
Judge::Done Judge::compare(const Definition& candidate, const Problem& problem, const Config& best,
                           Judgement& judgement) {
  auto match = GKTUNE_TRY(match_of(candidate, problem, best));
  if (match.finalists.size() == 1) {
    std::ranges::move(match.comparisons, std::back_inserter(judgement.comparisons));
    return {};
  }
  const Regime regime = candidate.kernel.regime, other = regime == Regime::cold ? Regime::hot : Regime::cold;
  GKTUNE_TRY(play(match, regime, kMostRounds, judgement, judgement.comparisons));
  if (judgement.was_stopped || !judgement.is_accepted()) return {};
  for (Candidate& finalist : match.finalists) {
    KernelDefinition kernel = *finalist.kernel;
    kernel.regime = other;
    finalist.kernel = std::make_shared<const KernelDefinition>(std::move(kernel));
  }
  return play(match, other, kOtherRounds, judgement, judgement.in_other_regime);
}

// Rounds end when all comparisons are decided, or when the time is over.
Judge::Done Judge::play(const Match& match, Regime regime, int rounds, Judgement& judgement,
                        std::vector<BaselineComparison>& played) {
  const auto go_on = [&](const std::vector<Samples>& samples) {
    judgement.was_stopped = judgement.was_stopped || is_stopped();
    if (judgement.was_stopped) return false;
    const bool has_rounds = rounds_of(samples) > 0;
    if (has_rounds && samples[0].empty()) return false;  // it has failed
    return std::ranges::any_of(match.places, [&](std::size_t place) {
      if (place == 0 || (has_rounds && samples[place].empty())) return false;
      return speedup_of(samples[0], samples[place], request_.effect).relation == Relation::undecided;
    });
  };
  const auto device = GKTUNE_TRY(runner_for(*match.finalists.front().kernel, DeviceWork::time));
  std::vector<Trial> trials = device->playoff(match.finalists, {rounds, request_.seconds}, go_on);
  if (judgement.was_stopped) return {};
  if (!trials[0].ok()) {
    reject(judgement, trials[0]);
    return {};
  }
  for (std::size_t i = 0; i < match.comparisons.size(); ++i) {
    BaselineComparison comparison = match.comparisons[i];
    comparison.regime = regime;
    if (match.places[i] != 0) {
      const Trial& baseline = trials[match.places[i]];
      if (!baseline.ok()) comparison.failure = baseline.message;
      comparison.time_us = summarize(trials[0].samples_us).median_us;
      comparison.baseline_us = summarize(baseline.samples_us).median_us;
      comparison.rounds = baseline.samples_us.size();
      comparison.speedup = speedup_of(trials[0].samples_us, baseline.samples_us, request_.effect);
    }
    played.push_back(std::move(comparison));
  }
  return {};
}

// Computes the metrics of the space for the candidate's time, and notes their shares of the device's peaks.
void Judge::note_limits(const Problem& problem, double time_us, Judgement& judgement) const {
  const KernelDefinition& kernel = request_.space->kernel;
  Trial trial{.config = kernel.default_values, .problem = problem};
  trial.timing.median_us = time_us;
  if (!evaluate_metrics(kernel, request_.device.info, trial)) return;
  for (PeakShare& each : peak_shares(trial.metrics, request_.device.info))
    judgement.limits.push_back({problem, each.kind, each.share, each.peak, std::move(each.metric)});
}

}  // namespace gktune
