#include "engine/tune_spaces.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "engine/import/replay.h"
#include "tuner/core/version.h"
#include "tuner/space/problems.h"

namespace gktune {
namespace {

// The limits of a search for which neither trials nor seconds are given, and its playoff.
struct EffortLimits {
  double seconds = 0;  // 0: no limit
  double gain = 0;
  std::int64_t patience = TuneLimits().patience;
  TimingPolicy timing;
};

EffortLimits limits_of(Effort effort) {
  switch (effort) {
    case Effort::quick:
      return {.seconds = 2.5, .gain = 0.02, .timing = {.finalists = 3, .rounds = {20}}};
    case Effort::thorough:
      return {
          .gain = 0.001, .patience = 300, .timing = {.finalists = 10, .rounds = {200}, .tolerance = 0.001}};
    case Effort::normal:
      break;
  }
  return {.gain = 0.01};
}

// One run on one device.
class SpaceTuner {
 public:
  SpaceTuner(const OpenedSpaces& spaces, const TuneSettings& settings, TrialStore& store,
             const RunEvents& events)
      : spaces_(spaces), settings_(settings), store_(store), events_(events) {}

  RunEnd tune_all() {
    RunEnd end = RunEnd::complete;
    for (const Definition& definition : spaces_.definitions) {
      const auto session = session_of(definition.kernel.language);
      if (!session) {
        report({EngineError::Kind::failed, session.error().message, {}});
        break;
      }
      session_ = *session;
      end = tune_file(definition);
      if (end == RunEnd::cut_short) break;
    }
    for (const auto& [compiler, session] : sessions_) {
      if (auto ended = store_.end_session(session); !ended)
        report({EngineError::Kind::failed, ended.error().message, {}});
    }
    return end;
  }

 private:
  // A session names one compiler: that of host code may not be that of kernels.
  Result<std::int64_t> session_of(Language language) {
    DeviceInfo device = spaces_.device.info;
    if (language == Language::host && !spaces_.device.backends.empty()) {
      const auto compiler = host_code_compiler(settings_.workers.argv, spaces_.device.backends.front());
      device.compiler = compiler ? *compiler : "";  // candidates fail with the error
    }
    if (const auto known = sessions_.find(device.compiler); known != sessions_.end()) return known->second;
    const auto begun =
        store_.begin_session({std::string(kVersion), settings_.host_name, settings_.command_line, device});
    if (begun) sessions_.emplace(device.compiler, *begun);
    return begun;
  }

  RunEnd tune_file(const Definition& definition) {
    if (spaces_.device.recordings) {
      auto replay = open_replay(definition.kernel, spaces_.device);
      if (!replay) {
        report(replay.error());
        return RunEnd::complete;
      }
      return tune_problems(definition, **replay, {[&replay] { return (*replay)->clock_s(); }, {}});
    }
    auto device = open_device(definition.kernel, spaces_.device, settings_.workers, DeviceWork::time);
    if (!device) {
      report(device.error());
      return RunEnd::complete;
    }
    return tune_problems(definition, **device, {{}, [&device] { return (*device)->usage(); }});
  }

  // Functions that only some kinds of devices have: their own clock, the use of workers.
  struct Gauges {
    std::function<double()> clock_s;
    std::function<Usage()> usage;
  };

  RunEnd tune_problems(const Definition& definition, Device& device, const Gauges& gauges) {
    for (const Problem& problem : problems_of(definition.kernel)) {
      if (tune_one(definition, problem, device, gauges) == RunEnd::cut_short) return RunEnd::cut_short;
    }
    return RunEnd::complete;
  }

  RunEnd tune_one(const Definition& definition, const Problem& problem, Device& device,
                  const Gauges& gauges) {
    SearchLimits limits = definition.search;
    if (settings_.effort) {
      limits.effort = *settings_.effort;
      limits.trials = 0;
      limits.seconds = 0;
    }
    const EffortLimits effort = limits_of(limits.effort);
    TuneRequest request{.definition = definition,
                        .problem = problem,
                        .strategy = settings_.strategy.value_or(limits.strategy),
                        .options = settings_.options,
                        .seed = settings_.workers.seed,
                        .trials = settings_.trials.value_or(limits.trials),
                        .budget_s = settings_.seconds.value_or(limits.seconds),
                        .compilers = compilers(),
                        .devices = devices(),
                        .earlier = settings_.earlier,
                        .related = settings_.related,
                        .patience = effort.patience,
                        .timing = effort.timing};
    const bool is_limited = request.trials > 0 || request.budget_s > 0;
    const bool tries_all = request.strategy == "exhaustive";
    request.gain = settings_.gain.value_or(is_limited || tries_all ? 0 : effort.gain);
    const bool is_free = settings_.trials == 0 || settings_.seconds == 0;  // by the user's word
    if (!is_limited && !is_free) request.budget_s = effort.seconds;
    const Usage before = gauges.usage ? gauges.usage() : Usage();
    auto tuning =
        tune_problem(request, {device,
                               store_,
                               session_,
                               {events_.on_progress, events_.stop, events_.on_search, events_.on_trial},
                               gauges.clock_s});
    if (!tuning) {
      report(tuning.error());
      return RunEnd::complete;
    }
    if (tuning->outcome.measured > 0 && gauges.usage) tuning->busy = busy_between(before, gauges.usage());
    if (events_.on_tuned) events_.on_tuned(*tuning);
    // The device may not be what it was said to be.
    if (tuning->outcome.end == TuneOutcome::End::machine_failed) spaces_.device.forget();
    // After a stop or a failure of the machine the other problems fare no better.
    return tuning->outcome.was_cut_short() ? RunEnd::cut_short : RunEnd::complete;
  }

  Busy busy_between(const Usage& before, const Usage& after) const {
    const double wall_s = after.wall_s - before.wall_s;
    if (wall_s <= 0) return {};
    return {(after.run_busy_s - before.run_busy_s) / wall_s / devices(),
            (after.compile_busy_s - before.compile_busy_s) / wall_s / compilers()};
  }

  void report(const EngineError& error) const {
    if (events_.on_error) events_.on_error(error);
  }

  double devices() const {
    return static_cast<double>(std::max<std::size_t>(1, spaces_.device.backends.size()));
  }
  double compilers() const { return spaces_.device.recordings ? 1 : compile_jobs(settings_.workers); }

  const OpenedSpaces& spaces_;
  const TuneSettings& settings_;
  TrialStore& store_;
  const RunEvents& events_;
  std::map<std::string, std::int64_t> sessions_;  // by compiler
  std::int64_t session_ = 0;                      // of the current file
};

}  // namespace

RunEnd tune_spaces(const OpenedSpaces& spaces, const TuneSettings& settings, TrialStore& store,
                   const RunEvents& events) {
  return SpaceTuner(spaces, settings, store, events).tune_all();
}

}  // namespace gktune
