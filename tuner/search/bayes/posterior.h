#pragma once

#include <Eigen/Core>
#include <vector>

#include "tuner/search/bayes/covariance.h"

namespace gktune {

// A Gaussian process over known sites that predicts several outputs at candidates of the searched study.
// While the outputs of a site are unknown, the prediction from the earlier sites takes their place.
class Posterior {
 public:
  explicit Posterior(const Features& features) : covariance_(features) {}

  void reset(const CovarianceParameters& parameters, std::vector<Site> sites,
             const std::vector<Site>& candidates, std::size_t room);
  void append(Site site);
  std::size_t size() const { return sites_.size(); }
  std::size_t room() const { return static_cast<std::size_t>(factor_.rows()) - sites_.size(); }

  struct Prediction {
    Eigen::MatrixXf means;      // of each candidate and output
    Eigen::VectorXf variances;  // of the first output
  };
  // `outputs` has a row for each site and a column for each output; NaN marks an unknown output. The call is
  // faster if the first rows are the same as in the call before.
  const Prediction& predict(const Eigen::MatrixXf& outputs);

 private:
  using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  Covariance covariance_;
  std::vector<Site> sites_;
  RowMajor factor_;  // lower triangle; rows beyond the sites are room
  SiteTable candidates_;
  RowMajor whitened_;                // the factor's inverse times the covariances of sites and candidates
  Eigen::VectorXf unexplained_;      // the share of each candidate's variance that remains
  Eigen::MatrixXf outputs_, white_;  // of the last prediction: the factor's inverse times the outputs
  Prediction prediction_;
};

}  // namespace gktune
