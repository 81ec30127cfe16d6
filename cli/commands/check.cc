// gktune check: finds faults in a space file and its kernel without timing anything.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

#include "cli/command.h"
#include "cli/output/progress.h"
#include "cli/output/screen.h"
#include "engine/check_session.h"
#include "engine/selection.h"
#include "tuner/core/quantity.h"
#include "tuner/process/sandbox.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

constexpr std::size_t kFindingsShown = 20;
// Configurations per problem. A few cores check these in a minute or two.
constexpr std::int64_t kSanitizedSample = 32;
// Without --sample.
constexpr double kSanitizerBeginsForS = 60;

struct CheckOptions {
  std::string path, candidate;
  DeviceFlags device;
  std::vector<std::string> problems;
  std::optional<std::int64_t> sample;
  bool sanitize = false;
  TableFormat format;
  bool quiet = false;
};

void declare(Flags& flags, CheckOptions& options) {
  flags.text("SPACE", options.path, "Space file", "FILE").required();
  flags.device(options.device, DeviceUse::compile,
               "Device to compile for; auto: the first GPU, else the CPU; sm_90: a GPU that is not present");
  flags.text("--candidate", options.candidate, "Check this candidate of `gktune judge` for the space",
             "FILE");
  flags.problem(options.problems);
  flags.parsed("--sample", options.sample, parse_count,
               "Check N configurations per problem, 0 for all; default: all, with --sanitize 32", "N");
  flags.parsed("--seed", options.device.seed, parse_count,
               "Seed of the sample and of the order of blocks and threads", "N");
  flags.on("--sanitize", options.sanitize,
           "Run on the CPU with small awkward problems and check every memory access");
  flags.worker(options.device);
  flags.table_format(options.format);
  flags.quiet(options.quiet);
}

Json finding_json(const Finding& finding) {
  Json object = {{"status", status_name(finding.status)}, {"message", finding.message}};
  object["candidates"] = Json::array();
  for (const Trial& trial : finding.trials)
    object["candidates"].push_back({{"problem", json_of(trial.problem)}, {"config", json_of(trial.config)}});
  return object;
}

// "256", "16x16"
std::string block_text(const std::array<std::int64_t, 3>& block) {
  std::string text = std::to_string(block[0]);
  if (block[1] > 1 || block[2] > 1) text += 'x' + std::to_string(block[1]);
  if (block[2] > 1) text += 'x' + std::to_string(block[2]);
  return text;
}

// The resources of the largest launch of a configuration.
Record resource_record(const Trial& trial) {
  const Json resources = json_of(trial.resources);
  const std::string block = resources["block"].is_null() ? "-" : block_text(trial.resources.block);
  return {{"registers", resources["registers"]},
          {"spill_bytes", resources["spill_bytes"], Unit::none, "spilled"},
          {"static_shared_bytes", resources["static_shared_bytes"], Unit::none, "static shared"},
          {"dynamic_shared_bytes", resources["dynamic_shared_bytes"], Unit::none, "dynamic shared"},
          json_field("grid", resources["grid"]),
          {"block", {block, resources["block"]}},
          {"problem", problem_cell(trial.problem)},
          {"config", trial.config, Unit::none, "configuration"}};
}

Table resource_table(const std::vector<Trial>& trials) {
  Table table;
  for (const Trial& trial : trials) table.add(resource_record(trial));
  return table;
}

// For programs and documents: a row for each candidate that failed, and for each that compiled for a GPU that
// is not present.
Table result_table(const CheckResult& result, bool has_resources) {
  const auto record_of = [&](const Trial& trial, Status status, const std::string& message) {
    Record record = {{"status", status}, {"message", message}};
    Record resources = resource_record(trial);
    if (!has_resources) resources.erase(resources.begin(), resources.end() - 2);  // problem and config stay
    record.insert(record.begin() + 1, resources.begin(), resources.end());
    return record;
  };
  Table table(record_of({}, Status::ok, ""));
  for (const Finding& finding : result.findings) {
    for (const Trial& trial : finding.trials) table.add(record_of(trial, finding.status, finding.message));
  }
  if (!has_resources) return table;
  for (const Trial& trial : result.passed) table.add(record_of(trial, Status::ok, ""));
  return table;
}

// The part of a compilation for a GPU that is not present that cannot be judged; nothing: none.
std::optional<std::string> not_checked(const KernelDefinition& kernel) {
  if (kernel.language == Language::host)
    return "not checked: the registers, shared memory and blocks of the kernels that host code launches; "
           "they are known after it runs";
  for (const Option& option : kernel.options) {
    const std::string& flag = option.flag.text;
    const bool is_one = flag.starts_with("-rdc") || flag.starts_with("--relocatable-device-code") ||
                        flag.starts_with("-dc") || flag.starts_with("--device-c");
    if (is_one && !flag.ends_with("=false"))
      return "not checked: whether code of " + flag +
             " can be loaded; nothing links it, so what it calls from other objects or the device runtime is "
             "missing";
  }
  return std::nullopt;
}

// "tile=16 (n=1000)", or one of the two where the other is empty.
std::string candidate_text(const Trial& trial) {
  const std::string config = trial.config.str();
  if (trial.problem.empty()) return config;
  const std::string problem = problem_text(trial.problem);
  return config.empty() ? problem : config + " (" + problem + ")";
}

// ": tile=16 (n=1000) and 3 more"
std::string candidates_text(const Finding& finding) {
  std::string text = candidate_text(finding.trials.front());
  if (!text.empty()) text.insert(0, ": ");
  if (finding.trials.size() > 1) text += fmt::format(" and {} more", finding.trials.size() - 1);
  return text;
}

void print_finding(const Finding& finding, Context& context) {
  const bool is_harmless = finding.status == Status::ok;
  const std::string name = is_harmless ? "harmless" : std::string(status_name(finding.status));
  context.out << '\n'
              << paint(context.out_screen, is_harmless ? Ink::yellow : Ink::red, name)
              << candidates_text(finding) << '\n'
              << with_short_lines(finding.message) << (finding.message.ends_with('\n') ? "" : "\n");
}

std::string work_name(const CheckOptions& options) { return options.sanitize ? "sanitize" : "compile"; }

bool reports_resources(const CheckOptions& options) {
  return options.device.choice.kind == DeviceChoice::Kind::architecture && !options.sanitize;
}

Json check_json(const CheckResult& result, const std::string& kernel, const DeviceInfo& device,
                const std::optional<std::string>& unchecked, const CheckOptions& options) {
  Json report = {{"kernel", kernel},
                 {"pass", work_name(options)},
                 {"checked", result.checked},
                 {"of", json_of_count(result.all)},
                 {"failed", result.failed()}};
  if (result.left_out > 0) report["left_out"] = result.left_out;
  if (result.was_late) report["was_late"] = true;
  if (result.failure) report["failure"] = *result.failure;
  report["findings"] = Json::array();
  for (const Finding& finding : result.findings) report["findings"].push_back(finding_json(finding));
  for (const Finding& finding : result.harmless) report["harmless"].push_back(finding_json(finding));
  for (const Finding& finding : result.not_run) report["not_run"].push_back(finding_json(finding));
  for (const Finding& finding : result.unconfirmed) report["unconfirmed"].push_back(finding_json(finding));
  if (!reports_resources(options)) return report;
  report["architecture"] = device.architecture;
  report["limits"] = device.name;
  if (unchecked) report["not_checked"] = *unchecked;
  report["configurations"] = resource_table(result.passed).json();
  return report;
}

void print_check(const CheckResult& result, const KernelDefinition& definition, const DeviceInfo& device,
                 const CheckOptions& options, Context& context) {
  const std::string& kernel = definition.name;
  const auto unchecked = reports_resources(options) ? not_checked(definition) : std::nullopt;
  const Count& all = result.all;
  if (!options.format.is_text()) {
    result_table(result, reports_resources(options))
        .print(context, options.format, check_json(result, kernel, device, unchecked, options));
    return;
  }
  if (reports_resources(options) && !result.passed.empty()) {
    resource_table(result.passed).print(context.out, context.out_screen);
    context.out << '\n';
  }
  const std::string of_all = all > result.checked ? " of " + format_count(all.str()) : "";
  context.out << fmt::format("{} {}: {}{} checked, {}\n", kernel, work_name(options),
                             format_count(result.checked), of_all,
                             result.findings.empty() ? "nothing found" : failures_text(result.failures()));
  if (reports_resources(options)) context.log.info("compiled for " + device.name + "; nothing ran");
  if (unchecked) context.log.warning(*unchecked);
  if (result.left_out > 0) {
    context.log.info(
        fmt::format("{} more problems of configurations that ran into the time limit were left out",
                    format_count(result.left_out)));
  }
  for (const Finding& finding : result.not_run) {
    context.log.info(
        fmt::format("not run{}: {}", candidates_text(finding), with_short_lines(finding.message)));
  }
  for (const Finding& finding : result.unconfirmed) {
    context.log.warning(
        fmt::format("unconfirmed{}: {}", candidates_text(finding), with_short_lines(finding.message)));
  }
  if (result.was_late) {
    context.log.info(
        fmt::format("after {:.0f} s, nothing more was begun; --sample N checks N configurations per problem "
                    "for as long as it takes",
                    kSanitizerBeginsForS));
  }
  const bool is_through = !result.was_stopped && !result.was_late && !result.failure &&
                          !result.failures().contains(Status::reference_failed);
  if (all > result.chosen && is_through && !options.sample) {
    context.log.info(fmt::format(
        "checked {} configurations per problem; --sample N checks more, --sample 0 all", kSanitizedSample));
  }
  const auto print = [&](const std::vector<Finding>& findings) {
    for (std::size_t i = 0; i < std::min(findings.size(), kFindingsShown); ++i)
      print_finding(findings[i], context);
  };
  print(result.findings);
  if (result.findings.size() > kFindingsShown)
    context.out << fmt::format("\nand {} more; --json lists all\n", result.findings.size() - kFindingsShown);
  print(result.harmless);
  context.out << std::flush;
  std::string messages;
  for (const Finding& finding : result.findings) messages += finding.message + '\n';
  hint_at_unsafe_options(context, messages);
}

// Compiles or runs the configurations and shows the progress.
Result<CheckResult, EngineError> check(const CheckOptions& options, const OpenedSpace& opened,
                                       std::vector<Problem> problems, Context& context) {
  const bool has_problems = !options.sanitize || !options.problems.empty();
  const CheckRequest request = {.definition = opened.definition,
                                .device = opened.device,
                                .workers = worker_settings(options.device, context),
                                .work = options.sanitize             ? DeviceWork::sanitize
                                        : reports_resources(options) ? DeviceWork::check
                                                                     : DeviceWork::compile,
                                .problems = has_problems ? std::optional(std::move(problems)) : std::nullopt,
                                .sample = options.sample.value_or(options.sanitize ? kSanitizedSample : 0)};
  Progress progress(context.err, context.err_screen,
                    options.quiet ? Progress::Mode::hidden : Progress::Mode::shown);
  const auto begin = std::chrono::steady_clock::now();
  const auto show = [&](const CheckResult& result) {
    const bool is_countable = result.chosen < (Count(1) << 62);
    progress.show({.title = opened.definition.kernel.name + ' ' + work_name(options),
                   .done = result.checked,
                   .total = is_countable ? static_cast<std::int64_t>(result.chosen) : 0,
                   .failures = result.failures(),
                   .elapsed_s = seconds_since(begin)});
  };
  const ClosedMemory closed;
  const bool is_bounded = options.sanitize && !options.sample;
  return check_space(request, {show, context.catch_interrupts(), is_bounded ? kSanitizerBeginsForS : 0});
}

ExitCode run(const CheckOptions& options, Context& context) {
  if (options.quiet) context.log.silence();
  DeviceChoice choice = options.device.choice;
  if (options.sanitize) {
    if (choice.kind == DeviceChoice::Kind::gpu || choice.kind == DeviceChoice::Kind::architecture) {
      const std::string device = choice.gpu_kind + choice.architecture;  // one of them is empty
      return fail(context, ExitCode::usage, "--sanitize runs on the CPU; remove --device " + device,
                  "on a GPU, run compute-sanitizer gktune exec TRIAL " + options.path);
    }
    choice.kind = DeviceChoice::Kind::host;
  }
  auto read = read_file(options.path, choice, options.device, unsafe_options(options.device), context);
  if (!options.candidate.empty()) {
    read.definition = value_or_end(
        read_candidate_file(options.candidate, read.definition, {.device_kind = read.device.info.kind}),
        context);
  }
  const KernelDefinition& kernel = read.definition.kernel;
  auto problems = asked_or_end("--problem", select_problems(kernel, options.problems), context);
  auto checked = value_or_end(check(options, read, std::move(problems), context), context);
  print_check(checked, kernel, read.device.info, options, context);
  if (checked.was_stopped) return ExitCode::interrupted;
  if (checked.failure) return fail(context, ExitCode::failed, *checked.failure);
  return checked.findings.empty() ? ExitCode::done : ExitCode::failed;
}

}  // namespace

Command check_command() {
  return make_command<CheckOptions>(
      "check", "Find errors in a space file and its kernel, without timing",
      "gktune check spaces/reduce.yaml --sample 20", declare, run,
      "A space file and its sources are code: check only files that you trust. This command executes the "
      "compiler\n"
      "(NVRTC, or $CXX) and, with --sanitize, the kernels.");
}

}  // namespace gktune
