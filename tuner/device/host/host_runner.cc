#include "tuner/device/host/host_runner.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "tuner/device/host/whereabouts.h"
#include "tuner/device/worker/fault_report.h"
#include "tuner/measure/statistics.h"
#include "tuner/measure/stopping_rule.h"

namespace gktune {
namespace {

using Clock = std::chrono::steady_clock;

// A sample shorter than this is more clock than kernel.
constexpr double kShortestSampleUs = 20;
constexpr int kMostExecutions = 1000;

double us_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::micro>(to - from).count();
}

StoppingOptions stopping_options(double cutoff_us) {
  StoppingOptions options;
  options.relative_width = 0.01;
  options.max_samples = 100;
  options.max_seconds = 0.5;
  options.hard_seconds = 20;
  options.cutoff_us = cutoff_us;
  return options;
}

void tell_parent(Status status, const char* message) { report_fault(status, message); }
void tell_parent_where(const char* where) { report_fault(Status::timed_out, where); }

// The launch that counts: the one with the most threads.
Resources resources_of(const ProgramPlan& plan) {
  Resources resources;
  std::int64_t most = -1;
  for (const StepPlan& step : plan.steps) {
    if (step.entry.empty() || plan.source.language == Language::cpp) continue;
    std::int64_t threads = 1;
    for (std::size_t i = 0; i < 3; ++i) threads *= step.grid[i] * step.block[i];
    if (threads <= most) continue;
    most = threads;
    resources.grid = step.grid;
    resources.block = step.block;
    resources.dynamic_shared_bytes = step.shared_bytes;
  }
  return resources;
}

RunReply& failed(RunReply& reply, Fault fault) {
  reply.status = fault.status;
  reply.message = std::move(fault.message);
  // What was written outside may have hit what this process lives by.
  reply.worker_is_spent = fault.status == Status::guard_violated;
  return reply;
}

}  // namespace

HostRunner::HostRunner(std::size_t cache_bytes)
    : cores_(own_cores()), executor_(ExecutionSettings{}), sweep_(cache_bytes) {
  set_fault_handler(tell_parent);
  set_whereabouts_handler(kQuestionSignal, tell_parent_where);
}

RunReply HostRunner::run(const RunJob& job) {
  const auto begin = Clock::now();
  RunReply reply;
  reply.resources = resources_of(job.plan.candidate);
  report_phase(Phase::setup);
  if (job.instrumentation == Instrumentation::none) {
    watched_.reset();
  } else if (watched_ == nullptr) {
    watched_ = std::make_unique<WatchedExecutor>();
  }
  std::optional<Fault> fault;
  if (auto prepared = prepare(job); !prepared) {
    buffers_.reset();
    fault = prepared.error();
  } else if (auto program = Program::load(job.candidate, job.plan.candidate, job.plan.arguments); !program) {
    fault = program.error();
  } else {
    const MemoryNames names(buffers_->names());
    fault = check(*program, job);
    if (!fault && !job.check_only) fault = time(*program, job, reply);
  }
  if (fault) failed(reply, std::move(*fault));
  reply.seconds = us_between(begin, Clock::now()) * 1e-6;
  return reply;
}

std::optional<PinnedHere> HostRunner::pinned_for(const Program& program) const {
  // A function's threads begin with the cores of the thread that starts them.
  if (!program.has_kernels() || cores_.empty()) return std::nullopt;
  return std::optional<PinnedHere>(std::in_place, cores_.front());
}

Result<void, Fault> HostRunner::execute(const Program& program) {
  if (watched_) watched_->watch.set_buffers(buffers_->names());
  return program.run(executor(), *buffers_);
}

Result<void, Fault> HostRunner::prepare(const RunJob& job) {
  if (buffers_ && reference_plan_ == job.plan.reference && reference_ == job.reference &&
      are_of_one_problem(buffers_->arguments(), job.plan.arguments, job.plan.reference)) {
    return buffers_->adopt(job.plan.arguments);
  }
  buffers_.reset();
  auto buffers = ProblemBuffers::make(job.plan.arguments, GuardedBuffer::Against::last_page);
  if (!buffers) return buffers.error();
  buffers_ = std::move(*buffers);
  reference_plan_ = job.plan.reference;
  reference_ = job.reference;
  return run_reference(job);
}

Result<void, Fault> HostRunner::run_reference(const RunJob& job) {
  if (job.plan.reference.steps.empty()) return {};
  const auto blamed = [](Fault fault) {
    fault.message = "the reference: " + fault.message;
    return fault;
  };
  auto program = Program::load(job.reference, job.plan.reference, job.plan.arguments);
  if (!program) return blamed(program.error());
  const MemoryNames names(buffers_->names());
  buffers_->poison_outputs();
  report_phase(Phase::reference);
  auto done = execute(*program);
  report_phase(Phase::setup);
  if (!done) return blamed(done.error());
  if (auto fault = buffers_->judge()) return blamed(std::move(*fault));
  buffers_->keep_expected();
  return {};
}

// Checked is in the order that the seed shuffles: what is right in another alone is not right. What is not to
// be timed is tried in the natural one as well, and against the other end of its buffers.
std::optional<Fault> HostRunner::check(const Program& program, const RunJob& job) {
  if (job.check_only) {
    if (auto fault = checked_run(program)) return fault;
    buffers_->lay(GuardedBuffer::Against::first_page);
  }
  executor().set_shuffle_seed(job.seed);
  std::optional<Fault> fault;
  {
    const MemoryNames names(buffers_->names());
    fault = checked_run(program);
  }
  executor().set_shuffle_seed(std::nullopt);
  if (!job.check_only) return fault;
  buffers_->lay(GuardedBuffer::Against::last_page);
  return fault;
}

std::optional<Fault> HostRunner::checked_run(const Program& program) {
  buffers_->restore();
  buffers_->poison_outputs();
  const auto pinned = pinned_for(program);
  report_phase(Phase::check);
  auto done = execute(program);
  report_phase(Phase::setup);
  if (!done) {
    buffers_->judge();  // what it did until then is undone
    return done.error();
  }
  return buffers_->judge();
}

std::optional<Fault> HostRunner::time(const Program& program, const RunJob& job, RunReply& reply) {
  report_phase(Phase::timing);
  const int executions = executions_per_sample(program, job.plan.regime);
  StoppingRule rule(stopping_options(job.cutoff_us));
  const auto begin = Clock::now();
  while (rule.state() == StoppingRule::State::sampling) {
    const auto sample = sample_us(program, job.plan.regime, executions);
    if (!sample) return sample.error();
    rule.add(*sample, us_between(begin, Clock::now()) * 1e-6);
  }
  report_phase(Phase::setup);
  reply.samples_us = rule.samples();
  reply.timing = summarize(rule.samples());
  reply.out_of_race = rule.state() == StoppingRule::State::out_of_race;
  return std::nullopt;
}

Result<double, Fault> HostRunner::sample_us(const Program& program, Regime regime, int executions) {
  buffers_->restore();
  if (regime == Regime::cold) sweep_.run();
  const auto pinned = pinned_for(program);
  const auto begin = Clock::now();
  for (int i = 0; i < executions; ++i) {
    if (auto done = execute(program); !done) return done.error();
  }
  return us_between(begin, Clock::now()) / executions;
}

// From cold caches, or where every execution needs its inputs anew, one; else as many as the clock needs.
int HostRunner::executions_per_sample(const Program& program, Regime regime) {
  if (regime == Regime::cold || buffers_->has_changing_inputs()) return 1;
  const auto first = sample_us(program, regime, 1);
  if (!first || *first >= kShortestSampleUs) return 1;
  return static_cast<int>(
      std::min<double>(kMostExecutions, std::ceil(kShortestSampleUs / std::max(*first, 0.01))));
}

std::vector<Samples> HostRunner::playoff(const PlayoffJob& job) {
  std::vector<Samples> samples(job.finalists.size());
  // What every finalist needs beside its plan; none for one that fails.
  struct Entrant {
    std::optional<Program> program;
    int executions = 1;
  };
  std::vector<Entrant> entrants(job.finalists.size());
  const auto fails = [&](std::size_t i) {
    entrants[i].program.reset();
    samples[i].clear();
  };
  for (std::size_t i = 0; i < entrants.size(); ++i) {
    const RunJob& finalist = job.finalists[i];
    report_phase(Phase::setup);
    auto program = Program::load(finalist.candidate, finalist.plan.candidate, finalist.plan.arguments);
    if (!program || !prepare(finalist)) continue;
    entrants[i].program = std::move(*program);
    const MemoryNames names(buffers_->names());
    if (checked_run(*entrants[i].program)) {
      fails(i);
      continue;
    }
    report_phase(Phase::timing);
    entrants[i].executions = executions_per_sample(*entrants[i].program, finalist.plan.regime);
  }
  report_phase(Phase::timing);
  for (int round = 0; round < job.rounds.count; ++round) {
    for (std::size_t turn = 0; turn < entrants.size(); ++turn) {
      const std::size_t i = (turn + static_cast<std::size_t>(round)) % entrants.size();
      if (!entrants[i].program) continue;
      if (!prepare(job.finalists[i])) {
        fails(i);
        continue;
      }
      const auto sample =
          sample_us(*entrants[i].program, job.finalists[i].plan.regime, entrants[i].executions);
      sample ? samples[i].push_back(*sample) : fails(i);
    }
  }
  report_phase(Phase::setup);
  return samples;
}

}  // namespace gktune
