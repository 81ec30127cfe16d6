#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include "tuner/core/quantity.h"
#include "tuner/device/run/device_runner.h"
#include "tuner/device/worker/fault_report.h"
#include "tuner/device/worker/job.h"
#include "tuner/device/worker/job_process.h"

namespace gktune {
namespace {

// Requests to the process of a finalist. Each is answered with a RunReply.
constexpr std::string_view kGetReady = "ready", kSample = "sample";
// A finalist whose process has waited is executed once before it is timed, unless that takes longer.
constexpr double kLongWarmUpUs = 1000;

// A folder for the temporary files of the processes of one job, in the folder of the run: they use up no
// space longer than that.
class JobFolder {
 public:
  JobFolder() {
    if (const char* parent = std::getenv(kVariable)) parent_ = parent;
    std::string path = parent_ + "/job-XXXXXX";
    if (parent_.empty() || ::mkdtemp(path.data()) == nullptr) return;
    path_ = std::move(path);
    ::setenv(kVariable, path_.c_str(), 1);
  }
  JobFolder(const JobFolder&) = delete;
  JobFolder& operator=(const JobFolder&) = delete;
  ~JobFolder() {
    if (path_.empty()) return;
    ::setenv(kVariable, parent_.c_str(), 1);
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

 private:
  static constexpr const char* kVariable = "TMPDIR";
  std::string parent_, path_;
};

RunReply reply_of(const Failure& failure) {
  RunReply reply;
  reply.status = failure.status;
  reply.message = failure.message;
  return reply;
}

// Asks the process, which answers with the reply to a job. What a candidate destroys in that process still
// works in this one.
RunReply asked(JobProcess& process, std::string_view request) {
  const auto answer = process.ask(request);
  if (!answer) return reply_of(answer.error());
  auto reply = decode<RunReply>(*answer);
  if (!reply) return reply_of({Status::crashed, reply.error().message});
  reply->worker_is_lost = false;
  return *std::move(reply);
}

class ForkingRunner final : public Runner {
 public:
  explicit ForkingRunner(std::unique_ptr<ComputeDevice> device) : runner_(std::move(device)) {}

  RunReply run(const RunJob& job) override {
    const auto start = std::chrono::steady_clock::now();
    const JobFolder folder;
    RunReply reply = try_job(job);
    processes_.end_all();
    reply.run_s = seconds_since(start);
    return reply;
  }

  std::vector<Samples> playoff(const PlayoffJob& job) override {
    std::vector<Samples> samples(job.finalists.size());
    const JobFolder folder;
    report_phase(Phase::setup);
    if (job.finalists.empty() || !prepare(job.finalists.front())) return samples;
    // Each finalist needs memory for its outputs.
    const auto free = runner_.device().free_bytes();
    const std::uint64_t own = std::max<std::uint64_t>(1, runner_.own_bytes());
    const std::size_t most = std::max<std::size_t>(1, free ? *free / own : 1);
    for (std::size_t first = 0; first < samples.size(); first += most) {
      const std::size_t count = std::min(most, samples.size() - first);
      play(std::span(job.finalists).subspan(first, count), job.rounds,
           std::span(samples).subspan(first, count));
      processes_.end_all();
    }
    report_phase(Phase::setup);
    return samples;
  }

 private:
  RunReply try_job(const RunJob& job) {
    report_phase(Phase::setup);
    if (const auto prepared = prepare(job); !prepared) return reply_of(prepared.error());
    auto process = processes_.start([&](const std::string&) {
      runner_.renew();
      return encode(runner_.run(job));
    });
    return process ? asked(*process, {}) : reply_of(process.error());
  }

  Result<void, Failure> prepare(const RunJob& job) {
    const Isolate isolate = [&](const Work& work) -> Result<void, Failure> {
      auto process = processes_.start([&](const std::string&) {
        const auto done = work();
        return encode(done ? RunReply{} : reply_of(done.error()));
      });
      if (!process) return process.error();
      RunReply reply = asked(*process, {});
      if (reply.status != Status::ok) return Failure{reply.status, std::move(reply.message)};
      return {};
    };
    auto prepared = runner_.prepare(job, isolate);
    if (prepared && !job.check_only) prepared = runner_.prepare_other(job, isolate);
    return prepared;
  }

  void play(std::span<const RunJob> finalists, Rounds rounds, std::span<Samples> samples) {
    const std::size_t count = finalists.size();
    std::vector<std::optional<JobProcess>> processes(count);
    for (std::size_t i = 0; i < count; ++i) {
      auto process = start_finalist(finalists[i]);
      if (process && asked(*process, kGetReady).status == Status::ok)
        processes[i].emplace(*std::move(process));
    }
    report_phase(Phase::timing);
    for (int round = 0; round < rounds.count; ++round) {
      for (std::size_t turn = 0; turn < count; ++turn) {
        const std::size_t i = finalist_at(round, turn, count);
        if (!processes[i]) continue;
        const RunReply reply = asked(*processes[i], kSample);
        if (reply.status == Status::ok) {
          samples[i].insert(samples[i].end(), reply.samples_us.begin(), reply.samples_us.end());
        } else {
          processes[i].reset();
          samples[i].clear();
        }
      }
    }
  }

  Result<JobProcess, Failure> start_finalist(const RunJob& job) {
    std::unique_ptr<Sampler> sampler;  // in the child
    double last_us = 0;
    return processes_.start([&](const std::string& request) {
      if (request == kGetReady) {
        runner_.renew();
        auto warm = runner_.warm_sampler(job);
        if (!warm) return encode(reply_of(warm.error()));
        sampler = *std::move(warm);
        return encode(RunReply{});
      }
      if (job.plan.regime == Regime::hot && last_us < kLongWarmUpUs) (void)sampler->sample_us();
      const auto sample = sampler->sample_us();
      if (!sample) return encode(reply_of(sample.error()));
      last_us = *sample;
      RunReply reply;
      reply.samples_us = {*sample};
      return encode(reply);
    });
  }

  DeviceRunner runner_;
  JobProcesses processes_;
};

}  // namespace

std::unique_ptr<Runner> make_forking_runner(std::unique_ptr<ComputeDevice> device) {
  return std::make_unique<ForkingRunner>(std::move(device));
}

}  // namespace gktune
