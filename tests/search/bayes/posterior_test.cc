#include "tuner/search/bayes/gaussian_process.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>

namespace gktune {
namespace {

class PosteriorTest : public ::testing::Test {
 protected:
  PosteriorTest() {
    for (std::uint16_t i = 0; i < 12; ++i) {
      sites_.push_back({{static_cast<std::uint16_t>(i * 5 % 12), static_cast<std::uint16_t>(i % 4)}, 0});
    }
    for (std::uint16_t i = 0; i < 12; ++i) candidates_.push_back({{i, 3}, 0});
    outputs_.resize(12, 2);
    for (Eigen::Index i = 0; i < 12; ++i) {
      outputs_(i, 0) = std::sin(static_cast<float>(i));
      outputs_(i, 1) = static_cast<float>(i % 3);
    }
  }

  static Space make_space() {
    Parameter a{.name = "a"}, b{.name = "b", .values = {1, 2, 3, 4}};
    for (int i = 0; i < 12; ++i) a.values.emplace_back(i);
    return Space::build({a, b}, {}, Scope()).value();
  }

  Space space_ = make_space();
  Features features_{space_};
  std::vector<Site> sites_;
  std::vector<Site> candidates_;
  Eigen::MatrixXf outputs_;
};

TEST_F(PosteriorTest, predicts_what_the_formula_says) {
  Covariance covariance(features_);
  const double noise = std::exp(covariance.parameters().log_noise);
  Eigen::MatrixXf among(12, 12), between(12, 12);  // the sites, and the sites and the candidates
  for (Eigen::Index i = 0; i < 12; ++i) {
    covariance.row(sites_[static_cast<std::size_t>(i)], SiteTable(sites_), 0, among.col(i).data());
    covariance.row(candidates_[static_cast<std::size_t>(i)], SiteTable(sites_), 0, between.col(i).data());
  }
  const Eigen::MatrixXd matrix = among.cast<double>() + noise * Eigen::MatrixXd::Identity(12, 12);
  const Eigen::MatrixXd across = between.cast<double>();
  const Eigen::MatrixXd outputs = outputs_.cast<double>();
  const Eigen::MatrixXd inverse = matrix.inverse();
  const Eigen::MatrixXd means = across.transpose() * inverse * outputs;
  const double scale = (outputs.col(0).transpose() * inverse * outputs.col(0)).value() / 12;
  const Eigen::VectorXd variances =
      scale * (1 - (across.array() * (inverse * across).array()).colwise().sum()).matrix().transpose();

  Posterior posterior(features_);
  posterior.reset(covariance.parameters(), sites_, candidates_, 0);
  const auto predicted = posterior.predict(outputs_);
  for (Eigen::Index i = 0; i < 12; ++i) {
    EXPECT_NEAR(predicted.means(i, 0), means(i, 0), 2e-3);
    EXPECT_NEAR(predicted.means(i, 1), means(i, 1), 2e-3);
    EXPECT_NEAR(predicted.variances[i], variances[i], 2e-3);
  }
}

TEST_F(PosteriorTest, sites_that_are_appended_count_like_the_first_ones) {
  const Covariance covariance(features_);
  Posterior whole(features_), grown(features_);
  whole.reset(covariance.parameters(), sites_, candidates_, 0);
  grown.reset(covariance.parameters(), {sites_.begin(), sites_.begin() + 7}, candidates_, 5);
  for (std::size_t i = 7; i < 12; ++i) grown.append(sites_[i]);
  EXPECT_EQ(grown.room(), 0u);
  const auto a = whole.predict(outputs_), b = grown.predict(outputs_);
  EXPECT_LT((a.means - b.means).cwiseAbs().maxCoeff(), 2e-3);
  EXPECT_LT((a.variances - b.variances).cwiseAbs().maxCoeff(), 2e-3);
}

TEST_F(PosteriorTest, earlier_predictions_do_not_change_later_ones) {
  const Covariance covariance(features_);
  Posterior once(features_), often(features_);
  once.reset(covariance.parameters(), sites_, candidates_, 0);
  often.reset(covariance.parameters(), sites_, candidates_, 0);
  Eigen::MatrixXf outputs = outputs_;
  outputs.bottomRows(4).setConstant(std::numeric_limits<float>::quiet_NaN());
  often.predict(outputs);
  outputs.row(9) = outputs_.row(9);  // told before the eighth
  often.predict(outputs);
  outputs(2, 0) += 1;
  often.predict(outputs);
  const auto a = once.predict(outputs_), b = often.predict(outputs_);
  EXPECT_LT((a.means - b.means).cwiseAbs().maxCoeff(), 2e-3);
  EXPECT_LT((a.variances - b.variances).cwiseAbs().maxCoeff(), 2e-3);
}

TEST_F(PosteriorTest, a_site_in_flight_lowers_the_variance_and_leaves_the_mean) {
  const Covariance covariance(features_);
  Posterior without(features_), with(features_);
  without.reset(covariance.parameters(), {sites_.begin(), sites_.begin() + 5}, candidates_, 1);
  with.reset(covariance.parameters(), {sites_.begin(), sites_.begin() + 5}, candidates_, 1);
  with.append(candidates_[11]);
  Eigen::MatrixXf outputs = outputs_.topRows(6);
  outputs.row(5).setConstant(std::numeric_limits<float>::quiet_NaN());
  const auto before = without.predict(outputs_.topRows(5)), after = with.predict(outputs);
  EXPECT_LT((before.means - after.means).cwiseAbs().maxCoeff(), 1e-5);
  EXPECT_LT(after.variances[11], before.variances[11] / 2);
}

}  // namespace
}  // namespace gktune
