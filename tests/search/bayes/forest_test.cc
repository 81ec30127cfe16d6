#include "tuner/search/bayes/forest.h"

#include <gtest/gtest.h>

namespace gktune {
namespace {

class ForestTest : public ::testing::Test {
 protected:
  static Space make_space() {
    Parameter a{.name = "a"}, b{.name = "b", .values = {"x", "y", "z"}};
    for (int i = 0; i < 10; ++i) a.values.emplace_back(i);
    return Space::build({a, b}, {}, Scope()).value();
  }
  // The first output steps up where a reaches 5, and again for z; the second is a.
  void grow(Forest& forest, std::uint64_t seed) {
    std::vector<Point> points;
    for (std::uint16_t a = 0; a < 10; ++a) {
      for (std::uint16_t b = 0; b < 3; ++b) points.push_back({a, b});
    }
    Eigen::MatrixXf outputs(30, 2);
    for (Eigen::Index i = 0; i < 30; ++i) {
      const Point& point = points[static_cast<std::size_t>(i)];
      outputs(i, 0) = static_cast<float>((point[0] >= 5) * 4 + (point[1] == 2) * 2);
      outputs(i, 1) = point[0];
    }
    std::mt19937_64 random(seed);
    forest.grow(points, outputs, Eigen::VectorXf::Ones(30), random);
  }
  Eigen::RowVectorXf mean_at(const Forest& forest, const Point& point) const {
    Eigen::MatrixXf by_tree(forest.trees(), 2);
    forest.predict(point, by_tree);
    return by_tree.colwise().mean();
  }

  Space space_ = make_space();
  Features features_{space_};
};

TEST_F(ForestTest, predicts_the_outputs_that_it_learned) {
  Forest forest(features_, {.trees = 20});
  grow(forest, 1);
  EXPECT_NEAR(mean_at(forest, {0, 0})[0], 0, 0.01);
  EXPECT_NEAR(mean_at(forest, {4, 2})[0], 2, 0.01);
  EXPECT_NEAR(mean_at(forest, {5, 1})[0], 4, 0.01);
  EXPECT_NEAR(mean_at(forest, {9, 2})[0], 6, 0.01);
}

TEST_F(ForestTest, one_seed_gives_one_forest) {
  Forest first(features_, {.trees = 5}), second(features_, {.trees = 5});
  grow(first, 3);
  grow(second, 3);
  for (std::uint16_t a = 0; a < 10; ++a) EXPECT_EQ(mean_at(first, {a, 1}), mean_at(second, {a, 1}));
}

TEST_F(ForestTest, rows_count_by_their_weights) {
  const std::vector<Point> same = {{1, 1}, {1, 1}};
  Eigen::MatrixXf outputs(2, 2);
  outputs << 0, 0, 4, 8;
  Eigen::VectorXf weights(2);
  weights << 3, 1;
  Forest forest(features_, {.trees = 3});
  std::mt19937_64 random(1);
  forest.grow(same, outputs, weights, random);
  EXPECT_FLOAT_EQ(mean_at(forest, {7, 2})[0], 1);
  EXPECT_FLOAT_EQ(mean_at(forest, {7, 2})[1], 2);
}

TEST_F(ForestTest, predicts_zero_without_rows) {
  Forest forest(features_, {.trees = 3});
  std::mt19937_64 random(1);
  forest.grow({}, Eigen::MatrixXf(0, 2), Eigen::VectorXf(), random);
  EXPECT_FLOAT_EQ(mean_at(forest, {0, 0})[0], 0);
}

}  // namespace
}  // namespace gktune
