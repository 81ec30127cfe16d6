// gktune run: tunes the problems of space files.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <ostream>

#include "cli/commands/commands.h"
#include "cli/database.h"
#include "cli/device_flags.h"
#include "cli/flags.h"
#include "cli/quantity.h"
#include "cli/report.h"
#include "cli/trial_table.h"
#include "engine/parameter_selection.h"
#include "engine/problem_selection.h"
#include "engine/tune_problem.h"
#include "tuner/core/spelling.h"
#include "tuner/core/version.h"
#include "tuner/search/strategy.h"
#include "tuner/space/problems.h"

namespace gktune {
namespace {

struct RunOptions {
  std::vector<std::string> paths;
  std::string database;
  DeviceFlags device;
  std::vector<std::string> problems;
  std::vector<std::string> only;
  std::optional<std::string> strategy;
  std::optional<std::int64_t> trials;
  std::optional<double> seconds;
  std::optional<Regime> regime;
  bool fresh = false;
  bool json = false;
  bool quiet = false;
};

Result<std::string> parse_strategy(std::string_view text) {
  std::vector<std::string> names;
  for (const Strategy& strategy : strategies()) names.emplace_back(strategy.name);
  if (std::ranges::find(names, text) != names.end()) return std::string(text);
  return Error{fmt::format("unknown strategy '{}'{}; known are {}", text, did_you_mean(text, names),
                           fmt::join(names, ", "))};
}

Result<Regime> parse_regime(std::string_view text) {
  if (auto regime = regime_from_name(text)) return *regime;
  return Error{fmt::format("'{}' is neither cold nor hot", text)};
}

std::string strategy_choices() {
  std::string choices;
  for (const Strategy& strategy : strategies())
    choices += (choices.empty() ? "" : "|") + std::string(strategy.name);
  return choices;
}

void declare(Flags& flags, RunOptions& options) {
  flags.texts("SPACE", options.paths, "Space files").required().kind("FILE");
  flags.database(options.database);
  flags.device(options.device);
  flags.problem(options.problems);
  flags.collected("--only", options.only, "Search only these values: way=naive,tileM=64,128; may be repeated")
      .kind("PARAMETER=VALUE,…");
  flags.parsed("--strategy", options.strategy, parse_strategy, "Search strategy; default: the space file's",
               strategy_choices());
  flags.parsed("--trials", options.trials, parse_count,
               "Stop after N trials per problem, earlier ones included; 0: no limit", "N");
  flags.parsed("--time", options.seconds, parse_seconds,
               "Stop after TIME per problem, earlier runs included: 60s, 2m; 0: no limit", "TIME");
  flags.parsed("--seed", options.device.seed, parse_count, "Seed of the search", "N");
  flags.worker(options.device);
  flags.parsed("--regime", options.regime, parse_regime,
               "Caches before each launch: cold (emptied) or hot (as the last launch left them)", "cold|hot");
  flags.on("--fresh", options.fresh, "Measure everything again");
  flags.json(options.json);
  flags.quiet(options.quiet);
}

// One call of the command.
class RunCall {
 public:
  RunCall(const RunOptions& options, Context& context, Store store)
      : options_(options),
        context_(context),
        store_(std::move(store)),
        progress_(context.err, context.err_screen,
                  options.quiet ? Progress::Mode::hidden : Progress::Mode::shown),
        caught_(context.catch_interrupts()) {}

  // The worst that befell any of the problems.
  ExitCode tune_all(const std::vector<OpenedSpaces>& groups);

 private:
  ExitCode tune_group(const std::vector<Definition>& definitions, const FoundDevice& found);
  ExitCode tune_file(const Definition& definition, const FoundDevice& found);
  ExitCode tune_one(const Definition& definition, const Problem& problem, WorkerDevice& device);
  void show(const TuneProgress& progress);
  void tell(const Tuning& tuning);
  bool interrupted();
  Busy busy_between(const Usage& before, const Usage& after) const;

  const RunOptions& options_;
  Context& context_;
  Store store_;
  Progress progress_;
  std::function<bool()> caught_;
  bool told_of_interrupt_ = false;
  bool is_over_ = false;  // skip the remaining problems
  std::int64_t session_ = 0;
  double devices_ = 1, compilers_ = 1;
  Json reports_ = Json::array();
};

ExitCode worse(ExitCode a, ExitCode b) {
  for (const ExitCode worst : {ExitCode::interrupted, ExitCode::failed}) {
    if (a == worst || b == worst) return worst;
  }
  return a == ExitCode::done ? b : a;
}

ExitCode RunCall::tune_all(const std::vector<OpenedSpaces>& groups) {
  ExitCode code = ExitCode::done;
  Json devices = Json::array();
  for (const OpenedSpaces& group : groups) {
    devices.push_back(json_of(group.device.info));
    code = worse(code, tune_group(group.definitions, group.device));
    if (is_over_) break;
  }
  if (options_.json) print(context_.out, {{"devices", std::move(devices)}, {"results", std::move(reports_)}});
  return code;
}

ExitCode RunCall::tune_group(const std::vector<Definition>& definitions, const FoundDevice& found) {
  const DeviceInfo& info = found.info;
  auto session = store_.begin_session({std::string(kVersion), info.driver, info.runtime, info.compiler,
                                       context_.environment.host_name, context_.environment.command_line});
  if (!session) return fail(context_, ExitCode::failed, session.error().message);
  session_ = *session;

  ExitCode code = ExitCode::done;
  for (const Definition& definition : definitions) {
    code = worse(code, tune_file(definition, found));
    if (is_over_) break;
  }
  if (auto ended = store_.end_session(session_); !ended) {
    code = worse(code, fail(context_, ExitCode::failed, ended.error().message));
  }
  return code;
}

ExitCode RunCall::tune_file(const Definition& definition, const FoundDevice& found) {
  const WorkerSettings workers = worker_settings(options_.device, context_);
  devices_ = static_cast<double>(found.backends.size());
  compilers_ = compile_jobs(workers);
  auto device = open_device(definition.kernel, found, workers, DeviceWork::time);
  if (!device) return fail(context_, device.error());

  ExitCode code = ExitCode::done;
  for (const Problem& problem : problems_of(definition.kernel)) {
    code = worse(code, tune_one(definition, problem, **device));
    if (is_over_) break;
  }
  return code;
}

ExitCode RunCall::tune_one(const Definition& definition, const Problem& problem, WorkerDevice& device) {
  const SearchLimits& limits = definition.search;
  TuneRequest request{.definition = definition,
                      .problem = problem,
                      .strategy = options_.strategy.value_or(limits.strategy),
                      .seed = static_cast<std::uint64_t>(options_.device.seed),
                      .trials = options_.trials.value_or(limits.trials),
                      .budget_s = options_.seconds.value_or(limits.seconds),
                      .compilers = compilers_,
                      .devices = devices_};
  if (options_.fresh) request.earlier = TuneRequest::Earlier::ignored;
  const Usage before = device.usage();
  const ProblemEvents events = {[this](const TuneProgress& progress) { show(progress); },
                                [this] { return interrupted(); }};
  auto tuning = tune_problem(request, {device, store_, session_, events});
  progress_.clear();
  if (!tuning) return fail(context_, tuning.error());

  if (tuning->outcome.measured > 0) tuning->busy = busy_between(before, device.usage());
  tell(*tuning);
  is_over_ = tuning->outcome.was_cut_short();  // other problems would fare no better
  if (tuning->outcome.end == TuneOutcome::End::stopped) return ExitCode::interrupted;
  if (tuning->outcome.trouble) return ExitCode::failed;
  if (!tuning->outcome.best) return fail(context_, ExitCode::no_configuration, failure_report(*tuning));
  return ExitCode::done;
}

std::string stage_text(const TuneProgress& progress) {
  if (!progress.playoff) return {};
  return fmt::format("playoff {}/{}", progress.playoff->rounds_done, progress.playoff->rounds);
}

void RunCall::show(const TuneProgress& progress) {
  const std::string problem = progress.problem.empty() ? "" : ' ' + problem_text(progress.problem);
  progress_.show({.title = progress.kernel + problem,
                  .done = progress.done,
                  .total = progress.total,
                  .done_before = progress.done_before,
                  .best = progress.best ? score_text(*progress.best) : "",
                  .failures = progress.failures,
                  .stage = stage_text(progress),
                  .elapsed_s = progress.elapsed_s,
                  .budget_s = progress.budget_s},
                 std::chrono::steady_clock::now());
}

bool RunCall::interrupted() {
  if (!caught_()) return false;
  if (!told_of_interrupt_) {
    told_of_interrupt_ = true;
    progress_.clear();
    context_.log.info("stopping after the running trials; press Ctrl-C again to stop at once");
  }
  return true;
}

Busy RunCall::busy_between(const Usage& before, const Usage& after) const {
  double wall_s = after.wall_s - before.wall_s;
  if (wall_s <= 0) return {};
  return {(after.run_busy_s - before.run_busy_s) / wall_s / devices_,
          (after.compile_busy_s - before.compile_busy_s) / wall_s / compilers_};
}

void RunCall::tell(const Tuning& tuning) {
  if (options_.json) {
    reports_.push_back(report_json(tuning));
  } else {
    print_report(context_.out, context_.out_screen, tuning);
    context_.out << std::flush;
  }
  if (tuning.outcome.trouble) context_.log.error(*tuning.outcome.trouble);
  if (options_.quiet) return;
  for (const std::string& each : hints_for(tuning, database_flag(options_.database))) hint(context_, each);
}

ExitCode run(const RunOptions& options, Context& context) {
  if (options.quiet) context.log.silence();
  auto groups = read_files(options.paths, options.device.choice, context);
  if (!groups) return groups.error();
  for (OpenedSpaces& group : *groups) {
    for (Definition& definition : group.definitions) {
      if (auto selected = select_values(definition.parameters, options.only); !selected) {
        return fail_usage(context, "gktune run", definition.path + ": --only: " + selected.error().message);
      }
      // Check the selections for every file before tuning any.
      auto problems = select_problems(definition.kernel, options.problems);
      if (!problems) {
        return fail_usage(context, "gktune run",
                          definition.path + ": --problem: " + problems.error().message);
      }
      definition.kernel.listed_problems = *std::move(problems);
      if (options.regime) definition.kernel.regime = *options.regime;
    }
  }
  auto store = Store::open(database_path(options.database, context), Store::Mode::write);
  if (!store) return fail(context, ExitCode::failed, store.error().message);
  return RunCall(options, context, *std::move(store)).tune_all(*groups);
}

}  // namespace

Command run_command() {
  return make_command<RunOptions>("run", "Tune a kernel: find the fastest configuration of each problem",
                                  "gktune run spaces/reduce.yaml --problem n=1Mi,element=int --time 60s",
                                  declare, run);
}

}  // namespace gktune
