// gktune run: tunes the problems of space files.
#include "cli/commands/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "cli/command.h"
#include "cli/commands/report.h"
#include "cli/output/study_tables.h"
#include "cli/output/tuning_report.h"
#include "engine/selection.h"
#include "engine/tune_spaces.h"
#include "tuner/core/quantity.h"
#include "tuner/core/text.h"
#include "tuner/process/sandbox.h"
#include "tuner/search/strategy.h"
#include "tuner/space/definition.h"

namespace gktune {
namespace {

Result<std::string> parse_strategy(std::string_view text) {
  std::vector<std::string> names;
  for (const Strategy& strategy : strategies()) names.emplace_back(strategy.name);
  if (std::ranges::find(names, text) != names.end()) return std::string(text);
  return Error{fmt::format("unknown strategy '{}'{}; known are {}", text, did_you_mean(text, names),
                           fmt::join(names, ", "))};
}

Result<double> parse_gain(std::string_view text) {
  auto gain = parse_percent(text);
  if (gain && *gain > 1) return Error{fmt::format("'{}' is more than 100%", text)};
  return gain;
}

std::string strategy_choices() { return joined(strategies(), "|", &Strategy::name); }

ExitCode worse(ExitCode a, ExitCode b) {
  for (const ExitCode worst : {ExitCode::interrupted, ExitCode::failed}) {
    if (a == worst || b == worst) return worst;
  }
  return a == ExitCode::done ? b : a;
}

ExitCode exit_code_of(const TuneOutcome& outcome) {
  if (outcome.end == TuneOutcome::End::stopped) return ExitCode::interrupted;
  if (outcome.failure) return ExitCode::failed;
  return outcome.best ? ExitCode::done : ExitCode::no_configuration;
}

std::string stage_text(const TuneProgress& progress) {
  if (!progress.playoff) return {};
  return fmt::format("playoff {}/{}", progress.playoff->rounds_done, progress.playoff->rounds);
}

// Shows what the engine reports and keeps the worst exit code.
class RunScreen {
 public:
  RunScreen(const RunOptions& options, std::function<bool()> caught, Context& context)
      : options_(options),
        context_(context),
        progress_(context.err, context.err_screen,
                  options.quiet ? Progress::Mode::hidden : Progress::Mode::shown),
        caught_(std::move(caught)) {}

  RunEvents events() {
    return {[this](const Trial& trial) {
              print_event("trial", [&] { return json_of(trial); });
              show_printed(trial);
            },
            [this](const TuneProgress& progress) { show(progress); },
            [this](const Tuning& tuning) { report(tuning); },
            [this](const EngineError& error) { report(error); },
            [this] { return interrupted(); },
            [this](const std::string& search) { describe(search); }};
  }
  void begin(const DeviceInfo& device) {
    print_event("device", [&] { return json_of(device); });
  }
  ExitCode code() const { return code_; }
  // Prints the results for programs and documents.
  void print_results(Json devices) {
    table_.print(context_, options_.format,
                 {{"devices", std::move(devices)}, {"results", std::move(reports_)}});
  }

 private:
  // Prints a line of --events: the object that `json` returns, behind the name of the event.
  template <class Function>
  void print_event(std::string_view name, const Function& json) {
    if (!options_.events) return;
    Json event = {{"event", name}};
    event.update(json());
    print_line(context_.out, event);
    context_.out << std::flush;
  }

  void show(const TuneProgress& progress) {
    const std::pair<std::int64_t, std::int64_t> steps(progress.done,
                                                      progress.playoff ? progress.playoff->rounds_done : -1);
    if (std::exchange(steps_, steps) != steps) print_event("progress", [&] { return progress_json(progress); });
    is_in_playoff_ = progress.playoff.has_value();
    const std::string problem = progress.problem.empty() ? "" : ' ' + problem_text(progress.problem);
    progress_.show({.title = progress.kernel + problem,
                    .done = progress.done,
                    .total = progress.total,
                    .done_before = progress.done_before,
                    .best = progress.best ? score_text(*progress.best) : "",
                    .failures = progress.failures,
                    .stage = stage_text(progress),
                    .elapsed_s = progress.elapsed_s,
                    .budget_s = progress.budget_s});
  }

  void describe(const std::string& search) {
    progress_.clear();
    context_.log.info("search: " + search);
  }

  // Shows what the kernel printed, above the progress line.
  void show_printed(const Trial& trial) {
    if (trial.printed.empty() || options_.quiet) return;
    progress_.clear();
    std::string lines = trial.printed;
    if (lines.back() != '\n') lines += '\n';
    context_.err << trial.config.str() << " printed:\n" << lines << std::flush;
  }

  void report(const Tuning& tuning) {
    progress_.clear();
    reports_.push_back(report_json(tuning));
    table_.add(report_record(tuning));
    print_event("result", [&] { return reports_.back(); });
    if (options_.prints_text()) {
      print_report(context_.out, context_.out_screen, tuning);
      if (options_.verbose) context_.out << preparation_text(tuning) << '\n';
      context_.out << std::flush;
    }
    if (tuning.outcome.failure) context_.log.error(*tuning.outcome.failure);
    for (const std::string& each : hints_for(tuning, database_flag(options_.database))) hint(context_, each);
    const ExitCode code = exit_code_of(tuning.outcome);
    if (code == ExitCode::no_configuration) fail(context_, code, failure_report(tuning));
    code_ = worse(code_, code);
  }

  void report(const EngineError& error) {
    progress_.clear();
    code_ = worse(code_, fail(context_, error));
  }

  bool interrupted() {
    if (!caught_()) return false;
    if (!told_of_interrupt_) {
      told_of_interrupt_ = true;
      progress_.clear();
      context_.log.info(is_in_playoff_ ? "stopping the playoff; the next run repeats it"
                                       : "stopping within a second; press Ctrl-C again to stop at once");
    }
    return true;
  }

  const RunOptions& options_;
  Context& context_;
  Progress progress_;
  std::function<bool()> caught_;
  std::pair<std::int64_t, std::int64_t> steps_ = {-1, -1};  // trials and rounds of the last progress
  bool told_of_interrupt_ = false;
  bool is_in_playoff_ = false;
  ExitCode code_ = ExitCode::done;
  Json reports_ = Json::array();
  Table table_;
};

// Tells of outages, and of trials that waited for their end.
void bridge_outages(Database& store, const std::filesystem::path& journal,
                    const std::function<bool()>& caught, Context& context) {
  OutageEvents events{.on_lost =
                          [&context, journal](const std::string& reason) {
                            context.log.warning(fmt::format(
                                "the database cannot be reached: {}; waiting for it; trials go to {}", reason,
                                journal.string()));
                          },
                      .on_back =
                          [&context](std::int64_t delivered) {
                            context.log.info(fmt::format("the database is back; {} delivered",
                                                         format_things(delivered, "trial")));
                          },
                      .stop = caught};
  const auto delivered = value_or_end(store.bridge_outages(std::move(events), journal), context);
  if (delivered > 0)
    context.log.info(fmt::format("delivered {} of an earlier run that could not reach the database",
                                 format_things(delivered, "trial")));
}

// A replay repeats known measurements, so store its trials only if --db is given.
std::filesystem::path store_path(const RunOptions& options, const Context& context) {
  const bool is_replay = options.device.choice.kind == DeviceChoice::Kind::replay;
  return is_replay && options.database.empty() && !options.queue ? ""
                                                                 : database_path(options.database, context);
}

}  // namespace

void declare_tuning(Flags& flags, RunOptions& options) {
  flags.texts("SPACE", options.paths,
              "Space files; leave out with --device replay:FILE to search the recording", "FILE");
  flags.database(options.database);
  flags.device(options.device, DeviceUse::run,
               "Device to run on; auto: the first GPU, else the CPU; cuda:all: all GPUs of its model; "
               "replay:FILE: recorded trials instead of a device");
  flags.collected("--only", options.only, "Search only these values: way=naive,tileM=64,128; may be repeated",
                  "PARAMETER=VALUE,…");
  flags.parsed("--strategy", options.strategy, parse_strategy, "Search strategy; default: the space file's",
               strategy_choices());
  flags.settings(options.settings);
  flags.choice("--effort", options.effort,
               "Replace the space file's limits. quick: about three seconds per problem; normal: until the "
               "model expects little gain; thorough: until it expects almost none");
  flags.parsed("--trials", options.trials, parse_count,
               "Stop after N trials per problem, earlier ones included; 0: no limit", "N");
  flags.parsed("--time", options.seconds, parse_seconds,
               "Stop after TIME per problem, earlier runs included: 60s, 2min; 0: no limit", "TIME");
  flags.parsed("--gain", options.gain, parse_gain,
               "Stop when 60 trials in a row (thorough: 300) improved the best time by less than PERCENT and "
               "the model "
               "expects no more from the next one; 0: never; default: the effort's, if neither trials nor "
               "time are limited",
               "PERCENT");
  flags.on("--cold", options.cold, "Do not learn from other problems, devices and versions of the kernel");
  flags.parsed("--seed", options.device.seed, parse_count, "Seed of the search", "N");
  flags.worker(options.device);
  flags.choice("--regime", options.regime,
               "Caches before each launch: cold (empty) or hot (left as they are by the launch before)");
  flags.parsed("--pace", options.pace_s, parse_seconds, "Let each trial of a replay take this long: 50ms",
               "TIME");
  flags.quiet(options.quiet);
}

std::vector<OpenedSpaces> selected_spaces(const RunOptions& options, Context& context) {
  auto groups = read_files(options.paths, options.device.choice, options.device,
                           unsafe_options(options.device), context);
  for (OpenedSpaces& group : groups) {
    for (Definition& definition : group.definitions) {
      asked_or_end(definition.path + ": --only", select_values(definition.parameters, options.only), context);
      // Check the selections for every file before tuning any.
      definition.kernel.listed_problems = asked_or_end(
          definition.path + ": --problem", select_problems(definition.kernel, options.problems), context);
      if (options.regime) definition.kernel.regime = *options.regime;
    }
  }
  return groups;
}

std::unique_ptr<Database> open_store(const RunOptions& options, const std::function<bool()>& caught,
                                     Context& context) {
  const auto path = store_path(options, context);
  auto store = value_or_end(
      path.empty() ? Database::in_memory() : Database::open(path, Database::Access::write), context);
  std::filesystem::path cache = options.device.cache_dir;
  if (cache.empty()) cache = context.environment.cache_dir;
  // Without a folder for the journal, an outage is an error.
  if (store->is_on_server() && !cache.empty()) bridge_outages(*store, cache / "journal", caught, context);
  return store;
}

ExitCode tune_all(const RunOptions& options, const std::vector<OpenedSpaces>& groups, Database& store,
                  const std::function<bool()>& caught, Context& context) {
  const TuneSettings settings = {
      .workers = worker_settings(options.device, context),
      .strategy = options.strategy,
      .options = options.settings,
      .effort = options.effort,
      .trials = options.trials,
      .seconds = options.seconds,
      .gain = options.gain,
      .earlier = options.fresh ? TuneRequest::Earlier::ignored : TuneRequest::Earlier::resumed,
      .related = options.cold ? TuneRequest::Related::ignored : TuneRequest::Related::used,
      .pace_s = options.pace_s,
      .host_name = context.environment.host_name,
      .command_line = context.environment.command_line};
  RunScreen screen(options, caught, context);
  const RunEvents events = screen.events();
  Json devices = Json::array();
  for (const OpenedSpaces& group : groups) {
    devices.push_back(json_of(group.device.info));
    screen.begin(group.device.info);
    if (tune_spaces(group, settings, store, events) == RunEnd::cut_short) break;
  }
  if (!options.format.is_text()) screen.print_results(std::move(devices));
  return screen.code();
}

namespace {

std::vector<std::string> kernels_of(const std::vector<OpenedSpaces>& groups) {
  std::vector<std::string> kernels;
  for (const OpenedSpaces& group : groups) {
    for (const Definition& definition : group.definitions) kernels.push_back(definition.kernel.name);
  }
  return kernels;
}

void declare(Flags& flags, RunOptions& options) {
  declare_tuning(flags, options);
  flags.problem(options.problems);
  flags.on("--fresh", options.fresh, "Measure everything again");
  flags.text("--report", options.report, "Write an HTML report of these kernels at the end", "FILE");
  const Flag queue = flags.on("--queue", options.queue,
                              "Do not tune: add the problems to the queue of the database, for gktune serve");
  flags
      .parsed("--priority", options.priority, parse_count,
              "Problems with a larger one leave the queue earlier", "N")
      .needs(queue);
  flags
      .text("--on", options.on,
            "The device that may take them from the queue: its name or a part of the name", "DEVICE")
      .needs(queue);
  const Flag events = flags.on("--events", options.events,
                               "Print each step as it happens, for programs: a JSON object in each line");
  flags.table_format(options.format, &events);
  flags.on("--verbose", options.verbose, "Print also how long inputs and reference took");
}

ExitCode add_to_queue(const RunOptions& options, const std::vector<OpenedSpaces>& groups, Database& store,
                      Context& context) {
  std::vector<QueuedProblem> problems;
  for (const OpenedSpaces& group : groups) {
    for (const Definition& definition : group.definitions) {
      for (const Problem& problem : problems_of(definition.kernel))
        problems.push_back({.kernel = definition.kernel.name,
                            .problem = problem,
                            .device = options.on,
                            .priority = options.priority,
                            .trials = options.trials.value_or(0),
                            .seconds = options.seconds.value_or(0)});
    }
  }
  const auto waiting = value_or_end(store.enqueue(problems), context);
  context.out << fmt::format("{} of {} in the queue\n", format_things(waiting, "problem"), problems.size());
  return ExitCode::done;
}

ExitCode run(const RunOptions& options, Context& context) {
  if (options.quiet) context.log.silence();
  if (options.device.choice.kind == DeviceChoice::Kind::architecture && !options.queue) {
    return fail(
        context, ExitCode::usage,
        "--device " + options.device.choice.architecture + ": a GPU that is not present cannot time anything",
        "gktune check SPACE --device " + options.device.choice.architecture + " compiles for it");
  }
  const bool is_replay = options.device.choice.kind == DeviceChoice::Kind::replay;
  if (options.paths.empty() && !is_replay) return fail_usage(context, "SPACE is required");
  // Find out before the work, not after it.
  if (!options.report.empty()) asked_or_end("--report", check_report_path(options.report), context);
  const auto groups = selected_spaces(options, context);
  const auto caught = context.catch_interrupts();
  auto store = open_store(options, caught, context);
  if (options.queue) return add_to_queue(options, groups, *store, context);
  const ClosedMemory closed;
  const ExitCode code = tune_all(options, groups, *store, caught, context);
  if (options.report.empty()) return code;
  auto written = write_report(*store, kernels_of(groups), options.report);
  if (!written) return worse(code, fail(context, written.error()));
  context.log.info(written->text());
  return code;
}

}  // namespace

Command run_command() {
  return make_command<RunOptions>(
      "run", "Tune a kernel: find the fastest configuration of each problem",
      "gktune run spaces/reduce.yaml --problem n=1Mi,element=int --time 60s", declare, run,
      "This command executes the code of a space file and its sources with your rights: run only files that "
      "you trust.");
}

}  // namespace gktune
