#include "tuner/search/bayes/gaussian_process.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "tuner/analysis/draws.h"
#include "tuner/search/bayes/model_search.h"

namespace gktune {
namespace {

// Two categories are a quarter of a range apart: the model expects an untried category to be like the others.
constexpr double kBetweenCategories = 0.25;

double matern(CovarianceParameters::Order order, double distance, double log_length) {
  const double r = distance / std::exp(log_length);
  if (order == CovarianceParameters::Order::half) return std::exp(-r);
  const bool is_smooth = order == CovarianceParameters::Order::five_halves;
  const double scaled = std::sqrt(is_smooth ? 5.0 : 3.0) * r;
  return (1 + scaled + (is_smooth ? scaled * scaled / 3 : 0)) * std::exp(-scaled);
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
        const double apart = std::hypot(static_cast<double>(from.twos - to.twos),
                                        static_cast<double>(from.roundness - to.roundness));
        alike *= matern(parameters_.order, apart, parameters_.log_twos_lengths[number]);
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

void Posterior::reset(const CovarianceParameters& parameters, std::vector<Site> sites,
                      const std::vector<Site>& candidates, std::size_t room) {
  covariance_.set(parameters);
  sites_ = std::move(sites);
  const auto count = static_cast<Eigen::Index>(sites_.size());
  const auto capacity = count + static_cast<Eigen::Index>(room);
  const auto width = static_cast<Eigen::Index>(candidates.size());

  candidates_ = SiteTable(candidates);

  const SiteTable table(sites_);
  Eigen::MatrixXf similarities = Eigen::MatrixXf::Zero(count, count);
  for (Eigen::Index a = 0; a < count; ++a) {
    const auto place = static_cast<std::size_t>(a);
    covariance_.row(sites_[place], table, place, &similarities(a, a));
  }
  Eigen::MatrixXd matrix = similarities.cast<double>();
  matrix.diagonal().array() += std::exp(parameters.log_noise);
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> decomposition(matrix);
  factor_.setZero(capacity, capacity);
  factor_.topLeftCorner(count, count) = matrix.triangularView<Eigen::Lower>().toDenseMatrix().cast<float>();

  whitened_.resize(capacity, width);
  for (Eigen::Index i = 0; i < count; ++i) {
    covariance_.row(sites_[static_cast<std::size_t>(i)], candidates_, 0, whitened_.row(i).data());
  }
  auto known = whitened_.topRows(count);
  factor_.topLeftCorner(count, count).triangularView<Eigen::Lower>().solveInPlace(known);
  unexplained_ = Eigen::VectorXf::Ones(width) - known.colwise().squaredNorm().transpose();
  outputs_.resize(0, 0);
}

void Posterior::append(Site site) {
  const auto count = static_cast<Eigen::Index>(sites_.size());
  Eigen::VectorXf row(count);
  covariance_.row(site, SiteTable(sites_), 0, row.data());
  factor_.topLeftCorner(count, count).triangularView<Eigen::Lower>().solveInPlace(row);
  const auto noise = static_cast<float>(std::exp(covariance_.parameters().log_noise));
  const float diagonal = std::sqrt(std::max(1 - row.squaredNorm(), 0.0F) + noise);
  factor_.row(count).head(count) = row.transpose();
  factor_(count, count) = diagonal;

  auto added = whitened_.row(count);
  covariance_.row(site, candidates_, 0, added.data());
  added.noalias() -= row.transpose() * whitened_.topRows(count);
  added /= diagonal;
  unexplained_ -= added.transpose().cwiseAbs2();
  sites_.push_back(std::move(site));
}

const Posterior::Prediction& Posterior::predict(const Eigen::MatrixXf& outputs) {
  const auto count = static_cast<Eigen::Index>(sites_.size());
  const auto is_same = [&](Eigen::Index row) {
    return row < outputs_.rows() && (outputs_.row(row).array() == outputs.row(row).array()).all();
  };
  Eigen::Index same = 0;  // rows whose outputs were known before
  while (same < count && is_same(same)) ++same;
  if (outputs_.cols() != outputs.cols()) {
    white_ = Eigen::MatrixXf::Zero(factor_.rows(), outputs.cols());
    prediction_.means = Eigen::MatrixXf::Zero(whitened_.cols(), outputs.cols());
  }
  const Eigen::MatrixXf before = white_.middleRows(same, count - same);
  for (Eigen::Index i = same; i < count; ++i) {
    // An unknown output adds nothing to the prediction of the earlier sites.
    if (std::isnan(outputs(i, 0))) {
      white_.row(i).setZero();
    } else {
      white_.row(i) = (outputs.row(i) - factor_.row(i).head(i) * white_.topRows(i)) / factor_(i, i);
    }
  }
  const Eigen::MatrixXf change = white_.middleRows(same, count - same) - before;
  for (Eigen::Index i = 0; i < change.cols(); ++i) {  // a product of matrices would first copy `whitened_`
    prediction_.means.col(i).noalias() +=
        whitened_.middleRows(same, count - same).transpose() * change.col(i);
  }
  const auto told = (outputs.col(0).array() == outputs.col(0).array()).count();
  const float scale =
      white_.col(0).head(count).squaredNorm() / static_cast<float>(std::max<Eigen::Index>(told, 1));
  prediction_.variances = scale * unexplained_.cwiseMax(1e-9F);
  outputs_ = outputs;
  return prediction_;
}

namespace {

// The covariance's parameters are fitted to the best observations and to random
// others. The model holds the same.
constexpr std::size_t kFittedBest = 40, kFittedOthers = 70;
constexpr std::size_t kRowsBest = 130, kRowsOthers = 120;
constexpr int kFitSteps = 100;     // of the covariance's parameters, for each call of learn()
constexpr std::size_t kRoom = 40;  // rows that are appended between fits

// A Gaussian process. Each fit starts from the covariance's parameters of the fit before.
class GaussianProcess : public Surrogate {
 public:
  explicit GaussianProcess(const Features& features) : fit_(features), posterior_(features) {}

  void learn(const TrainingData& data, const std::vector<Point>& candidates,
             std::mt19937_64& random) override {
    fit(data, random);
    rows_.clear();
    std::vector<Site> sites, candidate_sites;
    for (const std::size_t each : best_and_others(data.targets, kRowsBest, kRowsOthers, random)) {
      rows_.push_back({each, data.observations[each].site.point});
      sites.push_back(data.observations[each].site);
    }
    for (const Point& point : data.in_flight) {
      rows_.push_back({std::nullopt, point});
      sites.push_back({point, 0});
    }
    for (const Point& point : candidates) candidate_sites.push_back({point, 0});
    posterior_.reset(fit_.parameters(), std::move(sites), candidate_sites, kRoom);
  }

  bool is_full() const override { return posterior_.room() == 0; }

  void propose(const Point& point) override {
    posterior_.append({point, 0});
    rows_.push_back({std::nullopt, point});
  }

  void tell(const Point& point, std::size_t observation) override {
    const auto row = std::ranges::find_if(
        rows_, [&](const Row& each) { return !each.observation && each.point == point; });
    if (row != rows_.end()) row->observation = observation;
  }

  const Forecast& forecast(const TrainingData& data, std::mt19937_64& random) override {
    if (data.fresh > 1) fit_.improve(kFitSteps / static_cast<int>(data.fresh), random);
    const Posterior::Prediction& predicted = posterior_.predict(outputs_of_rows(data.targets));
    forecast_.time = predicted.means.col(Targets::kTime);
    forecast_.log_cost = predicted.means.col(Targets::kCost);
    forecast_.failure = predicted.means.col(Targets::kFailure);
    forecast_.improvement.resize(predicted.variances.size());
    for (Eigen::Index i = 0; i < predicted.variances.size(); ++i) {
      forecast_.improvement[i] = static_cast<float>(
          expected_improvement(static_cast<double>(forecast_.time[i]),
                               static_cast<double>(predicted.variances[i]), data.targets.best));
    }
    return forecast_;
  }

 private:
  // A site of the posterior: an observation or, without one, a candidate in flight.
  struct Row {
    std::optional<std::size_t> observation;
    Point point;
  };

  void fit(const TrainingData& data, std::mt19937_64& random) {
    const auto chosen = best_and_others(data.targets, kFittedBest, kFittedOthers, random);
    std::vector<Site> sites;
    Eigen::VectorXf outputs(static_cast<Eigen::Index>(chosen.size()));
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      sites.push_back(data.observations[chosen[i]].site);
      outputs[static_cast<Eigen::Index>(i)] =
          static_cast<float>(data.targets.outputs(static_cast<Eigen::Index>(chosen[i]), Targets::kTime));
    }
    fit_.observe(std::move(sites), std::move(outputs));
    fit_.improve(std::max(1, kFitSteps / static_cast<int>(data.fresh)), random);
  }

  // NaN for candidates in flight.
  Eigen::MatrixXf outputs_of_rows(const Targets& targets) const {
    Eigen::MatrixXf outputs(static_cast<Eigen::Index>(rows_.size()), Targets::kCount);
    outputs.setConstant(std::numeric_limits<float>::quiet_NaN());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (const auto observation = rows_[i].observation) {
        outputs.row(static_cast<Eigen::Index>(i)) =
            targets.outputs.row(static_cast<Eigen::Index>(*observation)).cast<float>();
      }
    }
    return outputs;
  }

  CovarianceFit fit_;
  Posterior posterior_;
  std::vector<Row> rows_;
  Forecast forecast_;
};

}  // namespace

std::unique_ptr<Surrogate> make_gaussian_process(const Features& features) {
  return std::make_unique<GaussianProcess>(features);
}

}  // namespace gktune
