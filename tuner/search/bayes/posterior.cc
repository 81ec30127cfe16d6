#include "tuner/search/bayes/posterior.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <utility>

namespace gktune {

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

}  // namespace gktune
