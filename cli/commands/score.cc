// gktune score: how well strategies do on recorded tunings.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

#include "cli/command.h"
#include "cli/output/progress.h"
#include "engine/import/recordings.h"
#include "lab/contest.h"
#include "tuner/core/quantity.h"
#include "tuner/core/text.h"
#include "tuner/search/strategy.h"

namespace gktune {
namespace {

constexpr std::string_view kAll = "all";

struct ScoreOptions {
  std::vector<std::string> paths;
  std::vector<std::string> strategies;
  NamedValues settings;
  int repeats = 50;
  std::int64_t seed = 0;
  int in_flight = 1;
  int jobs = 0;
  std::vector<std::string> related_paths;
  TableFormat format;
  bool quiet = false;
};

void declare(Flags& flags, ScoreOptions& options) {
  flags
      .texts("FILE", options.paths, "Recordings: Kernel Tuner cache files, T4 results, gktune's databases",
             "FILE")
      .required();
  flags
      .collected("--strategy", options.strategies, "Strategy to score, or all; may be repeated",
                 joined(strategies(), "|", &Strategy::name) + "|all")
      .shown_default("auto");
  flags.settings(options.settings);
  flags.number("--repeats", options.repeats, "Number of runs on each recording, each with its own seed", "N")
      .shown_default(std::to_string(options.repeats));
  flags.parsed("--seed", options.seed, parse_count, "Seed of the runs", "N");
  flags
      .number("--in-flight", options.in_flight,
              "Number of candidates that the strategy proposes before it gets the first result", "N")
      .shown_default(std::to_string(options.in_flight));
  flags.number("--jobs", options.jobs, "Number of runs at a time", "N").shown_default("one per core");
  flags.collected("--related", options.related_paths,
                  "Recording that the strategies learn from before each run; may be repeated", "FILE");
  flags.table_format(options.format);
  flags.quiet(options.quiet);
}

constexpr std::size_t kFewEvaluations = 20;

// The figures of a strategy on one recording, or their means over all.
enum FigureName { kScore, kOwnTime, kAtEnd, kAtEndOwnTime, kExcess, kProposal, kFigureCount };
using ScoreLine = std::array<double, kFigureCount>;

double proposal_ms(const ContestRuns& runs) {
  double seconds = 0, steps = 0;
  for (const ScoredRun& run : runs) {
    for (const ScoredStep& step : run) seconds += step.own_s;
    steps += static_cast<double>(run.size());
  }
  return steps > 0 ? seconds * 1e3 / steps : 0;
}

ScoreLine line_of(const ScoreScale& scale, const ContestRuns& runs) {
  const Score score = scale.score(runs, OwnTime::ignored), own = scale.score(runs, OwnTime::counted);
  return {score.mean,       own.mean, score.at_end, own.at_end, scale.excess(runs, kFewEvaluations),
          proposal_ms(runs)};
}

ScoreLine mean_of(const std::vector<ScoreLine>& lines) {
  ScoreLine mean{};
  for (const ScoreLine& line : lines) {
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += line[i] / static_cast<double>(lines.size());
  }
  return mean;
}

// The lines of a contender, one for each recording.
struct ContenderScore {
  Contender contender;
  std::vector<ScoreLine> lines;
  ScoreLine mean;
};

using Recordings = std::vector<std::unique_ptr<ScoredRecording>>;

Cell rounded_cell(double value, int digits = 3) {
  return {fmt::format("{:.{}f}", value, digits), Json(value)};
}

Record record_of(const std::string& key, const std::string& name, const ScoreLine& line) {
  return {{key, name},
          {"score", rounded_cell(line[kScore])},
          {"score_with_own_time", rounded_cell(line[kOwnTime]), Unit::none, "own time counted"},
          {"at_end", rounded_cell(line[kAtEnd]), Unit::none, "at the end"},
          json_field("at_end_with_own_time", line[kAtEndOwnTime]),
          {"excess_after_20", line[kExcess], Unit::share, "excess after 20"},
          {"proposal_ms", rounded_cell(line[kProposal], 2), Unit::none, "ms a proposal"}};
}

Json json_of_line(const ScoreLine& line) {
  Record record = record_of("", "", line);
  record.erase(record.begin());
  return json_of(record);
}

// A line for each recording.
Table table_of_one(const ContenderScore& score, const Recordings& recordings) {
  Table table;
  for (std::size_t i = 0; i < recordings.size(); ++i)
    table.add(record_of("recording", recordings[i]->recording().name, score.lines[i]));
  if (recordings.size() > 1) {
    table.add(record_of("recording", "mean", score.mean));
    table.emphasise();
  }
  return table;
}

// A line for each strategy, the best first, with its score on each recording.
Table table_of_several(const std::vector<ContenderScore>& scores, const Recordings& recordings) {
  Table table;
  for (const ContenderScore& score : scores) {
    Record record = record_of("strategy", score.contender.strategy, score.mean);
    for (std::size_t i = 0; i < recordings.size(); ++i) {
      const std::string& name = recordings[i]->recording().name;
      record.push_back({name, rounded_cell(score.lines[i][kScore]), Unit::none, name});
    }
    table.add(std::move(record));
  }
  return table;
}

std::vector<ContenderScore> scores_of(const std::vector<Contender>& contenders,
                                      const std::vector<std::vector<ContestRuns>>& runs,
                                      const Recordings& recordings) {
  std::vector<ContenderScore> scores;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    ContenderScore score{.contender = contenders[i]};
    for (std::size_t j = 0; j < recordings.size(); ++j)
      score.lines.push_back(line_of(recordings[j]->scale(), runs[i][j]));
    score.mean = mean_of(score.lines);
    scores.push_back(std::move(score));
  }
  return scores;
}

Json json_of_scores(const ScoreOptions& options, const std::vector<ContenderScore>& scores,
                    const Recordings& recordings) {
  Json strategies = Json::array();
  for (const ContenderScore& score : scores) {
    Json lines = Json::object();
    for (std::size_t i = 0; i < recordings.size(); ++i)
      lines[recordings[i]->recording().name] = json_of_line(score.lines[i]);
    strategies.push_back({{"strategy", score.contender.strategy},
                          {"options", json_of(score.contender.options)},
                          {"mean", json_of_line(score.mean)},
                          {"recordings", std::move(lines)}});
  }
  return {{"repeats", options.repeats},
          {"seed", options.seed},
          {"in_flight", options.in_flight},
          {"strategies", std::move(strategies)}};
}

// `external` is left out of "all": it needs a program.
std::vector<Contender> contenders_of(const ScoreOptions& options) {
  std::vector<Contender> contenders;
  for (const std::string& name : options.strategies) {
    if (name != kAll) {
      contenders.push_back({name, options.settings});
      continue;
    }
    for (const Strategy& strategy : strategies()) {
      if (strategy.name != "external") contenders.push_back({std::string(strategy.name), options.settings});
    }
  }
  if (contenders.empty()) contenders.push_back({std::string(strategies().front().name), options.settings});
  return contenders;
}

// The trials of each recording, as those of a related study.
Result<std::vector<RelatedStudy>> read_related(const std::vector<std::string>& paths) {
  std::vector<RelatedStudy> related;
  for (const std::string& path : paths) {
    auto read = GKTUNE_TRY(read_recordings(path));
    for (Recording& recording : read) related.push_back({recording.name, std::move(recording.trials)});
  }
  return related;
}

Result<Recordings> read_all(const std::vector<std::string>& paths) {
  Recordings recordings;
  for (const std::string& path : paths) {
    auto read = GKTUNE_TRY(read_recordings(path));
    for (Recording& recording : read) {
      recordings.push_back(GKTUNE_TRY(ScoredRecording::make(std::move(recording))));
    }
  }
  return recordings;
}

// Stops at Ctrl-C, and shows how many runs are done.
std::vector<std::vector<ContestRuns>> hold(const std::vector<Contender>& contenders,
                                           const Recordings& recordings, const ScoreOptions& options,
                                           Context& context) {
  Progress progress(context.err, context.err_screen,
                    options.quiet ? Progress::Mode::hidden : Progress::Mode::shown);
  auto related = value_or_end(read_related(options.related_paths), context);
  const auto begin = std::chrono::steady_clock::now();
  ContestRules rules{.repeats = options.repeats,
                     .seed = static_cast<std::uint64_t>(options.seed),
                     .in_flight = static_cast<std::size_t>(options.in_flight),
                     .threads = static_cast<std::size_t>(options.jobs),
                     .related = std::move(related),
                     .stop = context.catch_interrupts()};
  rules.on_run = [&](std::size_t done, std::size_t total) {
    progress.show({.title = "runs",
                   .done = static_cast<std::int64_t>(done),
                   .total = static_cast<std::int64_t>(total),
                   .elapsed_s = seconds_since(begin)});
  };
  return value_or_end(hold_contest(contenders, recordings, rules), context);
}

// The message of the first rule that the flags break; empty if there is none.
std::string broken_rule(const ScoreOptions& options) {
  if (options.repeats < 1 || options.repeats > 100'000) return "--repeats: expected 1 to 100000";
  if (options.in_flight < 1 || options.in_flight > 4096) return "--in-flight: expected 1 to 4096";
  if (options.jobs < 0 || options.jobs > 1024) return "--jobs: it is 0 to 1024";
  return {};
}

ExitCode run(const ScoreOptions& options, Context& context) {
  if (const std::string message = broken_rule(options); !message.empty()) return fail_usage(context, message);
  const std::vector<Contender> contenders = contenders_of(options);

  if (options.quiet) context.log.silence();
  const auto recordings = read_all(options.paths);
  if (!recordings) return fail(context, ExitCode::usage, recordings.error().message);
  // A contender that cannot be made is an error before any run begins.
  for (const Contender& contender : contenders) {
    auto searcher = make_searcher(contender.strategy,
                                  {.space = recordings->front()->space(), .options = contender.options});
    if (!searcher) return fail_usage(context, searcher.error().message);
  }
  const auto runs = hold(contenders, *recordings, options, context);
  if (runs.empty()) return ExitCode::interrupted;

  std::vector<ContenderScore> scores = scores_of(contenders, runs, *recordings);
  std::ranges::stable_sort(scores, std::ranges::greater(),
                           [](const ContenderScore& each) { return each.mean[kScore]; });
  const Table table =
      scores.size() == 1 ? table_of_one(scores.front(), *recordings) : table_of_several(scores, *recordings);
  table.print(context, options.format, json_of_scores(options, scores, *recordings));
  return ExitCode::done;
}

}  // namespace

Command score_command() {
  return make_command<ScoreOptions>("score", "Score search strategies on recorded tunings",
                                    "gktune score saxpy-H200.json.gz --strategy all --repeats 20", declare,
                                    run);
}

}  // namespace gktune
