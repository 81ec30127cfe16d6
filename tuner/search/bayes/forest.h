#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <random>
#include <vector>

#include "tuner/search/bayes/covariance.h"

namespace gktune {

// Extremely randomised trees (Geurts et al., 2006): each split is the best of one random threshold for each
// feature. A leaf predicts the weighted means of its rows' outputs.
class Forest {
 public:
  struct Settings {
    int trees = 30;
  };

  Forest(const Features& features, const Settings& settings);

  // A row for each point. Splits separate the values of the first output.
  void grow(const std::vector<Point>& points, const Eigen::MatrixXf& outputs, const Eigen::VectorXf& weights,
            std::mt19937_64& random);
  // The weighted means at one point, one row for each tree.
  void predict(const Point& point, Eigen::Ref<Eigen::MatrixXf> by_tree) const;
  int trees() const { return settings_.trees; }

 private:
  // A number that rows are split by: the position of a dimension's level, its factors of two, or a category.
  struct Feature {
    std::size_t dimension = 0;
    bool is_categorical = false;
    std::vector<float> of_level;
  };
  struct Node {
    std::uint32_t feature = 0;
    float threshold = 0;      // to the left: below it; for a category: equal to it
    std::uint32_t right = 0;  // the left one follows the node; 0: a leaf
    std::uint32_t leaf = 0;   // its row of `leaves_`
  };
  struct Rows;
  void grow_node(Rows& rows, std::size_t begin, std::size_t end, std::mt19937_64& random);
  bool goes_left(const Node& node, const Point& point) const;

  std::vector<Feature> features_;
  const Settings settings_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> roots_;
  std::vector<Eigen::RowVectorXf> leaves_;
};

}  // namespace gktune
