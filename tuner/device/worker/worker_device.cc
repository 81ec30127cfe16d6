#include "tuner/device/worker/worker_device.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "tuner/core/quantity.h"
#include "tuner/core/text.h"
#include "tuner/device/worker/job.h"

namespace gktune {
namespace {

constexpr double kProbeLimitS = 60;
// For the work besides executions: filling inputs, comparing, loading modules.
constexpr double kSetupLimitS = 120;
constexpr double kTimingLimitS = 60;
// The executions that the stopping rule needs at least.
constexpr double kTimedExecutions = 16;
// Compiling ahead stops when this number of candidates waits for hardware, or more.
constexpr std::size_t kAhead = 4;
// Multiplies the time limit of instrumented code, which is slow because it reports its accesses.
constexpr double kSanitizedTimeFactor = 10;
// The weight of the latest candidate in a mean.
constexpr double kLatest = 0.1;
// Finalists with environments of their own need several processes. Each gets this number of turns.
constexpr int kPlayoffTurns = 3;
constexpr double kPlayoffSliceS = 1;
constexpr int kLeastPlayoffSlice = 3;  // rounds
// The interval between questions whether to go on, and how long running candidates have after a no.
constexpr std::chrono::milliseconds kAskInterval{100}, kGrace{1000};

int poll_timeout_ms(Clock::time_point until) {
  constexpr auto kLongest = std::chrono::minutes(1);
  const auto now = Clock::now();
  if (until > now + kLongest) until = now + kLongest;
  return static_cast<int>(
      std::max<std::int64_t>(0, std::chrono::ceil<std::chrono::milliseconds>(until - now).count()));
}

// Compilers and candidates leave their temporary files in the folder of the run when they are killed.
RunSlot::Environment environment_with(const std::optional<RunFolder>& folder) {
  if (!folder) return {};
  return {{"TMPDIR", folder->path().string()}};
}

void note(double& mean, double latest) { mean += (mean > 0 ? kLatest : 1) * (latest - mean); }

// Starts a worker, waits for it to get ready, and for its answer to one question.
template <class Answer>
Result<Answer> asked(const std::vector<std::string>& worker_argv, const BackendName& backend,
                     DeviceQuestion question) {
  auto worker = GKTUNE_TRY(Worker::start({worker_argv, backend, WorkerRole::describe}));
  bool was_sent = false;
  while (worker.state() != Worker::State::dead) {
    if (worker.state() == Worker::State::idle) {
      if (const auto reply = worker.take_reply()) return decode<Answer>(*reply);
      if (!std::exchange(was_sent, true)) worker.send(encode(question), {.setup_s = kProbeLimitS});
    }
    std::vector<pollfd> descriptors;
    worker.add_to(descriptors);
    ::poll(descriptors.data(), descriptors.size(), poll_timeout_ms(worker.deadline()));
    worker.advance(Clock::now());
  }
  return Error{worker.death().failure.message};
}

// Describes devices that are used together; they have to be of one model.
Result<DeviceInfo> probe_all(const std::vector<std::string>& worker_argv,
                             const std::vector<BackendName>& backends) {
  DeviceInfo info;
  for (std::size_t i = 0; i < backends.size(); ++i) {
    auto probed = GKTUNE_TRY(probe_device(worker_argv, backends[i]));
    if (i > 0 && !are_of_one_model(probed, info)) {
      return Error{"several devices can only be used together where they are of one model; here are " +
                   info.name + " and " + probed.name};
    }
    info = std::move(probed);
  }
  return info;
}

// The replies of a playoff that the worker died in. If it is not known which finalist ended it, the machine
// failed for all.
std::vector<RunReply> replies_after(const Failure& failure, std::optional<std::size_t> finalist,
                                    std::size_t count) {
  const std::size_t guilty = finalist.value_or(count);
  RunReply failed;
  failed.status = guilty < count ? failure.status : Status::machine_failed;
  failed.message = failure.message;
  failed.worker_is_lost = true;
  if (guilty >= count) return std::vector<RunReply>(count, failed);
  std::vector<RunReply> replies(count);
  replies[guilty] = failed;
  return replies;
}

// A sanitizer watches the candidate, and a reference in the same source: it may be the same kernel.
void instrument(Plan& plan) {
  for (SourcePlan* source : {&plan.candidate.source, &plan.reference.source, &plan.verifier.source})
    if (source->text == plan.candidate.source.text) source->instrumentation = Instrumentation::sanitize;
}

}  // namespace

// This worker does not open the hardware, so broken devices count too.
Result<int> count_devices(const std::vector<std::string>& worker_argv, const std::string& kind) {
  return asked<int>(worker_argv, {kind, 0}, DeviceQuestion::count);
}

Result<DeviceInfo> probe_device(const std::vector<std::string>& worker_argv, const BackendName& backend) {
  return asked<DeviceInfo>(worker_argv, backend, DeviceQuestion::probe);
}

Result<std::string> host_code_compiler(const std::vector<std::string>& worker_argv,
                                       const BackendName& backend) {
  return asked<std::string>(worker_argv, backend, DeviceQuestion::host_code_compiler);
}

Result<std::unique_ptr<WorkerDevice>> WorkerDevice::open(KernelDefinition kernel, WorkerDeviceOptions options,
                                                         std::optional<RunFolder> folder) {
  if (options.backends.empty()) return Error{"no device to work with"};
  auto info = GKTUNE_TRY(options.info ? Result<DeviceInfo>(*options.info)
                                      : probe_all(options.worker_argv, options.backends));
  const auto command_of = [&](const BackendName& backend, WorkerRole role) {
    return WorkerCommand{options.worker_argv, backend, role, environment_with(folder),
                         role == WorkerRole::run ? options.cache_dir : std::string()};
  };
  std::vector<RunSlot> slots;
  for (const BackendName& backend : options.backends)
    slots.emplace_back(command_of(backend, WorkerRole::run), info);
  CompilePool::Options pool;
  pool.command = command_of(options.backends[0], WorkerRole::compile);
  pool.jobs = std::max(1, options.jobs);
  pool.batch = std::max(1, options.batch);
  pool.time_limit_s = options.compile_time_limit_s;
  pool.job = {{}, info.architecture, options.cache_dir};
  if (folder) pool.job.scratch_dir = folder->path().string();
  return std::unique_ptr<WorkerDevice>(new WorkerDevice(std::move(kernel), std::move(options),
                                                        std::move(folder), std::move(info), std::move(slots),
                                                        CompilePool(std::move(pool))));
}

WorkerDevice::WorkerDevice(KernelDefinition kernel, WorkerDeviceOptions options,
                           std::optional<RunFolder> folder, DeviceInfo info, std::vector<RunSlot> slots,
                           CompilePool pool)
    : kernel_(std::make_shared<const KernelDefinition>(std::move(kernel))),
      options_(std::move(options)),
      folder_(std::move(folder)),
      info_(std::move(info)),
      slots_(std::move(slots)),
      pool_(std::move(pool)) {}

// All processes end at the same time; then this waits for each of them.
WorkerDevice::~WorkerDevice() {
  for (const RunSlot& slot : slots_) slot.leave();
  pool_.leave();
}

std::size_t candidates_ahead(double compile_wait_s, double run_s, std::size_t most) {
  if (run_s <= 0 || most <= kAhead) return kAhead;
  const double wanted = std::ceil(compile_wait_s / run_s);
  return static_cast<std::size_t>(std::clamp(wanted, static_cast<double>(kAhead), static_cast<double>(most)));
}

// At most so that each compiler still has one candidate of its own.
std::size_t WorkerDevice::ahead() const {
  const int most = std::max(1, options_.jobs) * (std::max(1, options_.batch) - 1);
  return candidates_ahead(compile_wait_s_, run_s_, static_cast<std::size_t>(most));
}

std::size_t WorkerDevice::waiting() const {
  return static_cast<std::size_t>(
      std::ranges::count(submissions_, Submission::Stage::ready, &Submission::stage));
}

bool WorkerDevice::has_runs() const {
  return std::ranges::any_of(submissions_, [](const Submission& submission) {
    return submission.goal == Submission::Goal::trial &&
           (submission.stage == Submission::Stage::ready || submission.stage == Submission::Stage::running);
  });
}

std::size_t WorkerDevice::capacity() const {
  // The hardware is the bottleneck. A later choice of candidates can use more results.
  if (waiting() >= ahead() * slots_.size()) return submissions_.size() + finished_.size();
  // The compilers begin with what is wanted now: what waits for one was chosen with less knowledge.
  const std::size_t batch =
      submissions_.empty() ? 1 : pool_.batch_of(submissions_.back().plan.candidate.source);
  return static_cast<std::size_t>(std::max(1, options_.jobs)) * batch + kAhead * slots_.size();
}

void WorkerDevice::submit(Candidate candidate) {
  begin(std::move(candidate), Submission::Goal::trial);
  pump(CompilePool::Haste::wait_for_full_batches, Clock::now());
}

Trial WorkerDevice::next() {
  return *next_while([] { return true; });
}

std::optional<Trial> WorkerDevice::next_while(const std::function<bool()>& go_on) {
  if (submissions_.empty() && finished_.empty())
    throw std::logic_error("next() without a submitted candidate");
  std::optional<Clock::time_point> end;
  while (finished_.empty()) {
    pump(CompilePool::Haste::start_what_is_there, Clock::now() + kAskInterval);
    if (go_on()) continue;
    if (!end) end = Clock::now() + kGrace;
    if (Clock::now() < *end || !finished_.empty()) continue;
    for (RunSlot& slot : slots_) slot.abandon();
    withdraw();
    submissions_.clear();
    return std::nullopt;
  }
  Trial trial = std::move(finished_.front());
  finished_.pop_front();
  return trial;
}

std::size_t WorkerDevice::withdraw() {
  const auto waits = [](const Submission& submission) {
    return submission.stage == Submission::Stage::compiling || submission.stage == Submission::Stage::ready;
  };
  for (const Submission& submission : submissions_) {
    if (waits(submission)) pool_.withdraw(submission.id, Clock::now());
  }
  return std::erase_if(submissions_, waits);
}

void WorkerDevice::serve(std::shared_ptr<const KernelDefinition> kernel, WorkerDeviceOptions::Work work) {
  if (!submissions_.empty()) throw std::logic_error("serve() with candidates in flight");
  kernel_ = std::move(kernel);
  options_.work = work;
}

void WorkerDevice::begin(Candidate candidate, Submission::Goal goal) {
  Submission& submission = submissions_.emplace_back();
  submission.id = next_id_++;
  submission.goal = goal;
  submission.begun = Clock::now();
  submission.cutoff = std::move(candidate.cutoff);
  submission.trial.started_unix_ms = now_unix_ms();
  submission.trial.config = std::move(candidate.config);
  submission.trial.problem = std::move(candidate.problem);
  submission.kernel = candidate.kernel ? std::move(candidate.kernel) : kernel_;
  submission.trial.regime = submission.kernel->regime;
  auto plan = resolve(*submission.kernel, submission.trial.config, submission.trial.problem, info_);
  if (!plan) return finish(submission, Status::invalid, plan.error().message);
  if (plan->reference_error) return finish(submission, Status::reference_failed, *plan->reference_error);
  submission.plan = std::move(*plan);
  if (options_.instrumentation == Instrumentation::sanitize) {
    instrument(submission.plan);
    double& limit_s = submission.plan.time_limit_s;
    limit_s *= kSanitizedTimeFactor;
    submission.plan.reference_limit_s = std::max(limit_s, submission.plan.reference_limit_s);
  }
  pool_.add(submission.id, submission.plan.candidate.source);
  // The hardware gets ready while the first candidates are compiled.
  get_ready();
  if (submission.plan.reference.has_steps())
    submission.reference = reference_of(submission.plan.reference.source);
  if (submission.plan.verifier.has_steps())
    submission.verifier = reference_of(submission.plan.verifier.source);
}

void WorkerDevice::get_ready() {
  if (options_.work == WorkerDeviceOptions::Work::compile) return;
  for (RunSlot& slot : slots_) slot.get_ready();
}

std::size_t WorkerDevice::reference_of(const SourcePlan& source) {
  const auto known = std::ranges::find(references_, source, &Reference::source);
  if (known != references_.end()) {
    // A failure of the machine may be over.
    if (known->is_compiled && known->variant.status == Status::machine_failed) {
      known->is_compiled = false;
      pool_.add(known->id, source);
    }
    return static_cast<std::size_t>(known - references_.begin());
  }
  references_.push_back({next_id_++, source, false, {}});
  pool_.add(references_.back().id, source);
  return references_.size() - 1;
}

void WorkerDevice::pump(CompilePool::Haste haste, Clock::time_point until) {
  if (options_.compiles_while_timing || pool_.is_busy() || !has_runs()) {
    const bool has_time = options_.jobs_while_waiting > 0 && waiting() > 0;
    pool_.dispatch(
        haste, static_cast<std::size_t>(has_time ? options_.jobs_while_waiting : std::max(1, options_.jobs)));
  }
  dispatch_runs();
  take_compiled();  // immediate failures need no wait
  while (take_run()) dispatch_runs();
  std::vector<pollfd> descriptors;
  pool_.add_to(descriptors);
  until = std::min(until, pool_.deadline());
  for (const RunSlot& slot : slots_) {
    slot.add_to(descriptors);
    until = std::min(until, slot.deadline());
  }
  if (finished_.empty()) ::poll(descriptors.data(), descriptors.size(), poll_timeout_ms(until));

  const auto now = Clock::now();
  for (RunSlot& slot : slots_) slot.advance(now);
  if (take_run()) dispatch_runs();  // no device waits while compiled code is read
  pool_.advance(now);
  take_compiled();
  dispatch_runs();
}

void WorkerDevice::take_compiled() {
  for (CompilePool::Finished& finished : pool_.take_finished()) {
    const auto reference = std::ranges::find(references_, finished.id, &Reference::id);
    if (reference != references_.end()) {
      reference->is_compiled = true;
      reference->variant = std::move(finished.variant);
      continue;
    }
    const auto submission = std::ranges::find(submissions_, finished.id, &Submission::id);
    if (submission == submissions_.end()) continue;
    submission->is_compiled = true;
    note(compile_wait_s_, elapsed_s(submission->begun, Clock::now()));
    submission->trial.compile_s = finished.variant.seconds;
    submission->module = std::move(finished.variant.module);
    if (finished.variant.status == Status::compile_failed) {
      submission->compile_errors = std::move(finished.variant.log);
    } else if (finished.variant.status != Status::ok) {
      finish(*submission, finished.variant.status, finished.variant.log);
    }
  }
  // From the back, because finished ones leave the list.
  for (std::size_t i = submissions_.size(); i-- > 0;) advance_compiled(submissions_[i]);
}

void WorkerDevice::advance_compiled(Submission& submission) {
  if (submission.stage != Submission::Stage::compiling || !submission.is_compiled) return;
  for (const auto& [index, name] :
       {std::pair(submission.reference, "reference"), std::pair(submission.verifier, "verifier")}) {
    if (index == kNoReference) continue;
    const Reference& reference = references_[index];
    const bool is_in_kernels_source = reference.source.path == submission.plan.candidate.source.path;
    // Errors of a source that both are in say nothing about the configuration.
    if (submission.compile_errors && !is_in_kernels_source) continue;
    if (!reference.is_compiled) return;
    if (reference.variant.status != Status::ok) {
      const bool is_machines = reference.variant.status == Status::machine_failed;
      const std::string both = std::string("the kernel and the ") + name + " do not compile: ";
      const std::string one = std::string("the ") + name + " does not compile: ";
      return finish(submission, is_machines ? Status::machine_failed : Status::reference_failed,
                    (submission.compile_errors ? both : one) + reference.variant.log);
    }
  }
  if (submission.compile_errors)
    return finish(submission, Status::compile_failed, *submission.compile_errors);
  if (options_.work == WorkerDeviceOptions::Work::compile) return finish(submission, Status::ok, {});
  submission.stage = Submission::Stage::ready;
}

void WorkerDevice::dispatch_runs() {
  if (!options_.compiles_while_timing && pool_.is_busy()) return;
  for (Submission& submission : submissions_) {
    if (submission.stage != Submission::Stage::ready || submission.goal != Submission::Goal::trial) continue;
    const RunJob job = run_job(submission);
    RunSlot::Environment environment = environment_of(job);
    RunSlot* const slot = slot_for(submission, environment);
    if (slot == nullptr) return;
    submission.stage = Submission::Stage::running;
    slot->start({submission.id, encode(job), limits(submission.plan), std::move(environment)});
  }
}

bool WorkerDevice::all_are_broken() const { return std::ranges::all_of(slots_, &RunSlot::is_broken); }

// Skips broken devices while others work: they would answer first.
RunSlot* WorkerDevice::free_slot() {
  const bool takes_broken = all_are_broken();
  const auto slot = std::ranges::find_if(
      slots_, [&](const RunSlot& each) { return each.is_free() && (takes_broken || !each.is_broken()); });
  return slot == slots_.end() ? nullptr : &*slot;
}

// A candidate is sent ahead only after a short trial, and once a leader can cut its timing short.
RunSlot* WorkerDevice::slot_for(const Submission& submission, const RunSlot::Environment& environment) {
  if (RunSlot* const free = free_slot()) return free;
  const bool has_leader = !submission.cutoff || std::isfinite(submission.cutoff->leader.median_us);
  const bool is_short = latest_run_s_ > 0 && latest_run_s_ < options_.sends_ahead_below_s;
  if (!is_short || !has_leader) return nullptr;
  const auto slot =
      std::ranges::find_if(slots_, [&](const RunSlot& each) { return each.takes_ahead(environment); });
  return slot == slots_.end() ? nullptr : &*slot;
}

RunJob WorkerDevice::run_job(const Submission& submission) const {
  RunJob job;
  job.plan = submission.plan;
  job.candidate = submission.module;
  if (submission.reference != kNoReference) job.reference = references_[submission.reference].variant.module;
  if (submission.verifier != kNoReference) job.verifier = references_[submission.verifier].variant.module;
  if (submission.cutoff) job.cutoff = *submission.cutoff;
  job.check_only = options_.work != WorkerDeviceOptions::Work::time;
  job.seed = options_.seed;
  if (submission.unexplained) {
    job.check_only = true;
    job.guards = Guards::zones;
  }
  return job;
}

// Environment for this job's worker; the plan's settings win.
RunSlot::Environment WorkerDevice::environment_of(const RunJob& job) const {
  RunSlot::Environment all = environment_with(folder_);
  all.insert(all.end(), job.plan.environment.begin(), job.plan.environment.end());
  return all;
}

Worker::Limits WorkerDevice::limits(const Plan& plan) const {
  return {kSetupLimitS, plan.reference_limit_s, plan.time_limit_s,
          kTimingLimitS + kTimedExecutions * plan.time_limit_s, options_.fault_telling_s};
}

bool WorkerDevice::take_run() {
  bool took_any = false;
  for (RunSlot& slot : slots_) {
    const std::optional<RunSlot::Finished> finished = slot.take_finished();
    if (!finished) continue;
    took_any = true;
    const auto submission = std::ranges::find(submissions_, finished->id, &Submission::id);
    if (submission == submissions_.end()) continue;
    submission->trial.run_s = finished->seconds;
    latest_run_s_ = finished->seconds;
    note(run_s_, latest_run_s_);
    if (finished->outcome) {
      take_reply(*submission, slot, *finished->outcome);
    } else if (finished->never_ran) {
      take_back(*submission, finished->outcome.error());
    } else if (submission->unexplained && finished->outcome.error().status != Status::machine_failed) {
      finish_explanation(*submission, {});
    } else {
      finish(*submission, finished->outcome.error().status, finished->outcome.error().message);
    }
  }
  return took_any;
}

// No worker gets ready: another device may take the candidate.
void WorkerDevice::take_back(Submission& submission, const Failure& failure) {
  submission.stage = Submission::Stage::ready;
  if (!all_are_broken()) return;
  // The candidate's own environment may keep workers from starting.
  const bool is_plain = submission.plan.environment.empty();
  finish(submission, is_plain ? Status::machine_failed : Status::crashed, failure.message);
}

void WorkerDevice::take_reply(Submission& submission, RunSlot& slot, const std::string& bytes) {
  auto reply = decode<RunReply>(bytes);
  if (!reply || reply->worker_is_lost) slot.replace_worker();
  if (reply) preparation_ += reply->preparation;
  has_kept_memory_ = has_kept_memory_ || (reply && reply->keeps_memory);
  if (!reply) {
    finish(submission, Status::crashed, reply.error().message);
  } else if (submission.unexplained) {
    finish_explanation(submission, *reply);
  } else if (reply->is_unexplained) {
    submission.unexplained = reply->message;
    submission.stage = Submission::Stage::ready;
  } else {
    finish_run(submission, std::move(*reply));
  }
}

void WorkerDevice::finish_run(Submission& submission, RunReply reply) {
  Trial& trial = submission.trial;
  reply.config = std::move(trial.config);
  reply.problem = std::move(trial.problem);
  reply.regime = trial.regime;
  reply.compile_s = trial.compile_s;
  reply.started_unix_ms = trial.started_unix_ms;
  trial = std::move(reply);
  if (trial.ok() && options_.work == WorkerDeviceOptions::Work::time) {
    const Result<void> metrics = evaluate_metrics(*submission.kernel, info_, trial);
    if (!metrics) return finish(submission, Status::invalid, metrics.error().message);
  }
  finish(submission, trial.status, std::move(trial.message));
}

// Between zones with a pattern a write beside a buffer is found with its place, and a write to an input too.
// A read beside a buffer is not.
void WorkerDevice::finish_explanation(Submission& submission, const RunReply& reply) {
  submission.trial.resources = reply.resources;
  if (reply.status == Status::guard_violated || reply.status == Status::input_changed) {
    return finish(submission, reply.status, reply.message);
  }
  const bool is_read = reply.status == Status::ok || reply.status == Status::wrong_result;
  finish(
      submission, Status::illegal_access,
      *submission.unexplained +
          (is_read ? "; it wrote to no input and nothing beside a buffer, so it may have read there" : ""));
}

void WorkerDevice::finish(Submission& submission, Status status, std::string message) {
  submission.trial.status = status;
  submission.trial.message = as_utf8(std::move(message));  // of a compiler or a candidate
  submission.trial.ended_unix_ms = now_unix_ms();
  if (submission.goal == Submission::Goal::playoff) {
    submission.stage = status == Status::ok ? Submission::Stage::ready : Submission::Stage::failed;
    return;
  }
  finished_.push_back(std::move(submission.trial));
  submissions_.erase(submissions_.begin() + (&submission - submissions_.data()));
}

std::vector<Trial> WorkerDevice::playoff(const Problem& problem, std::vector<Config> finalists, Rounds rounds,
                                         const PlayoffWatch& go_on) {
  std::vector<Candidate> candidates;
  for (Config& config : finalists) candidates.push_back({std::move(config), problem});
  return playoff(std::move(candidates), rounds, go_on);
}

// Finalists are timed in slices of whole rounds, so that a playoff can end early with what is complete. A
// slice prepares each finalist anew; many rounds make that cheap.
std::vector<Trial> WorkerDevice::playoff(std::vector<Candidate> finalists, Rounds rounds,
                                         const PlayoffWatch& go_on) {
  if (!submissions_.empty()) throw std::logic_error("playoff() with candidates in flight");
  std::vector<Samples> samples(finalists.size());
  for (Candidate& finalist : finalists) begin(std::move(finalist), Submission::Goal::playoff);
  bool is_over = false;
  while (!is_over && std::ranges::count(submissions_, Submission::Stage::compiling, &Submission::stage) > 0) {
    pump(CompilePool::Haste::start_what_is_there, Clock::now() + kAskInterval);
    is_over = !go_on(samples);
  }
  std::vector<std::vector<std::size_t>> groups = groups_by_environment();
  // Each turn of a group starts a process: have few.
  const int least = groups.size() > 1 ? std::max(1, rounds.count / kPlayoffTurns) : kLeastPlayoffSlice;
  int done = 0, slice = least;
  Clock::time_point first_end;
  while (!is_over && done < rounds.count && !groups.empty()) {
    const auto begin = Clock::now();
    slice = std::min(slice, rounds.count - done);
    std::vector<Samples> played(samples.size());
    for (std::vector<std::size_t>& group : groups) {
      is_over = is_over || !play_slice(group, slice, played, [&] { return go_on(samples); });
    }
    if (is_over) break;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (played[i].empty()) samples[i].clear();
      samples[i].insert(samples[i].end(), played[i].begin(), played[i].end());
    }
    std::erase_if(groups, [](const std::vector<std::size_t>& group) { return group.empty(); });
    done += slice;
    if (done == slice) first_end = Clock::now();
    const double left_s = rounds.seconds - elapsed_s(first_end, Clock::now());
    is_over = !go_on(samples) || left_s <= 0;
    const double rounds_per_s = slice / std::max(elapsed_s(begin, Clock::now()), 1e-6);
    const double fitting = std::min(kPlayoffSliceS, left_s) * rounds_per_s;
    slice = std::max(least, static_cast<int>(std::min<double>(2 * slice, fitting)));
  }
  std::vector<Trial> trials;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    trials.push_back(std::move(submissions_[i].trial));
    trials.back().samples_us = std::move(samples[i]);
  }
  withdraw();
  submissions_.clear();
  return trials;
}

// A process has one environment: finalists with different ones cannot share it.
std::vector<std::vector<std::size_t>> WorkerDevice::groups_by_environment() const {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < submissions_.size(); ++i) {
    if (submissions_[i].stage != Submission::Stage::ready) continue;
    const auto group = std::ranges::find_if(groups, [&](const std::vector<std::size_t>& other) {
      return environment_of(run_job(submissions_[other[0]])) == environment_of(run_job(submissions_[i]));
    });
    group == groups.end() ? groups.push_back({i}) : group->push_back(i);
  }
  return groups;
}

// Removes from the group what fails. A finalist that ends the worker ends the slice: the others play it
// again. False: `go_on` ended it.
bool WorkerDevice::play_slice(std::vector<std::size_t>& group, int rounds, std::vector<Samples>& played,
                              const std::function<bool()>& go_on) {
  bool is_complete = false;
  while (!is_complete && !group.empty()) {
    PlayoffJob job;
    job.rounds.count = rounds;
    for (std::size_t i : group) job.finalists.push_back(run_job(submissions_[i]));
    const auto begin = Clock::now();
    auto replies = play(job, go_on);
    if (!replies) return false;
    is_complete = std::ranges::none_of(*replies, &RunReply::worker_is_lost);
    for (std::size_t i = 0; i < group.size(); ++i) {
      RunReply& reply = (*replies)[i];
      preparation_ += reply.preparation;
      played[group[i]] = std::move(reply.samples_us);
      submissions_[group[i]].trial.run_s += elapsed_s(begin, Clock::now());
      submissions_[group[i]].trial.reuses_results = reply.reuses_results;
      finish(submissions_[group[i]], reply.status, std::move(reply.message));
    }
    std::erase_if(group, [&](std::size_t i) { return submissions_[i].stage == Submission::Stage::failed; });
  }
  return true;
}

// Returns nothing if `go_on` ended it.
std::optional<std::vector<RunReply>> WorkerDevice::play(const PlayoffJob& job,
                                                        const std::function<bool()>& go_on) {
  const std::size_t count = job.finalists.size();
  Worker::Limits total{kSetupLimitS, 0, 0, 0};
  for (const RunJob& finalist : job.finalists) {
    const Worker::Limits one = limits(finalist.plan);
    total.reference_s = std::max(total.reference_s, one.reference_s);
    total.check_s = std::max(total.check_s, one.check_s);
    total.timing_s += one.timing_s + finalist.plan.time_limit_s * job.rounds.count;
  }
  RunSlot& slot = *free_slot();  // all are free: nothing is in flight
  slot.start({next_id_++, encode(job), total, environment_of(job.finalists.front())});
  while (true) {
    if (const auto finished = slot.take_finished()) {
      if (!finished->outcome) return replies_after(finished->outcome.error(), finished->finalist, count);
      auto replies = decode<std::vector<RunReply>>(*finished->outcome);
      if (replies && replies->size() != count) replies = Error{"the worker did not answer for each finalist"};
      if (!replies || std::ranges::any_of(*replies, &RunReply::worker_is_lost)) slot.replace_worker();
      if (replies) return *std::move(replies);
      return replies_after({Status::crashed, replies.error().message}, {}, count);
    }
    if (!go_on()) {
      slot.abandon();
      return std::nullopt;
    }
    std::vector<pollfd> descriptors;
    slot.add_to(descriptors);
    const auto until = std::min(slot.deadline(), Clock::now() + kAskInterval);
    ::poll(descriptors.data(), descriptors.size(), poll_timeout_ms(until));
    slot.advance(Clock::now());
  }
}

Usage WorkerDevice::usage() const {
  Usage usage{elapsed_s(opened_, Clock::now()), pool_.busy_s(), 0, preparation_};
  for (const RunSlot& slot : slots_) usage.run_busy_s += slot.busy_s();
  return usage;
}

}  // namespace gktune
