#include "tuner/search/bayes/covariance_fit.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gktune {
namespace {

// Only the first of two dimensions affects the time.
TEST(CovarianceFit, finds_the_dimension_that_matters) {
  Parameter a{.name = "a"}, b{.name = "b"};
  for (int i = 0; i < 10; ++i) {
    a.values.emplace_back(i);
    b.values.emplace_back(i);
  }
  const Space space = Space::build({a, b}, {}, Scope()).value();
  const Features features(space);
  CovarianceFit fit(features);
  std::vector<Site> sites;
  Eigen::VectorXf targets(40);
  std::mt19937_64 random(1);
  for (int i = 0; i < 40; ++i) {
    const auto first = static_cast<std::uint16_t>(i % 10),
               second = static_cast<std::uint16_t>((i * 7 / 4) % 10);
    sites.push_back({{first, second}, 0});
    targets[i] = std::sin(static_cast<float>(first));
  }
  fit.observe(sites, targets);
  fit.improve(150, random);
  EXPECT_LT(fit.parameters().log_lengths[0] + 1, fit.parameters().log_lengths[1]);
}

}  // namespace
}  // namespace gktune
