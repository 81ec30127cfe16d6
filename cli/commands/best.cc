// gktune best: the answer that an application gets from the database.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>

#include "cli/commands/commands.h"
#include "cli/database.h"
#include "cli/flags.h"
#include "cli/output/json.h"
#include "cli/output/quantity.h"
#include "cli/output/table.h"
#include "db/lookup.h"
#include "engine/known_device.h"
#include "engine/problem_selection.h"
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
  flags.text("KERNEL", options.kernel, "The kernel; all kernels if left out");
  flags.text("--problem", options.problem, "The problem: n=1Gi,T=float; the nearest tuned problem answers")
      .kind("AXIS=VALUE,…");
  flags.text("--device", options.device, "The device: its name in the database or a part of the name")
      .kind("DEVICE");
  flags.database(options.database);
  flags.json(options.json);
}

void add_new(std::vector<std::string>& list, const std::string& item) {
  if (std::ranges::find(list, item) == list.end()) list.push_back(item);
}

Json best_json(const Best& best) {
  return {{"study", best.study_id},
          {"kernel", best.study.kernel},
          {"problem", json_of(best.study.problem)},
          {"device", json_of(best.study.device)},
          {"regime", regime_name(best.study.regime)},
          {"objective", best.study.objective},
          {"config", json_of(best.trial.config)},
          {"time_us", best.trial.timing.median_us},
          {"samples", best.trial.samples_us.size()},
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
    table.add_row({best.study.kernel, problem_text(best.study.problem),
                   format_time_us(best.trial.timing.median_us), best.trial.config.str(),
                   best.study.device.name, std::string(regime_name(best.study.regime))});
  }
  return table;
}

std::string match_text(const Answer& answer) {
  switch (answer.match) {
    case Match::exact:
      return "exact match";
    case Match::nearest_problem:
      return "the nearest tuned problem is " + problem_text(answer.problem);
    case Match::same_architecture:
      return fmt::format("tuned for {1} on {0}, which has the same architecture", answer.device.name,
                         problem_text(answer.problem));
    case Match::portfolio:
      return fmt::format("the configuration for all problems tuned on {}", answer.device.name);
    case Match::space_default:
      return "the default of the space file";
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
  auto lookup = Lookup::open(database_path(options.database, context));
  if (!lookup) return fail(context, ExitCode::failed, lookup.error().message);
  Answer answer = lookup->best(options.kernel, *problem, device);
  if (!answer) {
    fail(context, ExitCode::no_configuration,
         fmt::format("the database has no configuration of {} for {}", options.kernel, problem_text(*problem)));
    hint(context, answer.reason);
    return ExitCode::no_configuration;
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
    return fail_usage(context, "gktune best", "--problem needs a kernel: gktune best KERNEL --problem …");
  }
  auto store = open_database(options.database, context);
  if (!store) return ExitCode::failed;
  auto all = store->best("");
  if (!all) return fail(context, ExitCode::failed, all.error().message);

  std::vector<std::string> kernels;
  for (const Best& best : *all) add_new(kernels, best.study.kernel);
  if (!options.kernel.empty() && std::ranges::find(kernels, options.kernel) == kernels.end()) {
    fail(context, ExitCode::no_configuration,
         "the database has no configuration of kernel '" + options.kernel + "'" +
             did_you_mean(options.kernel, kernels));
    if (!kernels.empty()) hint(context, fmt::format("it has {}", fmt::join(kernels, ", ")));
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
    fail(context, ExitCode::no_configuration, "the database has no configuration yet");
    hint(context, "gktune run SPACE adds some");
    return ExitCode::no_configuration;
  }
  return ExitCode::done;
}

}  // namespace

Command best_command() {
  return make_command<BestOptions>("best", "Show the fastest known configuration",
                                   "gktune best reduce --problem n=1Gi,element=float", declare, run);
}

}  // namespace gktune
