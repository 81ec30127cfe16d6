// gktune db export, gktune db import, gktune db merge, gktune db slim: databases, files of other programs,
// what applications keep.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "cli/command.h"
#include "cli/output/stale.h"
#include "db/winner_export.h"
#include "engine/import/recordings.h"
#include "engine/portfolio/make_portfolio.h"
#include "tuner/core/files.h"
#include "tuner/core/text.h"

namespace gktune {
namespace {

enum class ExportFormat { header, flags, kernel_tuner };
EnumNames enum_names(ExportFormat) {
  static constexpr std::string_view kNames[] = {"header", "flags", "kernel-tuner"};
  return kNames;
}

struct ExportOptions {
  std::vector<std::string> studies;
  StudyFlags selection;
  ExportFormat format = ExportFormat::header;
  std::string output;
};

void declare_export(Flags& flags, ExportOptions& options) {
  flags.texts("STUDY", options.studies, "Studies: ids, or KERNEL[/AXIS=VALUE,…][@DEVICE]; default: all");
  declare_study_flags(flags, options.selection);
  flags
      .choice("--format", options.format,
              "header: the winners of a kernel on a device, for C++; flags: -D…, of one winner; "
              "kernel-tuner: a cache file with all trials of a study")
      .shown_default("header");
  flags.text("--output,-o", options.output, "Write to FILE instead of standard output", "FILE");
}

// Writes to the file, or to standard output.
ExitCode write_text(const std::string& text, const std::string& path, Context& context) {
  if (!path.empty()) {
    const auto written = write_output(path, text);
    return written ? ExitCode::done : fail(context, written.error());
  }
  if (!(context.bytes << text).flush())
    return fail(context, ExitCode::failed, "standard output cannot be written");
  return ExitCode::done;
}

// The winners of the selected studies, of which a kernel's version that is not the latest is left out.
std::vector<Winner> winners_of(const Database& store, const std::vector<StudySummary>& studies,
                               Context& context) {
  std::vector<Winner> winners;
  for (const StudySummary& each : studies) {
    const bool is_outdated = std::ranges::any_of(studies, [&](const StudySummary& other) {
      return other.study.kernel == each.study.kernel && other.study.device == each.study.device &&
             other.study.fingerprint != each.study.fingerprint &&
             other.updated_unix_ms > each.updated_unix_ms;
    });
    if (is_outdated) continue;
    auto winner = value_or_end(store.winner(each.id), context);
    if (winner) winners.push_back(*std::move(winner));
  }
  warn_of_stale(winners, context);
  if (winners.empty()) throw Ended{fail(context, ExitCode::no_configuration, "there is no winner to export")};
  return winners;
}

// A portfolio of the problems of these winners; nothing if fewer than two of them were tuned.
std::optional<Portfolio> portfolio_for(const Database& store, const std::vector<Winner>& winners) {
  const Study& study = winners.front().study;
  const auto tables = read_costs(store, study.kernel);
  if (!tables) return std::nullopt;
  for (const CostTable& costs : *tables) {
    const Study& own = costs.study;
    if (std::tie(own.device, own.fingerprint, own.regime, own.objective) !=
        std::tie(study.device, study.fingerprint, study.regime, study.objective))
      continue;
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < costs.problems.size(); ++i) {
      const bool is_selected = std::ranges::any_of(
          winners, [&](const Winner& best) { return best.study.problem == costs.problems[i]; });
      if (is_selected) kept.push_back(i);
    }
    if (kept.size() > 1) return make_portfolio(costs.of(kept), {});
  }
  return std::nullopt;
}

// For formats that name no regime and no objective.
void keep_one_for_each_problem(std::vector<Winner>& winners, Context& context) {
  const std::size_t all = winners.size();
  winners = one_for_each_problem(std::move(winners));
  const std::size_t left_out = all - winners.size();
  if (left_out == 0) return;
  context.log.info(fmt::format(
      "left out {} of other regimes or objectives: this format holds one winner for each problem and device",
      format_things(static_cast<std::int64_t>(left_out), "winner")));
  hint(context, "name studies by their ids to export others");
}

ExitCode export_header(const Database& store, const std::vector<Winner>& winners,
                       const ExportOptions& options, Context& context) {
  const Study& study = winners.front().study;
  auto stored = value_or_end(store.portfolios(study.kernel), context);
  std::optional<Portfolio> portfolio;
  for (Portfolio& each : stored) {
    if (each.is_of(study) && !portfolio) portfolio = std::move(each);
  }
  for (const std::string& change : portfolio ? portfolio->stale : std::vector<std::string>()) {
    context.log.warning(fmt::format("the portfolio of {} on {} is stale: {}", portfolio->kernel,
                                    portfolio->device.name, change));
  }
  if (!portfolio) portfolio = portfolio_for(store, winners);
  if (!portfolio) {
    portfolio.emplace();
    portfolio->configs = {winners.front().trial.config};
    portfolio->tree.emplace_back();
  }
  const auto texts = value_or_end(store.texts(study.kernel), context);
  auto text = header_text(winners, *portfolio, texts);
  if (!text)
    return fail(context, ExitCode::failed, text.error().message,
                "name one kernel, and a device with --device (gktune_tuned_header of CMake: DEVICE)");
  return write_text(*text, options.output, context);
}

ExitCode export_selection(const ExportOptions& options, Context& context) {
  auto studies = selected_studies(options.selection, options.studies, context);
  if (options.format == ExportFormat::kernel_tuner) {
    if (studies.size() != 1)
      return fail_usage(context, fmt::format("this format holds one study; {} are selected", studies.size()));
    const auto database = database_path(options.selection.database, context);
    return write_text(value_or_end(export_cache(database, studies.front().id), context), options.output,
                      context);
  }
  const auto store = open_database(options.selection.database, context);
  auto winners = winners_of(*store, studies, context);
  if (options.format == ExportFormat::header) {
    keep_one_for_each_problem(winners, context);
    return export_header(*store, winners, options, context);
  }
  if (winners.size() != 1)
    return fail_usage(context,
                      fmt::format("the format flags holds one winner; {} are selected", winners.size()));
  return write_text(definition_flags(winners.front().trial.config) + "\n", options.output, context);
}

void print_merged(const Merged& merged, const std::string& name, Context& context) {
  context.out << fmt::format(
      "{}: {}, {} known; {}, {}, {}\n", name, format_things(merged.trials, "new trial"),
      format_count(merged.known_trials), format_things(merged.studies, "new study"),
      format_things(merged.sessions, "session"), format_things(merged.playoffs, "playoff"));
  for (const std::string& winner : merged.changed_winners) context.out << "new winner of " << winner << '\n';
}

struct FileFlags {
  std::vector<std::string> files;
  std::string database;
};

void declare_import(Flags& flags, FileFlags& options) {
  flags.texts("FILE", options.files, "A cache file of Kernel Tuner or a T4 file", "FILE").required();
  flags.database(options.database);
}

void declare_merge(Flags& flags, FileFlags& options) {
  flags.texts("FILE", options.files, "Databases to add to the database of --db", "FILE").required();
  flags.database(options.database);
}

ExitCode import_files(const FileFlags& options, Context& context) {
  const auto database = database_path(options.database, context);
  for (const std::string& file : options.files) {
    if (is_database(file))
      return fail(context, ExitCode::failed, file + ": it is a database; `gktune db merge` adds it");
    auto merged = value_or_end(import_recording(database, file), context);
    print_merged(merged, file, context);
  }
  return ExitCode::done;
}

ExitCode merge(const FileFlags& options, Context& context) {
  const auto database = database_path(options.database, context);
  auto store = value_or_end(Database::open(database, Database::Access::write), context);
  for (const std::string& source : options.files) {
    auto merged = value_or_end(store->merge(source), context);
    print_merged(merged, source, context);
  }
  return ExitCode::done;
}

struct ServerFlags {
  std::string uri, file, kernel;
};

void declare_server(Flags& flags, ServerFlags& options) {
  flags.text("URI", options.uri, "The database on a PostgreSQL server: postgresql://HOST/DATABASE")
      .required();
  flags.text("--kernel", options.kernel, "What was measured of this kernel alone", "KERNEL");
}

void declare_pull(Flags& flags, ServerFlags& options) {
  declare_server(flags, options);
  flags.text("--output,-o", options.file, "The database in a file; rows that it has stay", "FILE").required();
}

void declare_push(Flags& flags, ServerFlags& options) {
  declare_server(flags, options);
  flags.database(options.file);
}

ExitCode transfer(const ServerFlags& options, const std::filesystem::path& from,
                  const std::filesystem::path& to, Context& context) {
  if (!is_server(options.uri))
    return fail_usage(context, options.uri + " is no URI of a server: postgresql://HOST/DATABASE");
  auto store = value_or_end(Database::open(to, Database::Access::write), context);
  print_merged(value_or_end(store->merge(from, Copied::all, options.kernel), context), from.string(),
               context);
  return ExitCode::done;
}

ExitCode pull(const ServerFlags& options, Context& context) {
  return transfer(options, options.uri, options.file, context);
}

ExitCode push(const ServerFlags& options, Context& context) {
  require_database(options.file, context);
  return transfer(options, database_path(options.file, context), options.uri, context);
}

struct SlimOptions : DatabaseFlags {
  std::string output;
};

void declare_slim(Flags& flags, SlimOptions& options) {
  flags.database(options.database);
  flags.text("--output,-o", options.output, "The new file", "FILE").required();
  flags.table_format(options.format);
}

ExitCode slim(const SlimOptions& options, Context& context) {
  require_database(options.database, context);
  const auto copied =
      value_or_end(slim_database(database_path(options.database, context), options.output), context);
  if (options.format.is_text()) {
    context.out << fmt::format("{}: {}, {}\n", options.output, format_things(copied.trials, "winner"),
                               format_things(copied.portfolios, "portfolio"));
  } else {
    print_one({{"output", options.output},
               {"winners", copied.trials, Unit::count},
               {"portfolios", copied.portfolios, Unit::count}},
              options.format, context);
  }
  return ExitCode::done;
}

}  // namespace

Command db_export_command() {
  return make_command<ExportOptions>("export", "Write winners or trials for applications and other programs",
                                     "gktune db export reduce@H200 --format header -o reduce_tuned.h",
                                     declare_export, export_selection);
}

Command db_import_command() {
  return make_command<FileFlags>("import", "Add recorded tunings of other programs",
                                 "gktune db import convolution-A100.json", declare_import, import_files);
}

Command db_merge_command() {
  return make_command<FileFlags>("merge", "Add other databases",
                                 "gktune db merge h100.db h200.db --db all.db", declare_merge, merge);
}

Command db_pull_command() {
  return make_command<ServerFlags>("pull", "Copy from a server to a file, for applications",
                                   "gktune db pull postgresql://db.lab/tuning -o gktune.db", declare_pull,
                                   pull);
}

Command db_push_command() {
  return make_command<ServerFlags>("push", "Copy from a file to a server",
                                   "gktune db push postgresql://db.lab/tuning", declare_push, push);
}

Command db_slim_command() {
  return make_command<SlimOptions>("slim", "Copy the winners to a new database for applications",
                                   "gktune db slim -o winners.db", declare_slim, slim);
}

}  // namespace gktune
