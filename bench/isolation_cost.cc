// Measures what a process of its own costs a candidate on the host device: jobs in one process against jobs
// in children, in turns. The measured time of the kernel should be the same.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

#include "tuner/device/host/compile/host_compiler.h"
#include "tuner/device/host/host_backend.h"
#include "tuner/device/run/device_runner.h"
#include "tuner/measure/statistics.h"
#include "tuner/space/plan.h"
#include "tuner/space/space_file.h"

namespace {

using namespace gktune;

constexpr int kRounds = 41;

constexpr const char* kSource = R"(
__global__ void twice(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
)";

constexpr const char* kSpace = R"yaml(
kernel: twice
source: twice.cu
problem: {n: [1000]}
parameters: {threads: [256]}
arguments:
  in: {type: float, extent: n, init: {uniform: [1, 2], seed: 7}}
  out: {type: float, extent: n, role: out, check: {relative: 1e-6}}
  n: {type: int32, value: n}
launches: {entry: twice, grid: n // threads + 1, block: threads, arguments: [in, out, n]}
reference:
  source: twice.cu
  launches: {entry: twice, grid: n // 64 + 1, block: 64, arguments: [in, out, n]}
regime: hot
)yaml";

std::unique_ptr<ComputeDevice> device() {
  return make_host_device(std::size_t{16} << 20);
}

// Processor time, of ended children too. Other work on the machine hardly affects it.
double processor_ms() {
  double total = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    ::getrusage(who, &usage);
    for (const timeval& time : {usage.ru_utime, usage.ru_stime}) {
      total += 1e3 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_usec);
    }
  }
  return total;
}

double median(Samples samples) { return summarize(samples).median_us; }

struct Runs {
  Samples job_ms, job_processor_ms, kernel_us;
};

bool measure(Runner& runner, RunJob job, Runs& samples) {
  job.check_only = true;
  const double processor_begin = processor_ms();
  const auto begin = std::chrono::steady_clock::now();
  const RunReply checked = runner.run(job);
  samples.job_ms.push_back(
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  samples.job_processor_ms.push_back(processor_ms() - processor_begin);
  job.check_only = false;
  const RunReply timed = runner.run(job);
  samples.kernel_us.push_back(timed.timing.median_us);
  if (checked.status == Status::ok && timed.status == Status::ok) return true;
  fmt::print(stderr, "{}\n", checked.message + timed.message);
  return false;
}

int run(const std::string& folder) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/twice.cu") << kSource;
  auto definition = read_space_text(kSpace, folder + "/twice.yaml", {}, read_whole_file);
  if (!definition) {
    for (const Diagnostic& diagnostic : definition.error()) fmt::print(stderr, "{}\n", diagnostic.str());
    return 1;
  }
  HostCompiler compiler("c++");
  DeviceInfo info;
  info.kind = "host";
  for (const std::int64_t n : {std::int64_t{1000}, std::int64_t{1} << 20, std::int64_t{1} << 22}) {
    auto plan = resolve(definition->kernel, {{"threads", 256}}, {{"n", n}}, info);
    if (!plan) return fmt::print(stderr, "{}\n", plan.error().message), 1;
    RunJob job;
    job.plan = *plan;
    job.candidate = compiler.compile({{plan->candidate.source}, "", folder}).front().module;
    job.reference = compiler.compile({{plan->reference.source}, "", folder}).front().module;
    Runs together_samples, apart_samples;
    const auto apart = make_forking_runner(device());  // before there are threads
    if (!measure(*apart, job, apart_samples)) return 1;
    DeviceRunner together(device());
    if (!measure(together, job, together_samples)) return 1;
    together_samples = apart_samples = {};
    for (int round = 0; round < kRounds; ++round) {
      if (!measure(*apart, job, apart_samples) || !measure(together, job, together_samples)) return 1;
    }
    const auto print = [n](const char* where, const Runs& runs) {
      fmt::print(
          "{:>8} elements, {}: a checked job {:.2f} ms at best, {:.2f} ms of processor time; the kernel "
          "{:.1f} us\n",
          n, where, std::ranges::min(runs.job_ms), median(runs.job_processor_ms), median(runs.kernel_us));
    };
    print("one process ", together_samples);
    print("one per job ", apart_samples);
  }
  return 0;
}

}  // namespace

int main() {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "gktune-isolation-cost";
  const int code = run(folder.string());
  std::filesystem::remove_all(folder);
  return code;
}
