// gktune check: what is wrong with a space file and its kernel, without timing anything.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <ostream>
#include <random>

#include "cli/check_pass.h"
#include "cli/check_problems.h"
#include "cli/commands/commands.h"
#include "cli/find_device.h"
#include "cli/flags.h"
#include "cli/json.h"
#include "cli/problem_selection.h"
#include "cli/problem_space.h"
#include "cli/quantity.h"

namespace gktune {
namespace {

constexpr std::size_t kFindingsShown = 20;

struct CheckOptions {
  std::string path;
  DeviceFlags device;
  std::vector<std::string> problems;
  std::int64_t sample = 0;
  bool sanitize = false;
  bool json = false;
  bool quiet = false;
};

void declare(CLI::App& app, CheckOptions& options) {
  app.add_option("SPACE", options.path, "A space file")->required()->type_name("FILE");
  add_device_flag(app, options.device);
  add_problem_flag(app, options.problems);
  add_parsed(app, "--sample", options.sample, parse_count, "So many configurations; all by default", "N");
  add_parsed(app, "--seed", options.device.seed, parse_count, "Of the sample", "N");
  app.add_flag("--sanitize", options.sanitize,
               "Run each configuration on the host device, with sanitizers and a search for races, on small "
               "awkward problems");
  add_worker_flags(app, options.device);
  add_json_flag(app, options.json);
  app.add_flag("--quiet", options.quiet, "No progress: results and errors alone");
}

// One way of looking at candidates.
struct Pass {
  std::string name;
  WorkerDeviceOptions::Work work;
  Instrumentation instrumentation;
};

std::vector<Pass> passes_of(const CheckOptions& options) {
  using Work = WorkerDeviceOptions::Work;
  if (!options.sanitize) return {{"compile", Work::compile, Instrumentation::none}};
  return {{"sanitize", Work::check, Instrumentation::sanitize},
          {"races", Work::check, Instrumentation::races}};
}

// The candidates of one pass: the configurations of each problem's space in turn.
class Candidates {
 public:
  Candidates(const CheckOptions& options, const ReadFiles& read, const std::vector<Problem>& problems)
      : options_(options), read_(read), problems_(problems) {}

  // Finds out what is wrong with any of the spaces.
  Result<Count, SpaceFailure> count() const {
    Count total = 0;
    for (const Problem& problem : problems_) {
      auto space = build(problem);
      if (!space) return space.error();
      total += options_.sample > 0 ? std::min(space->size(), Count(options_.sample)) : space->size();
    }
    return total;
  }

  // Asks for spaces that were counted.
  bool next(Candidate& candidate) {
    while (!space_ || index_ >= end_) {
      if (problem_ == problems_.size()) return false;
      space_ = build(problems_[problem_++]).value();
      random_.seed(static_cast<std::uint64_t>(options_.device.seed));
      index_ = 0;
      is_sampled_ = options_.sample > 0 && space_->size() > options_.sample;
      end_ = is_sampled_ ? Count(options_.sample) : space_->size();
    }
    candidate.problem = problems_[problem_ - 1];
    candidate.config = space_->at(is_sampled_ ? space_->sample(random_) : index_);
    ++index_;
    return true;
  }

 private:
  Result<Space, SpaceFailure> build(const Problem& problem) const {
    return ProblemSpace(read_.definitions.front(), problem, read_.device.info).build();
  }

  const CheckOptions& options_;
  const ReadFiles& read_;
  const std::vector<Problem>& problems_;
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
  CheckCall(const CheckOptions& options, const ReadFiles& read, Context& context)
      : options_(options),
        read_(read),
        definition_(read.definitions.front()),
        context_(context),
        progress_(context.err, context.err_screen,
                  options.quiet ? Progress::Mode::hidden : Progress::Mode::shown),
        interrupted_(context.catch_interrupts()) {}

  ExitCode check(const std::vector<Problem>& problems) {
    auto total = Candidates(options_, read_, problems).count();
    if (!total) return fail(context_, total.error().code, total.error().message);
    // 0: too many to say.
    std::int64_t shown_total = *total < (Count(1) << 62) ? static_cast<std::int64_t>(*total) : 0;
    ExitCode code = ExitCode::done;
    for (const Pass& pass : passes_of(options_)) {
      WorkerDeviceOptions worker_options = device_options(read_.device, options_.device, context_);
      worker_options.work = pass.work;
      worker_options.instrumentation = pass.instrumentation;
      auto device = WorkerDevice::open(definition_.kernel, std::move(worker_options));
      if (!device) return fail(context_, ExitCode::no_device, device.error().message);
      Candidates candidates(options_, read_, problems);
      CheckResult result = CheckPass(**device, progress_, interrupted_)
                               .run(definition_.kernel.name + ' ' + pass.name, shown_total,
                                    [&](Candidate& candidate) { return candidates.next(candidate); });
      tell(pass, result);
      if (result.was_stopped) return ExitCode::interrupted;
      if (!result.findings.empty()) code = ExitCode::failed;
    }
    if (options_.json) {
      print(context_.out, {{"kernel", definition_.kernel.name}, {"passes", std::move(reports_)}});
    }
    return code;
  }

 private:
  void tell(const Pass& pass, const CheckResult& result) {
    if (options_.json) {
      Json report = {{"pass", pass.name}, {"checked", result.checked}, {"failed", result.failed()}};
      report["findings"] = Json::array();
      for (const Finding& finding : result.findings) report["findings"].push_back(finding_json(finding));
      reports_.push_back(std::move(report));
      return;
    }
    context_.out << fmt::format("{} {}: {} checked, {}\n", definition_.kernel.name, pass.name,
                                format_count(result.checked),
                                result.findings.empty() ? "nothing found" : failures_text(result.failures()));
    for (std::size_t i = 0; i < std::min(result.findings.size(), kFindingsShown); ++i) {
      print_finding(result.findings[i], context_);
    }
    if (result.findings.size() > kFindingsShown) {
      context_.out << fmt::format("\nand {} more like these; --json has all of them\n",
                                  result.findings.size() - kFindingsShown);
    }
    context_.out << std::flush;
  }

  const CheckOptions& options_;
  const ReadFiles& read_;
  const Definition& definition_;
  Context& context_;
  Progress progress_;
  std::function<bool()> interrupted_;
  Json reports_ = Json::array();
};

ExitCode run(const CheckOptions& options, Context& context) {
  DeviceChoice choice = options.device.choice;
  if (options.sanitize) {
    if (choice.kind == DeviceChoice::Kind::cuda) {
      return fail(context, ExitCode::usage,
                  "--sanitize works on the host device; compute-sanitizer does it on a GPU");
    }
    choice.kind = DeviceChoice::Kind::host;
  }
  auto read = read_files({options.path}, choice, context);
  if (!read) return read.error();
  const std::vector<Axis>& axes = read->definitions.front().kernel.axes;
  auto problems = select_problems(read->definitions.front().kernel, options.problems);
  if (!problems) return fail(context, ExitCode::usage, problems.error().message);
  if (options.sanitize) {
    if (options.problems.empty()) *problems = awkward_problems(axes);
  } else {
    *problems = one_for_each_source(axes, *problems);
  }
  return CheckCall(options, *read, context).check(*problems);
}

}  // namespace

Command check_command() {
  return make_command<CheckOptions>("check",
                                    "Find what is wrong with a space file and its kernel, without timing",
                                    "gktune check spaces/reduce.yaml --sample 20", declare, run);
}

}  // namespace gktune
