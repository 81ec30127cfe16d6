#pragma once

#include <cstddef>
#include <random>
#include <span>
#include <vector>

#include "tuner/search/bayes/features.h"

namespace gktune {

// Parameters fitted by maximum likelihood. Lengths are logarithms, in units of a dimension's whole range.
struct CovarianceParameters {
  enum class Order { half, three_halves, five_halves };
  Order order = Order::five_halves;
  std::vector<double> log_lengths;       // of each dimension's position
  std::vector<double> log_twos_lengths;  // of its feature `twos`
  double log_study_length = 0;           // between this study and related ones
  double additive = 0.1;                 // the share of the sum over dimensions, against their product
  double log_noise = -5.3;               // variance, against that of the function

  double log_prior(const Features& features) const;
};

// A configuration in a study: 0 is the one that is searched, others are related.
struct Site {
  Point point;
  std::uint16_t study = 0;
};

// Sites by dimension: comparing one with all of them reads each dimension in one go.
class SiteTable {
 public:
  SiteTable() = default;
  explicit SiteTable(const std::vector<Site>& sites);
  // Points of the searched study.
  explicit SiteTable(const std::vector<Point>& points);

  std::size_t size() const { return size_; }
  const std::uint16_t* levels(std::size_t dimension) const { return levels_.data() + dimension * size_; }
  // Null where all belong to the searched study.
  const std::uint16_t* studies() const { return studies_.empty() ? nullptr : studies_.data(); }

 private:
  std::size_t size_ = 0;
  std::vector<std::uint16_t> levels_, studies_;
};

// Similarity of two configurations' expected performance: Matérn functions of their distances in each
// dimension, multiplied, with a share of their mean. Kept as tables over pairs of levels.
class Covariance {
 public:
  explicit Covariance(const Features& features);

  void set(const CovarianceParameters& parameters);
  const CovarianceParameters& parameters() const { return parameters_; }
  float operator()(const Site& a, const Site& b) const;
  // The similarities of one site with those of a table, from the given one on.
  void row(const Site& site, const SiteTable& sites, std::size_t from, float* into) const;

 private:
  struct Table {
    std::size_t width = 0;
    std::vector<float> entries;
    const float* row(std::size_t level) const { return entries.data() + level * width; }
  };
  void fill(std::size_t dimension);
  float study_factor(std::uint16_t a, std::uint16_t b) const { return a == b ? 1.0F : across_studies_; }

  const Features& features_;
  CovarianceParameters parameters_;
  std::vector<Table> tables_;
  float across_studies_ = 0;
  mutable std::vector<float> product_, sum_;
};

}  // namespace gktune
