#include "tuner/score/monotone_curve.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gktune {
namespace {

// The slope at the first of three points, from the lengths and slopes of the two pieces after it.
double end_slope(double length, double next_length, double slope, double next_slope) {
  const double estimate = ((2 * length + next_length) * slope - length * next_slope) / (length + next_length);
  if (std::signbit(estimate) != std::signbit(slope) || slope == 0) return 0;
  if (std::signbit(slope) != std::signbit(next_slope) && std::abs(estimate) > 3 * std::abs(slope))
    return 3 * slope;
  return estimate;
}

}  // namespace

MonotoneCurve::MonotoneCurve(std::vector<double> x, std::vector<double> y)
    : x_(std::move(x)), y_(std::move(y)), slopes_(x_.size()) {
  const std::size_t pieces = x_.size() - 1;
  std::vector<double> length(pieces), slope(pieces);
  for (std::size_t i = 0; i < pieces; ++i) {
    length[i] = x_[i + 1] - x_[i];
    slope[i] = (y_[i + 1] - y_[i]) / length[i];
  }
  if (pieces == 1) {
    slopes_ = {slope[0], slope[0]};
    return;
  }
  for (std::size_t i = 1; i < pieces; ++i) {
    if (slope[i - 1] * slope[i] <= 0) continue;
    const double before = 2 * length[i] + length[i - 1], after = length[i] + 2 * length[i - 1];
    slopes_[i] = (before + after) / (before / slope[i - 1] + after / slope[i]);
  }
  slopes_.front() = end_slope(length[0], length[1], slope[0], slope[1]);
  slopes_.back() = end_slope(length[pieces - 1], length[pieces - 2], slope[pieces - 1], slope[pieces - 2]);
}

double MonotoneCurve::at(double x) const {
  const auto above = std::upper_bound(x_.begin() + 1, x_.end() - 1, x);
  const auto i = static_cast<std::size_t>(above - x_.begin()) - 1;
  const double length = x_[i + 1] - x_[i], t = (x - x_[i]) / length;
  const double rise = y_[i + 1] - y_[i];
  return y_[i] + t * (length * slopes_[i] + t * (3 * rise - length * (2 * slopes_[i] + slopes_[i + 1]) +
                                                 t * (length * (slopes_[i] + slopes_[i + 1]) - 2 * rise)));
}

}  // namespace gktune
