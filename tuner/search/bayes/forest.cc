#include "tuner/search/bayes/forest.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "tuner/search/draws.h"

namespace gktune {

struct Forest::Rows {
  std::vector<float> values;  // of each feature, a row after the other
  std::size_t count = 0;
  const Eigen::MatrixXf& outputs;
  const Eigen::VectorXf& weights;
  std::vector<std::uint32_t> order;  // a node owns a range of it

  const float* of_feature(std::uint32_t feature) const { return values.data() + feature * count; }
};

Forest::Forest(const Features& features, const Settings& settings) : settings_(settings) {
  for (std::size_t i = 0; i < features.dimensions().size(); ++i) {
    const Dimension& dimension = features.dimensions()[i];
    Feature place{i, dimension.is_categorical, {}}, twos{i, false, {}};
    for (std::size_t level = 0; level < dimension.levels.size(); ++level) {
      place.of_level.push_back(dimension.is_categorical ? static_cast<float>(level)
                                                        : dimension.levels[level].position);
      twos.of_level.push_back(dimension.levels[level].twos);
    }
    features_.push_back(std::move(place));
    if (dimension.has_twos) features_.push_back(std::move(twos));
  }
}

bool Forest::goes_left(const Node& node, const Point& point) const {
  const Feature& feature = features_[node.feature];
  const float value = feature.of_level[point[feature.dimension]];
  return feature.is_categorical ? value == node.threshold : value < node.threshold;
}

void Forest::grow(const std::vector<Point>& points, const Eigen::MatrixXf& outputs,
                  const Eigen::VectorXf& weights, std::mt19937_64& random) {
  nodes_.clear();
  roots_.clear();
  leaves_.clear();
  Rows rows{.values = {},
            .count = points.size(),
            .outputs = outputs,
            .weights = weights,
            .order = std::vector<std::uint32_t>(points.size())};
  for (const Feature& feature : features_) {
    for (const Point& point : points) rows.values.push_back(feature.of_level[point[feature.dimension]]);
  }
  for (int tree = 0; tree < settings_.trees; ++tree) {
    std::iota(rows.order.begin(), rows.order.end(), 0u);
    roots_.push_back(static_cast<std::uint32_t>(nodes_.size()));
    grow_node(rows, 0, points.size(), random);
  }
}

void Forest::grow_node(Rows& rows, std::size_t begin, std::size_t end, std::mt19937_64& random) {
  const std::size_t place = nodes_.size();
  nodes_.emplace_back();
  const auto range = std::span(rows.order).subspan(begin, end - begin);
  Node best;
  const float* const weights = rows.weights.data();
  const float* const outputs = rows.outputs.data();  // the first column
  float most = -1;
  if (range.size() > 1) {
    for (std::uint32_t number = 0; number < features_.size(); ++number) {
      const Feature& feature = features_[number];
      const float* const values = rows.of_feature(number);
      float low = values[range[0]], high = low;
      for (const std::uint32_t row : range) {
        low = std::min(low, values[row]);
        high = std::max(high, values[row]);
      }
      if (low == high) continue;
      Node node{.feature = number};
      node.threshold = feature.is_categorical
                           ? values[range[draw_place(random, range.size())]]
                           : high - static_cast<float>(draw_uniform(random)) * (high - low);  // above `low`
      // The squares of all rows are the same for every split: the more the sides' means explain, the better.
      float weight[2] = {0, 0}, sum[2] = {0, 0};
      for (const std::uint32_t row : range) {
        const int side =
            (feature.is_categorical ? values[row] == node.threshold : values[row] < node.threshold) ? 0 : 1;
        weight[side] += weights[row];
        sum[side] += weights[row] * outputs[row];
      }
      if (!(weight[0] > 0 && weight[1] > 0)) continue;
      const float explained = sum[0] * sum[0] / weight[0] + sum[1] * sum[1] / weight[1];
      if (explained > most) {
        most = explained;
        best = node;
      }
    }
  }
  if (most < 0) {
    Eigen::RowVectorXf mean = Eigen::RowVectorXf::Zero(rows.outputs.cols());
    float weight = 0;
    for (const std::uint32_t row : range) {
      const auto at = static_cast<Eigen::Index>(row);
      mean += rows.weights[at] * rows.outputs.row(at);
      weight += rows.weights[at];
    }
    nodes_[place].leaf = static_cast<std::uint32_t>(leaves_.size());
    leaves_.push_back(mean / std::max(weight, 1e-9F));
    return;
  }
  const float* const values = rows.of_feature(best.feature);
  const bool is_categorical = features_[best.feature].is_categorical;
  const auto middle = std::partition(range.begin(), range.end(), [&](std::uint32_t row) {
    return is_categorical ? values[row] == best.threshold : values[row] < best.threshold;
  });
  const std::size_t split = begin + static_cast<std::size_t>(middle - range.begin());
  nodes_[place] = best;
  grow_node(rows, begin, split, random);
  nodes_[place].right = static_cast<std::uint32_t>(nodes_.size());
  grow_node(rows, split, end, random);
}

void Forest::predict(const Point& point, Eigen::Ref<Eigen::MatrixXf> by_tree) const {
  for (std::size_t tree = 0; tree < roots_.size(); ++tree) {
    std::uint32_t at = roots_[tree];
    while (nodes_[at].right != 0) at = goes_left(nodes_[at], point) ? at + 1 : nodes_[at].right;
    by_tree.row(static_cast<Eigen::Index>(tree)) = leaves_[nodes_[at].leaf];
  }
}

}  // namespace gktune
