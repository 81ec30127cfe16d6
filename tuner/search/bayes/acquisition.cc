#include "tuner/search/bayes/acquisition.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gktune {
namespace {

constexpr double kSurestFailure = 0.97;

}  // namespace

double expected_improvement(double mean, double variance, double best) {
  const double deviation = std::sqrt(variance);
  const double gain = best - mean;
  const double z = gain / deviation;
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  const double below = std::erfc(-z / std::numbers::sqrt2) / 2;
  return std::max(gain * below + deviation * density, 0.0);
}

double worth_of(double improvement, double log_cost, double failure, double cost_exponent) {
  return improvement * std::exp(-cost_exponent * log_cost) * (1 - std::clamp(failure, 0.0, kSurestFailure));
}

}  // namespace gktune
