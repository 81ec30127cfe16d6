// gktune judge: finds out whether kernels that people or programs wrote are right, and how fast they are.
#include "engine/judge.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <semaphore>
#include <set>
#include <string>
#include <utility>

#include "cli/command.h"
#include "cli/output/progress.h"
#include "cli/output/screen.h"
#include "engine/selection.h"
#include "tuner/core/content_key.h"
#include "tuner/core/files.h"
#include "tuner/core/quantity.h"
#include "tuner/core/text.h"
#include "tuner/core/version.h"
#include "tuner/device/worker/folders.h"
#include "tuner/process/sandbox.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

namespace fs = std::filesystem;

struct JudgeOptions {
  std::string space, database;
  std::vector<std::string> candidates, baselines, problems;
  DeviceFlags device;
  std::optional<double> within;
  double seconds = 10;
  bool is_fresh = false, needs_sandbox = false, reads_lines = false;
  TableFormat format;
  bool quiet = false;
};

Result<double> parse_effect(std::string_view text) {
  auto share = parse_percent(text);
  if (share && (*share <= 0 || *share > 1))
    return Error{fmt::format("'{}' is not above 0 and at most 100%", text)};
  return share;
}

Result<double> parse_limit(std::string_view text) {
  auto seconds = parse_seconds(text);
  if (seconds && *seconds <= 0) return Error{fmt::format("'{}' is no time", text)};
  return seconds;
}

void declare(Flags& flags, JudgeOptions& options) {
  flags.text("SPACE", options.space, "Space file with the problems, the arguments and the reference", "FILE")
      .required();
  flags.texts("CANDIDATE", options.candidates, "Kernels (.cu) that begin with a block: /* gktune … */",
              "FILE");
  flags.collected("--baseline", options.baselines,
                  "Compare with the space's default configuration, with its winner in the database, or with "
                  "another candidate; may be repeated; default: default",
                  "default|best|FILE");
  flags.parsed("--within", options.within, parse_effect,
               "Fail if a candidate is slower than a baseline by more than PERCENT; default: 1% is the "
               "smallest difference that counts, and the speed decides nothing",
               "PERCENT");
  flags
      .parsed(
          "--time", options.seconds, parse_limit,
          "Limit of the search for a candidate's best configuration and of the comparison, for each problem",
          "TIME")
      .shown_default("10s");
  flags.on("--fresh", options.is_fresh, "Judge again what has a verdict");
  flags.on("--require-sandbox", options.needs_sandbox,
           "Judge only where files, sockets and processes can be forbidden to candidates");
  const Flag lines = flags.on(
      "--jsonl", options.reads_lines,
      "Read candidates from standard input, a JSON object in each line: {\"candidate\": FILE}; print each "
      "with its verdict in a line");
  flags.database(options.database);
  flags.device(options.device, DeviceUse::run,
               "Device to run on; auto: the first GPU, else the CPU; the sanitizer uses the CPU");
  flags.problem(options.problems);
  flags.parsed("--seed", options.device.seed, parse_count, "Seed of the search and of the order of threads",
               "N");
  flags.worker(options.device);
  flags.table_format(options.format, &lines);
  flags.quiet(options.quiet);
}

// A command that shows the failure again.
std::string command_for(const std::string& candidate, const Judgement& judgement, const JudgeOptions& options,
                        const std::string& device) {
  if (judgement.is_accepted() || judgement.stage == JudgeStage::read) return {};
  const std::string problem =
      judgement.problem.empty() ? "" : " --problem " + shell_word(problem_text(judgement.problem));
  const std::string space = shell_word(options.space), file = shell_word(candidate);
  const std::string seed = judgement.seed == 0 ? "" : fmt::format(" --seed {}", judgement.seed);
  if (judgement.stage == JudgeStage::sanitize)
    return fmt::format("gktune check {} --candidate {} --sanitize{}{}", space, file, problem, seed);
  if (judgement.stage == JudgeStage::compile)
    return fmt::format("gktune check {} --candidate {} --device {}{}", space, file, device, problem);
  return fmt::format("gktune judge {} {} --device {}{}{} --fresh", space, file, device, problem, seed);
}

std::string relation_text(const Speedup& speedup) {
  std::string text(enum_name(speedup.relation));
  if (speedup.relation == Relation::undecided && speedup.is_not_slower) text = "not slower";
  return text;
}

Record comparison_record(const BaselineComparison& each) {
  const auto number = [](double value) { return value > 0 ? Cell(format_number(value), value) : Cell(); };
  return {{"baseline", each.baseline},
          {"problem", problem_cell(each.problem)},
          {"config", each.config, Unit::none, "configuration"},
          {"baseline_config", each.baseline_config, Unit::none, "", kSheets},
          {"regime", each.regime},
          {"time_us", json_above_zero(each.time_us), Unit::microseconds, "time"},
          {"baseline_us", json_above_zero(each.baseline_us), Unit::microseconds, "baseline's"},
          {"speedup", number(each.speedup.factor)},
          {"low", number(each.speedup.low), Unit::none, "from"},
          {"high", number(each.speedup.high), Unit::none, "to"},
          {"relation", each.rounds == 0 ? each.failure : relation_text(each.speedup)},
          {"rounds", json_above_zero(each.rounds), Unit::count}};
}

class JudgeReport {
 public:
  JudgeReport(const JudgeOptions& options, std::string device, Context& context)
      : options_(options), device_(std::move(device)), context_(context), table_(row({}, {}, {})) {}

  // `asked`: the object of a line.
  void add(const std::string& candidate, const Judgement& judgement, const Json& asked) {
    note_code(judgement);
    const std::string command = command_for(candidate, judgement, options_, device_);
    if (options_.format.is_text() && !options_.reads_lines) return print(candidate, judgement, command);
    Json json = asked;
    json["candidate"] = candidate;
    json.update(written<Json>(judgement));
    json["resources"] = json_of(judgement.resources);
    if (!command.empty()) json["reproduce"] = command;
    if (options_.reads_lines) {
      print_line(context_.out, json);
      context_.out << std::flush;
      return;
    }
    verdicts_.push_back(std::move(json));
    if (judgement.comparisons.empty()) table_.add(row(candidate, judgement, {}));
    for (const auto* all : {&judgement.comparisons, &judgement.in_other_regime})
      for (const BaselineComparison& each : *all) table_.add(row(candidate, judgement, each));
  }

  ExitCode finish() {
    if (!options_.format.is_text() && !options_.reads_lines)
      table_.print(context_, options_.format, verdicts_);
    return code_;
  }

 private:
  static Record row(const std::string& candidate, const Judgement& judgement,
                    const BaselineComparison& each) {
    Record record = {{"candidate", candidate}, {"verdict", judgement.verdict}};
    for (Field& field : comparison_record(each)) record.push_back(std::move(field));
    if (!judgement.is_accepted()) record[3].cell = problem_cell(judgement.problem);
    record.insert(record.end(), {{"code", judgement.code},
                                 {"stage", judgement.stage},
                                 {"status", judgement.status},
                                 {"message", judgement.message}});
    return record;
  }

  void note_code(const Judgement& judgement) {
    ExitCode code = ExitCode::done;
    if (!judgement.is_accepted() || (options_.within && judgement.is_slower())) {
      code = ExitCode::failed;
    } else if (options_.within && !judgement.is_not_slower()) {
      code = ExitCode::undecided;
    }
    if (code_ == ExitCode::done || code == ExitCode::failed) code_ = code;
  }

  void print(const std::string& candidate, const Judgement& judgement, const std::string& command) {
    std::ostream& out = context_.out;
    const Screen& screen = context_.out_screen;
    const Ink ink = judgement.is_accepted() ? Ink::green : Ink::red;
    out << candidate << ": " << paint(screen, ink, enum_name(judgement.verdict))
        << (judgement.code == CodeClass::host_code ? " (host code)\n" : "\n");
    if (!judgement.is_accepted()) {
      out << enum_name(judgement.stage) << ": " << status_name(judgement.status);
      for (const std::string& part : {problem_text(judgement.problem), judgement.config.str()})
        if (!part.empty()) out << ", " << part;
      out << '\n' << with_short_lines(judgement.message) << (judgement.message.ends_with('\n') ? "" : "\n");
    }
    if (!command.empty()) out << "shown by: " << command << '\n';
    for (const std::string& note : judgement.notes) out << "note: " << with_short_lines(note) << '\n';
    Table table;
    for (const auto* all : {&judgement.comparisons, &judgement.in_other_regime})
      for (const BaselineComparison& each : *all) table.add(comparison_record(each));
    if (!table.empty()) table.print(out, screen);
    for (const LimitShare& each : judgement.limits)
      out << fmt::format("{}: {:.0f}% of the device's {} peak of {} {}\n", problem_text(each.problem),
                         100 * each.share, enum_name(each.limit), format_number(each.peak), each.unit);
    for (const BaselineMean& each : judgement.means) {
      const Speedup& mean = each.speedup;
      out << fmt::format("{} times as fast as {} ({} to {}): {}\n", format_number(mean.factor), each.baseline,
                         format_number(mean.low), format_number(mean.high), relation_text(mean));
    }
    out << std::flush;
  }

  const JudgeOptions& options_;
  std::string device_;
  Context& context_;
  Table table_;
  Json verdicts_ = Json::array();
  ExitCode code_ = ExitCode::done;
};

// The verdicts of candidates that were judged under the same conditions, in files.
class Verdicts {
 public:
  // `conditions`: all but the candidate.
  Verdicts(fs::path folder, std::string conditions)
      : folder_(std::move(folder)), conditions_(std::move(conditions)) {}

  std::optional<Judgement> find(const Definition& candidate) const {
    const auto text = read_whole(path_of(candidate));
    if (!text) return std::nullopt;
    try {
      return read_as<Judgement>(Json::parse(*text));
    } catch (const std::exception&) {  // of another version
      return std::nullopt;
    }
  }

  // Another judgement may decide what this one left open.
  void keep(const Definition& candidate, const Judgement& judgement) const {
    const bool is_final = judgement.verdict != Ruling::not_judged && !judgement.was_stopped;
    const bool is_open = std::ranges::any_of(judgement.comparisons, [](const BaselineComparison& each) {
      return each.speedup.relation == Relation::undecided;
    });
    if (is_final && !is_open && make_private_folder(folder_))
      (void)write_atomically(path_of(candidate), written<Json>(judgement).dump());
  }

 private:
  fs::path path_of(const Definition& candidate) const {
    return folder_ /
           (content_key(conditions_ + candidate.kernel.source_text + candidate.fingerprint) + ".json");
  }

  fs::path folder_;
  std::string conditions_;
};

// The winners of the space's problems.
Baseline best_of(const std::shared_ptr<const Definition>& space, const std::vector<Problem>& problems,
                 const DeviceInfo& device, const JudgeOptions& options, Context& context) {
  Baseline best{"best", space};
  const auto store = open_database(options.database, context);
  for (const Winner& winner : value_or_end(store->winners(space->kernel.name), context)) {
    if (winner.study.fingerprint == space->fingerprint && winner.study.device == identity_of(device) &&
        winner.study.regime == space->kernel.regime)
      best.configs[winner.study.problem.json()] = winner.trial.config;
  }
  for (const Problem& problem : problems) {
    if (best.configs.contains(problem.json())) continue;
    throw Ended{fail(context, ExitCode::failed,
                     fmt::format("the database has no winner of {} {} on {}", space->kernel.name,
                                 problem_text(problem), device.name),
                     "gktune run " + options.space + database_flag(options.database))};
  }
  return best;
}

std::vector<Baseline> baselines_of(const std::shared_ptr<const Definition>& space,
                                   const std::vector<Problem>& problems, const DeviceInfo& device,
                                   const ReadOptions& read, const JudgeOptions& options, Context& context) {
  std::vector<std::string> names = options.baselines;
  if (names.empty()) names.emplace_back("default");
  std::vector<Baseline> baselines;
  for (const std::string& name : names) {
    if (std::ranges::count(names, name) > 1)
      throw Ended{fail_usage(context, "--baseline: " + name + " is there twice")};
    if (name == "default") {
      baselines.push_back({name, space});
    } else if (name == "best") {
      baselines.push_back(best_of(space, problems, device, options, context));
    } else {
      auto definition = value_or_end(read_candidate_file(name, *space, read), context);
      baselines.push_back({name, std::make_shared<const Definition>(std::move(definition))});
      baselines.back().is_searched = true;
    }
  }
  return baselines;
}

// Everything that a verdict depends on besides the candidate.
std::string conditions_of(const JudgeRequest& request, const std::string& space_text) {
  Json all = {
      written<Json>(request.sandbox), std::string(kVersion), space_text,      request.space->fingerprint,
      json_of(request.device.info),   request.effect,        request.seconds, request.workers.seed};
  for (const Problem& problem : request.problems) all.push_back(problem.json());
  for (const Baseline& baseline : request.baselines) {
    all.push_back(baseline.name + baseline.definition->kernel.source_text + baseline.definition->fingerprint);
    for (const auto& [problem, config] : baseline.configs) all.push_back(problem + config.json());
  }
  return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Judgement unreadable(const std::vector<Diagnostic>& diagnostics) {
  Judgement judgement;
  judgement.verdict = Ruling::does_not_compile;
  judgement.status = Status::invalid;
  for (const Diagnostic& each : diagnostics) judgement.message += each.str() + '\n';
  return judgement;
}

std::string folder_of(const std::string& path) {
  return path.empty() ? path : fs::absolute(fs::path(path)).parent_path().string();
}

// Lets compilers and the workers of a CPU use no files but the system's, the cache and the folders of these
// and of the space's files.
void add_sandbox(JudgeRequest& request, const std::vector<std::string>& paths, const JudgeOptions& options,
                 Context& context) {
  const auto supported = check_sandbox();
  if (!supported && options.needs_sandbox)
    throw Ended{fail(context, ExitCode::failed, supported.error().message)};
  if (!supported) return context.log.info(supported.error().message);
  const fs::path cache = value_or_end(make_private_folder(request.workers.cache_dir), context);
  const KernelDefinition& kernel = request.space->kernel;
  std::set<std::string> folders = {folder_of(options.space), folder_of(kernel.source_path),
                                   context.environment.cuda_home};
  // A compiler's own headers and programs are beside its folder; one without a path is among the system's.
  if (const std::string& cxx = context.environment.cxx; cxx.find('/') != cxx.npos)
    folders.insert(folder_of(folder_of(cxx)));
  for (const std::string& path : paths) folders.insert(folder_of(path));
  if (kernel.reference) folders.insert(folder_of(kernel.reference->path));
  if (kernel.verifier) folders.insert(folder_of(kernel.verifier->path));
  for (const std::string& folder : kernel.include_dirs)
    folders.insert(fs::absolute(fs::path(folder)).string());
  std::vector<std::string>& argv = request.workers.argv;
  argv.insert(argv.end(), {"--sandbox", cache.string()});
  for (const std::string& folder : folders)
    if (!folder.empty()) argv.insert(argv.end(), {"--readable", folder});
  request.sandbox = {"files", "sockets", "processes"};
}

// One request of the queue: a candidate, or the answer to a line that names none.
struct Asked {
  std::string path;
  Json object = Json::object();  // of the line
  std::string error;
};

// The candidates of the command line or of standard input.
class CandidateSource {
 public:
  CandidateSource(const JudgeOptions& options, std::function<bool()> stop)
      : paths_(options.candidates), reads_lines_(options.reads_lines), stop_(std::move(stop)) {}

  // Waits for a line only if it may. Nothing: there is none, or none yet.
  std::optional<Asked> next(bool may_wait) {
    if (!reads_lines_) {
      if (next_path_ == paths_.size()) return std::nullopt;
      return Asked{paths_[next_path_++]};
    }
    while (auto line = next_line(may_wait))
      if (!trimmed(*line).empty()) return asked_by(*line);
    return std::nullopt;
  }

 private:
  static Asked asked_by(const std::string& line) {
    Json asked = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!asked.is_object() || !asked.contains("candidate") || !asked["candidate"].is_string())
      return {.error = "expected {\"candidate\": FILE}, found " + line};
    return {asked["candidate"].get<std::string>(), std::move(asked), {}};
  }

  std::optional<std::string> next_line(bool may_wait) {
    std::size_t end;
    while ((end = read_.find('\n')) == read_.npos && !is_at_end_ && !stop_()) {
      pollfd wait{STDIN_FILENO, POLLIN, 0};
      if (::poll(&wait, 1, may_wait ? -1 : 0) <= 0) {
        if (may_wait) continue;  // a signal
        return std::nullopt;
      }
      std::array<char, 65536> bytes;
      const ssize_t got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
      if (got > 0) read_.append(bytes.data(), static_cast<std::size_t>(got));
      is_at_end_ = got == 0 || (got < 0 && errno != EINTR);
    }
    if (end == read_.npos && (read_.empty() || !is_at_end_)) return std::nullopt;
    std::string line = read_.substr(0, end);
    read_.erase(0, end == read_.npos ? end : end + 1);
    return line;
  }

  std::vector<std::string> paths_;
  std::size_t next_path_ = 0;
  bool reads_lines_, is_at_end_ = false;
  std::function<bool()> stop_;
  std::string read_;  // and not a complete line yet
};

// Judges candidates and reports them in their order. Several are examined while one is judged on a GPU. A CPU
// would be disturbed: there several are examined, and then judged one after another.
class JudgeRun {
 public:
  JudgeRun(const JudgeOptions& options, JudgeRequest request, std::string conditions, ReadOptions read,
           Context& context)
      : options_(options),
        context_(context),
        space_(request.space),
        read_(std::move(read)),
        is_host_(request.device.info.kind == "host"),
        examiners_(compile_jobs(request.workers)),
        verdicts_(request.workers.cache_dir / "verdicts", std::move(conditions)),
        progress_(context.err, context.err_screen,
                  options.quiet ? Progress::Mode::hidden : Progress::Mode::shown),
        report_(options, request.device.info.kind, context),
        stop_(context.catch_interrupts()),
        free_examiners_(examiners_),
        judge_(std::move(request), {[this](JudgeStage stage) { show(stage); }, stop_}) {
    state_.total = std::ssize(options.candidates);
  }

  ExitCode judge_all() {
    CandidateSource source(options_, stop_);
    std::deque<Queued> queue;
    const auto most = static_cast<std::size_t>(4 * examiners_);
    for (;;) {
      std::vector<Asked> asked;
      while ((queue.empty() || !is_host_) && queue.size() + asked.size() < most) {
        auto next = source.next(/*may_wait=*/queue.empty() && asked.empty());
        if (!next) break;
        asked.push_back(*std::move(next));
      }
      const bool is_alone = queue.empty() && asked.size() == 1;
      for (Asked& each : asked) queue.push_back(begin(std::move(each), is_alone));
      if (stop_()) throw Ended{ExitCode::interrupted};
      if (queue.empty()) return report_.finish();
      end(queue);
    }
  }

 private:
  struct Queued {
    Asked asked;
    std::optional<Definition> candidate;
    std::optional<Judgement> known;
    std::future<Result<Examined, EngineError>> examined;  // if it is not known
  };

  Queued begin(Asked asked, bool is_alone) {
    Queued queued{std::move(asked), std::nullopt, std::nullopt, {}};
    if (!queued.asked.error.empty()) {
      Diagnostic diagnostic;
      diagnostic.message = queued.asked.error;
      queued.known = unreadable({diagnostic});
      return queued;
    }
    auto candidate = read_candidate_file(queued.asked.path, *space_, read_);
    if (!candidate) {
      queued.known = unreadable(candidate.error());
      return queued;
    }
    if (!options_.is_fresh) queued.known = verdicts_.find(*candidate);
    if (!queued.known) {
      // The thread ends its processes before it ends: they end with it.
      queued.examined = std::async(std::launch::async, [this, is_alone, definition = *candidate] {
        free_examiners_.acquire();
        auto examined = judge_.examine(definition, is_alone ? options_.device.jobs : 1);
        free_examiners_.release();
        return examined;
      });
    }
    queued.candidate = *std::move(candidate);
    return queued;
  }

  // Judges and reports the first of the queue.
  void end(std::deque<Queued>& queue) {
    Queued& first = queue.front();
    state_.title = first.asked.path;
    if (!first.known) {
      show(JudgeStage::compile);
      for (Queued& each : queue)
        if (is_host_ && each.examined.valid()) each.examined.wait();
      value_or_end(judge_.get_ready(), context_);
      auto examined = value_or_end(first.examined.get(), context_);
      auto judged = judge_.judge(*first.candidate, std::move(examined));
      progress_.clear();
      first.known = value_or_end(std::move(judged), context_);
      if (first.known->was_stopped) throw Ended{ExitCode::interrupted};
      verdicts_.keep(*first.candidate, *first.known);
    }
    ++state_.done;
    report_.add(first.asked.path, *first.known, first.asked.object);
    queue.pop_front();
  }

  void show(JudgeStage stage) {
    state_.stage = enum_name(stage);
    state_.elapsed_s = wall_clock_s() - begin_s_;
    progress_.show(state_);
  }

  const JudgeOptions& options_;
  Context& context_;
  std::shared_ptr<const Definition> space_;
  ReadOptions read_;
  bool is_host_;
  int examiners_;
  Verdicts verdicts_;
  Progress progress_;
  JudgeReport report_;
  ProgressState state_;
  double begin_s_ = wall_clock_s();
  std::function<bool()> stop_;
  std::counting_semaphore<> free_examiners_;
  Judge judge_;
};

// Prints why the device, the space or a baseline cannot serve, and ends the command.
JudgeRequest make_request(const JudgeOptions& options, const ReadOptions& read, OpenedSpace opened,
                          Context& context) {
  const auto space = std::make_shared<const Definition>(std::move(opened.definition));
  if (!space->kernel.has_judge()) {
    throw Ended{
        fail(context, ExitCode::usage, options.space + " has no reference and no verifier to judge by")};
  }
  JudgeRequest request{
      .space = space,
      .device = std::move(opened.device),
      .workers = worker_settings(options.device, context),
      .problems = asked_or_end("--problem", select_problems(space->kernel, options.problems), context),
      .baselines = {},
      .effect = options.within.value_or(0.01),
      .seconds = options.seconds};
  request.baselines = baselines_of(space, request.problems, request.device.info, read, options, context);
  std::vector<std::string> paths = options.candidates;
  paths.insert(paths.end(), options.baselines.begin(), options.baselines.end());
  if (options.reads_lines) paths.emplace_back("candidate.cu");  // in the working directory
  add_sandbox(request, paths, options, context);
  return request;
}

ExitCode run(const JudgeOptions& options, Context& context) {
  if (options.quiet) context.log.silence();
  if (options.candidates.empty() != options.reads_lines)
    return fail_usage(context, options.reads_lines ? "--jsonl reads the candidates from standard input"
                                                   : "CANDIDATE is required");
  auto opened = read_file(options.space, options.device.choice, options.device,
                          unsafe_options(options.device), context);
  const std::string space_text = value_or_end(read_whole(options.space), context);
  // A candidate cannot make the compiler run programs.
  const ReadOptions read{.device_kind = opened.device.info.kind, .strategies = {}};
  JudgeRequest request = make_request(options, read, std::move(opened), context);
  std::string conditions = conditions_of(request, space_text);
  return JudgeRun(options, std::move(request), std::move(conditions), read, context).judge_all();
}

}  // namespace

Command judge_command() {
  return make_command<JudgeOptions>(
      "judge", "Find out whether kernels are right, and how fast they are",
      "gktune judge spaces/reduce.yaml mine.cu --baseline old.cu --within 1%", declare, run,
      "The exit code is 0 if all candidates are accepted, 1 if one is rejected or slower than --within "
      "allows, "
      "and 5\n"
      "if --time is over before that is decided.\n"
      "A candidate is code: this command compiles and runs it. docs/security.md says what it can do.");
}

}  // namespace gktune
