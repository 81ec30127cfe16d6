#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <random>
#include <vector>

#include "tuner/search/bayes/covariance.h"

namespace gktune {

// Extremely randomised trees (Geurts et al., 2006): a split draws one random threshold for each feature and
// takes the best. A leaf predicts the weighted means of its rows' outputs.
class Forest {
 public:
  struct Settings {
    int trees = 30;
  };

  Forest(const Features& features, const Settings& settings);

  // `outputs` and `weights` have a row for each point. Splits separate the values of the first output.
  void grow(const std::vector<Point>& points, const Eigen::MatrixXf& outputs, const Eigen::VectorXf& weights,
            std::mt19937_64& random);
  // The predictions at one point: one row for each tree.
  void predict(const Point& point, Eigen::Ref<Eigen::MatrixXf> by_tree) const;
  int trees() const { return settings_.trees; }

 private:
  // A splitting criterion: the position of a dimension's level, its factors of two, or its category.
  struct Feature {
    std::size_t dimension = 0;
    bool is_categorical = false;
    std::vector<float> of_level;
  };
  struct Node {
    std::uint32_t feature = 0;
    float threshold = 0;      // smaller values go left; of a category, equal ones do
    std::uint32_t right = 0;  // the right child; the left child follows the node; 0: the node is a leaf
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
