#pragma once

#include <Eigen/Core>
#include <random>
#include <vector>

#include "tuner/search/bayes/kernel.h"

namespace gktune {

// Looks for the kernel parameters under which the observed targets are most likely: a random walk that keeps
// an improvement, and is kept as observations arrive.
class KernelFit {
 public:
  explicit KernelFit(const Features& features) : features_(features), kernel_(features) {}

  void observe(std::vector<Site> sites, Eigen::VectorXf targets);
  void improve(int proposals, std::mt19937_64& random);
  const KernelParameters& parameters() const { return best_; }

 private:
  KernelParameters propose(std::mt19937_64& random) const;
  double score(const KernelParameters& parameters);

  const Features& features_;
  Kernel kernel_;
  std::vector<Site> sites_;
  SiteTable table_;
  Eigen::VectorXf targets_;
  Eigen::MatrixXf covariance_;  // kept to save allocations
  KernelParameters best_ = kernel_.parameters();
  double best_score_ = 0;
};

}  // namespace gktune
