// gktune space: the configurations of a space file, without running any.

#include <fmt/format.h>

#include <functional>
#include <optional>
#include <ostream>
#include <random>

#include "cli/commands/commands.h"
#include "cli/device_flags.h"
#include "cli/flags.h"
#include "cli/output/json.h"
#include "cli/output/quantity.h"
#include "engine/selection.h"
#include "engine/spaces.h"

namespace gktune {
namespace {

struct SpaceOptions {
  std::string path;
  DeviceFlags device;
  std::vector<std::string> problems;
  bool list = false;
  std::int64_t sample = 0;
  std::optional<Count> at;
  bool json = false;
};

Result<Count> parse_index(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) {
    return Error{fmt::format("'{}' is not an index: they count from 0", text)};
  }
  return Count(std::string(text));
}

void declare(Flags& flags, SpaceOptions& options) {
  flags.text("SPACE", options.path, "A space file").required().kind("FILE");
  flags.device(
      options.device,
      "Device whose limits count; auto: the first GPU, else the CPU; sm_90: a GPU that is not present");
  flags.problem(options.problems);
  Flag list = flags.on("--list", options.list, "Print every valid configuration, one per line");
  Flag sample =
      flags.parsed("--sample", options.sample, parse_count, "Print N random valid configurations", "N");
  flags.parsed("--seed", options.device.seed, parse_count, "Seed of the sample", "N").needs(sample);
  Flag at = flags.parsed("--at", options.at, parse_index, "Print the configuration with this index", "INDEX");
  list.excludes(sample).excludes(at);
  sample.excludes(at);
  flags.json(options.json);
}

bool asks_for_configurations(const SpaceOptions& options) {
  return options.list || options.sample > 0 || options.at.has_value();
}

// Prints the requested configurations.
Result<void, EngineError> visit(const Space& space, const SpaceOptions& options,
                                const std::function<void(const Config&)>& use) {
  if (options.at) {
    if (*options.at >= space.size()) {
      return EngineError{EngineError::Kind::invalid,
                         fmt::format("--at {}: there are {} valid configurations, counted from 0",
                                     options.at->str(), space.size().str()),
                         {}};
    }
    use(space.at(*options.at));
  }
  if (options.list) {
    for (Count index = 0; index < space.size(); ++index) use(space.at(index));
  }
  std::mt19937_64 random(static_cast<std::uint64_t>(options.device.seed));
  for (std::int64_t i = 0; i < options.sample; ++i) use(space.at(space.sample(random)));
  return {};
}

Json counts_json(const SpaceCounts& counts) {
  return {{"combinations", json_of_count(counts.combinations.str())},
          {"valid", json_of_count(counts.valid.str())},
          {"ruled_out",
           {{"file", json_of_count(counts.rejected_by_file.str())},
            {"block_limit", json_of_count(counts.rejected_by_block_limit.str())},
            {"shared_memory_limit", json_of_count(counts.rejected_by_shared_memory_limit.str())}}}};
}

// The command's output for one problem.
Result<Json, EngineError> show(const OpenedSpace& opened, const Problem& problem, const SpaceOptions& options,
                               Context& context) {
  Json report = {{"problem", json_of(problem)}};
  if (!asks_for_configurations(options)) {
    auto counts = space_counts(opened.definition, problem, opened.device.info);
    if (!counts) return counts.error();
    report.update(counts_json(*counts));
    std::string title = problem.empty() ? "" : problem_text(problem) + ": ";
    if (!options.json) context.out << title << counts_text(*counts) << '\n';
    return report;
  }
  auto space = space_of(opened.definition, problem, opened.device.info);
  if (!space) return space.error();
  report["configurations"] = Json::array();
  auto visited = visit(*space, options, [&](const Config& config) {
    if (options.json) {
      report["configurations"].push_back(json_of(config));
    } else {
      context.out << config.str() << '\n';
    }
  });
  if (!visited) return visited.error();
  return report;
}

ExitCode run(const SpaceOptions& options, Context& context) {
  auto read = read_file(options.path, options.device.choice, options.device, UnsafeOptions::allowed, context);
  if (!read) return read.error();
  const Definition& definition = read->definition;
  auto problems = select_problems(definition.kernel, options.problems);
  if (!problems) return fail_usage(context, "gktune space", "--problem: " + problems.error().message);

  Json reports = Json::array();
  for (const Problem& problem : *problems) {
    auto report = show(*read, problem, options, context);
    if (!report) return fail(context, report.error());
    reports.push_back(*std::move(report));
  }
  if (options.json) print(context.out, {{"kernel", definition.kernel.name}, {"spaces", std::move(reports)}});
  return ExitCode::done;
}

}  // namespace

Command space_command() {
  return make_command<SpaceOptions>("space", "Count, list or sample a space's valid configurations",
                                    "gktune space spaces/reduce.yaml --sample 3 --problem n=1Mi", declare,
                                    run);
}

}  // namespace gktune
