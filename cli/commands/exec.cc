// gktune exec: runs one trial, or a candidate of a judge, in this process, for debuggers, sanitizers and
// profilers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <tuple>

#include "cli/command.h"
#include "cli/output/screen.h"
#include "engine/execution.h"
#include "engine/selection.h"
#include "tuner/core/text.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

struct ExecOptions {
  std::string which, space, database;
  std::vector<std::string> problems, only;  // of a candidate
  DeviceFlags device;
  std::int64_t runs = 2;
  bool is_debugged = false, skips_check = false;
  TableFormat format;
};

Result<std::int64_t> parse_runs(std::string_view text) {
  auto runs = parse_count(text);
  if (!runs || (*runs >= 1 && *runs <= std::numeric_limits<int>::max())) return runs;
  return Error{
      fmt::format("'{}' is not a number of runs from 1 to {}", text, std::numeric_limits<int>::max())};
}

void declare(Flags& flags, ExecOptions& options) {
  flags
      .text("TRIAL", options.which,
            "A trial's id from `gktune db show`; a study to take the winner of: "
            "KERNEL[/AXIS=VALUE,…][@DEVICE]; or a candidate of `gktune judge` (.cu)",
            "ID|KERNEL|FILE")
      .required();
  flags.text("SPACE", options.space, "Space file of the trial or of the candidate", "FILE").required();
  flags.database(options.database);
  flags.device(
      options.device, DeviceUse::run,
      "Device to run on; auto: the first one of the trial's kind; for a candidate the first GPU, else "
      "the CPU");
  flags.collected("--problem", options.problems, "A candidate's problem; default: the first of the space",
                  "AXIS=VALUE,…");
  flags.collected("--only", options.only, "A candidate's parameters; default: its default configuration",
                  "PARAMETER=VALUE,…");
  flags.parsed("--runs", options.runs, parse_runs, "Run and check it N times", "N").shown_default("2");
  flags.on("--debug", options.is_debugged, "Compile for a debugger: without optimisation, with variables");
  flags.on("--no-check", options.skips_check, "Do not compare the outputs with those of the reference");
  flags.compiler(options.device.cache_dir, options.device.allows_unsafe_options);
  flags.table_format(options.format);
}

// Prints why there is no such device to run on.
BackendName chosen_device(const ExecOptions& options, const Study& study, Context& context) {
  using Kind = DeviceChoice::Kind;
  const DeviceChoice& choice = options.device.choice;
  if (choice.kind == Kind::automatic) return BackendName{study.device.kind, 0};
  if (choice.kind == Kind::host) return BackendName{"host", 0};
  if (choice.kind == Kind::gpu && choice.extent == DeviceChoice::Extent::one)
    return BackendName{choice.gpu_kind, choice.ordinal.value_or(0)};
  throw Ended{fail_usage(context, "--device: a trial runs on one device: host, cuda or cuda:N")};
}

// "float", "unsigned char", "std::int64_t", "-O3": words that contain no calls.
bool is_harmless(const Value& value, const std::vector<Value>& listed) {
  if (!value.is_text() || std::ranges::find(listed, value) != listed.end()) return true;
  return std::ranges::all_of(value.text(), [](char c) {
    return is_word(c) || c == ' ' || c == ':' || c == '.' || c == '-' || c == '+';
  });
}

// Values become macros, template arguments and options: a database from somebody else must not inject code.
// Returns a text such as "threadsPerBlock='…'"; nothing if all values are harmless.
std::optional<std::string> unsafe_value(const Definition& definition, const Trial& trial) {
  const auto find = [](const NamedValues& values, const auto& known,
                       auto name_of) -> std::optional<std::string> {
    for (const auto& [name, value] : values) {
      const auto one = std::ranges::find(known, name, name_of);
      if (!is_harmless(value, one == known.end() ? std::vector<Value>() : one->values))
        return fmt::format("{}='{}'", name, value.text());
    }
    return std::nullopt;
  };
  auto unsafe = find(trial.config, definition.parameters, &Parameter::name);
  return unsafe ? unsafe : find(trial.problem, definition.kernel.axes, &Axis::name);
}

Result<Definition, std::vector<Diagnostic>> read_for(const std::string& device_kind,
                                                     const ExecOptions& options) {
  return read_space_file(
      options.space,
      {.device_kind = device_kind, .strategies = {}, .unsafe_options = unsafe_options(options.device)});
}

// Reads the space file and checks that the trial's kernel is in it and that its values are no code.
Definition read_definition(const ExecOptions& options, const StudiedTrial& found,
                           const std::string& device_kind, Context& context) {
  const auto& [study, trial] = std::tie(found.study, found.trial);
  auto definition = value_or_end(read_for(device_kind, options), context);
  if (definition.kernel.name != study.kernel) {
    throw Ended{fail(context, ExitCode::failed,
                     fmt::format("trial {} belongs to kernel {}, but {} describes {}", trial.id, study.kernel,
                                 options.space, definition.kernel.name))};
  }
  if (const auto unsafe = unsafe_value(definition, trial)) {
    throw Ended{fail(context, ExitCode::failed,
                     fmt::format("trial {} has {}, which {} does not list: it could run any code", trial.id,
                                 *unsafe, options.space))};
  }
  const auto as_tuned = read_for(study.device.kind, options);
  if (!as_tuned || as_tuned->fingerprint != study.fingerprint) {
    context.log.warning(
        fmt::format("{} or one of its sources has changed since trial {}", options.space, trial.id));
  }
  return definition;
}

// Picks among studies that differ only in their versions: the version of the space file, or else the latest.
const StudySummary& version_of_space(const std::vector<StudySummary>& versions, const ExecOptions& options) {
  const auto definition = read_for(versions.front().study.device.kind, options);
  return *std::ranges::max_element(versions, {}, [&](const StudySummary& each) {
    return std::pair(definition && definition->fingerprint == each.study.fingerprint, each.updated_unix_ms);
  });
}

// The number of the winner of the study that the argument names.
std::int64_t find_winner(const ExecOptions& options, const Database& store, Context& context) {
  const auto studies = value_or_end(store.studies(Counts::ignored), context);
  const auto named = named_studies(studies, options.which);
  if (!named) throw Ended{fail_selection(options.database, named.error().message, context)};
  std::set<std::string> texts;
  for (const StudySummary& each : *named) texts.insert(study_text(each.study));
  if (texts.size() > 1) {
    const std::string examples = *texts.begin() + ", " + *texts.rbegin();
    throw Ended{fail_selection(
        options.database,
        fmt::format("'{}' names {} studies, among them {}", options.which, texts.size(), examples), context)};
  }
  const StudySummary& study = version_of_space(*named, options);
  const auto winner = value_or_end(store.winner(study.id), context);
  if (winner) return winner->trial.id;
  throw Ended{fail(context, ExitCode::failed, study_text(study.study) + " has no winner",
                   fmt::format("gktune db show {} --failed{} lists its trials", study.id,
                               database_flag(options.database)))};
}

StudiedTrial find_trial(const ExecOptions& options, Context& context) {
  const auto store = open_database(options.database, context);
  auto number = number_in(options.which);
  if (!number) number = find_winner(options, *store, context);
  auto found = value_or_end(store->trial(*number), context);
  if (found) return *std::move(found);
  throw Ended{fail(
      context, ExitCode::failed, fmt::format("there is no trial {}", *number),
      fmt::format("gktune db show STUDY{} lists the trials of a study", database_flag(options.database)))};
}

// The trial or the candidate that runs in this process.
struct Subject {
  Field name;
  Definition definition;
  Config config;
  Problem problem;
  BackendName device;
};

Subject trial_of(const ExecOptions& options, Context& context) {
  if (!options.problems.empty() || !options.only.empty())
    throw Ended{fail_usage(context, "--problem and --only choose for a candidate; a trial has both")};
  auto found = find_trial(options, context);
  BackendName device = chosen_device(options, found.study, context);
  Definition definition = read_definition(options, found, device.kind, context);
  return {{"trial", found.trial.id}, std::move(definition), found.trial.config, found.trial.problem, device};
}

Subject candidate_of(const ExecOptions& options, Context& context) {
  const OpenedSpace opened = read_file(options.space, options.device.choice, options.device,
                                       unsafe_options(options.device), context);
  auto definition = value_or_end(
      read_candidate_file(options.which, opened.definition, {.device_kind = opened.device.info.kind}),
      context);
  if (opened.device.backends.size() != 1)
    throw Ended{fail_usage(context, "--device: a candidate runs on one device: host, cuda or cuda:N")};
  const auto problems =
      asked_or_end("--problem", select_problems(definition.kernel, options.problems), context);
  if (!options.problems.empty() && problems.size() != 1)
    throw Ended{fail_usage(context, fmt::format("--problem: {} problems; name one", problems.size()))};
  asked_or_end("--only", select_values(definition.parameters, options.only), context);
  const auto space = value_or_end(space_of(definition, problems.front(), opened.device.info), context);
  return {{"candidate", options.which},
          std::move(definition),
          *space.default_config(),
          problems.front(),
          opened.device.backends.front()};
}

// The kernel may end the process: what runs is printed before.
void print_start(const Subject& subject, Context& context) {
  const std::string problem = problem_text(subject.problem), config = subject.config.str();
  context.out << fmt::format("{} {}: {}{}{}{}{}\n", subject.name.key, text_of(subject.name.cell, Unit::none),
                             subject.definition.kernel.name, problem.empty() ? "" : " ", problem,
                             config.empty() ? "" : " with ", config)
              << std::flush;
}

void print_end(const Execution& execution, Context& context) {
  const RunReply& reply = execution.reply;
  context.out << status_name(reply.status);
  if (!reply.message.empty()) context.out << ": " << with_short_lines(reply.message);
  if (!reply.message.ends_with('\n')) context.out << '\n';
  constexpr std::size_t kTimesShown = 10;
  std::vector<std::string> times;
  for (const double time_us : reply.samples_us) {
    if (times.size() < kTimesShown) times.push_back(format_time_us(time_us));
  }
  const std::size_t count = reply.samples_us.size();
  if (count > kTimesShown) times.push_back(fmt::format("and {} more", count - kTimesShown));
  if (count > 0)
    context.out << fmt::format("{} on {}: {}\n", count == 1 ? "1 run" : fmt::format("{} runs", count),
                               execution.device.name, fmt::join(times, ", "));
  context.out << std::flush;
}

Record execution_record(const Subject& subject, const Execution& execution) {
  return {subject.name,
          {"kernel", subject.definition.kernel.name},
          {"problem", problem_cell(subject.problem)},
          {"config", subject.config},
          {"device", execution.device.name},
          {"status", execution.reply.status},
          {"message", execution.reply.message},
          {"times_us", execution.reply.samples_us, Unit::microseconds, "times"}};
}

ExitCode run(const ExecOptions& options, Context& context) {
  const Subject subject =
      options.which.ends_with(".cu") ? candidate_of(options, context) : trial_of(options, context);
  if (options.format.is_text()) print_start(subject, context);
  const Environment& environment = context.environment;
  BackendOptions backend{.cuda_home = environment.cuda_home,
                         .cache_dir = worker_settings(options.device, context).cache_dir.string()};
  if (!environment.cxx.empty()) backend.cxx = environment.cxx;
  const auto executed = value_or_end(execute_here({.kernel = subject.definition.kernel,
                                                   .config = subject.config,
                                                   .problem = subject.problem,
                                                   .device = subject.device,
                                                   .options = backend,
                                                   .needs_debugging = options.is_debugged,
                                                   .is_compared = !options.skips_check,
                                                   .runs = static_cast<int>(options.runs)}),
                                     context);
  if (options.format.is_text()) {
    print_end(executed, context);
  } else {
    print_one(execution_record(subject, executed), options.format, context);
  }
  return executed.reply.status == Status::ok ? ExitCode::done : ExitCode::failed;
}

}  // namespace

Command exec_command() {
  return make_command<ExecOptions>(
      "exec", "Run one trial or candidate in this process, for debuggers, sanitizers and profilers",
      "cuda-gdb --args gktune exec 17 spaces/reduce.yaml --debug", declare, run,
      "The kernel runs in the process of gktune itself, without a time limit: a crash of the kernel ends "
      "it.\n"
      "A space file and its sources are code: run only files that you trust.");
}

}  // namespace gktune
