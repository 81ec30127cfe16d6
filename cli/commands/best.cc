// gktune best: the answer that an application gets from the database.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "cli/command.h"
#include "cli/output/screen.h"
#include "cli/output/stale.h"
#include "db/winners_source.h"
#include "engine/selection.h"
#include "gktune/lookup.h"
#include "tuner/core/device_info.h"
#include "tuner/core/text.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

struct BestOptions {
  std::string kernel;
  std::string problem;
  std::string device;
  std::string database;
  std::string worst;
  std::vector<std::string> covered;
  bool why = false;
  TableFormat format;
};

void declare(Flags& flags, BestOptions& options) {
  flags.text("KERNEL", options.kernel, "Kernel; default: all kernels");
  flags.text("--problem", options.problem,
             "Problem: n=1Gi,T=float; if it was not tuned, the nearest tuned problem answers",
             "AXIS=VALUE,…");
  flags.text("--device", options.device, "Device: its name in the database, or a part of the name", "DEVICE");
  flags.text("--require", options.worst,
             "With --problem or --coverage: the worst acceptable match: exact, nearest, architecture, portfolio or "
             "default; the exit code is 5 if an answer is worse",
             "MATCH");
  flags.collected("--coverage", options.covered,
                  "Show how well the database answers for the problems of this space file on each device; may be "
                  "repeated, and further space files may follow as arguments",
                  "SPACE");
  flags.database(options.database);
  flags.on("--why", options.why,
           "Explain the answer: the match, the evidence, the lead over others, and changes since then");
  flags.table_format(options.format);
}

// Adds the fields that support a winner. They are unknown where an answer has no winner.
void add_evidence(Record& record, const Winner* best, const Evidence* evidence) {
  const Winner& winner = best != nullptr ? *best : Winner();
  const SessionEnvironment& environment = winner.environment;
  const bool has_second = evidence != nullptr && evidence->second;
  Record fields = {
      {"study", winner.study_id},
      {"trials", winner.trials, Unit::count},
      {"failed", winner.failed, Unit::count},
      {"samples", winner.trial.samples_us.size(), Unit::count},
      {"from_playoff", winner.from_playoff},
      {"lead", has_second ? Json(evidence->lead) : Json(), Unit::share},
      {"is_lead_clear", has_second ? Json(evidence->is_lead_clear) : Json(), Unit::none, "lead is clear"},
      {"measured_unix_ms", json_above_zero(winner.measured_unix_ms), Unit::unix_ms, "measured (UTC)"},
      {"host_name", environment.host_name, Unit::none, "host"},
      {"driver", environment.driver},
      {"runtime", environment.runtime, Unit::none, "CUDA"},
      {"compiler", environment.compiler}};
  const bool is_known = best != nullptr && evidence != nullptr;
  if (is_known) record.push_back(json_field("evidence", json_of(fields)));
  for (Field& field : fields) {
    field.forms = kSheets;  // a text explains below the table
    if (!is_known) field.cell = {};
    record.push_back(std::move(field));
  }
}

Table best_table(std::span<const Winner> all, std::span<const Evidence> evidences,
                 const BestOptions& options) {
  const bool is_any_stale =
      std::ranges::any_of(all, [](const Winner& each) { return !each.changes.empty(); });
  Table table;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Winner& best = all[i];
    Record record = {json_field("study", best.study_id),
                     {"kernel", best.study.kernel},
                     {"problem", problem_cell(best.study.problem)},
                     {"time_us", best.trial.timing.median_us, Unit::microseconds, "time"},
                     json_field("config", best.trial.config),
                     {"configuration", best.trial.config, Unit::none, "", kNotJson},
                     {"device", device_cell(best.study.device)},
                     {"regime", best.study.regime},
                     json_field("objective", best.study.objective),
                     json_field("samples", best.trial.samples_us.size()),
                     json_field("from_playoff", best.from_playoff),
                     json_field("metrics", best.trial.metrics),
                     json_field("trials", best.trials),
                     json_field("failed", best.failed),
                     {"stale", stale_cell(best.changes, options.format), Unit::none, "",
                      is_any_stale ? kAllForms : kNotText}};
    if (options.why) add_evidence(record, &best, &evidences[i]);
    table.add(std::move(record));
  }
  return table;
}

// One answer, for programs and documents.
Record answer_record(const BestOptions& options, const Problem& problem, const Answer& answer,
                     const Winner* best, const Evidence* evidence) {
  Record record = {{"kernel", options.kernel},
                   {"problem", problem_cell(problem)},
                   {"match", match_name(answer.match)},
                   {"tuned_problem", problem_cell(answer.problem)},
                   {"tuned_device", device_cell(answer.device)},
                   {"time_us", json_above_zero(answer.time_us), Unit::microseconds, "time"},
                   json_field("config", answer.config),
                   {"configuration", answer.config, Unit::none, "", kNotJson},
                   json_field("metrics", best != nullptr ? best->trial.metrics : NamedValues()),
                   {"regime", best != nullptr ? Cell(best->study.regime) : Cell()},
                   json_field("objective", best != nullptr ? Cell(best->study.objective) : Cell()),
                   {"stale", stale_cell(answer.stale, options.format)}};
  if (options.why) add_evidence(record, best, evidence);
  return record;
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
      return fmt::format("from the configurations for all problems tuned on {}", answer.device.name);
    case Match::space_default:
      return "the default of the space file";
    case Match::fallback:
    case Match::none:
      break;
  }
  return std::string(match_name(answer.match));
}

Match worst_of(const BestOptions& options) {
  return options.worst.empty() ? Match::none
                               : static_cast<Match>(std::ranges::find(kWorstMatches, options.worst) - kWorstMatches);
}

// The study that an answer comes from. Of several with this configuration, such as one of each regime, the
// one with its time, else the latest.
const Winner* study_of(const Answer& answer, const std::vector<Winner>& winners) {
  const Winner* found = nullptr;
  const auto rank = [&](const Winner& best) {
    return std::pair(best.trial.timing.median_us == answer.time_us, best.updated_unix_ms);
  };
  for (const Winner& best : winners) {
    const bool is_it = best.study.problem == answer.problem && best.study.device == answer.device &&
                       best.trial.config == answer.config;
    if (is_it && (found == nullptr || rank(best) > rank(*found))) found = &best;
  }
  return found;
}

std::string lead_text(const Winner& best, const Evidence& evidence) {
  const std::string where = best.from_playoff ? "in the playoff" : "in the search, without a playoff";
  if (!evidence.second) return "no second configuration to compare with";
  return fmt::format("{} ahead of the second {}: {} after {}; their confidence intervals {}",
                     format_percent(evidence.lead), where, format_time_us(evidence.second->timing.median_us),
                     format_time_us(best.trial.timing.median_us),
                     evidence.is_lead_clear ? "are apart" : "overlap");
}

void print_evidence(const Winner& best, const Evidence& evidence, Context& context) {
  const SessionEnvironment& environment = best.environment;
  std::string programs;
  for (const auto& [name, version] : {std::pair("driver", &environment.driver),
                                      {"CUDA", &environment.runtime},
                                      {"compiler", &environment.compiler},
                                      {"gktune", &environment.tool_version}}) {
    if (!version->empty()) programs += fmt::format("{}{} {}", programs.empty() ? "" : ", ", name, *version);
  }
  context.out << fmt::format("evidence: study {}, {}, {} of them failed; {}\n", best.study_id,
                             format_things(best.trials, "trial"), format_count(best.failed),
                             format_things(std::ssize(best.trial.samples_us), "sample"))
              << "lead: " << lead_text(best, evidence) << '\n'
              << fmt::format(
                     "measured: {} on {}{}{}\n",
                     best.measured_unix_ms > 0 ? format_date(best.measured_unix_ms) : "at an unknown time",
                     environment.host_name.empty() ? "an unknown host" : environment.host_name,
                     programs.empty() ? "" : ", ", programs)
              << fmt::format("changed since: {}\n",
                             best.changes.empty() ? "nothing that is known" : joined(best.changes, "; "));
}

// The answer of a lookup that knows this kernel alone: reading the winners of all kernels takes longer.
Answer answer_of(const std::string& kernel, const Problem& problem, const DeviceIdentity& device,
                 const Database& store, Context& context) {
  const std::shared_ptr<const WinnersSource> source =
      std::make_shared<WinnersSource>(value_or_end(store.kernel_winners(kernel), context));
  std::vector<AxisValue> values;
  for (const auto& [name, value] : problem) values.emplace_back(value);
  KernelLookup lookup(std::span(&source, 1), kernel, {problem.names().begin(), problem.names().end()},
                      Question{.device = device});
  return lookup.best(values);
}

ExitCode answer_one(const BestOptions& options, const Database& store, const std::vector<Winner>& winners,
                    const DeviceIdentity& device, Context& context) {
  std::vector<Problem> known;
  for (const Winner& best : winners) known.push_back(best.study.problem);
  const Problem problem = asked_or_end("--problem", parse_problem(options.problem, known), context);
  const Answer answer = answer_of(options.kernel, problem, device, store, context);
  if (!answer) {
    return fail(
        context, ExitCode::no_configuration,
        fmt::format("the database has no configuration of {} for {}", options.kernel, problem_text(problem)),
        answer.reason);
  }
  if (answer.match > worst_of(options)) {
    return fail(context, ExitCode::worse_match,
                fmt::format("the best match for {} {} is {}, which is worse than {}", options.kernel,
                            problem_text(problem), match_name(answer.match), match_name(worst_of(options))),
                match_text(answer));
  }
  const Winner* best = study_of(answer, winners);
  std::optional<Evidence> evidence;
  if (best != nullptr && options.why) evidence = value_or_end(store.evidence(*best), context);
  warn_of_stale(answer.stale, context);
  if (!options.format.is_text()) {
    print_one(answer_record(options, problem, answer, best, evidence ? &*evidence : nullptr), options.format,
              context);
    return ExitCode::done;
  }
  std::string time = answer.time_us > 0 ? format_time_us(answer.time_us) : "not measured";
  if (best != nullptr && best->study.regime != Regime::cold)
    time += fmt::format(" ({})", regime_name(best->study.regime));
  context.out << paint(context.out_screen, Ink::bold, one_line(answer.config.str())) << '\n'
              << one_line(fmt::format("{} {} on {}: {}, {}", options.kernel, problem_text(problem),
                                      answer.device.name, time, match_text(answer)))
              << '\n';
  if (evidence) print_evidence(*best, *evidence, context);
  return ExitCode::done;
}

// Every winner.
ExitCode answer_all(const BestOptions& options, const Database& store, const std::vector<Winner>& winners,
                    Context& context) {
  std::vector<Evidence> found;
  for (const Winner& best : winners) {
    if (options.why) found.push_back(value_or_end(store.evidence(best), context));
  }
  warn_of_stale(winners, context);
  best_table(winners, found, options).print(context, options.format);
  if (!options.format.is_text() || !options.why) return ExitCode::done;
  for (std::size_t i = 0; i < winners.size(); ++i) {
    context.out << '\n' << one_line(study_text(winners[i].study)) << '\n';
    print_evidence(winners[i], found[i], context);
  }
  return ExitCode::done;
}

// The devices whose answers count. Without any the question is about an unknown one.
Result<std::vector<DeviceIdentity>> asked_devices(const std::string& named,
                                                  const std::vector<Winner>& winners) {
  std::vector<DeviceIdentity> devices;
  for (const Winner& winner : winners) {
    if (std::ranges::find(devices, winner.study.device) == devices.end())
      devices.push_back(winner.study.device);
  }
  if (!named.empty()) {
    auto device = GKTUNE_TRY(find_device(named, devices));
    devices = {std::move(device)};
  }
  if (devices.empty()) devices.emplace_back();
  return devices;
}

// How well the database answers for the problems of the space files on each device. Fails if an answer is
// worse than --require accepts.
ExitCode print_coverage(const BestOptions& options, const std::vector<Winner>& winners, Context& context) {
  const auto devices = asked_devices(options.device, winners);
  if (!devices) return fail(context, ExitCode::no_device, devices.error().message);
  const Lookup lookup = value_or_end(Lookup::open(database_path(options.database, context)), context);
  std::vector<std::string> spaces = options.covered;
  if (!options.kernel.empty()) spaces.push_back(options.kernel);
  const Match worst = worst_of(options);
  Table table;
  int count = 0, worse = 0;
  for (const std::string& path : spaces) {
    for (const DeviceIdentity& device : *devices) {
      const Definition definition =
          value_or_end(read_space_file(path, {.device_kind = device.kind, .strategies = {}}), context);
      const Question question{.device = device, .freshness = {.fingerprint = definition.fingerprint}};
      for (const Problem& problem : value_or_end(select_problems(definition.kernel, {}), context)) {
        const Answer answer = lookup.best(definition.kernel.name, problem, question);
        ++count;
        if (answer.match > worst) ++worse;
        table.add({{"kernel", definition.kernel.name},
                   {"problem", problem_cell(problem)},
                   {"device", device_cell(device)},
                   {"match", match_name(answer.match)},
                   {"tuned_problem", problem_cell(answer.problem)},
                   {"time_us", json_above_zero(answer.time_us), Unit::microseconds, "time"},
                   json_field("reason", answer.reason)});
      }
    }
  }
  table.print(context, options.format);
  if (worse == 0) return ExitCode::done;
  return fail(context, ExitCode::worse_match,
              fmt::format("{} of {} answers are worse than {}", worse, count, match_name(worst)));
}

ExitCode run(const BestOptions& options, Context& context) {
  if (options.kernel.empty() && !options.problem.empty())
    return fail_usage(context, "--problem needs a kernel: gktune best KERNEL --problem …");
  if (worst_of(options) == Match::fallback)
    return fail_usage(context, fmt::format("--require: it is {}, not {}", fmt::join(kWorstMatches, ", "), options.worst));
  if (!options.worst.empty() && options.problem.empty() && options.covered.empty())
    return fail_usage(context, "--require needs --problem or --coverage");
  auto store = open_database(options.database, context);
  const bool shows_coverage = !options.covered.empty();
  auto all = value_or_end(store->winners(shows_coverage ? "" : options.kernel), context);
  if (shows_coverage) return print_coverage(options, all, context);
  if (!options.kernel.empty() && all.empty()) {
    std::vector<std::string> kernels;
    for (const Winner& best : value_or_end(store->winners(""), context)) {
      if (kernels.empty() || kernels.back() != best.study.kernel) kernels.push_back(best.study.kernel);
    }
    fail(context, ExitCode::no_configuration,
         "the database has no configuration of kernel '" + options.kernel + "'" +
             did_you_mean(options.kernel, kernels));
    if (!kernels.empty()) hint(context, fmt::format("it has {}", fmt::join(kernels, ", ")));
    return ExitCode::no_configuration;
  }

  DeviceIdentity device;
  if (!options.device.empty()) {
    const auto named = asked_devices(options.device, all);
    if (!named) return fail(context, ExitCode::no_device, named.error().message);
    device = named->front();
    std::erase_if(all, [&](const Winner& best) { return best.study.device != device; });
  }

  if (!options.problem.empty()) return answer_one(options, *store, all, device, context);
  if (all.empty()) {
    if (options.format.json) print(context.out, Json::array());
    return fail(context, ExitCode::no_configuration, "the database has no configuration yet",
                "gktune run SPACE adds some");
  }
  return answer_all(options, *store, all, context);
}

}  // namespace

Command best_command() {
  return make_command<BestOptions>("best", "Show the fastest known configuration",
                                   "gktune best reduce --problem n=1Gi,element=float", declare, run);
}

}  // namespace gktune
