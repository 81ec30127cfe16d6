#pragma once

#include <Eigen/Core>

namespace gktune {

// The expected improvement over `best` if the value has a normal distribution with this mean and variance.
double expected_improvement(double mean, double variance, double best);

constexpr double kCostExponent = 0.5;

// The value of trying a candidate: its expected improvement, reduced for a high predicted cost and a
// high probability of failure.
double worth_of(double improvement, double log_cost, double failure, double cost_exponent = kCostExponent);

}  // namespace gktune
