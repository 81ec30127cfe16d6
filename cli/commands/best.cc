// gktune best: the answer that an application gets from the database.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <span>

#include "cli/commands/commands.h"
#include "cli/database.h"
#include "cli/device_flags.h"
#include "cli/flags.h"
#include "cli/output/json.h"
#include "cli/output/printable.h"
#include "cli/output/quantity.h"
#include "cli/output/stale.h"
#include "cli/output/table.h"
#include "cli/study_flags.h"
#include "db/distance.h"
#include "engine/devices.h"
#include "engine/selection.h"
#include "tuner/core/device_kinds.h"
#include "tuner/core/spelling.h"
#include "tuner/core/text.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

struct BestOptions {
  std::string kernel;
  std::string problem;
  std::string device;
  std::string as;
  std::string database;
  std::string space;
  bool why = false, prefers_portfolio = false;
  TableFormat format;
};

void declare(Flags& flags, BestOptions& options) {
  flags.text("KERNEL", options.kernel, "Kernel; default: all kernels");
  flags
      .text("--problem", options.problem,
            "Problem: n=1Gi,T=float; if it was not tuned, the nearest tuned problem answers")
      .kind("AXIS=VALUE,…");
  flags.text("--device", options.device, "Device: its name in the database, or a part of the name")
      .kind("DEVICE");
  flags
      .text("--as", options.as,
            "With --problem: answer for --device with the results of this device of the database, even if "
            "the numbers of multiprocessors differ; the database need not have --device")
      .kind("DEVICE");
  flags.on(
      "--prefer-portfolio", options.prefers_portfolio,
      "With --problem: if it was not tuned, prefer a stored portfolio to the winner of the nearest problem");
  flags.database(options.database);
  flags.on("--why", options.why,
           "Explain the answer: the match, the evidence, the lead over others, and changes since then, also "
           "on this machine");
  flags
      .text("--space", options.space, "With --why: compare the kernel's version with that of this space file")
      .kind("FILE");
  flags.table_format(options.format);
}

void add_new(std::vector<std::string>& list, const std::string& item) {
  if (std::ranges::find(list, item) == list.end()) list.push_back(item);
}

Json best_json(const Winner& best) {
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

TableCell time_cell(double time_us) {
  return time_us > 0 ? TableCell(format_time_us(time_us), Value(time_us)) : TableCell::unknown();
}

Json evidence_json(const Winner& best, const Evidence& evidence) {
  const SessionEnvironment& environment = best.environment;
  return {{"study", best.study_id},
          {"trials", best.trials},
          {"failed", best.failed},
          {"samples", best.trial.samples_us.size()},
          {"from_playoff", best.from_playoff},
          {"lead", evidence.second ? Json(evidence.lead) : Json()},
          {"is_lead_clear", evidence.second ? Json(evidence.is_lead_clear) : Json()},
          {"measured_unix_ms", json_of_date(best.measured_unix_ms)},
          {"host_name", environment.host_name},
          {"driver", environment.driver},
          {"runtime", environment.runtime},
          {"compiler", environment.compiler}};
}

// The columns of the evidence, and the cells of a winner; unknown ones where an answer has no winner.
void add_evidence_columns(Table& table) {
  using enum Table::Align;
  for (const char* name : {"study", "trials", "failed", "samples"}) table.add_column(name, right);
  table.add_column("from playoff", left, "from_playoff");
  table.add_column("lead", right);
  table.add_column("lead is clear", left, "is_lead_clear");
  table.add_column("measured (UTC)", left, "measured_unix_ms");
  table.add_column("host", left, "host_name");
  table.add_column("driver", left);
  table.add_column("CUDA", left, "runtime");
  table.add_column("compiler", left);
}

void add_evidence_cells(const Winner* best, const Evidence* evidence, std::vector<TableCell>& cells) {
  constexpr std::size_t kColumns = 12;
  if (best == nullptr || evidence == nullptr) {
    cells.insert(cells.end(), kColumns, TableCell::unknown());
    return;
  }
  const auto count = [&](std::int64_t number) { cells.push_back({format_count(number), Value(number)}); };
  const auto truth = [](bool is_true) { return TableCell(is_true ? "yes" : "no", Value(is_true)); };
  cells.push_back({std::to_string(best->study_id), Value(best->study_id)});
  count(best->trials), count(best->failed), count(std::ssize(best->trial.samples_us));
  cells.push_back(truth(best->from_playoff));
  cells.push_back(evidence->second ? TableCell(format_percent(evidence->lead), Value(evidence->lead))
                                   : TableCell::unknown());
  cells.push_back(evidence->second ? truth(evidence->is_lead_clear) : TableCell::unknown());
  cells.push_back(date_cell(best->measured_unix_ms));
  const SessionEnvironment& environment = best->environment;
  for (const std::string* text :
       {&environment.host_name, &environment.driver, &environment.runtime, &environment.compiler})
    cells.push_back(text->empty() ? TableCell::unknown() : TableCell(*text));
}

Table best_table(std::span<const Winner> all, std::span<const Evidence> evidences, const BestOptions& options) {
  using enum Table::Align;
  const bool is_any_stale =
      std::ranges::any_of(all, [](const Winner& each) { return !each.changes.empty(); });
  const bool has_stale = is_any_stale || !options.format.is_text();
  const bool has_evidence = options.why && !options.format.is_text();  // a text explains below the table
  Table table;
  table.add_column("kernel", left);
  table.add_column("problem", left);
  table.add_column("time", right, "time_us");
  table.add_column("configuration", left);
  table.add_column("device", left);
  table.add_column("regime", left);
  if (has_stale) table.add_column("stale", left);
  if (has_evidence) add_evidence_columns(table);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Winner& best = all[i];
    std::vector<TableCell> cells = {
        best.study.kernel,
        problem_text(best.study.problem),
        {format_time_us(best.trial.timing.median_us), Value(best.trial.timing.median_us)},
        best.trial.config.str(),
        best.study.device.name,
        std::string(regime_name(best.study.regime))};
    if (has_stale) cells.push_back(stale_cell(best.changes, options.format));
    if (has_evidence) add_evidence_cells(&best, &evidences[i], cells);
    table.add_row(std::move(cells));
  }
  return table;
}

// The distance from the asked problem to the tuned one. Empty if the answer has no
// problem or a category differs.
std::optional<double> distance_to(const Problem& asked, const Answer& answer) {
  if (answer.problem.empty()) return std::nullopt;
  const auto far = distance(asked, answer.problem);
  return far ? std::optional(far->length) : std::nullopt;
}

// One answer, for programs and documents.
Table answer_table(const BestOptions& options, const Problem& problem, const Answer& answer,
                   const std::vector<std::string>& stale, const Winner* best, const Evidence* evidence) {
  using enum Table::Align;
  Table table;
  table.add_column("kernel", left);
  table.add_column("problem", left);
  table.add_column("match", left);
  table.add_column("tuned problem", left, "tuned_problem");
  table.add_column("tuned device", left, "tuned_device");
  table.add_column("time", right, "time_us");
  table.add_column("configuration", left);
  table.add_column("regime", left);
  table.add_column("stale", left);
  std::vector<TableCell> cells = {
      options.kernel,
      problem_text(problem),
      std::string(match_name(answer.match)),
      problem_text(answer.problem),
      answer.device.name,
      time_cell(answer.time_us),
      answer.config.str(),
      best != nullptr ? TableCell(std::string(regime_name(best->study.regime))) : TableCell::unknown(),
      stale_cell(stale, options.format)};
  if (options.why) {
    const auto far = distance_to(problem, answer);
    table.add_column("distance", right);
    cells.push_back(far ? TableCell(format_number(*far), Value(*far)) : TableCell::unknown());
    add_evidence_columns(table);
    add_evidence_cells(best, evidence, cells);
  }
  table.add_row(std::move(cells));
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
      return fmt::format("from the configurations for all problems tuned on {}", answer.device.name);
    case Match::space_default:
      return "the default of the space file";
    case Match::fallback:
    case Match::none:
      break;
  }
  return std::string(match_name(answer.match));
}

// The study that an answer comes from. Of several with this configuration, such as one of each regime, the
// one with its time, else the latest.
Winner* study_of(const Answer& answer, std::vector<Winner>& winners) {
  Winner* found = nullptr;
  const auto rank = [&](const Winner& best) {
    return std::pair(best.trial.timing.median_us == answer.time_us, best.updated_unix_ms);
  };
  for (Winner& best : winners) {
    const bool is_it = best.study.problem == answer.problem && best.study.device == answer.device &&
                       best.trial.config == answer.config;
    if (is_it && (found == nullptr || rank(best) > rank(*found))) found = &best;
  }
  return found;
}

// Adds what differs from this machine, where it has the device of a winner.
void add_changes_here(std::span<Winner> winners, Context& context) {
  const DeviceCache cache = device_cache(context.environment.cache_dir, context);
  std::map<std::string, std::optional<DeviceInfo>> devices_here;  // by kind: asking takes a process
  for (std::size_t i = 0; i < winners.size(); ++i) {
    const DeviceIdentity& device = winners[i].study.device;
    const auto [here, is_new] = devices_here.try_emplace(device.kind);
    if (is_new) {
      const auto choice = parse_device(is_gpu(device.kind) ? device.kind : "host");
      const auto found = find_device(*choice, worker_argv(context), [](const std::string&) {}, cache);
      if (found) here->second = found->info;
    }
    if (!here->second || identity_of(*here->second) != device) continue;
    const SessionEnvironment now{
        .driver = here->second->driver, .runtime = here->second->runtime, .compiler = here->second->compiler};
    for (const std::string& change : changes_between(winners[i].environment, now))
      add_change(winners[i].changes, change);
  }
}

// Adds that the space file defines another version of a kernel.
Result<void, ExitCode> add_changes_of_space(std::span<Winner> winners, const std::string& space,
                                            Context& context) {
  std::map<std::string, Definition> definitions;  // by the kind of device
  for (std::size_t i = 0; i < winners.size(); ++i) {
    const std::string& kind = winners[i].study.device.kind;
    if (!definitions.contains(kind)) {
      auto definition = read_space_file(space, {.device_kind = kind, .strategies = {}});
      if (!definition) return fail(context, definition.error());
      definitions.emplace(kind, *std::move(definition));
    }
    const Definition& definition = definitions.at(kind);
    if (definition.kernel.name != winners[i].study.kernel) {
      return fail_usage(context, "gktune best",
                        "--space: " + space + " defines the kernel '" + definition.kernel.name + "', not '" +
                            winners[i].study.kernel + "'");
    }
    if (definition.fingerprint != winners[i].study.fingerprint)
      add_change(winners[i].changes,
                 "the source or its options have changed: " + space + " defines another version");
  }
  return {};
}

// The evidence for the winners of studies; empty unless --why asks for it. Adds to the winners what has changed
// since they were measured.
Result<std::vector<Evidence>, ExitCode> evidence_for(const Database& store, std::span<Winner> winners,
                                                     const BestOptions& options, Context& context) {
  std::vector<Evidence> evidences(winners.size());
  if (!options.why) return evidences;
  for (std::size_t i = 0; i < winners.size(); ++i) {
    auto evidence = store.evidence(winners[i]);
    if (!evidence) return fail(context, ExitCode::failed, evidence.error().message);
    evidences[i] = *std::move(evidence);
  }
  add_changes_here(winners, context);
  if (!options.space.empty()) {
    if (auto added = add_changes_of_space(winners, options.space, context); !added) return added.error();
  }
  return evidences;
}

std::string lead_text(const Winner& best, const Evidence& evidence) {
  const std::string where = best.from_playoff ? "in the playoff" : "in the search, without a playoff";
  if (!evidence.second) return "no second configuration to compare with";
  return fmt::format("{} ahead of the second {}: {} after {}; their confidence intervals {}",
                     format_percent(evidence.lead), where, format_time_us(evidence.second->timing.median_us),
                     format_time_us(best.trial.timing.median_us),
                     evidence.is_lead_clear ? "are apart" : "overlap");
}

void explain(const Winner& best, const Evidence& evidence, Context& context) {
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
              << fmt::format("measured: {} on {}{}{}\n",
                             best.measured_unix_ms > 0 ? format_date(best.measured_unix_ms)
                                                           : "at an unknown time",
                             environment.host_name.empty() ? "an unknown host" : environment.host_name,
                             programs.empty() ? "" : ", ", programs)
              << fmt::format("changed since: {}\n", best.changes.empty()
                                                        ? "nothing that is known"
                                                        : joined(best.changes, "; "));
}

ExitCode answer_one(const BestOptions& options, const Database& store, std::vector<Winner>& winners,
                    const DeviceIdentity& device, const LookupSettings& settings, Context& context) {
  std::vector<Problem> known;
  for (const Winner& best : winners) known.push_back(best.study.problem);
  auto problem = parse_problem(options.problem, known);
  if (!problem) return fail_usage(context, "gktune best", "--problem: " + problem.error().message);
  auto lookup = Lookup::open(database_path(options.database, context), settings);
  if (!lookup) return fail(context, ExitCode::failed, lookup.error().message);
  const Answer answer = lookup->best(
      options.kernel, *problem, Question{.device = device, .prefers_portfolio = options.prefers_portfolio});
  if (!answer) {
    fail(context, ExitCode::no_configuration,
         fmt::format("the database has no configuration of {} for {}", options.kernel,
                     problem_text(*problem)));
    hint(context, answer.reason);
    return ExitCode::no_configuration;
  }
  Winner* best = study_of(answer, winners);
  std::optional<Evidence> evidence;
  if (best != nullptr) {
    auto found = evidence_for(store, std::span(best, 1), options, context);
    if (!found) return found.error();
    evidence = std::move(found->front());
  }
  std::vector<std::string> stale = answer.stale;
  if (best != nullptr) {
    for (const std::string& change : best->changes) add_change(stale, change);
  }
  warn_of_stale(stale, context);
  if (options.format.json) {
    Json report = {{"kernel", options.kernel},
                   {"problem", json_of(*problem)},
                   {"match", match_name(answer.match)},
                   {"config", json_of(answer.config)},
                   {"time_us", answer.time_us > 0 ? Json(answer.time_us) : Json()},
                   {"metrics", best == nullptr ? Json::object() : json_of(best->trial.metrics)},
                   {"regime", best != nullptr ? Json(regime_name(best->study.regime)) : Json()},
                   {"objective", best != nullptr ? Json(best->study.objective) : Json()},
                   {"tuned_problem", json_of(answer.problem)},
                   {"tuned_device", json_of(answer.device)},
                   {"stale", stale}};
    if (options.why) {
      const auto far = distance_to(*problem, answer);
      report["distance"] = far ? Json(*far) : Json();
      if (evidence) report["evidence"] = evidence_json(*best, *evidence);
    }
    print(context.out, report);
    return ExitCode::done;
  }
  if (!options.format.is_text()) {
    answer_table(options, *problem, answer, stale, best, evidence ? &*evidence : nullptr)
        .print(context.out, context.out_screen, options.format);
    return ExitCode::done;
  }
  std::string time = answer.time_us > 0 ? format_time_us(answer.time_us) : "not measured";
  if (best != nullptr && best->study.regime != Regime::cold)
    time += fmt::format(" ({})", regime_name(best->study.regime));
  context.out << paint(context.out_screen, Ink::bold, one_line(answer.config.str())) << '\n'
              << one_line(fmt::format("{} {} on {}: {}, {}", options.kernel, problem_text(*problem),
                                      answer.device.name, time, match_text(answer)))
              << '\n';
  if (options.why) {
    if (const auto far = distance_to(*problem, answer); far && answer.match != Match::exact) {
      context.out << fmt::format("distance: {} on a log scale, where a factor of two along one axis is 1\n",
                                 format_number(*far));
    }
    if (evidence) explain(*best, *evidence, context);
  }
  return ExitCode::done;
}

// Every winner.
ExitCode answer_all(const BestOptions& options, const Database& store, std::vector<Winner>& winners,
                    Context& context) {
  const auto found = evidence_for(store, winners, options, context);
  if (!found) return found.error();
  const std::vector<Evidence>& evidences = *found;
  warn_of_stale(winners, context);
  if (options.format.json) {
    Json array = Json::array();
    for (std::size_t i = 0; i < winners.size(); ++i) {
      Json& each = array.emplace_back(best_json(winners[i]));
      each["stale"] = winners[i].changes;
      if (options.why) each["evidence"] = evidence_json(winners[i], evidences[i]);
    }
    print(context.out, array);
    return ExitCode::done;
  }
  best_table(winners, evidences, options).print(context.out, context.out_screen, options.format);
  if (!options.format.is_text() || !options.why) return ExitCode::done;
  for (std::size_t i = 0; i < winners.size(); ++i) {
    context.out << '\n' << one_line(study_text(winners[i].study)) << '\n';
    explain(winners[i], evidences[i], context);
  }
  return ExitCode::done;
}

ExitCode run(const BestOptions& options, Context& context) {
  if (options.kernel.empty() && !options.problem.empty()) {
    return fail_usage(context, "gktune best", "--problem needs a kernel: gktune best KERNEL --problem …");
  }
  if (!options.as.empty() && options.problem.empty())
    return fail_usage(context, "gktune best", "--as needs --problem");
  if (options.prefers_portfolio && options.problem.empty())
    return fail_usage(context, "gktune best", "--prefer-portfolio needs --problem");
  if (!options.space.empty() && !options.why)
    return fail_usage(context, "gktune best", "--space belongs to --why");
  auto store = open_database(options.database, context);
  if (!store) return ExitCode::failed;
  auto all = store->winners("");
  if (!all) return fail(context, ExitCode::failed, all.error().message);

  std::vector<std::string> kernels;
  for (const Winner& best : *all) add_new(kernels, best.study.kernel);
  if (!options.kernel.empty() && std::ranges::find(kernels, options.kernel) == kernels.end()) {
    fail(context, ExitCode::no_configuration,
         "the database has no configuration of kernel '" + options.kernel + "'" +
             did_you_mean(options.kernel, kernels));
    if (!kernels.empty()) hint(context, fmt::format("it has {}", fmt::join(kernels, ", ")));
    return ExitCode::no_configuration;
  }
  std::erase_if(
      *all, [&](const Winner& best) { return !options.kernel.empty() && best.study.kernel != options.kernel; });

  DeviceIdentity device;
  LookupSettings settings;
  const std::string& named = options.as.empty() ? options.device : options.as;
  if (!named.empty()) {
    std::vector<DeviceIdentity> devices;
    for (const Winner& best : *all) devices.push_back(best.study.device);
    auto known = find_device(named, devices);
    if (!known) return fail(context, ExitCode::no_device, known.error().message);
    device = *std::move(known);
  }
  if (!options.as.empty()) {
    std::erase_if(*all, [&](const Winner& best) { return best.study.device.name != device.name; });
    const std::string answering = device.name;
    if (!options.device.empty()) device.name = options.device;
    settings.aliases = {{device.name, answering}};
  } else if (!named.empty()) {
    std::erase_if(*all, [&](const Winner& best) { return best.study.device != device; });
  }

  if (!options.problem.empty()) {
    return answer_one(options, *store, *all, device, settings, context);
  }
  if (all->empty()) {
    if (options.format.json) print(context.out, Json::array());
    fail(context, ExitCode::no_configuration, "the database has no configuration yet");
    hint(context, "gktune run SPACE adds some");
    return ExitCode::no_configuration;
  }
  return answer_all(options, *store, *all, context);
}

}  // namespace

Command best_command() {
  return make_command<BestOptions>("best", "Show the fastest known configuration",
                                   "gktune best reduce --problem n=1Gi,element=float", declare, run);
}

}  // namespace gktune
