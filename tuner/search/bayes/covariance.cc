#include "tuner/search/bayes/covariance.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tuner/analysis/draws.h"

namespace gktune {
namespace {

// Two categories are a quarter of a range apart: the model expects an untried category to be like the others.
constexpr double kBetweenCategories = 0.25;

double matern(CovarianceParameters::Order order, double distance, double log_length) {
  const double r = distance / std::exp(log_length);
  switch (order) {
    case CovarianceParameters::Order::half:
      return std::exp(-r);
    case CovarianceParameters::Order::three_halves: {
      const double scaled = std::sqrt(3.0) * r;
      return (1 + scaled) * std::exp(-scaled);
    }
    case CovarianceParameters::Order::five_halves:
      break;
  }
  const double scaled = std::sqrt(5.0) * r;
  return (1 + scaled + scaled * scaled / 3) * std::exp(-scaled);
}

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

double CovarianceParameters::log_prior(const Features& features) const {
  double sum = squared((log_noise - std::log(0.005)) / 1.5) + squared(log_study_length - std::log(5.0));
  for (std::size_t i = 0; i < log_lengths.size(); ++i) {
    sum += squared(log_lengths[i] - std::log(1.5));
    if (features.dimensions()[i].has_twos) sum += squared(log_twos_lengths[i] - std::log(3.0));
  }
  return -sum / 2;
}

SiteTable::SiteTable(const std::vector<Site>& sites)
    : size_(sites.size()), levels_(sites.empty() ? 0 : size_ * sites.front().point.size()) {
  for (std::size_t place = 0; place < size_; ++place) {
    const Site& site = sites[place];
    for (std::size_t i = 0; i < site.point.size(); ++i) levels_[i * size_ + place] = site.point[i];
    studies_.push_back(site.study);
  }
}

Covariance::Covariance(const Features& features) : features_(features) {
  const std::size_t count = features.dimensions().size();
  tables_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    tables_[i].width = features.dimensions()[i].levels.size();
    tables_[i].entries.resize(tables_[i].width * tables_[i].width);
  }
  CovarianceParameters parameters;
  parameters.log_lengths.assign(count, std::log(1.5));
  parameters.log_twos_lengths.assign(count, std::log(2.0));
  parameters.log_study_length = std::log(5.0);
  set(parameters);
}

void Covariance::set(const CovarianceParameters& parameters) {
  const CovarianceParameters before = std::exchange(parameters_, parameters);
  across_studies_ = static_cast<float>(std::exp(-1 / std::exp(parameters.log_study_length)));
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const bool is_same = !before.log_lengths.empty() && before.order == parameters.order &&
                         before.log_lengths[i] == parameters.log_lengths[i] &&
                         before.log_twos_lengths[i] == parameters.log_twos_lengths[i];
    if (!is_same) fill(i);
  }
}

void Covariance::fill(std::size_t number) {
  const Dimension& dimension = features_.dimensions()[number];
  Table& table = tables_[number];
  for (std::size_t a = 0; a < table.width; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      const Dimension::Level& from = dimension.levels[a];
      const Dimension::Level& to = dimension.levels[b];
      const double distance = dimension.is_categorical
                                  ? (a == b ? 0 : kBetweenCategories)
                                  : static_cast<double>(std::abs(from.position - to.position));
      double alike = matern(parameters_.order, distance, parameters_.log_lengths[number]);
      if (dimension.has_twos) {
        alike *= matern(parameters_.order, static_cast<double>(std::abs(from.twos - to.twos)),
                        parameters_.log_twos_lengths[number]);
      }
      table.entries[a * table.width + b] = table.entries[b * table.width + a] = static_cast<float>(alike);
    }
  }
}

void Covariance::row(const Site& site, const SiteTable& sites, std::size_t from, float* into) const {
  const std::size_t count = sites.size() - from;
  product_.assign(count, 1);
  sum_.assign(count, 0);
  float* const product = product_.data();
  float* const sum = sum_.data();
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const float* const alike = tables_[i].row(site.point[i]);
    const std::uint16_t* const levels = sites.levels(i) + from;
    for (std::size_t place = 0; place < count; ++place) {
      const float each = alike[levels[place]];
      product[place] *= each;
      sum[place] += each;
    }
  }
  const auto share = static_cast<float>(parameters_.additive);
  const float of_product = 1 - share;
  const float of_sum = share / static_cast<float>(std::max<std::size_t>(1, tables_.size()));
  const std::uint16_t* const studies = sites.studies() + from;
  for (std::size_t place = 0; place < count; ++place) {
    const float of_study = studies[place] == site.study ? 1 : across_studies_;
    into[place] = of_study * (of_product * product[place] + of_sum * sum[place]);
  }
}

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
