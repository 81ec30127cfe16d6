#include "cli/output/pictures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <ostream>

#include "cli/output/units.h"
#include "tuner/measure/statistics.h"

namespace gktune {
namespace {

constexpr std::size_t kLines = 5;
constexpr std::size_t kMostColumns = 72, kFewestColumns = 16;
constexpr std::size_t kFewestScores = 5;

struct Plot {
  std::string title, top, bottom, left, right;  // the labels of the axes
  std::vector<double> heights;
};

// `margin` is the width of the labels at the left.
void print_plot(std::ostream& stream, const Screen& screen, const Plot& plot, std::size_t margin) {
  const auto padded = [&](const std::string& label) {
    const std::size_t columns = columns_of(label);
    return std::string(margin > columns ? margin - columns : 0, ' ') + label + ' ';
  };
  stream << '\n' << paint(screen, Ink::bold, plot.title) << '\n';
  const std::vector<std::string> lines = bars(plot.heights, kLines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& label = i == 0 ? plot.top : i + 1 == lines.size() ? plot.bottom : std::string();
    stream << padded(label) << paint(screen, Ink::cyan, lines[i]) << '\n';
  }
  const std::size_t used = columns_of(plot.left) + columns_of(plot.right);
  const std::size_t gap = plot.heights.size() > used ? plot.heights.size() - used : 1;
  stream << padded("") << plot.left << std::string(gap, ' ') << plot.right << '\n';
}

double scaled(double score, bool is_positive) { return is_positive ? std::log(score) : score; }

// Heights are logarithmic, because the first trials are often many times slower than the best.
Plot progress_plot(const ScoreHistory& history, std::size_t columns, double least, double greatest) {
  const bool is_positive = least > 0;
  const double low = scaled(least, is_positive), range = scaled(greatest, is_positive) - low;
  Plot plot{"best so far", score_text(greatest, history.name),       score_text(least, history.name),
            "trial 1",     format_count(std::ssize(history.scores)), {}};
  double best = std::numeric_limits<double>::quiet_NaN();
  const std::size_t count = history.scores.size();
  columns = std::min(columns, count);
  for (std::size_t column = 0, i = 0; column < columns; ++column) {
    for (; i < (column + 1) * count / columns; ++i) {
      const double score = history.scores[i];
      if (!std::isfinite(score)) continue;
      const bool is_better = history.higher_is_better ? score > best : score < best;
      if (std::isnan(best) || is_better) best = score;
    }
    // The lowest bar is still a bar.
    const double height = range > 0 ? (scaled(best, is_positive) - low) / range : 0;
    plot.heights.push_back(std::isnan(best) ? 0 : std::max(height, 0.125 / kLines));
  }
  return plot;
}

Plot distribution_plot(const ScoreHistory& history, const Histogram& histogram) {
  const std::int64_t most = std::ranges::max(histogram.counts);
  Plot plot{history.name == "time" ? "distribution of times" : "distribution of " + history.name,
            format_count(most),
            "0",
            score_text(histogram.edges.front(), history.name),
            score_text(histogram.edges.back(), history.name),
            {}};
  for (const std::int64_t count : histogram.counts) {
    const double height = static_cast<double>(count) / static_cast<double>(most);
    plot.heights.push_back(count == 0 ? 0 : std::max(height, 0.125 / kLines));
  }
  return plot;
}

}  // namespace

std::vector<std::string> bars(const std::vector<double>& heights, std::size_t lines) {
  static constexpr std::array<const char*, 9> kBlocks = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::vector<std::string> text(lines);
  for (const double height : heights) {
    const double whole = std::isfinite(height) ? std::clamp(height, 0.0, 1.0) : 0.0;
    const auto eighths = static_cast<std::size_t>(std::lround(whole * static_cast<double>(lines * 8)));
    for (std::size_t line = 0; line < lines; ++line) {
      const std::size_t below = (lines - 1 - line) * 8;
      text[line] += kBlocks[std::clamp<std::size_t>(eighths, below, below + 8) - below];
    }
  }
  return text;
}

ScoreHistory history_of(const std::vector<Trial>& trials, const Objective& objective) {
  ScoreHistory history{{},
                       objective.metric.empty() ? "time" : objective.metric,
                       !objective.metric.empty() && objective.maximize};
  for (const Trial& trial : trials) history.scores.push_back(score_of(trial, objective));
  return history;
}

std::string score_text(double score, const std::string& name) {
  return name == "time" ? format_time_us(score) : format_number(score) + ' ' + name;
}

void print_pictures(std::ostream& stream, const Screen& screen, const ScoreHistory& history) {
  if (!screen.is_terminal) return;
  std::vector<double> good;
  std::ranges::copy_if(history.scores, std::back_inserter(good),
                       [](double score) { return std::isfinite(score); });
  if (good.size() < kFewestScores) return;
  const auto [least, greatest] = std::ranges::minmax(good);
  if (least == greatest) return;
  const std::size_t margin = 2 + std::max(columns_of(score_text(least, history.name)),
                                          columns_of(score_text(greatest, history.name)));
  if (screen.columns < margin + 2 + kFewestColumns) return;
  const std::size_t columns = std::min(kMostColumns, screen.columns - margin - 2);
  print_plot(stream, screen, progress_plot(history, columns, least, greatest), margin);
  print_plot(stream, screen, distribution_plot(history, histogram_of(good, columns)), margin);
}

}  // namespace gktune
