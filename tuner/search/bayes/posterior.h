#pragma once

#include <Eigen/Core>
#include <vector>

#include "tuner/search/bayes/covariance.h"

namespace gktune {

// A Gaussian process that knows some sites and predicts several outputs at candidates of the searched study.
// The outputs of a site may arrive later; until then the prediction of the earlier sites is used.
class Posterior {
 public:
  explicit Posterior(const Features& features) : covariance_(features) {}

  void reset(const CovarianceParameters& parameters, std::vector<Site> sites,
             const std::vector<Point>& candidates, std::size_t room);
  void append(Site site);
  std::size_t size() const { return sites_.size(); }
  std::size_t room() const { return static_cast<std::size_t>(factor_.rows()) - sites_.size(); }

  struct Prediction {
    Eigen::MatrixXf means;      // of each candidate and output
    Eigen::VectorXf variances;  // of the first output
  };
  // A row for each site, a column for each output; NaN: not told yet. Takes less time where the first rows
  // are those of the call before.
  const Prediction& predict(const Eigen::MatrixXf& outputs);

 private:
  using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  Covariance covariance_;
  std::vector<Site> sites_;
  RowMajor factor_;  // lower triangle; rows beyond the sites are room
  SiteTable candidates_;
  RowMajor whitened_;            // the factor's inverse times the covariances of sites and candidates
  Eigen::VectorXf unexplained_;  // the variance of each candidate, of 1
  Eigen::MatrixXf outputs_, white_;  // of the last prediction: the factor's inverse times the outputs
  Prediction prediction_;
};

}  // namespace gktune
