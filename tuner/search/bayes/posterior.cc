#include "tuner/search/bayes/posterior.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <utility>

namespace gktune {

void Posterior::reset(const KernelParameters& parameters, std::vector<Site> sites,
                      const std::vector<Point>& candidates, std::size_t room) {
  kernel_.set(parameters);
  sites_ = std::move(sites);
  const auto count = static_cast<Eigen::Index>(sites_.size());
  const auto capacity = count + static_cast<Eigen::Index>(room);
  const auto width = static_cast<Eigen::Index>(candidates.size());

  candidates_.resize(width, candidates.empty() ? 0 : static_cast<Eigen::Index>(candidates[0].size()));
  for (Eigen::Index i = 0; i < width; ++i) {
    for (Eigen::Index j = 0; j < candidates_.cols(); ++j) {
      candidates_(i, j) = candidates[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
    }
  }

  Eigen::MatrixXd covariance(count, count);
  const double noise = std::exp(parameters.log_noise);
  for (Eigen::Index a = 0; a < count; ++a) {
    const Site& site = sites_[static_cast<std::size_t>(a)];
    for (Eigen::Index b = a; b < count; ++b) {
      covariance(b, a) = static_cast<double>(kernel_(site, sites_[static_cast<std::size_t>(b)]));
    }
    covariance(a, a) += noise;
  }
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> decomposition(covariance);
  factor_.setZero(capacity, capacity);
  factor_.topLeftCorner(count, count) =
      covariance.triangularView<Eigen::Lower>().toDenseMatrix().cast<float>();

  whitened_.resize(capacity, width);
  for (Eigen::Index i = 0; i < count; ++i) {
    kernel_.row(sites_[static_cast<std::size_t>(i)], candidates_, whitened_.row(i));
  }
  auto known = whitened_.topRows(count);
  factor_.topLeftCorner(count, count).triangularView<Eigen::Lower>().solveInPlace(known);
  unexplained_ = Eigen::VectorXf::Ones(width) - known.colwise().squaredNorm().transpose();
}

void Posterior::append(Site site) {
  const auto count = static_cast<Eigen::Index>(sites_.size());
  Eigen::VectorXf row(count);
  for (Eigen::Index i = 0; i < count; ++i) row[i] = kernel_(site, sites_[static_cast<std::size_t>(i)]);
  factor_.topLeftCorner(count, count).triangularView<Eigen::Lower>().solveInPlace(row);
  const auto noise = static_cast<float>(std::exp(kernel_.parameters().log_noise));
  const float diagonal = std::sqrt(std::max(1 - row.squaredNorm(), 0.0F) + noise);
  factor_.row(count).head(count) = row.transpose();
  factor_(count, count) = diagonal;

  auto added = whitened_.row(count);
  kernel_.row(site, candidates_, added);
  added.noalias() -= row.transpose() * whitened_.topRows(count);
  added /= diagonal;
  unexplained_ -= added.transpose().cwiseAbs2();
  sites_.push_back(std::move(site));
}

Posterior::Prediction Posterior::predict(const Eigen::MatrixXf& outputs) const {
  const auto count = static_cast<Eigen::Index>(sites_.size());
  Eigen::MatrixXf white = Eigen::MatrixXf::Zero(count, outputs.cols());
  Eigen::Index told = 0;
  for (Eigen::Index i = 0; i < count; ++i) {
    // An unknown output adds nothing to the prediction of the earlier sites.
    if (std::isnan(outputs(i, 0))) continue;
    white.row(i) = (outputs.row(i) - factor_.row(i).head(i) * white.topRows(i)) / factor_(i, i);
    ++told;
  }
  Prediction prediction;
  prediction.means.resize(whitened_.cols(), white.cols());
  for (Eigen::Index i = 0; i < white.cols(); ++i) {  // a product of matrices would first copy `whitened_`
    prediction.means.col(i).noalias() = whitened_.topRows(count).transpose() * white.col(i);
  }
  const float scale = white.col(0).squaredNorm() / static_cast<float>(std::max<Eigen::Index>(told, 1));
  prediction.variances = scale * unexplained_.cwiseMax(1e-9F);
  return prediction;
}

}  // namespace gktune
