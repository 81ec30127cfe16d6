#include "tuner/analysis/histogram.h"

#include <algorithm>
#include <cmath>

namespace gktune {

Histogram histogram_of(const std::vector<double>& values, std::size_t bins) {
  std::vector<double> finite;
  std::ranges::copy_if(values, std::back_inserter(finite), [](double value) { return std::isfinite(value); });
  Histogram histogram;
  if (finite.empty() || bins == 0) return histogram;
  const auto [least, greatest] = std::ranges::minmax(finite);
  if (least == greatest) return {{least, greatest}, {std::ssize(finite)}};
  const bool is_positive = least > 0;
  const auto scaled = [&](double value) { return is_positive ? std::log(value) : value; };
  const double low = scaled(least), width = (scaled(greatest) - low) / static_cast<double>(bins);
  // The two differ by less than a logarithm can tell apart, or by more than a double holds.
  if (!(width > 0) || !std::isfinite(width)) return {{least, greatest}, {std::ssize(finite)}};
  histogram.counts.resize(bins);
  for (const double value : finite) {
    const auto bin = static_cast<std::size_t>(std::max(0.0, (scaled(value) - low) / width));
    ++histogram.counts[std::min(bin, bins - 1)];
  }
  histogram.edges.push_back(least);
  for (std::size_t bin = 1; bin < bins; ++bin) {
    const double edge = low + width * static_cast<double>(bin);
    histogram.edges.push_back(is_positive ? std::exp(edge) : edge);
  }
  histogram.edges.push_back(greatest);
  return histogram;
}

}  // namespace gktune
