// gktune repro: writes one trial as a standalone program for debuggers, sanitizers and profilers.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <set>

#include "cli/commands/commands.h"
#include "cli/database.h"
#include "cli/flags.h"
#include "cli/output/quantity.h"
#include "cli/study_flags.h"
#include "cli/trial_plan.h"
#include "engine/problem_selection.h"
#include "tuner/core/device_kinds.h"
#include "tuner/core/output_file.h"
#include "tuner/repro/repro_source.h"
#include "tuner/repro/stored_values.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

struct ReproOptions {
  std::string which;
  std::string space;
  std::string database;
  std::string output;
  bool force = false;
};

void declare(Flags& flags, ReproOptions& options) {
  flags
      .text("TRIAL", options.which,
            "A trial's id from `gktune db show`, or a study to take the winner of: "
            "KERNEL[/AXIS=VALUE,…][@DEVICE]")
      .kind("ID|KERNEL")
      .required();
  flags.text("SPACE", options.space, "Space file of the trial").required().kind("FILE");
  flags.database(options.database);
  flags.text("--output,-o", options.output, "Write to FILE instead of standard output").kind("FILE");
  flags.on("--force", options.force, "Write the program even if the space file or its sources have changed");
}

std::string outcome_of(const Trial& trial) {
  if (!trial.ok()) {
    std::string text = std::string(status_name(trial.status)) + ": " + trial.message;
    return text.substr(0, text.find('\n'));
  }
  return fmt::format("median {}, {} caches", format_time_us(trial.timing.median_us),
                     regime_name(trial.regime));
}

std::string file_name_of(const ReproOptions& options, Language language, bool is_for_gpu) {
  if (!options.output.empty()) return std::filesystem::path(options.output).filename().string();
  const bool is_cuda = language == Language::cuda || (language == Language::host && is_for_gpu);
  return is_cuda ? "repro.cu" : "repro.cc";
}

ReproFacts facts_of(const ReproOptions& options, const StudiedTrial& found, const Definition& definition,
                    const TrialPlan& planned, const Context& context) {
  const Study& study = found.study;
  const Trial& trial = found.trial;
  ReproFacts facts;
  facts.title =
      fmt::format("Trial {} of {}", trial.id, database_path(options.database, context).filename().string());
  facts.facts = {{"kernel", study.kernel},
                 {"problem", problem_text(trial.problem)},
                 {"configuration", trial.config.str()},
                 {"device", fmt::format("{} ({}, {} multiprocessors)", study.device.name,
                                        study.device.architecture, study.device.multiprocessors)},
                 {"outcome", outcome_of(trial)},
                 {"space file", options.space}};
  if (study.fingerprint != definition.fingerprint) {
    facts.facts.emplace_back("but", "the space file or its sources have changed since");
  }
  const Plan& plan = planned.plan;
  if (plan.reference.has_steps() && plan.reference.source.options != plan.candidate.source.options) {
    facts.facts.emplace_back("but",
                             "the tuner compiles the reference without options that depend on a parameter");
  }
  facts.is_for_gpu = is_gpu(study.device.kind);
  facts.file_name = file_name_of(options, definition.kernel.language, facts.is_for_gpu);
  facts.options = planned.options;
  return facts;
}

// Reads the space file and checks that the trial was tuned with it.
Result<Definition, ExitCode> read_definition(const ReproOptions& options, std::int64_t trial,
                                             const Study& study, Context& context) {
  auto definition = read_space_file(options.space, {.device_kind = study.device.kind, .strategies = {}});
  if (!definition) return fail(context, definition.error());
  if (definition->kernel.name != study.kernel) {
    return fail(context, ExitCode::failed,
                fmt::format("trial {} belongs to kernel {}, but {} describes {}", trial, study.kernel,
                            options.space, definition->kernel.name));
  }
  if (definition->fingerprint != study.fingerprint && !options.force) {
    fail(context, ExitCode::failed,
         fmt::format("{} or one of its sources has changed since trial {}", options.space, trial));
    hint(context, "--force uses the current files with the trial's configuration and problem");
    return ExitCode::failed;
  }
  return *std::move(definition);
}

ExitCode write(const ReproOptions& options, const std::string& text, Context& context) {
  if (options.output.empty()) {
    // A file gets the program byte for byte.
    (context.out_screen.is_terminal ? context.out : context.bytes) << text << std::flush;
    return ExitCode::done;
  }
  const auto written = write_output(options.output, text);
  return written ? ExitCode::done : fail(context, ExitCode::failed, written.error().message);
}

// Picks among studies that differ only in their versions: the version of the space file, or else the latest.
const StudySummary& version_of_space(const std::vector<StudySummary>& versions, const ReproOptions& options) {
  const auto definition =
      read_space_file(options.space, {.device_kind = versions.front().study.device.kind, .strategies = {}});
  return *std::ranges::max_element(versions, {}, [&](const StudySummary& each) {
    return std::pair(definition && definition->fingerprint == each.study.fingerprint, each.updated_unix_ms);
  });
}

// The number of the trial that the arguments name.
Result<std::int64_t, ExitCode> find_trial(const ReproOptions& options, const Database& store,
                                          Context& context) {
  auto studies = store.studies();
  if (!studies) return fail(context, ExitCode::failed, studies.error().message);
  if (const auto number = number_in(options.which)) {
    if (!is_kernel(*studies, options.which)) return *number;
    const auto trial = store.trial(*number);
    if (!trial || *trial) {
      return fail_selection(options.database, ambiguous_number(options.which, "trial").message, context);
    }
  }
  const auto named = named_studies(*studies, options.which);
  if (!named) return fail_selection(options.database, named.error().message, context);
  std::set<std::string> texts;
  for (const StudySummary& each : *named) texts.insert(study_text(each.study));
  if (texts.size() > 1) {
    const std::string examples = *texts.begin() + ", " + *texts.rbegin();
    return fail_selection(
        options.database,
        fmt::format("'{}' names {} studies, among them {}", options.which, texts.size(), examples), context);
  }
  const StudySummary& study = version_of_space(*named, options);
  const auto winner = store.winner(study.id);
  if (!winner) return fail(context, ExitCode::failed, winner.error().message);
  if (*winner) return (*winner)->trial.id;
  fail(context, ExitCode::failed, study_text(study.study) + " has no winner");
  hint(context, fmt::format("gktune db show {} --failed{} lists its trials", study.id,
                            database_flag(options.database)));
  return ExitCode::failed;
}

ExitCode run(const ReproOptions& options, Context& context) {
  auto store = open_database(options.database, context);
  if (!store) return ExitCode::failed;
  const auto number = find_trial(options, *store, context);
  if (!number) return number.error();
  auto found = store->trial(*number);
  if (!found) return fail(context, ExitCode::failed, found.error().message);
  if (!*found) {
    fail(context, ExitCode::failed, fmt::format("there is no trial {}", *number));
    hint(context,
         fmt::format("gktune db show STUDY{} lists the trials of a study", database_flag(options.database)));
    return ExitCode::failed;
  }
  auto definition = read_definition(options, *number, (*found)->study, context);
  if (!definition) return definition.error();
  if (const auto unsafe = unsafe_value(*definition, (*found)->trial.config, (*found)->trial.problem)) {
    return fail(context, ExitCode::failed,
                fmt::format("trial {} has {}, which {} does not list: it could run any code", *number,
                            *unsafe, options.space));
  }
  auto planned = plan_of_trial(definition->kernel, **found, context);
  if (!planned) {
    return fail(context, ExitCode::failed,
                fmt::format("trial {}: {}", *number, planned.error().message));
  }
  return write(options,
               repro_source(planned->plan, facts_of(options, **found, *definition, *planned, context)),
               context);
}

}  // namespace

Command repro_command() {
  return make_command<ReproOptions>(
      "repro", "Write one trial as a standalone program for debuggers and profilers",
      "gktune repro reduce/n=1Mi@H200 spaces/reduce.yaml -o repro.cu", declare, run);
}

}  // namespace gktune
