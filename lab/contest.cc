#include "lab/contest.h"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "tuner/device/replay/replay_device.h"
#include "tuner/search/strategy.h"
#include "tuner/tune.h"

namespace gktune {
namespace {

// The processor time of this thread: other programs on the machine do not count.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Measures the time that a strategy takes.
class TimedSearcher : public Searcher {
 public:
  explicit TimedSearcher(Searcher& searcher) : searcher_(searcher) {}

  std::optional<Config> ask() override {
    const double begin_s = cpu_seconds();
    auto config = searcher_.ask();
    since_trial_s_ += cpu_seconds() - begin_s;
    return config;
  }
  void tell(const Trial& trial) override {
    const double begin_s = cpu_seconds();
    searcher_.tell(trial);
    since_trial_s_ += cpu_seconds() - begin_s;
  }
  // Since the last call.
  double take_seconds() { return std::exchange(since_trial_s_, 0); }

 private:
  Searcher& searcher_;
  double since_trial_s_ = 0;
};

std::uint64_t seed_of_run(std::uint64_t seed, std::size_t repeat) {
  std::uint64_t mixed = seed * 0x9e3779b97f4a7c15 + repeat + 1;
  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
  return (mixed ^ mixed >> 31) >> 1;  // positive where it becomes a signed number
}

}  // namespace

Result<std::unique_ptr<ScoredRecording>> ScoredRecording::make(Recording recording) {
  auto scale = GKTUNE_TRY(ScoreScale::make(recording));
  return std::unique_ptr<ScoredRecording>(new ScoredRecording(std::move(recording), std::move(scale)));
}

ScoredRecording::ScoredRecording(Recording recording, ScoreScale scale)
    : recording_(std::move(recording)),
      scale_(std::move(scale)),
      space_(space_of(recording_)),
      trials_(std::make_shared<const RecordedTrials>(recording_.trials)),
      trial_at_(recording_.trials.size()) {
  for (std::size_t i = 0; i < recording_.trials.size(); ++i)
    trial_at_[static_cast<std::size_t>(*space_.index_of(recording_.trials[i].config))] = i;
}

std::size_t ScoredRecording::trial_of(const Config& config) const {
  return trial_at_[static_cast<std::size_t>(*space_.index_of(config))];
}

Result<ScoredRun> play(const Contender& contender, const ScoredRecording& recording, std::uint64_t seed,
                       std::size_t in_flight, const std::vector<RelatedStudy>& related) {
  const double budget_s = recording.scale().budget_s();
  auto searcher = GKTUNE_TRY(make_searcher(contender.strategy, {.space = recording.space(),
                                                                .seed = seed,
                                                                .budget = {.seconds = budget_s},
                                                                .options = contender.options,
                                                                .related = related}));
  TimedSearcher timed(*searcher);
  ReplayDevice device(recording.recording().device, recording.trials(), in_flight);
  TuneTask task;
  task.problem = recording.recording().problem;
  task.limits.seconds = budget_s;
  task.clock_s = [&device] { return device.clock_s(); };
  task.timing = {.cutoff = TimingPolicy::Cutoff::none, .finalists = 0, .drift_interval = 0};
  ScoredRun run;
  TuneEvents events;
  events.on_trial = [&](const Trial& trial) {
    run.push_back({recording.trial_of(trial.config), timed.take_seconds()});
  };
  tune(task, timed, device, events);
  if (const auto failure = searcher->failure()) return Error{contender.strategy + ": " + *failure};
  return run;
}

Result<std::vector<std::vector<ContestRuns>>> hold_contest(
    const std::vector<Contender>& contenders, const std::vector<std::unique_ptr<ScoredRecording>>& recordings,
    const ContestRules& rules) {
  const auto repeats = static_cast<std::size_t>(rules.repeats);
  std::vector<std::vector<ContestRuns>> runs(
      contenders.size(), std::vector<ContestRuns>(recordings.size(), ContestRuns(repeats)));
  const std::size_t total = contenders.size() * recordings.size() * repeats;
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::size_t done = 0;
  std::optional<Error> error;
  bool is_stopped = false;

  const auto work = [&] {
    for (std::size_t job = next++; job < total; job = next++) {
      const std::size_t repeat = job % repeats, recording = job / repeats % recordings.size();
      const std::size_t contender = job / repeats / recordings.size();
      auto run = play(contenders[contender], *recordings[recording], seed_of_run(rules.seed, repeat),
                      rules.in_flight, rules.related);
      const std::scoped_lock lock(mutex);
      if (run) {
        runs[contender][recording][repeat] = *std::move(run);
      } else if (!error) {
        error = run.error();
      }
      if (rules.stop && rules.stop()) is_stopped = true;
      if (error || is_stopped) return;
      if (rules.on_run) rules.on_run(++done, total);
    }
  };
  const std::size_t threads =
      rules.threads > 0 ? rules.threads : std::max<std::size_t>(1, std::thread::hardware_concurrency());
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min(threads, total); ++i) others.emplace_back(work);
    work();
  }
  if (error) return *error;
  if (is_stopped) runs.clear();
  return runs;
}

}  // namespace gktune
