#include "bench/compile_processes.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <new>
#include <thread>

#include "tuner/device/cuda/compile/nvrtc.h"
#include "tuner/device/cuda/compile/toolkit.h"
#include "tuner/device/cuda/compile/cuda_text.h"

namespace gktune {
namespace {

using Clock = std::chrono::steady_clock;
constexpr const char* kArchitecture = "sm_90";

// Counters shared by all processes.
struct Progress {
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> failed{0};
  std::atomic<int> ready{0};
  std::atomic<bool> go{false};
};

double children_seconds() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::unique_ptr<Compiler> open_compiler() {
  auto compiler = open_cuda_compiler({});
  if (compiler) return std::move(*compiler);
  std::fprintf(stderr, "%s\n", compiler.error().message.c_str());
  std::_Exit(1);
}

CompileJob job_of(const Variants& variants, std::size_t first, std::size_t last,
                  const std::string& cache_dir) {
  CompileJob job;
  for (std::size_t i = first; i < last; ++i) job.variants.push_back(variants.plans[i].candidate.source);
  job.architecture = kArchitecture;
  job.cache_dir = cache_dir;
  return job;
}

// Lets so many processes do the work once all are ready, and takes the time.
CompileCost time_processes(int processes, std::size_t count, const std::function<void(Progress&)>& work) {
  void* memory = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  Progress& progress = *new (memory) Progress;
  for (int i = 0; i < processes; ++i) {
    if (fork() == 0) {
      work(progress);
      std::_Exit(0);
    }
  }
  while (progress.ready < processes) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const double before_s = children_seconds();
  const auto start = Clock::now();
  progress.go = true;
  for (int i = 0; i < processes; ++i) wait(nullptr);
  const double wall_s = std::chrono::duration<double>(Clock::now() - start).count();
  const double processor_s = children_seconds() - before_s;
  if (progress.failed > 0) std::fprintf(stderr, "%zu variants failed\n", progress.failed.load());
  munmap(memory, sizeof(Progress));
  return {wall_s * 1e3 / static_cast<double>(count), processor_s * 1e3 / static_cast<double>(count)};
}

void wait_for_start(Progress& progress) {
  ++progress.ready;
  while (!progress.go) std::this_thread::sleep_for(std::chrono::microseconds(100));
}

}  // namespace

CompileCost compile_in_processes(const Variants& variants, std::size_t count, int processes,
                                 std::size_t batch, const std::string& cache_dir) {
  return time_processes(processes, count, [&](Progress& progress) {
    const auto compiler = open_compiler();
    wait_for_start(progress);
    for (std::size_t first = progress.next.fetch_add(batch); first < count;
         first = progress.next.fetch_add(batch)) {
      for (const auto& variant :
           compiler->compile(job_of(variants, first, std::min(first + batch, count), cache_dir))) {
        if (variant.status == Status::ok) continue;
        if (progress.failed++ == 0) std::fprintf(stderr, "%s\n", variant.log.c_str());
      }
    }
  });
}

CompileCost compile_serially(const Variants& variants, std::size_t count) {
  return time_processes(1, count, [&](Progress& progress) {
    const auto nvrtc = Nvrtc::open({});
    if (!nvrtc) std::_Exit(1);
    std::vector<std::string> options{"--gpu-architecture=sm_90a", "--std=c++17"};
    for (const auto& dir : toolkit_include_dirs({}, nvrtc->path())) options.push_back("-I" + dir);
    wait_for_start(progress);
    for (std::size_t i = 0; i < count; ++i) {
      const SourcePlan& source = variants.plans[i].candidate.source;
      const FlatSource flat = flatten(source.path, source.text, source.include_dirs, AngleIncludes::keep);
      const CudaText program = cuda_text_of_one(flat, source);
      if (!nvrtc->compile({source.path, program.text, {}, options, source.entries}).ok) ++progress.failed;
    }
  });
}

BusyCompilers::BusyCompilers(const Variants& variants, int processes, std::size_t batch) {
  for (int i = 0; i < processes; ++i) {
    const int process = fork();
    if (process != 0) {
      processes_.push_back(process);
      continue;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    raise(SIGSTOP);
    const auto compiler = open_compiler();
    for (;;) {  // an empty folder each time: nothing is found there
      const ScratchCache cache;
      for (std::size_t first = 0; first < variants.plans.size(); first += batch) {
        (void)compiler->compile(
            job_of(variants, first, std::min(first + batch, variants.plans.size()), cache.path()));
      }
    }
  }
}

void BusyCompilers::start() {
  for (int process : processes_) kill(process, SIGCONT);
}

void BusyCompilers::stop() {
  for (int process : processes_) kill(process, SIGSTOP);
}

BusyCompilers::~BusyCompilers() {
  for (int process : processes_) kill(process, SIGKILL);
  for (int process : processes_) waitpid(process, nullptr, 0);
}

ScratchCache::ScratchCache()
    : path_((std::filesystem::temp_directory_path() / "gktune-bench-XXXXXX").string()) {
  if (mkdtemp(path_.data()) == nullptr) std::abort();
}

ScratchCache::~ScratchCache() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace gktune
