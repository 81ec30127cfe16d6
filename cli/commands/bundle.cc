// gktune bundle: one file with the compiled winners of kernels, for applications that ship no sources.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.h"
#include "cli/output/stale.h"
#include "runtime/bundle/write_bundle.h"

namespace gktune {
namespace {

struct BundleOptions {
  std::vector<std::string> spaces, databases, architectures;
  std::string output, cache_dir;
  bool allows_unsafe_options = false;
  TableFormat format;
};

void declare(Flags& flags, BundleOptions& options) {
  flags.texts("SPACE", options.spaces, "Space files of the kernels", "FILE").required();
  flags.text("-o,--output", options.output, "File to write", "FILE").required();
  flags.collected("--db", options.databases,
                  "Database with the winners; may be repeated; default: $GKTUNE_DB, else ./gktune.db",
                  "FILE");
  flags.collected("--arch", options.architectures,
                  "Include devices of this architecture only: sm_90, x86-64; may be repeated; default: all "
                  "with winners",
                  "ARCHITECTURE");
  flags.compiler(options.cache_dir, options.allows_unsafe_options);
  flags.table_format(options.format);
}

// The kernels of a bundle.
Table kernel_table(const BundleSummary& summary) {
  Table table;
  for (const BundledKernel& each : summary.kernels) {
    table.add({{"kernel", each.kernel},
               {"kind", each.kind},
               {"architectures", each.architectures},
               {"winners", each.winners, Unit::count},
               {"variants", each.variants, Unit::count}});
  }
  return table;
}

ExitCode run(const BundleOptions& options, Context& context) {
  BundleRequest request;
  request.space_files = options.spaces;
  for (const std::string& database : options.databases) request.databases.emplace_back(database);
  if (request.databases.empty()) request.databases.push_back(database_path("", context));
  request.architectures = options.architectures;
  request.unsafe_options = options.allows_unsafe_options ? UnsafeOptions::allowed : UnsafeOptions::refused;
  if (!context.environment.cxx.empty()) request.cxx = context.environment.cxx;
  request.cuda_home = context.environment.cuda_home;
  request.cache_dir =
      options.cache_dir.empty() ? context.environment.cache_dir : std::filesystem::path(options.cache_dir);
  request.on_notice = [&context](const std::string& text) { context.log.warning("left out: " + text); };
  const auto summary = write_bundle(options.output, request);
  if (!summary) {
    fail(context, summary.error());
    hint_at_unsafe_options(context, summary.error().message);
    return ExitCode::failed;
  }
  ChangedWinners stale;
  std::size_t winners = 0;
  for (const BundledKernel& each : summary->kernels) winners += each.winners;
  for (const StaleAnswer& each : summary->stale) stale.emplace_back(each.study, each.changes);
  warn_of_stale(stale, winners, context);
  if (!options.format.is_text()) {
    Json answers = Json::array();
    for (const StaleAnswer& each : summary->stale) {
      answers.push_back({{"kernel", each.study.kernel},
                         {"problem", json_of(each.study.problem)},
                         {"device", json_of(each.study.device)},
                         {"changes", each.changes}});
    }
    const Table table = kernel_table(*summary);
    table.print(
        context, options.format,
        {{"path", options.output}, {"bytes", summary->bytes}, {"kernels", table.json()}, {"stale", answers}});
    return ExitCode::done;
  }
  for (const BundledKernel& each : summary->kernels) {
    context.out << fmt::format("{} on {}: {}, {}\n", each.kernel, fmt::join(each.architectures, ", "),
                               format_things(static_cast<std::int64_t>(each.winners), "winner"),
                               format_things(static_cast<std::int64_t>(each.variants), "variant"));
  }
  context.out << fmt::format("{}: {} bytes\n", options.output,
                             format_count(static_cast<std::int64_t>(summary->bytes)));
  return ExitCode::done;
}

}  // namespace

Command bundle_command() {
  return make_command<BundleOptions>("bundle",
                                     "Write a file with compiled winners for applications without sources",
                                     "gktune bundle spaces/reduce.yaml -o kernels.gkt", declare, run);
}

}  // namespace gktune
