// gktune check: finds faults in a space file and its kernel without timing anything.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <ostream>
#include <random>

#include "cli/commands/commands.h"
#include "cli/device_flags.h"
#include "cli/flags.h"
#include "cli/json.h"
#include "cli/quantity.h"
#include "engine/check_pass.h"
#include "engine/check_problems.h"
#include "engine/problem_selection.h"
#include "engine/problem_space.h"

namespace gktune {
namespace {

constexpr std::size_t kFindingsShown = 20;
// Configurations per problem. A few cores check these in a minute or two.
constexpr std::int64_t kSanitizedSample = 32;

struct CheckOptions {
  std::string path;
  DeviceFlags device;
  std::vector<std::string> problems;
  std::optional<std::int64_t> sample;
  bool sanitize = false;
  bool json = false;
  bool quiet = false;
};

void declare(Flags& flags, CheckOptions& options) {
  flags.text("SPACE", options.path, "Space file").required().kind("FILE");
  flags.device(options.device);
  flags.problem(options.problems);
  flags.parsed("--sample", options.sample, parse_count,
               "Check N configurations per problem, 0 for all; default: all, with --sanitize 32", "N");
  flags.parsed("--seed", options.device.seed, parse_count,
               "Seed of the sample and of the order of blocks and threads", "N");
  flags.on("--sanitize", options.sanitize,
           "Run on the CPU with small awkward problems and check every memory access");
  flags.worker(options.device);
  flags.json(options.json);
  flags.quiet(options.quiet);
}

// Configurations to check per problem; 0: all.
std::int64_t sample_of(const CheckOptions& options) {
  return options.sample.value_or(options.sanitize ? kSanitizedSample : 0);
}

// The configurations to check: those of each problem's space in turn, or a random sample.
class Candidates {
 public:
  struct Counts {
    Count chosen, all;
  };

  Candidates(const CheckOptions& options, const OpenedSpace& read, const std::vector<Problem>& problems)
      : options_(options), read_(read), problems_(problems), sample_(sample_of(options)) {}

  // Finds out what is wrong with any of the spaces.
  Result<Counts, EngineError> count() const {
    Counts counts{0, 0};
    for (const Problem& problem : problems_) {
      auto space = build(problem);
      if (!space) return space.error();
      counts.all += space->size();
      counts.chosen += sample_ > 0 ? std::min(space->size(), Count(sample_)) : space->size();
    }
    return counts;
  }

  // Call count() first: it reports spaces that cannot be built.
  bool next(Candidate& candidate) {
    while (!space_ || index_ >= end_) {
      if (problem_ == problems_.size()) return false;
      space_ = build(problems_[problem_++]).value();
      random_.seed(static_cast<std::uint64_t>(options_.device.seed));
      index_ = 0;
      is_sampled_ = sample_ > 0 && space_->size() > sample_;
      end_ = is_sampled_ ? Count(sample_) : space_->size();
    }
    candidate.problem = problems_[problem_ - 1];
    candidate.config = space_->at(is_sampled_ ? space_->sample(random_) : index_);
    ++index_;
    return true;
  }

 private:
  Result<Space, EngineError> build(const Problem& problem) const {
    return ProblemSpace(read_.definition, problem, read_.device.info).build();
  }

  const CheckOptions& options_;
  const OpenedSpace& read_;
  const std::vector<Problem>& problems_;
  std::int64_t sample_;
  std::optional<Space> space_;
  std::size_t problem_ = 0;  // the next one
  Count index_, end_;
  bool is_sampled_ = false;
  std::mt19937_64 random_;
};

Json finding_json(const Finding& finding) {
  Json object = {{"status", status_name(finding.status)}, {"message", finding.message}};
  object["candidates"] = Json::array();
  for (const Trial& trial : finding.trials) {
    object["candidates"].push_back({{"problem", json_of(trial.problem)}, {"config", json_of(trial.config)}});
  }
  return object;
}

void print_finding(const Finding& finding, Context& context) {
  const Trial& first = finding.trials.front();
  context.out << '\n'
              << paint(context.out_screen, Ink::red, status_name(finding.status)) << ": "
              << first.config.str();
  if (!first.problem.empty()) context.out << " (" << problem_text(first.problem) << ')';
  if (finding.trials.size() > 1) context.out << fmt::format(" and {} more", finding.trials.size() - 1);
  context.out << '\n' << finding.message << (finding.message.ends_with('\n') ? "" : "\n");
}

// One call of the command.
class CheckCall {
 public:
  CheckCall(const CheckOptions& options, const OpenedSpace& read, Context& context)
      : options_(options),
        read_(read),
        definition_(read.definition),
        context_(context),
        progress_(context.err, context.err_screen,
                  options.quiet ? Progress::Mode::hidden : Progress::Mode::shown),
        interrupted_(context.catch_interrupts()) {}

  ExitCode check(std::vector<Problem> problems) {
    if (is_awkward()) leave_out_unsolvable(problems);
    auto counts = Candidates(options_, read_, problems).count();
    if (!counts) return fail(context_, counts.error());
    // 0: too many to say.
    std::int64_t shown_total =
        counts->chosen < (Count(1) << 62) ? static_cast<std::int64_t>(counts->chosen) : 0;
    auto device = open_device(definition_.kernel, read_.device, worker_settings(options_.device, context_),
                              options_.sanitize ? DeviceWork::sanitize : DeviceWork::compile);
    if (!device) return fail(context_, device.error());
    Candidates candidates(options_, read_, problems);
    const auto begin = std::chrono::steady_clock::now();
    const auto show = [&](const CheckResult& result) {
      const auto now = std::chrono::steady_clock::now();
      progress_.show({.title = definition_.kernel.name + ' ' + work_name(),
                      .done = result.checked,
                      .total = shown_total,
                      .failures = result.failures(),
                      .elapsed_s = std::chrono::duration<double>(now - begin).count()},
                     now);
    };
    CheckResult result = CheckPass(**device, {show, interrupted_}).run([&](Candidate& candidate) {
      return candidates.next(candidate);
    });
    progress_.clear();
    if (is_awkward()) leave_out_unformed(result.findings);
    tell(result, counts->all);
    if (result.was_stopped) return ExitCode::interrupted;
    if (result.trouble) return fail(context_, ExitCode::failed, *result.trouble);
    return result.findings.empty() ? ExitCode::done : ExitCode::failed;
  }

 private:
  // True if this command chose the problems, not the user.
  bool is_awkward() const { return options_.sanitize && options_.problems.empty(); }

  // A kernel may support large sizes only. If no problem has a configuration, keep them to report the
  // failure.
  void leave_out_unsolvable(std::vector<Problem>& problems) const {
    std::vector<Problem> solvable;
    std::ranges::copy_if(problems, std::back_inserter(solvable), [&](const Problem& problem) {
      return ProblemSpace(definition_, problem, read_.device.info).build().ok();
    });
    if (!solvable.empty()) problems = std::move(solvable);
  }

  static void leave_out_unformed(std::vector<Finding>& findings) {
    for (Finding& finding : findings) {
      if (finding.status != Status::invalid) continue;
      std::erase_if(finding.trials, [](const Trial& trial) { return is_empty(trial.problem); });
    }
    std::erase_if(findings, [](const Finding& finding) { return finding.trials.empty(); });
  }

  std::string work_name() const { return options_.sanitize ? "sanitize" : "compile"; }

  void tell(const CheckResult& result, const Count& all) {
    if (options_.json) {
      Json report = {{"kernel", definition_.kernel.name},
                     {"pass", work_name()},
                     {"checked", result.checked},
                     {"of", json_of_count(all.str())},
                     {"failed", result.failed()}};
      if (result.trouble) report["trouble"] = *result.trouble;
      report["findings"] = Json::array();
      for (const Finding& finding : result.findings) report["findings"].push_back(finding_json(finding));
      print(context_.out, report);
      return;
    }
    const std::string of_all = all > result.checked ? " of " + format_count(all.str()) : "";
    context_.out << fmt::format("{} {}: {}{} checked, {}\n", definition_.kernel.name, work_name(),
                                format_count(result.checked), of_all,
                                result.findings.empty() ? "nothing found" : failures_text(result.failures()));
    const bool is_through = !result.was_stopped && !result.trouble;
    if (!of_all.empty() && is_through && !options_.sample && !options_.quiet) {
      context_.log.info(fmt::format(
          "checked {} configurations per problem; --sample N checks more, --sample 0 all", kSanitizedSample));
    }
    for (std::size_t i = 0; i < std::min(result.findings.size(), kFindingsShown); ++i) {
      print_finding(result.findings[i], context_);
    }
    if (result.findings.size() > kFindingsShown) {
      context_.out << fmt::format("\nand {} more; --json lists all\n",
                                  result.findings.size() - kFindingsShown);
    }
    context_.out << std::flush;
  }

  const CheckOptions& options_;
  const OpenedSpace& read_;
  const Definition& definition_;
  Context& context_;
  Progress progress_;
  std::function<bool()> interrupted_;
};

ExitCode run(const CheckOptions& options, Context& context) {
  if (options.quiet) context.log.silence();
  DeviceChoice choice = options.device.choice;
  if (options.sanitize) {
    if (choice.kind == DeviceChoice::Kind::cuda) {
      fail(context, ExitCode::usage, "--sanitize runs on the CPU; remove --device cuda");
      hint(context, "on a GPU, run compute-sanitizer on the program that gktune repro writes");
      return ExitCode::usage;
    }
    choice.kind = DeviceChoice::Kind::host;
  }
  auto read = read_file(options.path, choice, context);
  if (!read) return read.error();
  const std::vector<Axis>& axes = read->definition.kernel.axes;
  auto problems = select_problems(read->definition.kernel, options.problems);
  if (!problems) return fail_usage(context, "gktune check", "--problem: " + problems.error().message);
  if (options.sanitize) {
    if (options.problems.empty()) *problems = awkward_problems(read->definition.kernel);
  } else {
    *problems = one_for_each_source(axes, *problems);
  }
  return CheckCall(options, *read, context).check(*problems);
}

}  // namespace

Command check_command() {
  return make_command<CheckOptions>("check", "Find faults in a space file and its kernel without timing",
                                    "gktune check spaces/reduce.yaml --sample 20", declare, run);
}

}  // namespace gktune
