#include "tuner/search/bayes/covariance_fit.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tuner/search/draws.h"

namespace gktune {
namespace {

constexpr double kLowestLength = 0.05, kHighestLength = 30;
constexpr double kLowestNoise = 1e-4, kHighestNoise = 1;

void confine(CovarianceParameters& parameters) {
  const double low = std::log(kLowestLength), high = std::log(kHighestLength);
  for (double& each : parameters.log_lengths) each = std::clamp(each, low, high);
  for (double& each : parameters.log_twos_lengths) each = std::clamp(each, low, high);
  parameters.log_study_length = std::clamp(parameters.log_study_length, low, 2 * high);
  parameters.log_noise = std::clamp(parameters.log_noise, std::log(kLowestNoise), std::log(kHighestNoise));
}

}  // namespace

void CovarianceFit::observe(std::vector<Site> sites, Eigen::VectorXf targets) {
  sites_ = std::move(sites);
  table_ = SiteTable(sites_);
  targets_ = std::move(targets);
  best_score_ = score(best_);
}

void CovarianceFit::improve(int proposals, std::mt19937_64& random) {
  for (int i = 0; i < proposals; ++i) {
    CovarianceParameters next = propose(random);
    const double reached = score(next);
    if (reached <= best_score_) continue;
    best_score_ = reached;
    best_ = std::move(next);
  }
}

CovarianceParameters CovarianceFit::propose(std::mt19937_64& random) const {
  CovarianceParameters next = best_;
  const auto jitter = [&](double deviation) {
    for (double& each : next.log_lengths) each += deviation * draw_normal(random);
    for (std::size_t i = 0; i < next.log_twos_lengths.size(); ++i) {
      if (features_.dimensions()[i].has_twos) next.log_twos_lengths[i] += deviation * draw_normal(random);
    }
    next.log_study_length += deviation * draw_normal(random);
  };
  const double kind = draw_uniform(random);
  if (kind < 0.15) {
    next.order = static_cast<CovarianceParameters::Order>(draw_place(random, 3));
    if (draw_uniform(random) < 0.5) jitter(0.4);
  } else if (kind < 0.15 + 0.85 * 0.25) {
    jitter(0.15);
    next.log_noise += 0.25 * draw_normal(random);
  } else {
    std::vector<double*> lengths;
    for (std::size_t i = 0; i < next.log_lengths.size(); ++i) {
      lengths.push_back(&next.log_lengths[i]);
      if (features_.dimensions()[i].has_twos) lengths.push_back(&next.log_twos_lengths[i]);
    }
    if (std::ranges::any_of(sites_, [](const Site& site) { return site.study != 0; })) {
      lengths.push_back(&next.log_study_length);
    }
    const std::size_t which = draw_place(random, lengths.size() + 2);
    if (which < lengths.size()) {
      *lengths[which] += 1.2 * draw_normal(random);
    } else if (which == lengths.size()) {
      next.log_noise += 0.8 * draw_normal(random);
    } else {
      next.additive = 0.9 * draw_uniform(random);
    }
  }
  confine(next);
  return next;
}

// The logarithm of the marginal likelihood under the best scale, and of the prior.
double CovarianceFit::score(const CovarianceParameters& parameters) {
  covariance_.set(parameters);
  const auto count = static_cast<Eigen::Index>(sites_.size());
  matrix_.resize(count, count);
  const auto noise = static_cast<float>(std::exp(parameters.log_noise));
  for (Eigen::Index a = 0; a < count; ++a) {
    const auto place = static_cast<std::size_t>(a);
    covariance_.row(sites_[place], table_, place, &matrix_(a, a));  // of the lower triangle
    matrix_(a, a) += noise;
  }
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXf>> factor(matrix_);
  if (factor.info() != Eigen::Success) return -std::numeric_limits<double>::infinity();
  const double squares = static_cast<double>(factor.matrixL().solve(targets_).squaredNorm()) + 1e-12;
  const double log_determinant = 2 * matrix_.diagonal().cast<double>().array().log().sum();
  const auto size = static_cast<double>(count);
  return -(size * std::log(squares / size) + log_determinant) / 2 + parameters.log_prior(features_);
}

}  // namespace gktune
