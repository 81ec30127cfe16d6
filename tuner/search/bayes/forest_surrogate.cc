#include "tuner/search/bayes/forest_surrogate.h"

#include <algorithm>

namespace gktune {
namespace {

constexpr std::size_t kGrownBest = 130, kGrownOthers = 170;  // that the trees learn from, at most
constexpr float kRelatedWeight = 0.2F;                       // of an observation of a related study

}  // namespace

void ForestSurrogate::learn(const TrainingData& data, const std::vector<Point>& candidates,
                            std::mt19937_64& random) {
  proposed_ = 0;
  fresh_ = data.fresh;
  const std::vector<std::size_t> chosen = best_and_others(data.targets, kGrownBest, kGrownOthers, random);
  const auto known = static_cast<Eigen::Index>(chosen.size());
  const auto count = known + static_cast<Eigen::Index>(data.in_flight.size());
  const Lesson lesson = this->lesson(data);
  std::vector<Point> points;
  Eigen::MatrixXf outputs = Eigen::MatrixXf::Zero(count, Targets::kCount);
  Eigen::VectorXf weights = Eigen::VectorXf::Ones(count);
  for (Eigen::Index i = 0; i < known; ++i) {
    const std::size_t each = chosen[static_cast<std::size_t>(i)];
    const auto row = static_cast<Eigen::Index>(each);
    const Site& site = data.observations[each].site;
    points.push_back(site.point);
    outputs.row(i) = data.targets.outputs.row(row).cast<float>();
    outputs(i, Targets::kTime) = lesson.outputs[row];
    weights[i] = lesson.weights[row] * (site.study == 0 ? 1 : kRelatedWeight);
  }
  for (const Point& point : data.in_flight) {
    outputs(static_cast<Eigen::Index>(points.size()), Targets::kTime) = lesson.in_flight;
    points.push_back(point);
  }
  forest_.grow(points, outputs, weights, random);

  const auto width = static_cast<Eigen::Index>(candidates.size());
  for (Eigen::VectorXf* each :
       {&forecast_.time, &forecast_.improvement, &forecast_.log_cost, &forecast_.failure})
    each->resize(width);
  Eigen::MatrixXf by_tree(forest_.trees(), Targets::kCount);
  for (Eigen::Index i = 0; i < width; ++i) {
    forest_.predict(candidates[static_cast<std::size_t>(i)], by_tree);
    const Promise promise = this->promise(by_tree.col(Targets::kTime), data);
    forecast_.time[i] = promise.time;
    forecast_.improvement[i] = promise.improvement;
    forecast_.log_cost[i] = by_tree.col(Targets::kCost).mean();
    forecast_.failure[i] = by_tree.col(Targets::kFailure).mean();
  }
}

std::vector<StrategyOption> forest_options() {
  // A forest tells little from five trials.
  std::vector<StrategyOption> options = model_options({.spread_points = 8, .covering_points = 8});
  options.push_back({"trees",
                     "trees of the forest",
                     Value(static_cast<std::int64_t>(Forest::Settings{}.trees)),
                     {20, 30, 60},
                     1,
                     1000});
  return options;
}

}  // namespace gktune
