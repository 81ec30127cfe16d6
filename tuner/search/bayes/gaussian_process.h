#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <random>
#include <vector>

#include "tuner/search/bayes/features.h"

namespace gktune {

// Parameters fitted by maximum likelihood. Lengths are logarithms; the unit is
// the whole range of a dimension.
struct CovarianceParameters {
  enum class Order { half, three_halves, five_halves };
  Order order = Order::five_halves;
  std::vector<double> log_lengths;       // for the position in each dimension
  std::vector<double> log_twos_lengths;  // for the factors of two in each dimension
  double log_study_length = 0;           // between this study and related ones
  double additive = 0.1;                 // the weight of the mean over dimensions; the product has the rest
  double log_noise = -5.3;               // the noise's variance divided by the function's

  double log_prior(const Features& features) const;
};

// Sites stored by dimension, so that comparing a site with all of them reads memory in sequence.
class SiteTable {
 public:
  SiteTable() = default;
  explicit SiteTable(const std::vector<Site>& sites);

  std::size_t size() const { return size_; }
  const std::uint16_t* levels(std::size_t dimension) const { return levels_.data() + dimension * size_; }
  const std::uint16_t* studies() const { return studies_.data(); }

 private:
  std::size_t size_ = 0;
  std::vector<std::uint16_t> levels_, studies_;
};

// The similarity of the expected performance of two configurations: a weighted mean of the product and the
// mean of Matérn functions of their distances in each dimension. Stored as tables over pairs of levels.
class Covariance {
 public:
  explicit Covariance(const Features& features);

  void set(const CovarianceParameters& parameters);
  const CovarianceParameters& parameters() const { return parameters_; }
  // Writes the similarities of one site and the table's sites, from index `from` on.
  void row(const Site& site, const SiteTable& sites, std::size_t from, float* into) const;

 private:
  struct Table {
    std::size_t width = 0;
    std::vector<float> entries;
    const float* row(std::size_t level) const { return entries.data() + level * width; }
  };
  void fill(std::size_t dimension);

  const Features& features_;
  CovarianceParameters parameters_;
  std::vector<Table> tables_;
  float across_studies_ = 0;  // the factor between sites of different studies
  mutable std::vector<float> product_, sum_;
};

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
