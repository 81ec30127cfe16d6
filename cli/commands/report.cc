// gktune report: an HTML page about tunings.
#include "cli/commands/report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "cli/command.h"
#include "cli/output/html_report.h"
#include "engine/study_facts.h"
#include "tuner/core/files.h"
#include "tuner/core/quantity.h"
#include "tuner/core/text.h"

namespace gktune {
namespace {

struct ReportOptions {
  std::vector<std::string> kernels;
  std::string database;
  std::string output = "report.html";
};

void declare(Flags& flags, ReportOptions& options) {
  flags.texts("KERNEL", options.kernels, "Kernels; default: all kernels", "KERNEL");
  flags.database(options.database);
  flags.text("--output,-o", options.output, "Write to FILE", "FILE").shown_default("report.html");
}

ExitCode fail_with_hint(const ReportOptions& options, const std::string& message, Context& context) {
  return fail(context, ExitCode::failed, message,
              "gktune db ls" + database_flag(options.database) + " lists the studies");
}

ExitCode run(const ReportOptions& options, Context& context) {
  asked_or_end("--output", check_report_path(options.output), context);
  auto store = open_database(options.database, context);
  auto studies = value_or_end(store->studies(Counts::ignored), context);
  if (studies.empty())
    return fail(context, ExitCode::failed, "the database is empty", "gktune run SPACE adds studies");
  auto written = write_report(*store, options.kernels, options.output);
  if (!written) return fail_with_hint(options, written.error().message, context);
  context.out << written->text() << '\n';
  return ExitCode::done;
}

namespace fs = std::filesystem;

// The studies of the kernels, the last tuned first.
Result<std::vector<StudySummary>> studies_of(const Database& store, const std::vector<std::string>& kernels) {
  auto studies = GKTUNE_TRY(store.studies());
  std::vector<std::string> known;
  for (const StudySummary& each : studies) known.push_back(each.study.kernel);
  for (const std::string& kernel : kernels) {
    if (std::ranges::find(known, kernel) == known.end())
      return Error{"there is no study of a kernel '" + kernel + "'" + did_you_mean(kernel, known)};
  }
  if (!kernels.empty()) {
    std::erase_if(studies, [&](const StudySummary& each) {
      return std::ranges::find(kernels, each.study.kernel) == kernels.end();
    });
  }
  std::ranges::stable_sort(studies, std::ranges::greater(), &StudySummary::updated_unix_ms);
  return studies;
}

}  // namespace

Command report_command() {
  return make_command<ReportOptions>("report", "Write an HTML page with charts of tunings",
                                     "gktune report reduce -o reduce.html", declare, run);
}

Result<void> check_report_path(const fs::path& path) {
  GKTUNE_TRY(check_output(path));
  const fs::path target = target_of(path);
  std::error_code error;
  if (fs::exists(target, error) && !fs::is_regular_file(target, error))
    return Error{path.string() + " is no regular file"};
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error)) return Error{"there is no folder " + folder.string()};
  if (access(folder.c_str(), W_OK) != 0) return Error{"cannot write to the folder " + folder.string()};
  return {};
}

std::string WrittenReport::text() const {
  return fmt::format("{}: {}, {}, {}", path.string(),
                     format_things(static_cast<std::int64_t>(studies), "study"),
                     format_things(trials, "trial"), format_bytes(static_cast<std::int64_t>(bytes)));
}

Result<WrittenReport> write_report(const Database& store, const std::vector<std::string>& kernels,
                                   const fs::path& path) {
  GKTUNE_TRY(check_report_path(path));
  auto summaries = GKTUNE_TRY(studies_of(store, kernels));
  auto winners = GKTUNE_TRY(store.winners(""));
  WrittenReport written{path, summaries.size(), 0, 0};
  std::vector<StudyFacts> studies;
  for (const StudySummary& summary : summaries) {
    auto facts = GKTUNE_TRY(facts_of(store, summary, winners));
    written.trials += summary.trials;
    if (facts.winner) facts.changes = facts.winner->changes;
    studies.push_back(std::move(facts));
  }
  const std::string page = html_report(studies, {.written_unix_ms = now_unix_ms()});
  written.bytes = page.size();
  GKTUNE_TRY(write_output(path, page));
  return written;
}

}  // namespace gktune
