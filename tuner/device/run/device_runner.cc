#include "tuner/device/run/device_runner.h"

#include <chrono>
#include <thread>
#include <utility>

#include "tuner/device/run/captured_output.h"
#include "tuner/device/worker/fault_report.h"
#include "tuner/measure/statistics.h"
#include "tuner/measure/stopping_rule.h"

namespace gktune {
namespace {

using SteadyClock = std::chrono::steady_clock;

double seconds_since(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

// A throttled trial is timed again, once, after a pause.
constexpr auto kCoolingPause = std::chrono::milliseconds(500);

constexpr std::size_t kMostPrintedBytes = 4096;

// Damaged buffers may explain these.
bool is_about_contents(Status status) {
  return status == Status::wrong_result || status == Status::input_changed;
}

}  // namespace

RunReply DeviceRunner::run(const RunJob& job) {
  const auto start = SteadyClock::now();
  RunReply reply;
  if (auto tried = try_candidate(job, reply); !tried) {
    reply.status = tried.error().status;
    reply.message = tried.error().message;
    reply.worker_is_lost = tried.error().worker_is_lost;
  }
  reply.seconds = seconds_since(start);
  return reply;
}

Result<void, Failure> DeviceRunner::try_candidate(const RunJob& job, RunReply& reply) {
  report_phase(Phase::setup);
  const auto program = load(job);
  if (!program) return program.error();
  reply.resources = (*program)->resources();
  if (auto prepared = prepare(job); !prepared) return prepared;
  if (auto checked = check_and_capture(job, **program, reply); !checked) return checked;
  if (job.check_only) return {};
  report_phase(Phase::timing);
  auto timed = time(job, *program, reply);
  report_phase(Phase::setup);
  if (!timed && !timed.error().worker_is_lost) drop_damaged_buffers();
  return timed;
}

Result<DeviceRunner::Program, Failure> DeviceRunner::load(const RunJob& job) {
  return device_->load(job.candidate, job.plan.candidate, job.plan.arguments, job.instrumentation);
}

Result<void, Failure> DeviceRunner::prepare(const RunJob& job, const Isolate& isolate) {
  if (problem_ && problem_->fits(job)) return {};
  problem_.reset();  // release its memory before allocating
  auto prepared = ProblemBuffers::prepare(*device_, job, isolate);
  if (!prepared) return prepared.error();
  problem_ = *std::move(prepared);
  return {};
}

Result<void, Failure> DeviceRunner::prepare(const RunJob& job) {
  if (auto prepared = prepare(job, [](const auto& work) { return work(); }); !prepared) return prepared;
  auto adopted = problem_->adopt(job.plan.arguments);
  if (!adopted) problem_.reset();
  return adopted;
}

Result<void, Failure> DeviceRunner::check_and_capture(const RunJob& job, const LoadedProgram& program,
                                                      RunReply& reply) {
  const CapturedOutput output(CapturedOutput::Streams::output);
  auto checked = check(job, program);
  reply.printed = output.text();
  if (reply.printed.size() > kMostPrintedBytes) {
    reply.printed.resize(kMostPrintedBytes);
    reply.printed += "…\n";
  }
  return checked;
}

// A failed check is repeated on new buffers if the old ones turn out damaged: an earlier candidate may have
// done that.
Result<void, Failure> DeviceRunner::check(const RunJob& job, const LoadedProgram& program) {
  auto checked = check_once(job, program);
  if (checked || checked.error().worker_is_lost) return checked;
  if (!drop_damaged_buffers() || !is_about_contents(checked.error().status)) return checked;
  if (auto prepared = prepare(job); !prepared) return prepared;
  checked = check_once(job, program);
  if (!checked && !checked.error().worker_is_lost) drop_damaged_buffers();
  return checked;
}

// A check without timing covers each placement, the first in the natural order of blocks and threads. All
// others take the order of the job's seed, which shows dependence on the natural one.
Result<void, Failure> DeviceRunner::check_once(const RunJob& job, const LoadedProgram& program) {
  const std::vector<Placement>& placements = device_->traits().placements;
  if (!job.check_only) return problem_->check(program, {job.plan.time_limit_s, job.seed});
  Result<void, Failure> checked;
  for (std::size_t i = 0; i < placements.size() && checked; ++i) {
    const bool is_natural = i + 1 < placements.size();
    if (auto placed = problem_->place(placements[i]); !placed) return placed;
    checked = problem_->check(program,
                              {job.plan.time_limit_s, is_natural ? std::nullopt : std::optional(job.seed)});
  }
  if (auto placed = problem_->place(placements.front()); checked && !placed) return placed;
  return checked;
}

bool DeviceRunner::drop_damaged_buffers() {
  if (!problem_) return false;
  if (const auto intact = problem_->is_intact(); intact && *intact) return false;
  problem_.reset();
  return true;
}

Result<void, Failure> DeviceRunner::time(const RunJob& job, const Program& program, RunReply& reply) {
  const auto sampler = problem_->timer().sampler(program, job.plan.regime, job.plan.time_limit_s);
  if (auto warm = sampler->warm_up(); !warm) return warm;
  if (auto sampled = take_samples(job, *sampler, reply); !sampled) return sampled;
  if (reply.conditions.throttled && !reply.out_of_race) {
    std::this_thread::sleep_for(kCoolingPause);
    if (auto sampled = take_samples(job, *sampler, reply); !sampled) return sampled;
  }
  // Measuring energy takes a second, which is too long for a candidate that cannot win.
  if (!job.plan.measures_power || reply.out_of_race) return {};
  const auto energy = sampler->measure_energy(reply.timing.median_us);
  if (!energy) return energy.error();
  if (!*energy) return {};
  reply.conditions.energy_j = (*energy)->energy_j;
  reply.conditions.power_w = (*energy)->power_w;
  return {};
}

Result<void, Failure> DeviceRunner::take_samples(const RunJob& job, Sampler& sampler, RunReply& reply) {
  StoppingOptions options = device_->traits().stopping;
  options.cutoff = job.cutoff;
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
  reply.out_of_race = rule.state() == StoppingRule::State::out_of_race;
  return {};
}

Result<std::unique_ptr<Sampler>, Failure> DeviceRunner::warm_sampler(const RunJob& job) {
  report_phase(Phase::setup);
  const auto program = load(job);
  if (!program) return program.error();
  if (auto prepared = prepare(job); !prepared) return prepared.error();
  if (auto checked = check(job, **program); !checked) return checked.error();
  auto sampler = problem_->timer().sampler(*program, job.plan.regime, job.plan.time_limit_s);
  report_phase(Phase::timing);
  if (auto warm = sampler->warm_up(); !warm) return warm.error();
  return sampler;
}

std::vector<Samples> DeviceRunner::playoff(const PlayoffJob& job) {
  const std::size_t count = job.finalists.size();
  std::vector<Samples> samples(count);
  std::vector<Program> programs(count);
  report_phase(Phase::setup);
  for (std::size_t i = 0; i < count; ++i) {
    const RunJob& finalist = job.finalists[i];
    auto program = load(finalist);
    if (!program || !prepare(finalist)) continue;
    if (const auto checked = check(finalist, **program); checked) {
      programs[i] = *std::move(program);
    } else if (checked.error().worker_is_lost) {
      return samples;
    }
  }
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
  // Each round starts with another finalist, so that none always follows the same one.
  for (int round = 0; round < job.rounds.count; ++round) {
    for (std::size_t turn = 0; turn < count; ++turn) {
      const std::size_t i = (turn + static_cast<std::size_t>(round)) % count;
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
