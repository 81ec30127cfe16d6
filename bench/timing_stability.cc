// Measures how stable times are: times random configurations of a space three times each: with the machine
// quiet, with compile processes busy on every core, and quiet again. Needs a GPU.
//
//   timing_stability SPACE [configs=24] [busy=16] [seed=1] [axis=value …]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "bench/compile_processes.h"
#include "bench/variants.h"
#include "tuner/core/quantity.h"
#include "tuner/device/cuda/compile/toolkit.h"
#include "tuner/device/cuda/cuda_backend.h"

namespace gktune {
namespace {

using Clock = std::chrono::steady_clock;

struct Pass {
  std::vector<RunReply> replies;
  double seconds = 0;
};

Pass time_all(Runner& runner, const std::vector<RunJob>& jobs) {
  Pass pass;
  const auto start = Clock::now();
  for (const auto& job : jobs) pass.replies.push_back(runner.run(job));
  pass.seconds = seconds_since(start);
  return pass;
}

// The largest and the median of |a / b - 1| over what went well in both.
void print_difference(const char* what, const Pass& a, const Pass& b) {
  std::vector<double> differences;
  int apart = 0;
  for (std::size_t i = 0; i < a.replies.size(); ++i) {
    const Timing &x = a.replies[i].timing, &y = b.replies[i].timing;
    if (a.replies[i].status != Status::ok || b.replies[i].status != Status::ok) continue;
    differences.push_back(std::abs(x.median_us / y.median_us - 1));
    if (x.low_us > y.high_us || y.low_us > x.high_us) ++apart;
  }
  std::ranges::sort(differences);
  if (differences.empty()) return;
  std::printf("%-28s median %.3f %%, largest %.3f %%; intervals apart: %d of %zu\n", what,
              differences[differences.size() / 2] * 100, differences.back() * 100, apart, differences.size());
}

int run(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "timing_stability SPACE [configs=24] [busy=16] [seed=1] [axis=value …]\n");
    return 2;
  }
  Problem given;
  for (int i = 2; i < argc; ++i) set_axis(given, argv[i]);
  const auto busy = static_cast<int>(number_of(given, "busy", 16));
  const auto count = static_cast<std::size_t>(number_of(given, "configs", 24));
  const auto backend = open_cuda_backend(0, {});
  const auto info = backend->probe();
  if (!info) {
    std::fprintf(stderr, "%s\n", info.error().message.c_str());
    return 3;
  }
  const auto seed = static_cast<unsigned>(number_of(given, "seed", 1));
  const Variants variants = draw_variants(argv[1], *info, given, count, seed);
  const Variants others = draw_variants(argv[1], *info, given, 512, seed + 1);

  const ScratchCache cache;
  CompileJob compile;
  for (const auto& plan : variants.plans) compile.variants.push_back(plan.candidate.source);
  if (!variants.plans.empty()) compile.variants.push_back(variants.plans.front().reference.source);
  compile.architecture = info->architecture;
  compile.cache_dir = cache.path();
  std::vector<CompiledVariant> compiled;
  {
    compile_in_processes(variants, variants.plans.size(), busy, 8, cache.path());
    compiled = (*backend->compiler())->compile(compile);
  }
  std::vector<RunJob> jobs;
  for (std::size_t i = 0; i < variants.plans.size(); ++i) {
    RunJob job;
    job.plan = variants.plans[i];
    job.candidate = compiled[i].module;
    job.reference = compiled.back().module;
    jobs.push_back(std::move(job));
  }

  BusyCompilers compilers(others, busy, 8);  // before this process has a context
  const auto opened = Clock::now();
  auto runner = backend->runner();
  if (!runner) {
    std::fprintf(stderr, "%s\n", runner.error().message.c_str());
    return 3;
  }
  std::printf("%s %s on %s: a runner is ready after %.2f s\n", argv[1], variants.problem.str().c_str(),
              info->name.c_str(), seconds_since(opened));
  (void)time_all(**runner, {jobs.front()});  // inputs and reference
  const Pass quiet = time_all(**runner, jobs);
  compilers.start();
  std::this_thread::sleep_for(std::chrono::seconds(1));  // until they are past their own start
  const Pass disturbed = time_all(**runner, jobs);
  compilers.stop();
  const Pass again = time_all(**runner, jobs);

  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const RunReply& reply = quiet.replies[i];
    std::printf(
        "%-15s %9.2f us [%.2f, %.2f] %3zu samples; busy %9.2f us; again %9.2f us; %5.1f ms a trial %s %s\n",
        std::string(status_name(reply.status)).c_str(), reply.timing.median_us, reply.timing.low_us,
        reply.timing.high_us, reply.samples_us.size(), disturbed.replies[i].timing.median_us,
        again.replies[i].timing.median_us, reply.run_s * 1e3, variants.configs[i].str().c_str(),
        reply.message.c_str());
  }
  const auto trials = static_cast<double>(jobs.size());
  std::printf("%zu trials: %.1f ms each when quiet, %.1f ms with %d busy compilers\n", jobs.size(),
              quiet.seconds * 1e3 / trials, disturbed.seconds * 1e3 / trials, busy);
  print_difference("quiet against quiet again", quiet, again);
  print_difference("quiet against busy", quiet, disturbed);
  const Conditions& conditions = again.replies.back().conditions;
  std::printf("at the end: %.0f MHz, %.0f C, %.0f W%s\n", conditions.clock_mhz, conditions.temperature_c,
              conditions.power_w, conditions.throttled ? ", throttled" : "");
  return 0;
}

}  // namespace
}  // namespace gktune

int main(int argc, char** argv) { return gktune::run(argc, argv); }
