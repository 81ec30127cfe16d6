#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/check_session.h"
#include "engine/devices.h"
#include "gktune/result.h"
#include "tuner/core/trial.h"
#include "tuner/measure/statistics.h"
#include "tuner/space/definition.h"

namespace gktune {

// Says whether a candidate is accepted, or why it is rejected.
GKTUNE_ENUM(Ruling, accepted, wrong, out_of_bounds, race, crashed, hung, cheating,
            does_not_compile,  // or cannot be launched
            not_judged)        // the reference or the machine failed
Ruling ruling_of(const Trial& trial);

// The steps of a judge, the cheapest first.
GKTUNE_ENUM(JudgeStage, read, compile, sanitize, special_values, near_sizes, time, compare)

// The class of a candidate's source. docs/security.md says what each class can do.
GKTUNE_ENUM(CodeClass, device_code, host_code)

// A program to compare candidates with.
struct Baseline {
  std::string name;
  std::shared_ptr<const Definition> definition;
  // The configurations of its problems. Where one is missing it is searched, or is the default.
  std::map<std::string, Config> configs;  // by Problem::json()
  bool is_searched = false;
};

// The times of a candidate and a baseline, interleaved.
struct BaselineComparison {
  std::string baseline;
  Problem problem;
  Config config, baseline_config;
  Regime regime = Regime::cold;
  double time_us = 0, baseline_us = 0;
  std::size_t rounds = 0;
  Speedup speedup;
  std::string failure;  // of the baseline
};

GKTUNE_FIELDS(BaselineComparison, baseline, problem, config, baseline_config, regime, time_us, baseline_us,
              rounds, speedup, failure)

struct BaselineMean {
  std::string baseline;
  Speedup speedup;  // the geometric mean over the problems
};

GKTUNE_FIELDS(BaselineMean, baseline, speedup)

// How much of what the device can do a candidate uses.
struct LimitShare {
  Problem problem;
  PeakShare::Kind limit = PeakShare::Kind::bandwidth;
  double share = 0, peak = 0;  // see PeakShare
  std::string unit;            // of the peak
};

GKTUNE_FIELDS(LimitShare, problem, limit, share, peak, unit)

struct Judgement {
  Ruling verdict = Ruling::accepted;
  CodeClass code = CodeClass::device_code;
  JudgeStage stage = JudgeStage::read;  // the last one
  // The next members describe a rejection.
  Status status = Status::ok;
  std::string message;
  Problem problem;
  Config config;
  std::uint64_t seed = 0;
  std::vector<std::string> sandbox;  // what was forbidden: files, sockets, processes
  Resources resources;               // in its best configuration of the last problem
  std::vector<Problem> near;         // the sizes near the listed ones that it solves
  std::vector<std::string> notes;    // what could not be examined, and why
  std::vector<BaselineComparison> comparisons;      // in the regime of the space
  std::vector<BaselineComparison> in_other_regime;  // few rounds, which decide nothing
  std::vector<BaselineMean> means;
  std::vector<LimitShare> limits;
  bool was_stopped = false;  // it is incomplete

  bool is_accepted() const { return verdict == Ruling::accepted; }
  // Both compare with all baselines, on all problems.
  bool is_slower() const;
  bool is_not_slower() const;
};

GKTUNE_FIELDS(Judgement, verdict, code, stage, status, message, problem, config, seed, sandbox, resources,
              near, notes, comparisons, in_other_regime, means, limits)

struct JudgeRequest {
  std::shared_ptr<const Definition> space;
  FoundDevice device;
  WorkerSettings workers;
  std::vector<Problem> problems;
  std::vector<Baseline> baselines;
  double effect = 0.01;              // smaller differences of the time do not count
  double seconds = 10;               // limit of each search and of each comparison
  std::vector<std::string> sandbox;  // what the workers forbid
};

struct JudgeEvents {
  std::function<void(JudgeStage)> on_stage;
  std::function<bool()> stop;
};

// A candidate after the stages that do not time.
struct Examined {
  Judgement judgement;
  std::optional<CheckResult> doubtful;  // results that are wrong on the CPU and may be right on the device
};

// Judges candidates of one space. What it learns about the baselines serves all candidates.
class Judge {
 public:
  Judge(JudgeRequest request, JudgeEvents events)
      : request_(std::move(request)), events_(std::move(events)) {}

  // All fail if the device cannot be used or the space has no configuration.
  Result<Judgement, EngineError> judge(const Definition& candidate);
  // The first stages, which compile and sanitize, with so many compilers (0: one for each core), and the
  // others. Several threads may examine candidates at the same time, and while another thread judges one.
  Result<Examined, EngineError> examine(const Definition& candidate, std::int64_t jobs);
  Result<Judgement, EngineError> judge(const Definition& candidate, Examined examined);
  // Starts the process that executes candidates on a GPU, which takes a while, before judge() needs it. A CPU
  // needs the time to examine candidates.
  Result<void, EngineError> get_ready();

 private:
  using Done = Result<void, EngineError>;
  struct Best;
  struct Match;
  // The devices of the first stages. Each thread has its own, which stay open for later candidates.
  struct Examiner {
    std::int64_t jobs = 0;
    std::unique_ptr<WorkerDevice> compiler, sanitizer;
    std::optional<FoundDevice> host;  // of the sanitizer
  };
  Examiner take_examiner(std::int64_t jobs);
  void put_back(Examiner examiner);
  WorkerSettings workers_for(std::int64_t jobs) const;
  Result<Best, EngineError> search(const Definition& definition, const Problem& problem);
  Result<std::optional<Config>, EngineError> config_of(Baseline& baseline, const Problem& problem);
  // The device of the other stages, which executes this kernel unless a candidate brings its own.
  Result<WorkerDevice*, EngineError> runner_for(const KernelDefinition& kernel, DeviceWork work);
  bool is_host() const { return request_.device.info.kind == "host"; }
  std::vector<Problem> smallest_problems() const;
  void reject(Judgement& judgement, const Trial& trial) const;
  void take_findings(const CheckResult& checked, Judgement& judgement) const;
  Done examine(const Definition& candidate, Examiner& examiner, Examined& examined);
  Done compile(const Definition& candidate, Examiner& examiner, Judgement& judgement) const;
  Done sanitize(const Definition& candidate, Examiner& examiner, Examined& examined);
  bool fails_in_the_space_too(const Trial& trial, WorkerDevice& device, const DeviceInfo& info,
                              Judgement& judgement);
  Done confirm_results(const Definition& candidate, CheckResult& checked, Judgement& judgement);
  Done try_special_values(const Definition& candidate, Judgement& judgement);
  Done try_near_sizes(const Definition& candidate, Judgement& judgement);
  Done time(const Definition& candidate, Judgement& judgement);
  Done compare(const Definition& candidate, const Problem& problem, const Config& best, Judgement& judgement);
  Result<Match, EngineError> match_of(const Definition& candidate, const Problem& problem,
                                      const Config& best);
  Done play(const Match& match, Regime regime, int rounds, Judgement& judgement,
            std::vector<BaselineComparison>& played);
  void note_limits(const Problem& problem, double time_us, Judgement& judgement) const;
  Done finish(const Definition& candidate, Judgement& judgement);
  bool is_stopped() const { return events_.stop && events_.stop(); }

  JudgeRequest request_;
  JudgeEvents events_;
  std::mutex mutex_;
  // Guarded by the mutex.
  std::vector<Examiner> idle_examiners_;
  // About the kernel of the space, by the device's kind and Problem::json().
  std::map<std::pair<std::string, std::string>, Ruling> own_rulings_;
  std::unique_ptr<WorkerDevice> runner_;
  // Why the kernel of the space does not solve inputs with a special value; empty: it does.
  std::map<std::string, std::string> undefined_because_;
};

}  // namespace gktune
