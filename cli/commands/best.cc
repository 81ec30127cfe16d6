// gktune best: what the database answers an application.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>

#include "cli/commands/commands.h"
#include "cli/database.h"
#include "cli/flags.h"
#include "cli/json.h"
#include "engine/known_device.h"
#include "engine/problem_selection.h"
#include "cli/quantity.h"
#include "cli/table.h"
#include "db/lookup.h"
#include "tuner/core/spelling.h"

namespace gktune {
namespace {

struct BestOptions {
  std::string kernel;
  std::string problem;
  std::string device;
  std::string database;
  bool json = false;
};

void declare(Flags& flags, BestOptions& options) {
  flags.text("KERNEL", options.kernel, "Which kernel; all where none is named");
  flags
      .text("--problem", options.problem,
            "For this problem: n=1Gi,T=float; the nearest one that was tuned answers")
      .kind("AXIS=VALUE,…");
  flags.text("--device", options.device, "On this device: its name in the database, or a part of it")
      .kind("DEVICE");
  flags.database(options.database);
  flags.json(options.json);
}

void add_new(std::vector<std::string>& list, const std::string& item) {
  if (std::ranges::find(list, item) == list.end()) list.push_back(item);
}

Json best_json(const Best& best) {
  return {{"kernel", best.study.kernel},
          {"problem", json_of(best.study.problem)},
          {"device", json_of(best.study.device)},
          {"regime", regime_name(best.study.regime)},
          {"objective", best.study.objective},
          {"config", json_of(best.trial.config)},
          {"time_us", best.median_us},
          {"samples", best.samples},
          {"from_playoff", best.from_playoff},
          {"metrics", json_of(best.trial.metrics)},
          {"trials", best.trials},
          {"failed", best.failed}};
}

Table best_table(const std::vector<Best>& all) {
  using enum Table::Align;
  Table table;
  table.add_column("kernel", left);
  table.add_column("problem", left);
  table.add_column("time", right);
  table.add_column("configuration", left);
  table.add_column("device", left);
  table.add_column("regime", left);
  for (const Best& best : all) {
    table.add_row({best.study.kernel, problem_text(best.study.problem), format_time_us(best.median_us),
                   best.trial.config.str(), best.study.device.name,
                   std::string(regime_name(best.study.regime))});
  }
  return table;
}

// An axis that was left out is filled in where the database knows one value of it alone.
Problem complete(Problem problem, const std::vector<Problem>& known) {
  Problem only;
  std::vector<std::string> ambiguous;
  for (const Problem& each : known) {
    for (const auto& [name, value] : each) {
      const Value* before = only.find(name);
      if (before != nullptr && *before != value) add_new(ambiguous, name);
      only.set(name, value);
    }
  }
  for (const auto& [name, value] : only) {
    bool is_open = problem.find(name) == nullptr && std::ranges::find(ambiguous, name) == ambiguous.end();
    if (is_open) problem.set(name, value);
  }
  return problem;
}

std::string match_text(const Answer& answer) {
  switch (answer.match) {
    case Match::exact:
      return "exact match";
    case Match::nearest_problem:
      return "the nearest problem that was tuned is " + problem_text(answer.problem);
    case Match::same_architecture:
      return fmt::format("tuned on {}, of the same architecture, for {}", answer.device.name,
                         problem_text(answer.problem));
    case Match::fallback:
    case Match::none:
      break;
  }
  return std::string(match_name(answer.match));
}

ExitCode answer_one(const BestOptions& options, const std::vector<Problem>& known,
                    const DeviceIdentity& device, Context& context) {
  auto problem = parse_problem(options.problem, known);
  if (!problem) return fail_usage(context, "gktune best", "--problem: " + problem.error().message);
  *problem = complete(*std::move(problem), known);
  auto lookup = Lookup::open(database_path(options.database, context));
  if (!lookup) return fail(context, ExitCode::failed, lookup.error().message);
  Answer answer = lookup->best(options.kernel, *problem, device);
  if (!answer) {
    return fail(
        context, ExitCode::no_configuration,
        fmt::format("no configuration of {} is known for {}", options.kernel, problem_text(*problem)));
  }
  if (options.json) {
    print(context.out, {{"kernel", options.kernel},
                        {"problem", json_of(*problem)},
                        {"match", match_name(answer.match)},
                        {"config", json_of(answer.config)},
                        {"time_us", answer.time_us},
                        {"tuned_problem", json_of(answer.problem)},
                        {"tuned_device", json_of(answer.device)}});
    return ExitCode::done;
  }
  context.out << paint(context.out_screen, Ink::bold, answer.config.str()) << '\n'
              << fmt::format("{} {} on {}: {}, {}\n", options.kernel, problem_text(*problem),
                             answer.device.name, format_time_us(answer.time_us), match_text(answer));
  return ExitCode::done;
}

ExitCode run(const BestOptions& options, Context& context) {
  if (options.kernel.empty() && !options.problem.empty()) {
    return fail_usage(context, "gktune best", "--problem asks for a kernel: gktune best KERNEL --problem …");
  }
  auto store = open_database(options.database, context);
  if (!store) return ExitCode::failed;
  auto all = store->best("");
  if (!all) return fail(context, ExitCode::failed, all.error().message);

  std::vector<std::string> kernels;
  for (const Best& best : *all) add_new(kernels, best.study.kernel);
  if (!options.kernel.empty() && std::ranges::find(kernels, options.kernel) == kernels.end()) {
    fail(context, ExitCode::no_configuration,
         "the database knows no configuration of kernel '" + options.kernel + "'" +
             did_you_mean(options.kernel, kernels));
    if (!kernels.empty()) hint(context, fmt::format("it knows {}", fmt::join(kernels, ", ")));
    return ExitCode::no_configuration;
  }
  std::erase_if(
      *all, [&](const Best& best) { return !options.kernel.empty() && best.study.kernel != options.kernel; });

  DeviceIdentity device;
  if (!options.device.empty()) {
    std::vector<DeviceIdentity> devices;
    for (const Best& best : *all) devices.push_back(best.study.device);
    auto known = find_device(options.device, devices);
    if (!known) return fail(context, ExitCode::no_device, known.error().message);
    device = *std::move(known);
    std::erase_if(*all, [&](const Best& best) { return best.study.device != device; });
  }

  if (!options.problem.empty()) {
    std::vector<Problem> problems;
    for (const Best& best : *all) problems.push_back(best.study.problem);
    return answer_one(options, problems, device, context);
  }
  if (options.json) {
    Json array = Json::array();
    for (const Best& best : *all) array.push_back(best_json(best));
    print(context.out, array);
  } else if (!all->empty()) {
    best_table(*all).print(context.out, context.out_screen);
  }
  if (all->empty()) {
    fail(context, ExitCode::no_configuration, "the database knows no configuration yet");
    hint(context, "gktune run SPACE finds some");
    return ExitCode::no_configuration;
  }
  return ExitCode::done;
}

}  // namespace

Command best_command() {
  return make_command<BestOptions>("best", "Answer with the fastest configurations known",
                                   "gktune best reduce --problem n=1Gi,element=float", declare, run);
}

}  // namespace gktune
