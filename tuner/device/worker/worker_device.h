#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gktune/result.h"
#include "tuner/device/device.h"
#include "tuner/device/worker/compile_pool.h"
#include "tuner/device/worker/folders.h"
#include "tuner/device/worker/job.h"
#include "tuner/device/worker/run_slot.h"
#include "tuner/space/definition.h"
#include "tuner/space/plan.h"

namespace gktune {

struct WorkerDeviceOptions {
  // The last step of each candidate.
  enum class Work { compile, check, time };

  std::vector<BackendName> backends;  // several: of one model
  // The hardware, where it is known. Then no worker starts before there is something to run. A worker that
  // finds another model ends the run.
  std::optional<DeviceInfo> info = std::nullopt;
  std::vector<std::string> worker_argv{"/proc/self/exe", "worker"};  // before <kind> <ordinal> <compile|run>
  Work work = Work::time;
  std::uint64_t seed = 0;  // see RunJob
  Instrumentation instrumentation = Instrumentation::none;
  // If the latest candidate took less time than this, a run worker gets the next one before it answers about
  // the present one. That helps where candidates run in the worker itself and messages take a large share of
  // the time.
  double sends_ahead_below_s = 0;
  int jobs = 1;                // compile workers
  int jobs_while_waiting = 0;  // at work while compiled candidates wait for hardware; 0: all
  int batch = 4;               // sources to compile together, at most
  bool compiles_while_timing = true;  // on a CPU compilers would use the cores that are being timed
  std::string cache_dir;
  double compile_time_limit_s = 120;
  double fault_telling_s = 0;  // added to the limit of a run, for a report of a fault or its place
};

// Busy times since the device was opened.
struct Usage {
  double wall_s = 0;
  double compile_busy_s = 0;  // of all compile workers together
  double run_busy_s = 0;      // of all run workers together
  Preparation preparation;    // part of that
};

// Compiles and runs in worker processes. A crash there does not affect this process. Candidates may have
// kernels of their own: they share buffers with the others if they have the same judge.
class WorkerDevice final : public Device {
 public:
  // Describes the hardware by asking it, unless the options describe it. The folder is for temporary files of
  // its processes; without one the system's folder for temporary files is used.
  static Result<std::unique_ptr<WorkerDevice>> open(KernelDefinition kernel, WorkerDeviceOptions options,
                                                    std::optional<RunFolder> folder = std::nullopt);
  ~WorkerDevice() override;  // with all of its processes

  const DeviceInfo& info() const override { return info_; }
  std::size_t capacity() const override;
  void submit(Candidate candidate) override;
  Trial next() override;
  std::optional<Trial> next_while(const std::function<bool()>& go_on) override;
  std::size_t withdraw() override;
  // The kernel and the last step of the candidates to come. None may be in flight.
  void serve(std::shared_ptr<const KernelDefinition> kernel, WorkerDeviceOptions::Work work);
  // Starts the processes that execute candidates. Without it they start with the first candidate.
  void get_ready();
  // True if a candidate may have left something in a worker that harms later ones, or that they can read.
  bool has_kept_memory() const { return has_kept_memory_; }
  std::vector<Trial> playoff(const Problem& problem, std::vector<Config> finalists, Rounds rounds,
                             const PlayoffWatch& go_on) override;
  // The same for candidates of one problem that may have kernels of their own.
  std::vector<Trial> playoff(std::vector<Candidate> finalists, Rounds rounds, const PlayoffWatch& go_on);

  Usage usage() const;

 private:
  static constexpr std::size_t kNoReference = static_cast<std::size_t>(-1);

  // A candidate that has not finished yet.
  struct Submission {
    enum class Goal { trial, playoff };
    enum class Stage { compiling, ready, running, failed };
    std::uint64_t id = 0;
    Goal goal = Goal::trial;
    Stage stage = Stage::compiling;
    std::shared_ptr<const Cutoff> cutoff;
    std::shared_ptr<const KernelDefinition> kernel;
    Clock::time_point begun;
    Plan plan;
    Trial trial;
    std::size_t reference = kNoReference, verifier = kNoReference;
    bool is_compiled = false;
    std::optional<std::string> compile_errors;
    Module module;
    // The message of a fault whose place a second run is to find; see RunReply::is_unexplained.
    std::optional<std::string> unexplained;
  };

  // A reference or a verifier, compiled once for each problem.
  struct Reference {
    std::uint64_t id = 0;
    SourcePlan source;
    bool is_compiled = false;
    CompiledVariant variant;
  };

  WorkerDevice(KernelDefinition kernel, WorkerDeviceOptions options, std::optional<RunFolder> folder,
               DeviceInfo info, std::vector<RunSlot> slots, CompilePool pool);

  // Advances compilers and runs until something happens, or until then.
  void pump(CompilePool::Haste haste, Clock::time_point until);
  void begin(Candidate candidate, Submission::Goal goal);
  std::size_t reference_of(const SourcePlan& source);
  void take_compiled();
  void advance_compiled(Submission& submission);
  void dispatch_runs();
  bool all_are_broken() const;
  std::size_t waiting() const;
  bool has_runs() const;  // whether a candidate is executed, or is ready to be
  std::size_t ahead() const;
  RunSlot* free_slot();
  RunSlot* slot_for(const Submission& submission, const RunSlot::Environment& environment);
  bool take_run();  // true: there was a result
  void take_reply(Submission& submission, RunSlot& slot, const std::string& bytes);
  void take_back(Submission& submission, const Failure& failure);
  void finish(Submission& submission, Status status, std::string message);
  void finish_run(Submission& submission, RunReply reply);
  void finish_explanation(Submission& submission, const RunReply& reply);
  RunJob run_job(const Submission& submission) const;
  RunSlot::Environment environment_of(const RunJob& job) const;
  Worker::Limits limits(const Plan& plan) const;
  std::vector<std::vector<std::size_t>> groups_by_environment() const;
  bool play_slice(std::vector<std::size_t>& group, int rounds, std::vector<Samples>& played,
                  const std::function<bool()>& go_on);
  std::optional<std::vector<RunReply>> play(const PlayoffJob& job, const std::function<bool()>& go_on);

  std::shared_ptr<const KernelDefinition> kernel_;  // of candidates that bring none
  WorkerDeviceOptions options_;
  std::optional<RunFolder> folder_;  // outlives the workers
  DeviceInfo info_;
  std::vector<RunSlot> slots_;
  CompilePool pool_;
  std::vector<Submission> submissions_;  // in the order they were submitted
  std::vector<Reference> references_;
  std::deque<Trial> finished_;
  bool has_kept_memory_ = false;
  std::uint64_t next_id_ = 1;
  double compile_wait_s_ = 0, run_s_ = 0;  // of a candidate, a mean in which the latest count most
  double latest_run_s_ = 0;
  Clock::time_point opened_ = Clock::now();
  Preparation preparation_;  // of all jobs
};

// The number of compiled candidates that keep a device busy while another is compiled; `most` bounds
// it where that leaves enough.
std::size_t candidates_ahead(double compile_wait_s, double run_s, std::size_t most);

// The number of devices of that kind in the machine, broken ones included.
Result<int> count_devices(const std::vector<std::string>& worker_argv, const std::string& kind);

// The hardware, as a run worker of that backend reports it.
Result<DeviceInfo> probe_device(const std::vector<std::string>& worker_argv, const BackendName& backend);

// The name and version of the compiler of host code for that backend.
Result<std::string> host_code_compiler(const std::vector<std::string>& worker_argv,
                                       const BackendName& backend);

}  // namespace gktune
