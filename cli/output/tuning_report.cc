#include "cli/output/tuning_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "cli/output/screen.h"
#include "cli/output/study_tables.h"
#include "cli/output/units.h"
#include "engine/selection.h"
#include "tuner/space/safe_settings.h"

namespace gktune {
namespace {

constexpr std::size_t kBestShown = 5;
constexpr double kWideSpread = 0.05;
constexpr double kMuchDrift = 0.05;

std::string title_of(const Tuning& tuning) {
  std::string title = tuning.kernel;
  if (!tuning.problem.empty()) title += ' ' + problem_text(tuning.problem);
  return title + " on " + tuning.device;
}

// "120 of 11,130 configurations tried, 40 of them now, in 12 s; failed: 3
// crashed".
std::string account_of(const Tuning& tuning) {
  auto tried = static_cast<std::int64_t>(tuning.trials.size());
  std::string text =
      fmt::format("{} of {} configurations tried", format_count(tried), format_count(tuning.valid.str()));
  if (tuning.outcome.measured == 0 && tuning.earlier > 0) {
    text += ", all of them earlier";
  } else {
    if (tuning.earlier > 0) text += fmt::format(", {} of them now,", format_count(tuning.outcome.measured));
    text += " in " + format_seconds(tuning.seconds);
  }
  Failures failures = failures_of(tuning.trials);
  if (!failures.empty()) text += "; failed: " + failures_text(failures);
  if (!tuning.is_checked) text += "; unchecked: the space has no reference";
  if (tuning.is_checked_by_default) text += "; checked against the default configuration";
  if (const TuneOutcome& outcome = tuning.outcome; outcome.unjudged > 0 && !outcome.failure) {
    text += fmt::format("\nnot judged: {} configuration{}; {}", outcome.unjudged,
                        outcome.unjudged == 1 ? "" : "s",
                        with_short_lines(outcome.why_unjudged.substr(0, outcome.why_unjudged.find('\n'))));
  }
  if (tuning.busy) {
    text += fmt::format("\nbusy: device {:.0f} %, compilers {:.0f} %", tuning.busy->device * 100,
                        tuning.busy->compilers * 100);
  }
  return text;
}

// "-0.4 % to +1.2 %"
std::string drift_text(const Drift& drift) {
  return fmt::format("{:+.1f} % to {:+.1f} %", drift.least() * 100, drift.greatest() * 100);
}

// "2.00 × the median configuration", or "about 14 × the default" if the two times cannot be compared closely.
std::string gain_text(const Gain& gain, const std::string& over) {
  if (gain.source == Gain::Source::playoff) return fmt::format("{:.2f} × {}", gain.factor, over);
  return fmt::format("about {} × {}", format_number(gain.factor), over);
}

std::string gains_text(const Tuning& tuning) {
  const Gains gains = gains_of(tuning);
  std::vector<std::string> texts;
  if (gains.over_median) texts.push_back(gain_text(*gains.over_median, "the median configuration"));
  if (gains.over_default) texts.push_back(gain_text(*gains.over_default, "the default"));
  return fmt::format("{}", fmt::join(texts, ", "));
}

// The playoff if there was one: times from it and from the search are not comparable.
std::vector<Trial> shown_trials(const Tuning& tuning) {
  return tuning.outcome.playoff.empty() ? ranked(tuning.trials) : tuning.outcome.playoff;
}

Json json_of(const std::optional<Gain>& gain) { return gain ? Json(gain->factor) : Json(); }
Json json_of(const Failures& failures) {
  Json counts = Json::object();
  for (const auto& [status, count] : failures) counts[status_name(status)] = count;
  return counts;
}
Json source_of(const std::optional<Gain>& gain) {
  if (!gain) return {};
  return gain->source == Gain::Source::playoff ? "playoff" : "search";
}

// Twice the number of trials, or the whole space.
std::int64_t next_bound(const Tuning& tuning) {
  return static_cast<std::int64_t>(std::min(Count(2 * tuning.trials.size()), tuning.valid));
}

bool ended_by_limit(const Tuning& tuning) {
  return tuning.outcome.end == TuneOutcome::End::trials || tuning.outcome.end == TuneOutcome::End::seconds;
}

}  // namespace

void print_report(std::ostream& stream, const Screen& screen, const Tuning& tuning) {
  stream << paint(screen, Ink::bold, title_of(tuning)) << '\n' << account_of(tuning) << '\n';
  if (!tuning.outcome.best) return;
  stream << '\n';
  trial_table(shown_trials(tuning), kBestShown, Ids::hidden).print(stream, screen);
  stream << '\n';
  if (const std::vector<Trial>& playoff = tuning.outcome.playoff; !playoff.empty()) {
    stream << fmt::format("times from the playoff: {} configurations in turn, {} fresh samples each\n",
                          playoff.size(), playoff.front().samples_us.size());
  }
  if (std::string gains = gains_text(tuning); !gains.empty()) stream << "gain: " << gains << '\n';
  if (const Drift& drift = tuning.outcome.drift; drift.is_known()) {
    stream << fmt::format("drift: {} (of one configuration that was timed {} times)\n", drift_text(drift),
                          drift.times_us.size());
  }
  for (const std::string& finding : host_findings(tuning.hosts, tuning.decided_by)) stream << finding << '\n';
}

std::string preparation_text(const Tuning& tuning) {
  const Busy busy = tuning.busy.value_or(Busy());
  return fmt::format("prepared: inputs {}, reference {}", format_seconds(busy.inputs_s),
                     format_seconds(busy.reference_s));
}

Json report_json(const Tuning& tuning) {
  Json report = {{"kernel", tuning.kernel},
                 {"problem", json_of(tuning.problem)},
                 {"device", tuning.device},
                 {"configurations",
                  {{"valid", json_of_count(tuning.valid)}, {"cartesian", json_of_count(tuning.cartesian)}}},
                 {"trials", tuning.trials.size()},
                 {"earlier", tuning.earlier},
                 {"measured", tuning.outcome.measured},
                 {"checked", tuning.is_checked},
                 {"seconds", tuning.seconds},
                 {"end", enum_name(tuning.outcome.end)}};
  if (tuning.outcome.failure) report["failure"] = *tuning.outcome.failure;
  if (tuning.outcome.unjudged > 0) {
    report["unjudged"] = {{"configurations", tuning.outcome.unjudged},
                          {"reason", tuning.outcome.why_unjudged}};
  }
  if (tuning.busy)
    report["busy"] = {{"device", tuning.busy->device},
                      {"compilers", tuning.busy->compilers},
                      {"inputs_s", tuning.busy->inputs_s},
                      {"reference_s", tuning.busy->reference_s}};
  report["failed"] = json_of(failures_of(tuning.trials));
  report["best"] = tuning.outcome.best ? json_of(*tuning.outcome.best) : Json();
  if (!tuning.outcome.playoff.empty()) {
    const Timing& timing = tuning.outcome.playoff.front().timing;
    report["playoff"] = {{"median_us", timing.median_us},
                         {"low_us", timing.low_us},
                         {"high_us", timing.high_us},
                         {"samples", tuning.outcome.playoff.front().samples_us.size()},
                         {"configurations", tuning.outcome.playoff.size()}};
  }
  if (const Drift& drift = tuning.outcome.drift; drift.is_known()) {
    report["drift"] = {{"config", json_of(drift.config)},
                       {"times_us", drift.times_us},
                       {"least", drift.least()},
                       {"greatest", drift.greatest()}};
  }
  if (const auto differences = tuning.hosts.differences(); !differences.empty()) {
    Json slower = Json::object();
    for (const auto& each : differences) slower[each.host_name] = each.slower;
    report["hosts"] = {{"reference", json_of(*tuning.hosts.reference())},
                       {"first", tuning.hosts.first_host()},
                       {"slower", std::move(slower)}};
  }
  if (const auto& held = tuning.decided_by; held && held->other && !held->finalists.empty()) {
    report["confirmation"] = {{"confirmed", held->is_confirmed()},
                              {"host", held->host_name},
                              {"other_host", held->other->host_name},
                              {"other_winner", json_of(held->other->winner)}};
  }
  report["top"] = Json::array();
  std::vector<Trial> best = shown_trials(tuning);
  for (std::size_t i = 0; i < std::min(best.size(), kBestShown); ++i)
    report["top"].push_back(json_of(best[i]));
  const Gains gains = gains_of(tuning);
  report["gain"] = {{"over_median", json_of(gains.over_median)},
                    {"over_default", json_of(gains.over_default)},
                    {"median_time_from", source_of(gains.over_median)},
                    {"default_time_from", source_of(gains.over_default)}};
  return report;
}

Json progress_json(const TuneProgress& progress) {
  Json json = {{"kernel", progress.kernel},
               {"problem", json_of(progress.problem)},
               {"trials", progress.done},
               {"earlier", progress.done_before},
               {"total", json_above_zero(progress.total)},
               {"failed", json_of(progress.failures)},
               {"best", progress.best ? Json(score_text(*progress.best)) : Json()},
               {"seconds", progress.elapsed_s},
               {"limit_s", progress.budget_s ? Json(*progress.budget_s) : Json()}};
  if (progress.playoff)
    json["playoff"] = {{"round", progress.playoff->rounds_done}, {"rounds", progress.playoff->rounds}};
  return json;
}

Record report_record(const Tuning& tuning) {
  const Trial* best = tuning.outcome.best ? &*tuning.outcome.best : nullptr;
  const double spread = best != nullptr ? spread_of(best->timing) : -1;
  const Gains gains = gains_of(tuning);
  return {{"kernel", tuning.kernel},
          {"problem", problem_cell(tuning.problem)},
          {"device", tuning.device},
          {"valid", json_of_count(tuning.valid), Unit::count},
          {"trials", tuning.trials.size(), Unit::count},
          {"earlier", tuning.earlier, Unit::count},
          {"measured", tuning.outcome.measured, Unit::count},
          {"seconds", tuning.seconds, Unit::seconds, "time"},
          {"end", tuning.outcome.end},
          {"best_us", best != nullptr ? Json(best->timing.median_us) : Json(), Unit::microseconds, "best"},
          {"spread", spread < 0 ? Json() : Json(spread), Unit::share, "±"},
          {"config", best != nullptr ? Cell(best->config) : Cell(), Unit::none, "configuration"},
          {"gain_over_median", json_of(gains.over_median)},
          {"gain_over_default", json_of(gains.over_default)}};
}

std::string question_for(const Tuning& tuning, const std::string& database_flag) {
  std::string question = "gktune best " + tuning.kernel;
  if (!tuning.problem.empty()) question += " --problem " + problem_text(tuning.problem);
  return question + database_flag;
}

// How to go on with a tuning that left something to measure; empty: nothing.
std::string continuation_hint(const Tuning& tuning) {
  const auto tried = static_cast<std::int64_t>(tuning.trials.size());
  const std::string part =
      fmt::format("{} of {} configurations", format_count(tried), format_count(tuning.valid.str()));
  const std::string command = tuning.is_fresh ? "the same command without --fresh" : "the same command";
  if (tuning.outcome.was_cut_short())
    return command + " continues" + (tuning.is_fresh ? "; with --fresh it starts over" : "");
  if (tuning.outcome.unjudged > 0) return command + " tries again the configurations that were not judged";
  if (tuning.outcome.measured == 0 && tuning.earlier > 0 && !ended_by_limit(tuning))
    return "no configuration was left to measure; --fresh measures all again";
  if (tuning.outcome.end == TuneOutcome::End::trials && Count(tried) != tuning.valid)
    return fmt::format("{} were tried; --trials {} continues", part, next_bound(tuning));
  if (tuning.outcome.end == TuneOutcome::End::converged)
    return fmt::format("no further gain was expected after {}; --gain 0 continues", part);
  if (tuning.outcome.end == TuneOutcome::End::seconds)
    return fmt::format("the time limit was reached after {}; --time {:.0f}s continues", part,
                       std::max(tuning.budget_s, tuning.spent_s) * 2);
  return "";
}

// The reasons to doubt the times.
std::vector<std::string> timing_hints(const Tuning& tuning) {
  std::vector<std::string> hints;
  if (tuning.outcome.best) {
    if (const double spread = spread_of(tuning.outcome.best->timing); spread > kWideSpread)
      hints.push_back(fmt::format("the best time is uncertain by ± {}: leave the machine idle and run again with --fresh",
                                  format_percent(spread)));
  }
  if (const Drift& drift = tuning.outcome.drift;
      drift.is_known() && std::max(-drift.least(), drift.greatest()) > kMuchDrift) {
    hints.push_back(fmt::format("times drifted during the search ({}): only the playoff times are comparable; leave the "
                                "machine idle and run again with --fresh",
                                drift_text(drift)));
  }
  const auto throttled = std::ranges::count_if(
      tuning.trials, [](const Trial& trial) { return trial.ok() && trial.conditions.throttled; });
  if (throttled > 0)
    hints.push_back(fmt::format("the device was throttled during {} trials: their times are too long; let it cool, then "
                                "--fresh",
                                throttled));
  return hints;
}

std::vector<std::string> hints_for(const Tuning& tuning, const std::string& database_flag) {
  std::vector<std::string> hints;
  if (tuning.outcome.best) hints.push_back("to see it again: " + question_for(tuning, database_flag));
  if (std::string hint = continuation_hint(tuning); !hint.empty()) hints.push_back(std::move(hint));
  std::ranges::move(timing_hints(tuning), std::back_inserter(hints));
  if (std::ranges::any_of(tuning.trials, [](const Trial& trial) {
        return trial.status == Status::illegal_access || trial.status == Status::guard_violated;
      }))
    hints.push_back("kernels accessed memory outside their buffers: gktune check SPACE --sanitize names the lines");
  if (std::ranges::any_of(tuning.trials,
                          [](const Trial& trial) { return is_about_unsafe_option(trial.message); }))
    hints.push_back("a compiler option was refused: --allow-unsafe-options accepts it");
  const auto tried = std::ssize(tuning.trials);
  const auto failed = std::ranges::count_if(tuning.trials, [](const Trial& trial) { return !trial.ok(); });
  if (tuning.outcome.best && failed * 4 > tried) {
    hints.push_back(
        fmt::format("{} of {} trials failed: gktune db ls names the study, gktune db show ID --failed{} lists them",
                    failed, tried, database_flag));
  }
  return hints;
}

std::string failure_report(const Tuning& tuning) {
  std::string text = fmt::format("all {} configurations failed: {}", tuning.trials.size(),
                                 failures_text(failures_of(tuning.trials)));
  if (std::string message = commonest_message(tuning.trials); !message.empty()) text += '\n' + message;
  return text;
}

}  // namespace gktune
