// gktune report: an HTML page about tunings.
#include <chrono>
#include <optional>
#include <ostream>
#include <thread>

#include "cli/commands/commands.h"
#include "cli/database.h"
#include "cli/flags.h"
#include "cli/report_file.h"
#include "tuner/core/seconds_since.h"

namespace gktune {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr int kReload_s = 5;       // of a page of a running tuning
constexpr auto kGlance = 200ms;    // between two looks for Ctrl-C
constexpr double kMostWork = 0.1;  // share of the time that goes into rewriting the page

struct ReportOptions {
  std::vector<std::string> kernels;
  std::string database;
  std::string output = "report.html";
  bool live = false;
};

void declare(Flags& flags, ReportOptions& options) {
  flags.texts("KERNEL", options.kernels, "Kernels; default: all kernels").kind("KERNEL");
  flags.database(options.database);
  flags.text("--output,-o", options.output, "Write to FILE").kind("FILE").shown_default("report.html");
  flags.on("--live", options.live,
           "Update the page while trials arrive, until Ctrl-C; an open page reloads itself");
}

ExitCode fail_with_hint(const ReportOptions& options, const std::string& message, Context& context) {
  fail(context, ExitCode::failed, message);
  hint(context, "gktune db ls" + database_flag(options.database) + " lists the studies");
  return ExitCode::failed;
}

// Changes whenever a trial is added.
std::uint64_t state_of(const std::vector<StudySummary>& studies) {
  std::uint64_t state = 0;  // wraps around
  for (const StudySummary& each : studies)
    state = state * 31 + static_cast<std::uint64_t>(each.updated_unix_ms + each.trials);
  return state;
}

// Rewrites the page whenever trials arrived, and at last as a page that does not reload.
ExitCode follow(const ReportOptions& options, const Database& store, Context& context) {
  const auto path = database_path(options.database, context);
  const auto is_interrupted = context.catch_interrupts();
  context.log.info("writing " + options.output + " whenever trials arrive; press Ctrl-C to end");
  std::optional<std::uint64_t> shown;
  std::chrono::duration<double> pause = 0s;
  auto last = Clock::now();
  while (!is_interrupted()) {
    if (shown && Clock::now() - last < std::max<std::chrono::duration<double>>(1s, pause)) {
      std::this_thread::sleep_for(kGlance);
      continue;
    }
    last = Clock::now();
    auto studies = store.studies();
    if (!studies) return fail(context, ExitCode::failed, studies.error().message);
    if (const std::uint64_t state = state_of(*studies); state != shown) {
      auto written = write_report(store, options.kernels, options.output, {kReload_s, path});
      if (!written) return fail_with_hint(options, written.error().message, context);
      shown = state;
      pause = std::chrono::duration<double>(seconds_since(last) / kMostWork);
      last = Clock::now();
    }
  }
  auto written = write_report(store, options.kernels, options.output, {.database = path});
  if (!written) return fail_with_hint(options, written.error().message, context);
  context.out << written->text() << '\n';
  return ExitCode::done;
}

ExitCode run(const ReportOptions& options, Context& context) {
  if (auto checked = check_report_path(options.output); !checked) {
    return fail_usage(context, "gktune report", "--output: " + checked.error().message);
  }
  auto store = open_database(options.database, context);
  if (!store) return ExitCode::failed;
  if (options.live) return follow(options, *store, context);
  auto studies = store->studies();
  if (!studies) return fail(context, ExitCode::failed, studies.error().message);
  if (studies->empty()) {
    fail(context, ExitCode::failed, "the database is empty");
    hint(context, "gktune run SPACE adds studies");
    return ExitCode::failed;
  }
  const auto path = database_path(options.database, context);
  auto written = write_report(*store, options.kernels, options.output, {.database = path});
  if (!written) return fail_with_hint(options, written.error().message, context);
  context.out << written->text() << '\n';
  return ExitCode::done;
}

}  // namespace

Command report_command() {
  return make_command<ReportOptions>("report", "Write an HTML page with charts of tunings",
                                     "gktune report reduce -o reduce.html", declare, run);
}

}  // namespace gktune
