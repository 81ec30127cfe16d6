#include "tuner/search/bayes/gaussian_process.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gktune {
namespace {

Space small_space() {
  return Space::build({{.name = "a", .values = {0, 1, 2, 3, 4}}, {.name = "b", .values = {"x", "y", "z"}}},
                      {}, Scope())
      .value();
}

CovarianceParameters parameters_of(const Covariance& covariance) {
  CovarianceParameters parameters = covariance.parameters();
  parameters.order = CovarianceParameters::Order::half;
  parameters.log_lengths = {0, 0};
  parameters.additive = 0;
  return parameters;
}

float similarity(const Covariance& covariance, const Site& a, const Site& b) {
  float found = 0;
  covariance.row(a, SiteTable({b}), 0, &found);
  return found;
}

TEST(Covariance, is_one_between_a_site_and_itself) {
  const Features features(small_space());
  EXPECT_FLOAT_EQ(similarity(Covariance(features), {{2, 1}, 0}, {{2, 1}, 0}), 1);
}

TEST(Covariance, multiplies_the_dimensions_and_adds_a_share_of_their_mean) {
  const Features features(small_space());
  Covariance covariance(features);
  CovarianceParameters parameters = parameters_of(covariance);
  covariance.set(parameters);
  const Site a{{0, 0}, 0}, b{{2, 1}, 0};
  const double first = std::exp(-0.5), second = std::exp(-0.25);
  EXPECT_NEAR(similarity(covariance, a, b), first * second, 1e-6);
  parameters.additive = 0.4;
  covariance.set(parameters);
  EXPECT_NEAR(similarity(covariance, a, b), 0.6 * first * second + 0.4 * (first + second) / 2, 1e-6);
}

TEST(Covariance, is_equal_between_all_categories) {
  const Features features(small_space());
  Covariance covariance(features);
  EXPECT_FLOAT_EQ(similarity(covariance, {{0, 0}, 0}, {{0, 1}, 0}),
                  similarity(covariance, {{0, 0}, 0}, {{0, 2}, 0}));
}

TEST(Covariance, is_smaller_between_different_studies) {
  const Features features(small_space());
  const Covariance covariance(features);
  const float across = similarity(covariance, {{1, 1}, 0}, {{1, 1}, 1});
  EXPECT_GT(across, 0);
  EXPECT_LT(across, 1);
}

TEST(Covariance, a_row_may_begin_at_any_site) {
  const Features features(small_space());
  const Covariance covariance(features);
  const std::vector<Site> sites = {{{0, 0}, 0}, {{2, 1}, 2}, {{4, 2}, 1}};
  for (const Site& site : {Site{{1, 1}, 2}, Site{{1, 1}, 0}}) {
    float all[3], last = 0;
    covariance.row(site, SiteTable(sites), 0, all);
    covariance.row(site, SiteTable(sites), 2, &last);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_FLOAT_EQ(all[i], similarity(covariance, site, sites[i]));
    EXPECT_FLOAT_EQ(last, all[2]);
  }
}

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
