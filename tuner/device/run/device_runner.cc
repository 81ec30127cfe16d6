#include "tuner/device/run/device_runner.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <limits>
#include <thread>
#include <utility>

#include "tuner/core/quantity.h"
#include "tuner/device/worker/fault_report.h"
#include "tuner/measure/element.h"
#include "tuner/measure/statistics.h"
#include "tuner/measure/stopping_rule.h"

namespace gktune {
namespace {

constexpr off_t kMostCapturedBytes = 1 << 16;

// A file of fixed size: writes beyond its end fail.
int bounded_file() {
  const int file = ::memfd_create("gktune-output", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return file;
  if (::ftruncate(file, kMostCapturedBytes) == 0 && ::fcntl(file, F_ADD_SEALS, F_SEAL_GROW) == 0) return file;
  ::close(file);
  return -1;
}

using SteadyClock = std::chrono::steady_clock;

// A throttled trial is timed again, once, after a pause.
constexpr auto kCoolingPause = std::chrono::milliseconds(500);

constexpr std::size_t kMostPrintedBytes = 4096;

// A fresh execution takes this much longer than others at most. In a hot regime the caches hold less of what
// it needs.
constexpr double kFreshFactor = 1.3, kHotSlackFactor = 3;
// Other work on the machine can make executions slow: blame a program only if none of this many, and none
// within this time, was as fast.
constexpr int kFreshAttempts = 5;
constexpr double kFreshS = 3;
constexpr auto kFreshPause = std::chrono::milliseconds(20);

// Each has a context of its own: finalists that are compared, such as a candidate and its baselines.
constexpr std::size_t kMostApart = 4;

// Damaged buffers may explain these.
bool is_about_contents(Status status) {
  return status == Status::wrong_result || status == Status::input_changed;
}

// A fresh execution failed after others were right.
Failure only_before(Failure failure) {
  if (!is_about_contents(failure.status)) return failure;
  failure.message += "; it was right on the inputs that it met before";
  failure.reuses_results = true;
  return failure;
}

// The last of many executions failed.
Failure only_at_first(Failure failure) {
  failure.reuses_results = is_about_contents(failure.status);
  return failure;
}

Failure only_first_was_right(Failure failure) {
  if (failure.status == Status::wrong_result) failure.message += "; its first execution was right";
  return failure;
}

// `execution_us`: of an execution before; 0: unknown.
Result<void, Failure> take_samples(ComputeDevice& device, const RunJob& job, const TimeTrial& sample_us,
                                   double execution_us, RunReply& reply) {
  StoppingOptions options = device.traits().stopping;
  options.cutoff = job.cutoff;
  options.execution_us = execution_us;
  StoppingRule rule(options);
  const bool was_throttled = device.conditions().throttled;
  const auto start = SteadyClock::now();
  while (rule.state() == StoppingRule::State::sampling) {
    const auto sample = GKTUNE_TRY(sample_us());
    rule.add(sample, seconds_since(start));
  }
  reply.conditions = device.conditions();
  reply.conditions.throttled = reply.conditions.throttled || was_throttled;
  reply.samples_us = rule.samples();
  reply.timing = summarize(reply.samples_us);
  reply.is_dropped_early = rule.state() == StoppingRule::State::dropped_early;
  return {};
}

}  // namespace

CapturedOutput::CapturedOutput(Streams streams) : file_(bounded_file()) {
  if (file_ < 0) return;
  std::fflush(nullptr);
  for (int i = 0; i < (streams == Streams::output ? 1 : 2); ++i) {
    saved_[i] = ::dup(i + 1);
    if (saved_[i] >= 0) ::dup2(file_, i + 1);
  }
}

CapturedOutput::~CapturedOutput() {
  const std::string all = text();
  for (int i = 0; i < 2; ++i) {
    if (saved_[i] < 0) continue;
    ::dup2(saved_[i], i + 1);
    ::close(saved_[i]);
  }
  if (file_ >= 0) ::close(file_);
  // The streams remember a write beyond the bound.
  std::clearerr(stdout);
  std::cout.clear();
  std::fwrite(all.data(), 1, all.size(), stdout);
  std::fflush(stdout);
}

std::string CapturedOutput::text() const {
  if (file_ < 0) return {};
  std::fflush(nullptr);
  std::string text(static_cast<std::size_t>(kMostCapturedBytes), '\0');
  const off_t written = ::lseek(file_, 0, SEEK_CUR);
  const ssize_t size = written <= 0 ? 0 : ::pread(file_, text.data(), static_cast<std::size_t>(written), 0);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

RunReply DeviceRunner::run(const RunJob& job) {
  const auto start = SteadyClock::now();
  RunReply reply;
  if (const auto tried = try_candidate(job, reply); !tried) {
    reply = reply_of(tried.error(), std::move(reply));
    reply.samples_us.clear();
    reply.timing = {};
    reply.is_unexplained = reply.status == Status::illegal_access && job.guards == Guards::hardware &&
                           device_->traits().protects_inputs;
  }
  reply.run_s = seconds_since(start);
  reply.preparation = std::exchange(device_->preparation, {});
  return reply;
}

Result<void, Failure> DeviceRunner::try_candidate(const RunJob& job, RunReply& reply) {
  report_phase(Phase::setup);
  if (job.plan.runs_apart) {
    reply.keeps_memory = true;  // its process lives on
    GKTUNE_TRY(prepare(job));
    return sample_apart(
        *device_, job, [&] { return time_apart(job); }, reply);
  }
  const auto program = GKTUNE_TRY(load(job));
  reply.resources = program->resources();
  reply.keeps_memory = program->keeps_memory();
  GKTUNE_TRY(prepare(job));
  auto checked = check(job, *program, reply.printed);
  std::string harmless = device_->take_harmless();
  if (!checked) return checked;
  if (job.check_only) {
    reply.message = std::move(harmless);
    return {};
  }
  const double execution_us = problem_->execution_us().value_or(0);
  if (is_hopeless(execution_us, job.cutoff)) {
    reply.samples_us = {execution_us};
    reply.timing = summarize(reply.samples_us);
    reply.conditions = device_->conditions();
    reply.is_dropped_early = true;
    return {};
  }
  report_phase(Phase::timing);
  auto timed = time(job, program, reply);
  report_phase(Phase::setup);
  if (!timed && !timed.error().worker_is_lost) drop_damaged_buffers();
  return timed;
}

Result<void, Failure> sample_apart(ComputeDevice& device, const RunJob& job, const TimeTrial& time_us,
                                   RunReply& reply) {
  GKTUNE_TRY(time_us());  // it may take longer than the others
  const auto later_us = [&]() -> Result<double, Failure> {
    auto took_us = time_us();
    return took_us ? took_us : only_before(took_us.error());
  };
  const auto execution_us = GKTUNE_TRY(later_us());
  if (job.check_only) return {};
  GKTUNE_TRY(take_samples(device, job, later_us, execution_us, reply));
  reply.fresh_us = std::ranges::min(reply.samples_us);
  return {};
}

Result<double, Failure> DeviceRunner::time_apart(const RunJob& job) {
  const auto known = std::ranges::find_if(apart_, [&](const Apart& each) {
    return each.candidate == job.candidate && each.arguments == job.plan.arguments &&
           each.program == job.plan.candidate;
  });
  if (known == apart_.end()) {
    if (apart_.size() >= kMostApart) apart_.erase(apart_.begin());
    auto process = GKTUNE_TRY(device_->start_apart(job));
    apart_.push_back({job.candidate, job.plan.arguments, job.plan.candidate, std::move(process)});
  } else {
    std::rotate(known, known + 1, apart_.end());
  }
  constexpr bool kKeepsMemory = true;
  GKTUNE_TRY(fresh_.draw_if_met(job, *problem_, 1, kKeepsMemory, FreshProblems::Repeats::allowed));
  auto time_us = fresh_.time(job, [&](std::span<ProblemBuffers* const> problems) {
    return apart_.back().process->execute(*problems.front());
  });
  if (!time_us) apart_.pop_back();  // whatever it has done ends with its process
  return time_us;
}

RunReply DeviceRunner::execute(const RunJob& job, int runs) {
  RunReply reply;
  if (const auto done = try_executions(job, runs, reply); !done) {
    reply = reply_of(done.error(), std::move(reply));
  }
  return reply;
}

// Placements and orders alternate as in a check.
Result<void, Failure> DeviceRunner::try_executions(const RunJob& job, int runs, RunReply& reply) {
  using Poison = ProblemBuffers::Poison;
  const auto program = GKTUNE_TRY(load(job));
  reply.resources = program->resources();
  GKTUNE_TRY(prepare(job));
  for (int i = 0; i < runs; ++i) {
    const bool is_even = i % 2 == 0;
    GKTUNE_TRY(problem_->place(is_even ? Placement::at_end : Placement::at_start));
    LaunchOptions options{job.plan.time_limit_s, std::nullopt};
    if (i > 0) options.seed = job.seed + static_cast<std::uint64_t>(i) - 1;
    const auto run = [&]() -> Result<void, Failure> {
      const auto start = SteadyClock::now();
      const auto time_us = GKTUNE_TRY(device_->run(*program, problem_->memory(), options));
      reply.samples_us.push_back(time_us.value_or(seconds_since(start) * 1e6));
      return {};
    };
    const auto checked = problem_->check_around(is_even ? Poison::first : Poison::second, run);
    if (!checked) return i > 0 ? only_first_was_right(checked.error()) : checked.error();
  }
  return {};
}

Result<DeviceRunner::Program, Failure> DeviceRunner::load(const RunJob& job) {
  return device_->load(job.candidate, job.plan.candidate, job.plan.arguments);
}

Result<void, Failure> DeviceRunner::prepare(const RunJob& job, const Isolate& isolate) {
  device_->allow(job.plan.allowed_races);
  if (problem_ && problem_->fits(job)) return {};
  drop_problem();  // release its memory before allocating
  problem_ = GKTUNE_TRY(ProblemBuffers::prepare(*device_, job, isolate));
  return {};
}

Result<void, Failure> DeviceRunner::prepare(const RunJob& job) {
  GKTUNE_TRY(prepare(job, run_here));
  auto adopted = problem_->adopt(job.plan.arguments);
  if (!adopted) drop_problem();
  return adopted;
}

void DeviceRunner::drop_problem() {
  apart_.clear();
  fresh_.drop();
  problem_.reset();
}

// A failed check is repeated on new buffers if the old ones turn out damaged: an
// earlier candidate may have done that.
Result<void, Failure> DeviceRunner::check(const RunJob& job, const LoadedProgram& program,
                                          std::string& printed) {
  auto checked = check_executions(job, program, printed);
  if (checked || checked.error().worker_is_lost) return checked;
  if (!drop_damaged_buffers() || !is_about_contents(checked.error().status)) return checked;
  GKTUNE_TRY(prepare(job));
  checked = check_executions(job, program, printed);
  if (!checked && !checked.error().worker_is_lost) drop_damaged_buffers();
  return checked;
}

// The first execution runs blocks and threads in their natural order, the second in that of the job's seed,
// which shows dependence on the natural one. The second also finds programs that are right only once, and
// warms up for the timing.
Result<void, Failure> DeviceRunner::check_executions(const RunJob& job, const LoadedProgram& program,
                                                     std::string& printed) {
  const std::array placements = job.check_only ? std::array{Placement::at_end, Placement::at_start}
                                               : device_->traits().timed_placements;
  GKTUNE_TRY(problem_->place(placements[0]));
  auto checked = check_and_capture(program, {job.plan.time_limit_s, std::nullopt}, printed);
  if (!checked || times_second_check(job)) return checked;
  GKTUNE_TRY(problem_->place(placements[1]));
  checked = problem_->check(program, ProblemBuffers::Poison::second, {job.plan.time_limit_s, job.seed});
  return checked ? std::move(checked) : only_first_was_right(checked.error());
}

bool DeviceRunner::times_second_check(const RunJob& job) const {
  return !job.check_only && device_->traits().times_second_check;
}

// A sampler keeps the addresses of the buffers: they have to be in place before it is made.
Result<std::unique_ptr<Sampler>, Failure> DeviceRunner::checked_sampler(const RunJob& job,
                                                                        const Program& program) {
  GKTUNE_TRY(problem_->place(device_->traits().timed_placements[1]));
  auto sampler = problem_->timer().sampler(program, job.plan.regime, job.plan.time_limit_s);
  const auto warm_up = [&] { return sampler->warm_up(); };
  const auto warm =
      times_second_check(job) ? problem_->check_around(ProblemBuffers::Poison::second, warm_up) : warm_up();
  if (!warm) return only_first_was_right(warm.error());
  report_phase(Phase::timing);
  return sampler;
}

Result<void, Failure> DeviceRunner::check_and_capture(const LoadedProgram& program,
                                                      const LaunchOptions& options, std::string& printed) {
  const CapturedOutput output(CapturedOutput::Streams::output);
  auto checked = problem_->check(program, ProblemBuffers::Poison::first, options);
  printed = output.text();
  if (printed.size() > kMostPrintedBytes) {
    printed.resize(kMostPrintedBytes);
    printed += "…\n";
  }
  return checked;
}

bool DeviceRunner::drop_damaged_buffers() {
  if (!problem_) return false;
  if (const auto intact = problem_->is_intact(); intact && *intact) return false;
  drop_problem();
  return true;
}

Result<void, Failure> DeviceRunner::time(const RunJob& job, const Program& program, RunReply& reply) {
  const double execution_us = problem_->execution_us().value_or(0);
  const std::unique_ptr<Sampler> sampler = GKTUNE_TRY(checked_sampler(job, program));
  const auto sample_all = [&] {
    return take_samples(
        *device_, job, [&] { return sampler->sample_us(); }, execution_us, reply);
  };
  GKTUNE_TRY(sample_all());
  if (reply.conditions.throttled && !reply.is_dropped_early) {
    std::this_thread::sleep_for(kCoolingPause);
    GKTUNE_TRY(sample_all());
  }
  if (may_lead(reply, job.cutoff)) {
    if (auto checked = check_last(job, program); !checked) return only_at_first(checked.error());
  }
  if (confirms_ && may_lead(reply, job.cutoff)) {
    const auto known_again = [&]() -> Result<double, Failure> {
      GKTUNE_TRY(sample_all());
      return reply.timing.median_us;
    };
    reply.fresh_us = GKTUNE_TRY(confirm(job, program, reply.timing.median_us, known_again));
  }
  // Measuring energy takes a second, which is too long for a candidate that cannot win.
  if (!job.plan.measures_power || reply.is_dropped_early) return {};
  const auto energy = GKTUNE_TRY(sampler->measure_energy(reply.timing.median_us));
  if (!energy) return {};
  reply.conditions.energy_j = energy->energy_j;
  reply.conditions.power_w = energy->power_w;
  return {};
}

// Others cannot win unless they reach the playoff, which checks them.
bool may_lead(const RunReply& reply, const Cutoff& cutoff) {
  return reply.status == Status::ok && !reply.is_dropped_early &&
         reply.timing.median_us < cutoff.leader.median_us;
}

double slowest_fresh_us(const DeviceTraits& traits, Regime regime, double known_us) {
  return kFreshFactor * known_us + (regime == Regime::hot ? kHotSlackFactor : 1) * traits.fresh_slack_us;
}

Result<FreshTimes, Failure> compare_with_fresh(const DeviceTraits& traits, Regime regime, double known_us,
                                               const FreshComparison& time) {
  const double limit_us = slowest_fresh_us(traits, regime, known_us);
  FreshTimes fresh{.fastest_us = std::numeric_limits<double>::infinity()};
  bool waited = false;
  const auto begin = SteadyClock::now();
  for (int attempt = 0; attempt < kFreshAttempts || seconds_since(begin) < kFreshS; ++attempt) {
    if (attempt >= kFreshAttempts) std::this_thread::sleep_for(kFreshPause);
    const auto fresh_us = time.on_new_inputs();
    if (!fresh_us) return only_before(fresh_us.error());
    fresh.all_us.push_back(*fresh_us);
    fresh.fastest_us = std::min(fresh.fastest_us, *fresh_us);
    if (fresh.fastest_us <= limit_us) return fresh;
    if (time.wait_us && *fresh_us - time.wait_us() <= limit_us) waited = true;
    if (!time.on_same_inputs) continue;
    // Its time may depend on its inputs.
    const auto same_us = GKTUNE_TRY(time.on_same_inputs());
    if (same_us <= limit_us) return fresh;
  }
  // Other work on the machine may have begun meanwhile.
  const auto again_us = GKTUNE_TRY(time.known_again());
  fresh.only_these_count = fresh.fastest_us > slowest_fresh_us(traits, regime, again_us);
  if (!fresh.only_these_count || waited) return fresh;
  return Failure{.status = Status::wrong_result,
                 .message = "takes " + number_text(fresh.fastest_us) +
                            " us when it can know of no other execution, and " + number_text(again_us) +
                            " us otherwise: it reuses results",
                 .reuses_results = true};
}

Result<void, Failure> DeviceRunner::check_last(const RunJob& job, const Program& program) {
  const ProblemMemory memory = problem_->memory();
  return problem_->check_around(ProblemBuffers::Poison::third, [&]() -> Result<void, Failure> {
    const auto time_us =
        device_->time_once(program, std::span(&memory, 1), {job.plan.regime, job.plan.time_limit_s, true});
    return time_us ? Result<void, Failure>() : time_us.error();
  });
}

FreshProblems::Execute DeviceRunner::executing(const RunJob& job, const Program& program) {
  return [this, &job, program](std::span<ProblemBuffers* const> problems) {
    std::vector<ProblemMemory> memory;
    for (const ProblemBuffers* problem : problems) memory.emplace_back(problem->memory());
    return device_->time_once(program, memory, {job.plan.regime, job.plan.time_limit_s});
  };
}

std::size_t DeviceRunner::problems_at_once(const RunJob& job, const LoadedProgram& program,
                                           double execution_us) const {
  return device_->problems_at_once(program, execution_us, problem_->bytes(), job.plan.regime);
}

// Loads the program anew for each execution: variables of its module are as they were compiled.
Result<double, Failure> DeviceRunner::confirm(const RunJob& job, const Program& program, double known_us,
                                              const TimeTrial& known_again) {
  const std::size_t count = problems_at_once(job, *program, known_us);
  const auto time = [&](auto method) -> Result<double, Failure> {
    const auto loaded = GKTUNE_TRY(load(job));
    return (fresh_.*method)(job, executing(job, loaded));
  };
  const auto on_new_inputs = [&]() -> Result<double, Failure> {
    GKTUNE_TRY(
        fresh_.draw_if_met(job, *problem_, count, program->keeps_memory(), FreshProblems::Repeats::never));
    return time(&FreshProblems::time);
  };
  const auto on_same_inputs = [&] { return time(&FreshProblems::time_on_base); };
  const auto fresh = GKTUNE_TRY(compare_with_fresh(
      device_->traits(), job.plan.regime, known_us,
      {on_new_inputs, program->keeps_memory() ? TimeTrial() : on_same_inputs, known_again, {}}));
  // Nor may it know the last results for the addresses of its inputs.
  if (auto checked = fresh_.check_in_place(job, executing(job, program)); !checked)
    return only_before(checked.error());
  return fresh.fastest_us;
}

Result<DeviceRunner::Program, Failure> DeviceRunner::checked_finalist(const RunJob& job) {
  report_phase(Phase::setup);
  auto program = GKTUNE_TRY(load(job));
  GKTUNE_TRY(prepare(job));
  std::string printed;
  GKTUNE_TRY(check(job, *program, printed));
  return program;
}

RunReply reply_of(const Failure& failure, RunReply reply) {
  reply.status = failure.status;
  reply.message = failure.message;
  reply.worker_is_lost = failure.worker_is_lost;
  reply.reuses_results = failure.reuses_results;
  return reply;
}

void play_rounds(Rounds rounds, std::vector<RunReply>& finalists,
                 const std::function<Result<double, Failure>(std::size_t finalist)>& time_us) {
  for (int round = 0; round < rounds.count; ++round) {
    for (std::size_t turn = 0; turn < finalists.size(); ++turn) {
      const std::size_t i = finalist_at(round, turn, finalists.size());
      if (!finalists[i].ok()) continue;
      report_turn(i);
      const auto sample_us = time_us(i);
      if (sample_us) {
        finalists[i].samples_us.push_back(*sample_us);
        continue;
      }
      finalists[i] = reply_of(sample_us.error());
      if (finalists[i].worker_is_lost) return;
    }
  }
}

// In each round all finalists are executed on the same new inputs.
std::vector<RunReply> DeviceRunner::playoff(const PlayoffJob& job) {
  std::vector<RunReply> finalists(job.finalists.size());
  std::size_t at_once = std::numeric_limits<std::size_t>::max();
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    report_turn(i);
    if (job.finalists[i].plan.runs_apart) {
      at_once = 1;
      continue;
    }
    const auto program = checked_finalist(job.finalists[i]);
    if (!program) {
      finalists[i] = reply_of(program.error());
      if (finalists[i].worker_is_lost) return finalists;
      continue;
    }
    const double execution_us = problem_->execution_us().value_or(0);
    at_once = std::min(at_once, problems_at_once(job.finalists[i], **program, execution_us));
  }
  play_rounds(job.rounds, finalists, [&](std::size_t i) { return time_finalist(job.finalists[i], at_once); });
  finalists.front().preparation = std::exchange(device_->preparation, {});
  return finalists;
}

Result<double, Failure> DeviceRunner::time_finalist(const RunJob& job, std::size_t at_once) {
  GKTUNE_TRY(prepare(job));
  if (job.plan.runs_apart) return time_apart(job);
  const auto program = GKTUNE_TRY(load(job));
  GKTUNE_TRY(
      fresh_.draw_if_met(job, *problem_, at_once, program->keeps_memory(), FreshProblems::Repeats::allowed));
  return fresh_.time(job, executing(job, program));
}

}  // namespace gktune
