#include "tuner/device/cuda/cuda_runner.h"

#include <algorithm>
#include <thread>

#include "tuner/device/cuda/device_probe.h"
#include "tuner/device/worker/fault_report.h"
#include "tuner/measure/statistics.h"
#include "tuner/measure/stopping_rule.h"

namespace gktune {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// A GPU that rested so long has lowered its clock, and gets it back by so much work.
constexpr double kRestS = 0.5, kWakingS = 0.1;
// Its clock is up at this share of the highest.
constexpr double kFullClock = 0.95;
// A trial that was throttled is repeated once, after a pause.
constexpr auto kCoolingPause = std::chrono::milliseconds(500);
// Energy is counted by the card in steps of some ten milliseconds: shorter runs tell nothing.
constexpr double kEnergyS = 1;

}  // namespace

Result<std::unique_ptr<CudaRunner>> CudaRunner::open(int ordinal, const ToolkitPlaces& places) {
  auto gpu = Gpu::open(ordinal);
  if (!gpu) return gpu.error();
  const auto info = probe_gpu((*gpu)->driver(), ordinal);
  if (!info) return info.error();
  auto nvrtc = Nvrtc::open(places);
  if (!nvrtc) return nvrtc.error();
  const auto cubin = compile_device_kernels(*nvrtc, info->architecture);
  if (!cubin) return cubin.error();

  std::unique_ptr<CudaRunner> runner(new CudaRunner(std::move(*gpu)));
  Gpu& opened = *runner->gpu_;
  runner->kernels_.emplace(opened, *cubin, static_cast<int>(info->multiprocessors));
  runner->full_clock_mhz_ = static_cast<double>(info->clock_khz) / 1000;
  runner->sweep_bytes_ = sweep_bytes(*info);
  runner->sweep_buffer_ = opened.allocate(runner->sweep_bytes_);
  opened.fill(runner->sweep_buffer_.get(), 0, runner->sweep_bytes_);
  if (auto failure = opened.take_failure()) return Error{failure->message};
  // Without it nothing is known of clocks and heat; that is no reason not to measure.
  if (auto nvml = Nvml::open(pci_bus_id(opened.driver(), ordinal))) runner->nvml_.emplace(std::move(*nvml));
  return runner;
}

RunReply CudaRunner::run(const RunJob& job) {
  const auto start = Clock::now();
  RunReply reply;
  if (auto ran = run_into(reply, job); !ran) {
    reply.status = ran.error().status;
    reply.message = ran.error().message;
    reply.worker_is_spent = ran.error().context_is_lost;
    // A candidate that went wrong may have written anywhere.
    if (!reply.worker_is_spent && bench_ && !bench_->is_intact()) bench_.reset();
    if (auto failure = gpu_->take_failure()) reply.worker_is_spent = true;
  }
  last_busy_ = Clock::now();
  reply.seconds = seconds_since(start);
  return reply;
}

Result<void, Trouble> CudaRunner::run_into(RunReply& reply, const RunJob& job) {
  report_phase(Phase::setup);
  auto program = bind(job);
  if (!program) return program.error();
  reply.resources = program->resources();
  if (auto bench = bench_for(job); !bench) return bench.error();
  report_phase(Phase::check);
  if (auto checked = check(job, *program); !checked) return checked;
  if (job.check_only) return {};
  report_phase(Phase::timing);
  return time(reply, job, std::move(*program));
}

Result<BoundProgram, Trouble> CudaRunner::bind(const RunJob& job) {
  const auto code = shelf_.get(job.candidate.path);
  if (!code) return code.error();
  return BoundProgram::bind(*gpu_, *code, job.candidate, job.plan.candidate, job.plan.arguments);
}

Result<Workbench*, Trouble> CudaRunner::bench_for(const RunJob& job) {
  if (!bench_ || !bench_->fits(job)) {
    bench_.reset();  // its memory first
    auto made = Workbench::prepare(*gpu_, *kernels_, shelf_, job);
    if (!made) return made.error();
    bench_.emplace(std::move(*made));
  }
  if (auto adopted = bench_->adopt(job); !adopted) {
    bench_.reset();
    return adopted.error();
  }
  return &*bench_;
}

Result<void, Trouble> CudaRunner::check(const RunJob& job, const BoundProgram& program) {
  auto checked = bench_->check(program, job.plan.time_limit_s);
  if (checked || checked.error().context_is_lost) return checked;
  // Perhaps an earlier candidate wrote where it should not have, and this one only pays for it.
  const bool may_be_innocent =
      checked.error().status == Status::wrong_result || checked.error().status == Status::input_changed;
  if (!may_be_innocent || bench_->is_intact()) return checked;
  bench_.reset();
  if (auto bench = bench_for(job); !bench) return bench.error();
  return bench_->check(program, job.plan.time_limit_s);
}

Sampler CudaRunner::sampler(const RunJob& job, BoundProgram program) {
  return {*gpu_,           *kernels_,           *bench_,     execution_of(*gpu_, std::move(program)),
          job.plan.regime, sweep_buffer_.get(), sweep_bytes_};
}

Result<void, Trouble> CudaRunner::time(RunReply& reply, const RunJob& job, BoundProgram program) {
  wake_up();
  Sampler sampler = this->sampler(job, std::move(program));
  if (auto warm = sampler.warm_up(job.plan.time_limit_s); !warm) return warm;

  for (bool is_repeated = false;; is_repeated = true) {
    StoppingOptions options;
    options.cutoff_us = job.cutoff_us;
    StoppingRule rule(options);
    const CardReadings before = nvml_ ? nvml_->read() : CardReadings{};
    const auto start = Clock::now();
    while (rule.state() == StoppingRule::State::sampling) {
      const auto sample =
          sampler.sample_us(job.plan.time_limit_s * static_cast<double>(sampler.executions()));
      if (!sample) return sample.error();
      rule.add(*sample, seconds_since(start));
    }
    const CardReadings after = nvml_ ? nvml_->read() : CardReadings{};
    reply.samples_us = rule.samples();
    reply.timing = summarize(reply.samples_us);
    reply.out_of_race = rule.state() == StoppingRule::State::out_of_race;
    reply.conditions.clock_mhz = after.clock_mhz.value_or(-1);
    reply.conditions.temperature_c = after.temperature_c.value_or(-1);
    reply.conditions.power_w = after.power_w.value_or(-1);
    reply.conditions.throttled = before.throttled || after.throttled;
    if (!reply.conditions.throttled || is_repeated || reply.out_of_race) break;
    std::this_thread::sleep_for(kCoolingPause);
  }
  // It takes a second, which is too much for what is out of the race.
  if (!job.plan.measures_power || !nvml_ || reply.out_of_race) return {};
  return measure_power(reply, sampler, job.plan.time_limit_s);
}

Result<void, Trouble> CudaRunner::measure_power(RunReply& reply, Sampler& sampler, double limit_s) {
  const CardReadings before = nvml_->read();
  const auto start = Clock::now();
  const auto executed = sampler.keep_busy(kEnergyS, reply.timing.median_us, limit_s);
  if (!executed) return executed.error();
  const double elapsed_s = seconds_since(start);
  const CardReadings after = nvml_->read();
  if (!before.energy_j || !after.energy_j) return {};
  const double spent_j = *after.energy_j - *before.energy_j;
  reply.conditions.energy_j = spent_j / *executed;
  reply.conditions.power_w = spent_j / elapsed_s;
  return {};
}

void CudaRunner::wake_up() {
  if (last_busy_ && seconds_since(*last_busy_) < kRestS) return;
  // Another process may have kept it at work.
  if (!last_busy_ && nvml_ && nvml_->read().clock_mhz.value_or(0) >= kFullClock * full_clock_mhz_) return;
  const auto start = Clock::now();
  while (gpu_->ok() && seconds_since(start) < kWakingS) {
    kernels_->sweep(sweep_buffer_.get(), sweep_bytes_);
    if (!gpu_->wait(1)) return;
  }
}

std::vector<Samples> CudaRunner::playoff(const PlayoffJob& job) {
  struct Finalist {
    Sampler sampler;
    double limit_s;
    Samples* samples;
    bool is_out = false;
  };
  std::vector<Samples> samples(job.finalists.size());
  std::vector<Finalist> finalists;
  report_phase(Phase::setup);
  // First the room that each needs: addresses may change, and samplers rely on them.
  for (const auto& finalist : job.finalists) (void)bench_for(finalist);
  for (std::size_t i = 0; i < job.finalists.size(); ++i) {
    if (!bench_ || !bench_->fits(job.finalists[i])) continue;
    auto program = bind(job.finalists[i]);
    if (!program) continue;
    finalists.push_back(
        {sampler(job.finalists[i], std::move(*program)), job.finalists[i].plan.time_limit_s, &samples[i]});
  }
  report_phase(Phase::timing);
  wake_up();
  for (auto& finalist : finalists) finalist.is_out = !finalist.sampler.warm_up(finalist.limit_s).ok();
  for (int round = 0; round < job.rounds.count; ++round) {
    for (auto& finalist : finalists) {
      if (finalist.is_out) continue;
      const double limit_s = finalist.limit_s * static_cast<double>(finalist.sampler.executions());
      if (const auto sample = finalist.sampler.sample_us(limit_s)) {
        finalist.samples->push_back(*sample);
      } else {
        finalist.is_out = true;
        finalist.samples->clear();
      }
    }
  }
  last_busy_ = Clock::now();
  return samples;
}

}  // namespace gktune
