#include "engine/tune_spaces.h"

#include <algorithm>
#include <map>

#include "engine/import/recordings.h"
#include "tuner/core/version.h"
#include "tuner/space/definition.h"

namespace gktune {
namespace {

// The limits of a search for which neither trials nor seconds are given, and its playoff.
struct EffortLimits {
  TuneLimits limits;
  TimingPolicy timing = {};
};

EffortLimits limits_of(Effort effort) {
  if (effort == Effort::quick) return {{.seconds = 2.5, .gain = 0.02}, {.finalists = 3, .rounds = {20}}};
  if (effort == Effort::thorough)
    return {{.gain = 0.001, .patience = 300}, {.finalists = 10, .rounds = {200}, .tolerance = 0.001}};
  return {{.gain = 0.01}};
}

// One run on one device.
class SpaceTuner {
 public:
  SpaceTuner(const OpenedSpaces& spaces, const TuneSettings& settings, Database& store,
             const RunEvents& events)
      : spaces_(spaces), settings_(settings), store_(store), events_(events) {}

  RunEnd tune_all() {
    RunEnd end = RunEnd::complete;
    for (const Definition& definition : spaces_.definitions) {
      const auto session = session_of(definition.kernel.language);
      if (!session) {
        report({EngineError::Kind::failed, session.error().message});
        break;
      }
      session_ = *session;
      end = tune_file(definition);
      if (end == RunEnd::cut_short) break;
    }
    for (const auto& [compiler, session] : sessions_) {
      if (auto ended = store_.end_session(session); !ended)
        report({EngineError::Kind::failed, ended.error().message});
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
      if (!replay) return report(replay.error());
      (*replay)->set_pace(settings_.pace_s);
      return tune_problems(definition, {**replay, [&replay] { return (*replay)->clock_s(); }});
    }
    auto device = open_device(definition.kernel, spaces_.device, settings_.workers, DeviceWork::time);
    if (!device) return report(device.error());
    return tune_problems(definition, {**device, wall_clock_s, device->get()});
  }

  struct OpenedDevice {
    Device& device;
    std::function<double()> clock_s;
    const WorkerDevice* workers = nullptr;  // null: a recording is replayed
    Usage usage() const { return workers != nullptr ? workers->usage() : Usage(); }
  };

  RunEnd tune_problems(const Definition& definition, const OpenedDevice& opened) {
    for (const Problem& problem : problems_of(definition.kernel)) {
      if (tune_one(request_for(definition, problem), opened) == RunEnd::cut_short) return RunEnd::cut_short;
    }
    return RunEnd::complete;
  }

  TuneRequest request_for(const Definition& definition, const Problem& problem) const {
    SearchLimits given = definition.search;
    if (settings_.effort) {
      given.effort = *settings_.effort;
      given.trials = 0;
      given.seconds = 0;
    }
    const EffortLimits effort = limits_of(given.effort);
    TuneRequest request{.definition = definition,
                        .problem = problem,
                        .strategy = settings_.strategy.value_or(given.strategy),
                        .options = settings_.options,
                        .seed = settings_.workers.seed,
                        .limits = {.trials = settings_.trials.value_or(given.trials),
                                   .seconds = settings_.seconds.value_or(given.seconds),
                                   .patience = effort.limits.patience},
                        .timing = effort.timing,
                        .compilers = compilers(),
                        .devices = devices(),
                        .earlier = settings_.earlier,
                        .related = settings_.related};
    TuneLimits& limits = request.limits;
    const bool is_limited = limits.trials > 0 || limits.seconds > 0;
    const bool tries_all = request.strategy == "exhaustive";
    limits.gain = settings_.gain.value_or(is_limited || tries_all ? 0 : effort.limits.gain);
    const bool is_free = settings_.trials == 0 || settings_.seconds == 0;  // the user lifted the limits
    if (!is_limited && !is_free) limits.seconds = effort.limits.seconds;
    return request;
  }

  RunEnd tune_one(const TuneRequest& request, const OpenedDevice& opened) {
    const Usage before = opened.usage();
    const TuneSite site{opened.device, store_, session_, events_, opened.clock_s, settings_.host_name};
    auto tuning = tune_problem(request, site);
    if (!tuning) return report(tuning.error());
    if (tuning->outcome.measured > 0 && opened.workers != nullptr)
      tuning->busy = busy_between(before, opened.usage());
    if (events_.on_tuned) events_.on_tuned(*tuning);
    // The kept description of the device may be wrong.
    if (tuning->outcome.end == TuneOutcome::End::machine_failed) spaces_.device.forget();
    // A stop or a failure of the machine would end the other problems too.
    return tuning->outcome.was_cut_short() ? RunEnd::cut_short : RunEnd::complete;
  }

  Busy busy_between(const Usage& before, const Usage& after) const {
    const double wall_s = after.wall_s - before.wall_s;
    if (wall_s <= 0) return {};
    return {(after.run_busy_s - before.run_busy_s) / wall_s / devices(),
            (after.compile_busy_s - before.compile_busy_s) / wall_s / compilers(),
            after.preparation.inputs_s - before.preparation.inputs_s,
            after.preparation.reference_s - before.preparation.reference_s};
  }

  // An error ends the file or the problem, and not the run.
  RunEnd report(const EngineError& error) const {
    if (events_.on_error) events_.on_error(error);
    return RunEnd::complete;
  }

  double devices() const {
    return static_cast<double>(std::max<std::size_t>(1, spaces_.device.backends.size()));
  }
  double compilers() const { return spaces_.device.recordings ? 1 : compile_jobs(settings_.workers); }

  const OpenedSpaces& spaces_;
  const TuneSettings& settings_;
  Database& store_;
  const RunEvents& events_;
  std::map<std::string, std::int64_t> sessions_;  // by compiler
  std::int64_t session_ = 0;                      // of the current file
};

}  // namespace

RunEnd tune_spaces(const OpenedSpaces& spaces, const TuneSettings& settings, Database& store,
                   const RunEvents& events) {
  return SpaceTuner(spaces, settings, store, events).tune_all();
}

}  // namespace gktune
