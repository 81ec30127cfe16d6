#pragma once

#include <Eigen/Core>

namespace gktune {

// The expected improvement on `best` of a normal prediction.
double expected_improvement(double mean, double variance, double best);

constexpr double kCostExponent = 0.5;

// The value of trying a candidate: its expected improvement, reduced by its predicted log cost and its
// probability of failure.
double worth_of(double improvement, double log_cost, double failure, double cost_exponent = kCostExponent);

}  // namespace gktune
