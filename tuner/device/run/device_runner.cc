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

// Executions on inputs that a program has not met take this much longer at most. In a hot regime the caches
// hold the inputs that it has met. The constant allows for the cost of timing one short execution.
constexpr double kOtherInputsFactor = 2, kOtherInputsHotFactor = 20, kOtherInputsUs = 50;
// Other work on the machine can make executions slow: blame a program only if none of this many, and none
// within this time, was as fast.
constexpr int kOtherInputsAttempts = 5;
constexpr double kOtherInputsS = 1;
constexpr std::uint64_t kOtherSeed = 0x9e3779b97f4a7c15u;

bool has_seed(const ArgumentPlan& plan) {
  using Role = Argument::Role;
  return !plan.is_scalar && (plan.role == Role::in || plan.role == Role::inout) &&
         is_random(plan.contents.kind);
}

// The same problem with other inputs.
RunJob with_other_seeds(RunJob job) {
  for (ArgumentPlan& plan : job.plan.arguments) {
    plan.contents.seed ^= kOtherSeed;
    plan.contents.sparse.seed ^= kOtherSeed;
  }
  return job;
}

// Damaged buffers may explain these.
bool is_about_contents(Status status) {
  return status == Status::wrong_result || status == Status::input_changed;
}

Failure only_first_was_right(Failure failure) {
  if (failure.status == Status::wrong_result) failure.message += "; its first execution was right";
  return failure;
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
  if (auto tried = try_candidate(job, reply); !tried) {
    reply.status = tried.error().status;
    reply.message = tried.error().message;
    reply.worker_is_lost = tried.error().worker_is_lost;
    reply.samples_us.clear();
    reply.timing = {};
    reply.is_unexplained = reply.status == Status::illegal_access && job.guards == Guards::hardware &&
                           device_->traits().protects_inputs;
  }
  reply.run_s = seconds_since(start);
  return reply;
}

Result<void, Failure> DeviceRunner::try_candidate(const RunJob& job, RunReply& reply) {
  report_phase(Phase::setup);
  const auto program = load(job);
  if (!program) return program.error();
  reply.resources = (*program)->resources();
  if (auto prepared = prepare(job); !prepared) return prepared;
  if (auto checked = check(job, **program, reply.printed); !checked) return checked;
  if (job.check_only) return {};
  const double execution_us = problem_->execution_us().value_or(0);
  if (is_hopeless(execution_us, job.cutoff)) {
    reply.samples_us = {execution_us};
    reply.timing = summarize(reply.samples_us);
    reply.conditions = device_->conditions();
    reply.is_dropped_early = true;
    return {};
  }
  report_phase(Phase::timing);
  auto timed = time(job, *program, reply);
  report_phase(Phase::setup);
  if (!timed && !timed.error().worker_is_lost) drop_damaged_buffers();
  return timed;
}

RunReply DeviceRunner::execute(const RunJob& job, int runs) {
  RunReply reply;
  if (const auto done = try_executions(job, runs, reply); !done) {
    reply.status = done.error().status;
    reply.message = done.error().message;
  }
  return reply;
}

// Placements and orders alternate as in a check.
Result<void, Failure> DeviceRunner::try_executions(const RunJob& job, int runs, RunReply& reply) {
  using Poison = ProblemBuffers::Poison;
  const auto program = load(job);
  if (!program) return program.error();
  reply.resources = (*program)->resources();
  if (auto prepared = prepare(job); !prepared) return prepared;
  for (int i = 0; i < runs; ++i) {
    const bool is_even = i % 2 == 0;
    if (auto placed = problem_->place(is_even ? Placement::at_end : Placement::at_start); !placed)
      return placed;
    LaunchOptions options{job.plan.time_limit_s, std::nullopt};
    if (i > 0) options.seed = job.seed + static_cast<std::uint64_t>(i) - 1;
    const auto run = [&]() -> Result<void, Failure> {
      const auto start = SteadyClock::now();
      const auto time_us = device_->run(**program, problem_->memory(), options);
      if (!time_us) return time_us.error();
      reply.samples_us.push_back(time_us->value_or(seconds_since(start) * 1e6));
      return {};
    };
    const auto checked = problem_->check_around(is_even ? Poison::first : Poison::second, run);
    if (!checked) return i > 0 ? only_first_was_right(checked.error()) : checked.error();
  }
  return {};
}

Result<DeviceRunner::Program, Failure> DeviceRunner::load(const RunJob& job) {
  return device_->load(job.candidate, job.plan.candidate, job.plan.arguments, job.instrumentation);
}

Result<void, Failure> DeviceRunner::prepare(const RunJob& job, const Isolate& isolate) {
  if (problem_ && problem_->fits(job)) return {};
  problem_.reset();  // release its memory before allocating
  other_problem_.reset();
  has_no_other_ = false;
  auto prepared = ProblemBuffers::prepare(*device_, job, isolate);
  if (!prepared) return prepared.error();
  problem_ = *std::move(prepared);
  return {};
}

Result<void, Failure> DeviceRunner::prepare(const RunJob& job) {
  if (auto prepared = prepare(job, run_here); !prepared) return prepared;
  auto adopted = problem_->adopt(job.plan.arguments);
  if (!adopted) problem_.reset();
  return adopted;
}

// A failed check is repeated on new buffers if the old ones turn out damaged: an
// earlier candidate may have done that.
Result<void, Failure> DeviceRunner::check(const RunJob& job, const LoadedProgram& program,
                                          std::string& printed) {
  auto checked = check_executions(job, program, printed);
  if (checked || checked.error().worker_is_lost) return checked;
  if (!drop_damaged_buffers() || !is_about_contents(checked.error().status)) return checked;
  if (auto prepared = prepare(job); !prepared) return prepared;
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
  if (auto placed = problem_->place(placements[0]); !placed) return placed;
  auto checked = check_and_capture(program, {job.plan.time_limit_s, std::nullopt}, printed);
  if (!checked || times_second_check(job)) return checked;
  if (auto placed = problem_->place(placements[1]); !placed) return placed;
  checked = problem_->check(program, ProblemBuffers::Poison::second, {job.plan.time_limit_s, job.seed});
  return checked ? std::move(checked) : only_first_was_right(checked.error());
}

bool DeviceRunner::times_second_check(const RunJob& job) const {
  return !job.check_only && device_->traits().times_second_check;
}

// A sampler keeps the addresses of the buffers: they have to be in place before it is made.
Result<std::unique_ptr<Sampler>, Failure> DeviceRunner::checked_sampler(const RunJob& job,
                                                                        const Program& program) {
  if (auto placed = problem_->place(device_->traits().timed_placements[1]); !placed) return placed.error();
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
  problem_.reset();
  return true;
}

Result<void, Failure> DeviceRunner::time(const RunJob& job, const Program& program, RunReply& reply) {
  const double execution_us = problem_->execution_us().value_or(0);
  const auto made = checked_sampler(job, program);
  if (!made) return made.error();
  const std::unique_ptr<Sampler>& sampler = *made;
  if (auto sampled = take_samples(job, *sampler, execution_us, reply); !sampled) return sampled;
  if (reply.conditions.throttled && !reply.is_dropped_early) {
    std::this_thread::sleep_for(kCoolingPause);
    if (auto sampled = take_samples(job, *sampler, execution_us, reply); !sampled) return sampled;
  }
  if (may_lead(reply, job.cutoff)) {
    if (auto checked = check_on_other_inputs(job, program, reply.timing.median_us); !checked) return checked;
  }
  // Measuring energy takes a second, which is too long for a candidate that cannot win.
  if (!job.plan.measures_power || reply.is_dropped_early) return {};
  const auto energy = sampler->measure_energy(reply.timing.median_us);
  if (!energy) return energy.error();
  if (!*energy) return {};
  reply.conditions.energy_j = (*energy)->energy_j;
  reply.conditions.power_w = (*energy)->power_w;
  return {};
}

// Others cannot win unless they reach the playoff, which checks them.
bool DeviceRunner::may_lead(const RunReply& reply, const Cutoff& cutoff) const {
  return !reply.is_dropped_early && reply.timing.median_us < cutoff.leader.median_us;
}

// If there are no other inputs, an execution on the same inputs still shows an output that the program no
// longer writes, or writes late.
Result<void, Failure> DeviceRunner::check_on_other_inputs(const RunJob& job, const Program& program,
                                                          double median_us) {
  const auto time_on = [&](ProblemBuffers& problem) {
    return problem.time_and_check(program, job.plan.regime, job.plan.time_limit_s);
  };
  const auto found = other_problem(job);
  if (!found) return found.error();
  ProblemBuffers* const other = *found;
  report_phase(Phase::timing);
  if (other == nullptr) {
    const auto again_us = time_on(*problem_);
    return again_us ? Result<void, Failure>() : again_us.error();
  }
  const double factor = job.plan.regime == Regime::hot ? kOtherInputsHotFactor : kOtherInputsFactor;
  double fastest_us = std::numeric_limits<double>::infinity(), known_us = median_us;
  const auto is_as_fast = [&] { return fastest_us <= factor * known_us + kOtherInputsUs; };
  const auto begin = SteadyClock::now();
  for (int attempt = 0; attempt < kOtherInputsAttempts || seconds_since(begin) < kOtherInputsS; ++attempt) {
    const auto other_us = time_on(*other);
    if (!other_us) {
      other_problem_.reset();
      Failure failure = other_us.error();
      failure.message += "; it was right on the inputs that it met before";
      return failure;
    }
    fastest_us = std::min(fastest_us, *other_us);
    if (is_as_fast()) return {};
    // It may remember only the last inputs: the second execution in a row is one on inputs that it has met.
    if (const auto first = time_on(*problem_); !first) return first.error();
    const auto known = time_on(*problem_);
    if (!known) return known.error();
    known_us = std::max(known_us, *known);
  }
  if (is_as_fast()) return {};
  return Failure{Status::wrong_result, "takes " + number_text(fastest_us) +
                                           " us on inputs that it has not met, and " + number_text(known_us) +
                                           " us on others: it reuses results"};
}

Result<void, Failure> DeviceRunner::prepare_other(const RunJob& job, const Isolate& isolate) {
  if (other_problem_ || has_no_other_) return {};
  has_no_other_ = true;
  const bool is_judged = !job.plan.reference.steps.empty() || job.plan.verifier.has_steps();
  if (!is_judged || std::ranges::none_of(job.plan.arguments, has_seed)) return {};
  const auto free = device_->free_bytes();
  if (!free) return free.error();
  if (problem_->bytes() > *free / 2) return {};
  auto prepared = ProblemBuffers::prepare(*device_, with_other_seeds(job), isolate);
  if (prepared) {
    other_problem_ = *std::move(prepared);
    has_no_other_ = false;
  } else if (prepared.error().worker_is_lost) {
    return prepared.error();
  }
  return {};
}

Result<ProblemBuffers*, Failure> DeviceRunner::other_problem(const RunJob& job) {
  if (auto prepared = prepare_other(job, run_here); !prepared) return prepared.error();
  if (!other_problem_) return nullptr;
  const auto adopted = other_problem_->adopt(with_other_seeds(job).plan.arguments);
  if (adopted) return other_problem_.get();
  other_problem_.reset();
  has_no_other_ = true;
  if (adopted.error().worker_is_lost) return adopted.error();
  return nullptr;
}

void DeviceRunner::renew() {
  problem_->renew();
  if (other_problem_) other_problem_->renew();
}

std::uint64_t DeviceRunner::own_bytes() const {
  return problem_->own_bytes() + (other_problem_ ? other_problem_->own_bytes() : 0);
}

Result<void, Failure> DeviceRunner::take_samples(const RunJob& job, Sampler& sampler, double execution_us,
                                                 RunReply& reply) {
  StoppingOptions options = device_->traits().stopping;
  options.cutoff = job.cutoff;
  options.execution_us = execution_us;
  StoppingRule rule(options);
  const bool was_throttled = device_->conditions().throttled;
  const auto start = SteadyClock::now();
  while (rule.state() == StoppingRule::State::sampling) {
    const auto sample = sampler.sample_us();
    if (!sample) return sample.error();
    rule.add(*sample, seconds_since(start));
  }
  reply.conditions = device_->conditions();
  reply.conditions.throttled = reply.conditions.throttled || was_throttled;
  reply.samples_us = rule.samples();
  reply.timing = summarize(reply.samples_us);
  reply.is_dropped_early = rule.state() == StoppingRule::State::dropped_early;
  return {};
}

Result<DeviceRunner::Program, Failure> DeviceRunner::checked_finalist(const RunJob& job) {
  report_phase(Phase::setup);
  auto program = load(job);
  if (!program) return program.error();
  if (auto prepared = prepare(job); !prepared) return prepared.error();
  std::string printed;
  if (auto checked = check(job, **program, printed); !checked) return checked.error();
  const double execution_us = problem_->execution_us().value_or(0);
  if (auto checked = check_on_other_inputs(job, *program, execution_us); !checked) return checked.error();
  return program;
}

Result<std::unique_ptr<Sampler>, Failure> DeviceRunner::warm_sampler(const RunJob& job) {
  const auto program = checked_finalist(job);
  if (!program) return program.error();
  report_phase(Phase::timing);
  return checked_sampler(job, *program);
}

std::vector<Samples> DeviceRunner::playoff(const PlayoffJob& job) {
  const std::size_t count = job.finalists.size();
  std::vector<Samples> samples(count);
  std::vector<Program> programs(count);
  for (std::size_t i = 0; i < count; ++i) {
    auto program = checked_finalist(job.finalists[i]);
    if (program) {
      programs[i] = *std::move(program);
    } else if (program.error().worker_is_lost) {
      return samples;
    }
  }
  report_phase(Phase::setup);
  // Scratch memory grows to its largest size before there are samplers, which rely on its address.
  for (bool is_settled = false; !is_settled;) {
    is_settled = true;
    for (std::size_t i = 0; i < count; ++i) {
      if (!programs[i] || prepare(job.finalists[i])) continue;
      programs[i].reset();
      is_settled = false;
    }
  }
  std::vector<std::unique_ptr<Sampler>> samplers(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (!programs[i] || !problem_->adopt(job.finalists[i].plan.arguments)) continue;
    const Plan& plan = job.finalists[i].plan;
    samplers[i] = problem_->timer().sampler(programs[i], plan.regime, plan.time_limit_s);
  }
  report_phase(Phase::timing);
  const auto keep = [&](std::size_t i, const Result<void, Failure>& done) {
    if (done) return true;
    samplers[i].reset();
    samples[i].clear();
    return !done.error().worker_is_lost;
  };
  for (std::size_t i = 0; i < count; ++i) {
    if (!samplers[i]) continue;
    if (auto ready = problem_->adopt(job.finalists[i].plan.arguments); !keep(i, ready)) return samples;
    if (samplers[i] && !keep(i, samplers[i]->warm_up())) return samples;
  }
  for (int round = 0; round < job.rounds.count; ++round) {
    for (std::size_t turn = 0; turn < count; ++turn) {
      const std::size_t i = finalist_at(round, turn, count);
      if (!samplers[i]) continue;
      if (auto ready = problem_->adopt(job.finalists[i].plan.arguments); !keep(i, ready)) return samples;
      if (!samplers[i]) continue;
      const auto sample = samplers[i]->sample_us();
      if (sample) samples[i].push_back(*sample);
      if (!sample && !keep(i, sample.error())) return samples;
    }
  }
  report_phase(Phase::setup);
  return samples;
}

}  // namespace gktune
