#include "tuner/search/bayes/kernel.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gktune {
namespace {

Space kernel_space() {
  return Space::build({{.name = "a", .values = {0, 1, 2, 3, 4}}, {.name = "b", .values = {"x", "y", "z"}}},
                      {}, Scope())
      .value();
}

KernelParameters parameters_of(const Kernel& kernel) {
  KernelParameters parameters = kernel.parameters();
  parameters.order = KernelParameters::Order::half;
  parameters.log_lengths = {0, 0};
  parameters.additive = 0;
  return parameters;
}

TEST(Kernel, of_a_site_with_itself_is_one) {
  const Features features(kernel_space());
  EXPECT_FLOAT_EQ(Kernel(features)({{2, 1}, 0}, {{2, 1}, 0}), 1);
}

TEST(Kernel, multiplies_the_dimensions_and_adds_a_share_of_their_mean) {
  const Features features(kernel_space());
  Kernel kernel(features);
  KernelParameters parameters = parameters_of(kernel);
  kernel.set(parameters);
  const Site a{{0, 0}, 0}, b{{2, 1}, 0};
  const double first = std::exp(-0.5), second = std::exp(-0.25);
  EXPECT_NEAR(kernel(a, b), first * second, 1e-6);
  parameters.additive = 0.4;
  kernel.set(parameters);
  EXPECT_NEAR(kernel(a, b), 0.6 * first * second + 0.4 * (first + second) / 2, 1e-6);
}

TEST(Kernel, categories_are_all_equally_apart) {
  const Features features(kernel_space());
  Kernel kernel(features);
  EXPECT_FLOAT_EQ(kernel({{0, 0}, 0}, {{0, 1}, 0}), kernel({{0, 0}, 0}, {{0, 2}, 0}));
}

TEST(Kernel, other_studies_are_less_alike) {
  const Features features(kernel_space());
  const Kernel kernel(features);
  const float across = kernel({{1, 1}, 0}, {{1, 1}, 1});
  EXPECT_GT(across, 0);
  EXPECT_LT(across, 1);
}

TEST(Kernel, a_row_holds_the_same_as_each_pair) {
  const Features features(kernel_space());
  const Kernel kernel(features);
  const std::vector<Site> sites = {{{0, 0}, 0}, {{2, 1}, 2}, {{4, 2}, 1}};
  const std::vector<Point> points = {{0, 0}, {2, 1}, {4, 2}};
  for (const Site& site : {Site{{1, 1}, 2}, Site{{1, 1}, 0}}) {
    float of_sites[3], of_points[3], last = 0;
    kernel.row(site, SiteTable(sites), 0, of_sites);
    kernel.row(site, SiteTable(points), 0, of_points);
    kernel.row(site, SiteTable(sites), 2, &last);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_FLOAT_EQ(of_sites[i], kernel(site, sites[i]));
      EXPECT_FLOAT_EQ(of_points[i], kernel(site, {points[i], 0}));
    }
    EXPECT_FLOAT_EQ(last, of_sites[2]);
  }
}

}  // namespace
}  // namespace gktune
