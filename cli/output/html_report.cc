#include "cli/output/html_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>

#include "cli/devices.h"
#include "cli/output/json.h"
#include "cli/output/screen.h"
#include "cli/output/study_tables.h"
#include "cli/output/units.h"
#include "engine/selection.h"
#include "tuner/core/embedded_file.h"
#include "tuner/core/text.h"
#include "tuner/core/version.h"

namespace gktune {

std::span<const EmbeddedFile> page_texts();     // cli/report
std::span<const EmbeddedFile> chart_library();  // third_party/echarts

namespace {

constexpr std::size_t kLongestName = 120;
constexpr std::size_t kRowsOfTrials = 20, kRowsOfImportance = 20, kRowsOfCauses = 20, kRowsOfSteps = 40;
constexpr std::size_t kMostGroups = 24;  // of the values of a parameter in a heat map
constexpr std::size_t kMostStudies = 24, kMostPoints = 10'000, kFewestPoints = 100;

// A name or message of any length as one that fits the page.
std::string shortened(const std::string& text, std::size_t columns) {
  return cut(printable(text, Layout::escaped), columns);
}
std::string name_of(const std::string& text) { return shortened(text, kLongestName); }

// The number with the five digits that a picture can show; null if it is not finite.
Json rounded(double value) {
  if (!std::isfinite(value)) return {};
  if (value == 0) return 0;
  const double scale = std::pow(10, 4 - std::floor(std::log10(std::abs(value))));
  if (!std::isfinite(scale) || scale == 0) return value;
  const double result = std::round(value * scale) / scale;
  if (std::isfinite(result) && std::floor(result) == result && std::abs(result) < 1e15)
    return static_cast<std::int64_t>(result);
  // The shortest decimal number, not the one nearest to a product.
  return std::strtod(fmt::format("{:.5g}", value).c_str(), nullptr);
}

// A part that the reader unfolds.
std::string details(std::string_view summary, const std::string& body) {
  return fmt::format("<details><summary>{}</summary>\n{}</details>\n", summary, body);
}

// A figure whose chart the page's script draws, with a table that says the same.
std::string figure(std::string_view chart, std::string_view caption, std::string_view note,
                   const std::string& table, std::string_view chart_class, bool is_wide) {
  return fmt::format(
      "<figure data-chart=\"{}\"{}><figcaption>{} <span class=\"faint\">{}</span></figcaption>\n"
      "<div class=\"controls\"></div><div class=\"scroll\"><div class=\"{}\"></div></div>\n{}</figure>\n",
      chart, is_wide ? " class=\"wide\"" : "", caption, note, chart_class,
      details("As a table", "<div class=\"chart-table\">" + table + "</div>"));
}

std::string_view text_of(std::span<const EmbeddedFile> files, std::string_view path) {
  return std::ranges::find(files, path, &EmbeddedFile::path)->text;
}

// JSON inside a script element: nothing in it ends the element or begins a comment.
std::string json_for_script(const Json& json) {
  std::string safe;
  for (const char c : json.dump(-1, ' ', false, Json::error_handler_t::replace))
    safe += c == '<' || c == '>' || c == '&' ? fmt::format("\\u{:04x}", c) : std::string(1, c);
  return safe;
}

std::string title_of(const Study& study) {
  std::string title = name_of(study.kernel);
  if (!study.problem.empty()) title += ' ' + name_of(problem_text(study.problem));
  return title + " on " + name_of(study.device.name);
}

// A text whose long names break behind a part.
std::string breakable(const std::string& text) {
  std::string html;
  for (const char c : html_escaped(text)) {
    html += c;
    if (c == '_' || c == ',' || c == '=') html += "<wbr>";
  }
  return html;
}

std::string score_of_facts(const StudyFacts& facts, double score) {
  return score_text(score, name_of(facts.score_name));
}

std::string config_values(const Config& config) {
  std::string html = "<div class=\"values\">";
  for (const auto& [name, value] : config) {
    html +=
        fmt::format("<span>{} = <b>{}</b></span>", breakable(name_of(name)), breakable(name_of(value.str())));
  }
  return html + "</div>\n";
}

std::string gain_text(const StudyFacts& facts) {
  if (!facts.gain) return "";
  const bool is_rough = facts.gain->source == Gain::Source::search;
  return fmt::format(
      "{}{} ×", is_rough ? "about " : "",
      is_rough ? format_number(facts.gain->factor) : fmt::format("{:.2f}", facts.gain->factor));
}

std::string winner_card(const StudyFacts& facts) {
  if (!facts.winner) return "<div class=\"card wide\"><h3>Winner</h3><p>No trial succeeded.</p></div>\n";
  const Winner& best = *facts.winner;
  std::string html = "<div class=\"card wide\"><h3>Winner</h3><div class=\"figures\">";
  const auto number = [&](const std::string& label, const std::string& value, std::string_view kind = "") {
    html += fmt::format("<div><span class=\"faint\">{}</span><b{}>{}</b></div>", html_escaped(label), kind,
                        html_escaped(value));
  };
  const double spread = spread_of(best.trial.timing);
  number(spread < 0 ? "time" : "time, ± " + format_percent(spread),
         format_time_us(best.trial.timing.median_us));
  for (const auto& [name, value] : best.trial.metrics) number(name_of(name), name_of(*Cell(value).text));
  for (const PeakShare& each : facts.peaks) {
    const std::string_view of = each.kind == PeakShare::Kind::bandwidth ? "bandwidth" : "FP32 compute";
    number(fmt::format("of the peak {}, {} {}", of, format_number(each.peak), name_of(each.metric)),
           format_percent(each.share));
  }
  if (facts.gain) number("better than the median configuration", gain_text(facts), " class=\"good\"");
  html += "</div>\n" + config_values(best.trial.config);
  for (const std::string& finding : host_findings(facts.hosts, facts.decided_by))
    html += "<p>" + html_escaped(finding) + ".</p>\n";
  if (!facts.changes.empty())
    html += fmt::format("<p class=\"stale\">Stale: {}.</p>\n",
                        html_escaped(name_of(joined(facts.changes, "; "))));
  html += fmt::format(
      "<p class=\"faint\">Trial {}, {} samples{}.{}</p></div>\n", best.trial.id, best.trial.samples_us.size(),
      best.from_playoff ? fmt::format(" in a playoff of {} configurations", facts.finalists.size())
                        : std::string(" in the search"),
      facts.peaks.empty() ? "" : " Data in caches and tensor cores can exceed a peak.");
  return html;
}

std::string steps_table(const StudyFacts& facts) {
  Table table;
  const std::vector<std::size_t>& all = facts.improvements;
  for (std::size_t i = all.size() - std::min(kRowsOfSteps, all.size()); i < all.size(); ++i) {
    const StudyFacts::Point& point = facts.points[all[i]];
    table.add({{"trial", all[i] + 1, Unit::count},
               {"after", point.elapsed_s, Unit::seconds},
               {"best so far", {score_of_facts(facts, point.score), Json(point.score)}}});
  }
  return table.html();
}

std::string distribution_table(const StudyFacts& facts) {
  Table table;
  const Histogram& histogram = facts.distribution;
  const auto edge = [&](std::size_t i) {
    return Cell(score_of_facts(facts, histogram.edges[i]), Json(histogram.edges[i]));
  };
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
    if (histogram.counts[i] > 0)
      table.add({{"from", edge(i)}, {"to", edge(i + 1)}, {"trials", histogram.counts[i], Unit::count}});
  }
  return table.html();
}

std::string importance_note(const StudyFacts& facts) {
  if (facts.shares.predicted < 0)
    return "share of the variance; the trials are too few to tell how well the model predicts";
  return fmt::format("share of the variance of log {}; the model explains {:.0f} % of unseen trials",
                     html_escaped(name_of(facts.score_name)), facts.shares.predicted * 100);
}

std::string trials_card(const StudyFacts& facts) {
  std::string html = "<div class=\"card wide\"><h3>The best configurations</h3>\n";
  if (facts.finalists.size() > 1) {
    html += "<p class=\"faint\">Compared in turn in the playoff:</p>\n" +
            trial_table(facts.finalists, kRowsOfTrials, Ids::shown).html() +
            "<p class=\"faint\">In the search:</p>\n";
  }
  return html + trial_table(facts.leaders, kRowsOfTrials, Ids::shown).html() + "</div>\n";
}

std::string failures_card(const StudyFacts& facts) {
  std::string html = "<div class=\"card\"><h3>Failures</h3>\n";
  if (facts.causes.empty()) return html + "<p>None.</p></div>\n";
  html += cause_table(facts, kRowsOfCauses).html();
  if (facts.causes.size() > kRowsOfCauses) {
    html += fmt::format("<p class=\"faint\">{} rarer causes are left out.</p>\n",
                        facts.causes.size() - kRowsOfCauses);
  }
  return html + "</div>\n";
}

std::string environment_card(const StudyFacts& facts) {
  const Study& study = facts.summary.study;
  Table table;
  const auto add = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) table.add({{"property", name}, {"value", value}});
  };
  add("device", study.device.name);
  add("host", facts.host_name);
  add("caches before a launch", std::string(regime_name(study.regime)));
  add("objective", study.objective);
  if (facts.summary.updated_unix_ms > 0) add("last trial (UTC)", format_date(facts.summary.updated_unix_ms));
  add("fingerprint of the kernel", study.fingerprint);
  if (facts.device) {
    for (const Field& field : describe(*facts.device)) add(field.key, text_of(field.cell, field.unit));
  } else {
    add("architecture", study.device.architecture);
    add("multiprocessors", format_count(study.device.multiprocessors));
  }
  return "<div class=\"card wide\"><h3>Environment of the winner</h3>\n" +
         details("Device and versions", table.html()) + "</div>\n";
}

std::string anchor_of(const StudyFacts& facts) { return fmt::format("study-{}", facts.summary.id); }

// Shows how many points a page has: all, or a sample.
std::string points_note(const StudyFacts& facts, const std::vector<std::size_t>& sample) {
  if (sample.size() == facts.points.size()) return "";
  return fmt::format(
      "<p class=\"faint\">The charts show {} of {} trials: every improvement, the best hundred, and others "
      "at equal distances. Tables and unfiltered distributions count all.</p>\n",
      format_count(std::ssize(sample)), format_count(std::ssize(facts.points)));
}

std::string study_section(const StudyFacts& facts, const std::vector<std::size_t>& sample) {
  const Study& study = facts.summary.study;
  std::string html =
      fmt::format("<section class=\"study\" id=\"{0}\" aria-labelledby=\"{0}-title\">\n", anchor_of(facts));
  html += fmt::format("<h2 id=\"{}-title\">{}</h2>\n", anchor_of(facts), breakable(title_of(study)));
  html += fmt::format("<p class=\"faint\">{} trials{}; caches {}; objective: {}</p>\n",
                      format_count(facts.summary.trials),
                      facts.failures.empty() ? "" : ", failed: " + failures_text(facts.failures),
                      regime_name(study.regime), html_escaped(name_of(study.objective)));
  html += points_note(facts, sample);
  html +=
      "<details class=\"filter\"><summary>Filter the charts</summary><div class=\"bar "
      "filter-controls\"></div></details>\n"
      "<p class=\"filter-count\" role=\"status\"></p>\n<div class=\"grid\">\n";
  html += winner_card(facts);
  if (!facts.ranking.empty()) {
    html += figure("progress", "Best so far", "and every trial", steps_table(facts), "chart", false);
    html += figure("distribution", "Distribution", "of all trials that went well", distribution_table(facts),
                   "chart", false);
    const auto varied = std::ranges::count_if(
        facts.parameters, [](const StudyFacts::Parameter& each) { return each.values.size() > 1; });
    if (varied > 1)
      html += figure("heat", "Two parameters", "with the others at their best", "", "chart tall", true);
    if (varied > 0) {
      html += figure("importance", "Importance", importance_note(facts),
                     share_table(facts, kRowsOfImportance, 0).html(), "chart", true);
      html += figure("parallel", "The best hundred", "drag along an axis to select; click it to select all",
                     "<p>The table of the best configurations follows.</p>", "chart tall", true);
    }
    html += trials_card(facts);
  }
  html += failures_card(facts) + environment_card(facts) + "</div>\n</section>\n";
  return html;
}

std::string overview_table(const std::vector<StudyFacts>& studies, std::size_t detailed) {
  const bool has_stale =
      std::ranges::any_of(studies, [](const StudyFacts& facts) { return !facts.changes.empty(); });
  Table table;
  std::vector<std::string> anchors;
  for (const StudyFacts& facts : studies) {
    const Study& study = facts.summary.study;
    if (anchors.size() < detailed) anchors.push_back(anchor_of(facts));
    Record record = {
        {"kernel", name_of(study.kernel)},
        {"problem", problem_cell(study.problem)},
        {"device", name_of(study.device.name)},
        {"time", facts.winner ? Json(facts.winner->trial.timing.median_us) : Json(), Unit::microseconds},
        {"gain", facts.gain ? Cell(gain_text(facts), Json(facts.gain->factor)) : Cell()},
        {"trials", facts.summary.trials, Unit::count},
        {"failed", facts.summary.failed, Unit::count},
        {"winner", facts.winner ? Cell(facts.winner->trial.config) : Cell()}};
    if (has_stale) record.push_back({"stale", joined(facts.changes, "; ")});
    table.add(std::move(record));
  }
  return table.html(anchors);
}

std::string overview_section(const std::vector<StudyFacts>& studies, std::size_t detailed) {
  if (studies.size() < 2) return "";
  std::string html =
      "<section aria-labelledby=\"overview-title\"><h2 id=\"overview-title\">Across problems and "
      "devices</h2>\n";
  if (detailed < studies.size()) {
    html += fmt::format(
        "<p class=\"faint\">{} of {} studies have charts below, those that were tuned last; `gktune report "
        "KERNEL` "
        "selects others.</p>\n",
        detailed, studies.size());
  }
  return html + "<div class=\"grid\">" +
         figure("across", "Best of each problem", "by device", overview_table(studies, detailed), "chart",
                true) +
         "</div></section>\n";
}

// The pair of parameters that the heat map shows first: of the two that matter most.
std::pair<std::size_t, std::size_t> first_pair(const StudyFacts& facts) {
  std::vector<std::size_t> varied;
  for (std::size_t i = 0; i < facts.parameters.size(); ++i) {
    if (facts.parameters[i].values.size() > 1) varied.push_back(i);
  }
  std::ranges::stable_sort(varied, std::ranges::greater(),
                           [&](std::size_t i) { return facts.shares.factors[i]; });
  varied.resize(std::max<std::size_t>(2, varied.size()));
  return {varied[0], varied[1]};
}

// The values of a parameter, and the place of each point's value among them. Of very many values the page has
// those of its points only.
std::pair<Json, Json> values_json(const StudyFacts& facts, const std::vector<std::size_t>& sample,
                                  std::size_t parameter) {
  constexpr std::size_t kMostUnused = 1000;
  const std::vector<Value>& values = facts.parameters[parameter].values;
  std::vector<bool> is_shown(values.size(), values.size() <= kMostUnused);
  for (const std::size_t i : sample) is_shown[facts.points[i].places[parameter]] = true;
  std::vector<std::size_t> shown_places;
  Json shown = Json::array(), places = Json::array();
  for (std::size_t place = 0; place < values.size(); ++place) {
    shown_places.push_back(shown.size());
    if (is_shown[place]) shown.push_back(name_of(values[place].str()));
  }
  for (const std::size_t i : sample) places.push_back(shown_places[facts.points[i].places[parameter]]);
  return {std::move(shown), std::move(places)};
}

Json details_json(const StudyFacts& facts, const std::vector<std::size_t>& sample) {
  Json parameters = Json::array(), places = Json::array();
  for (std::size_t p = 0; p < facts.parameters.size(); ++p) {
    auto [values, column] = values_json(facts, sample, p);
    parameters.push_back({{"name", name_of(facts.parameters[p].name)}, {"values", std::move(values)}});
    places.push_back(std::move(column));
  }
  Json ids = Json::array(), numbers = Json::array(), elapsed = Json::array(), scores = Json::array();
  for (const std::size_t i : sample) {
    ids.push_back(facts.points[i].id);
    numbers.push_back(i + 1);
    elapsed.push_back(rounded(facts.points[i].elapsed_s));
    scores.push_back(facts.points[i].ok() ? rounded(facts.points[i].score) : Json());
  }
  Json improvements = Json::array(), importance = Json::array(), edges = Json::array();
  for (const std::size_t i : facts.improvements)
    improvements.push_back({i + 1, rounded(facts.points[i].elapsed_s), rounded(facts.points[i].score)});
  for (const ImportanceRow& row : importance_rows(facts)) {
    if (row.share > 0 && importance.size() < kRowsOfImportance)
      importance.push_back({name_of(row.name), rounded(row.share)});
  }
  for (const double edge : facts.distribution.edges) edges.push_back(rounded(edge));
  const auto [x, y] = first_pair(facts);
  return {{"parameters", std::move(parameters)},
          {"pair", {x, y}},
          {"points",
           {{"id", std::move(ids)},
            {"number", std::move(numbers)},
            {"elapsed", std::move(elapsed)},
            {"score", std::move(scores)},
            {"places", std::move(places)}}},
          {"improvements", std::move(improvements)},
          {"distribution", {{"edges", std::move(edges)}, {"counts", facts.distribution.counts}}},
          {"importance", std::move(importance)}};
}

Json study_json(const StudyFacts& facts) {
  const Study& study = facts.summary.study;
  Json metrics = Json::array();
  if (facts.winner) {
    for (const auto& [name, value] : facts.winner->trial.metrics) {
      if (value.is_number()) metrics.push_back({name_of(name), rounded(value.number())});
    }
  }
  return {{"anchor", anchor_of(facts)},
          {"title", title_of(study)},
          {"kernel", name_of(study.kernel)},
          {"problem_text", name_of(problem_text(study.problem))},
          {"device", name_of(study.device.name)},
          {"score", name_of(facts.score_name)},
          {"higher", facts.higher_is_better},
          {"trials", facts.summary.trials},
          {"time_us", facts.winner ? rounded(facts.winner->trial.timing.median_us) : Json()},
          {"metrics", std::move(metrics)},
          {"details", Json()}};
}

std::string page(const std::vector<StudyFacts>& studies, const HtmlReportSettings& settings,
                 std::size_t detailed, std::size_t points) {
  std::string sections;
  Json data = {{"most_groups", kMostGroups}, {"studies", Json::array()}};
  for (std::size_t i = 0; i < studies.size(); ++i) {
    data["studies"].push_back(study_json(studies[i]));
    if (i >= detailed) continue;
    const std::vector<std::size_t> sample = sample_of(studies[i], std::max(kFewestPoints, points / detailed));
    sections += study_section(studies[i], sample);
    data["studies"].back()["details"] = details_json(studies[i], sample);
  }
  std::vector<std::string> kernels;
  for (const StudyFacts& facts : studies) {
    const std::string kernel = name_of(facts.summary.study.kernel);
    if (std::ranges::find(kernels, kernel) == kernels.end()) kernels.push_back(kernel);
  }
  std::string title = kernels.empty() ? "no studies" : kernels.front();
  if (kernels.size() > 1) title += fmt::format(" and {} more", kernels.size() - 1);
  const std::string nonce = new_uuid();  // of the page's scripts: nothing that a name smuggles in can know it
  std::string html = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  // The page cannot load or send anything, whatever a name holds.
  html += fmt::format(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'nonce-{}'; "
      "style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'\">\n",
      nonce);
  html += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  html += fmt::format("<title>{} – gktune report</title>\n<style>\n{}</style>\n</head>\n<body>\n",
                      html_escaped(title), text_of(page_texts(), "page.css"));
  html += fmt::format(
      "<header><h1>{} <span class=\"faint\">tuning report</span></h1>\n<p class=\"faint\">gktune {}, written "
      "{} UTC</p>\n",
      breakable(title), kVersion, format_date(settings.written_unix_ms));
  html +=
      "<div class=\"bar\" id=\"page-controls\"></div>\n"
      "<noscript><p>The charts need JavaScript; the tables do not.</p></noscript></header>\n<main>\n";
  if (studies.empty()) html += "<p>The database has no trials yet.</p>\n";
  html += overview_section(studies, detailed) + sections;
  html += "</main>\n<footer>Charts: Apache ECharts, Apache License 2.0.</footer>\n";
  html += "<script type=\"application/json\" id=\"data\">" + json_for_script(data) + "</script>\n";
  html += fmt::format("<script nonce=\"{}\">", nonce);
  html += text_of(chart_library(), "echarts.min.js");
  html += fmt::format("</script>\n<script nonce=\"{}\">\n", nonce);
  html += text_of(page_texts(), "page.js");
  return html + "</script>\n</body>\n</html>\n";
}

}  // namespace

std::string html_report(const std::vector<StudyFacts>& studies, const HtmlReportSettings& settings) {
  std::size_t detailed = std::min(kMostStudies, studies.size()), points = kMostPoints;
  std::string html = page(studies, settings, detailed, points);
  while (html.size() > settings.most_bytes && (detailed > 1 || points > kFewestPoints)) {
    points = std::max(kFewestPoints, points / 2);
    if (points < detailed * kFewestPoints * 2) detailed = std::max<std::size_t>(1, detailed / 2);
    html = page(studies, settings, detailed, points);
  }
  return html;
}

}  // namespace gktune
