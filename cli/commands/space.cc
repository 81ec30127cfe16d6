// gktune space: the configurations of a space file, without running any.

#include <fmt/format.h>

#include <functional>
#include <random>

#include "cli/command.h"
#include "engine/selection.h"
#include "engine/spaces.h"
#include "tuner/core/quantity.h"

namespace gktune {
namespace {

struct SpaceOptions {
  std::string path;
  DeviceFlags device;
  std::vector<std::string> problems;
  bool list = false;
  std::int64_t sample = 0;
  TableFormat format;
};

void declare(Flags& flags, SpaceOptions& options) {
  flags.text("SPACE", options.path, "A space file", "FILE").required();
  flags.device(
      options.device, DeviceUse::compile,
      "Device whose limits count; auto: the first GPU, else the CPU; sm_90: a GPU that is not present");
  flags.problem(options.problems);
  Flag list = flags.on("--list", options.list, "Print every valid configuration, one per line");
  Flag sample =
      flags.parsed("--sample", options.sample, parse_count, "Print N random valid configurations", "N");
  flags.parsed("--seed", options.device.seed, parse_count, "Seed of the sample", "N").needs(sample);
  list.excludes(sample);
  flags.table_format(options.format);
}

bool asks_for_configurations(const SpaceOptions& options) { return options.list || options.sample > 0; }

// Prints the requested configurations.
void visit(const Space& space, const SpaceOptions& options, const std::function<void(const Config&)>& use) {
  if (options.list) {
    for (Count index = 0; index < space.size(); ++index) use(space.at(index));
  }
  std::mt19937_64 random(static_cast<std::uint64_t>(options.device.seed));
  for (std::int64_t i = 0; i < options.sample; ++i) use(space.at(space.sample(random)));
}

// One row for each problem, or for each requested configuration of one.
struct SpaceReport {
  Json spaces = Json::array();
  Table table;
};

// Adds the counts or configurations of one problem, or prints them as text.
void show(const OpenedSpace& opened, const Problem& problem, const SpaceOptions& options, SpaceReport& report,
          Context& context) {
  Json json = {{"problem", json_of(problem)}};
  const auto space = value_or_end(space_of(opened.definition, problem, opened.device.info), context);
  if (!asks_for_configurations(options)) {
    const std::string title = problem.empty() ? "" : problem_text(problem) + ": ";
    if (options.format.is_text()) {
      context.out << fmt::format("{}{} of {} combinations are valid\n", title,
                                 format_count(space.size().str()), format_count(space.cartesian().str()));
    }
    json["combinations"] = json_of_count(space.cartesian());
    json["valid"] = json_of_count(space.size());
    report.table.add({{"problem", problem_cell(problem)},
                      {"combinations", json["combinations"], Unit::count},
                      {"valid", json["valid"], Unit::count}});
  } else {
    json["configurations"] = Json::array();
    visit(space, options, [&](const Config& config) {
      if (options.format.is_text()) {
        context.out << config.str() << '\n';
      } else if (options.format.json) {
        json["configurations"].push_back(json_of(config));
      } else {
        Record record = {{"problem", problem_cell(problem)}};
        for (const auto& [name, value] : config) record.push_back({name, value, Unit::none, name});
        report.table.add(std::move(record));
      }
    });
  }
  report.spaces.push_back(std::move(json));
}

ExitCode run(const SpaceOptions& options, Context& context) {
  auto read = read_file(options.path, options.device.choice, options.device, UnsafeOptions::allowed, context);
  const Definition& definition = read.definition;
  const auto problems =
      asked_or_end("--problem", select_problems(definition.kernel, options.problems), context);

  SpaceReport report;
  for (const Problem& problem : problems) show(read, problem, options, report, context);
  if (!options.format.is_text()) {
    report.table.print(context, options.format,
                       {{"kernel", definition.kernel.name}, {"spaces", std::move(report.spaces)}});
  }
  return ExitCode::done;
}

}  // namespace

Command space_command() {
  return make_command<SpaceOptions>("space", "Count, list or sample a space's valid configurations",
                                    "gktune space spaces/reduce.yaml --sample 3 --problem n=1Mi", declare,
                                    run);
}

}  // namespace gktune
