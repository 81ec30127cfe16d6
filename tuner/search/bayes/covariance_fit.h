#pragma once

#include <Eigen/Core>
#include <random>
#include <vector>

#include "tuner/search/bayes/covariance.h"

namespace gktune {

// Finds the covariance's parameters that make the observed targets most likely, by a random walk that accepts
// improvements only. The walk continues from where it was when observations arrive.
class CovarianceFit {
 public:
  explicit CovarianceFit(const Features& features) : features_(features), covariance_(features) {}

  void observe(std::vector<Site> sites, Eigen::VectorXf targets);
  void improve(int proposals, std::mt19937_64& random);
  const CovarianceParameters& parameters() const { return best_; }

 private:
  CovarianceParameters propose(std::mt19937_64& random) const;
  double score(const CovarianceParameters& parameters);

  const Features& features_;
  Covariance covariance_;
  std::vector<Site> sites_;
  SiteTable table_;
  Eigen::VectorXf targets_;
  Eigen::MatrixXf matrix_;  // kept to save allocations
  CovarianceParameters best_ = covariance_.parameters();
  double best_score_ = 0;
};

}  // namespace gktune
