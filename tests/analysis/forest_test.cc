#include "tuner/analysis/forest.h"

#include <gtest/gtest.h>

namespace gktune {
namespace {

// The first factor has ten ordered places, the second three without an order.
Forest forest_of(std::size_t trees) {
  return Forest({{.factor = 0, .of_place = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
                 {.factor = 1, .is_ordered = false, .of_place = {0, 1, 2}}},
                trees, 2);
}

// The first output steps up where the first factor reaches 5, and again for the last place of the second; the
// second output is the place of the first factor.
void grow(Forest& forest, std::uint64_t seed) {
  std::vector<Point> points;
  std::vector<double> outputs;
  for (std::uint16_t a = 0; a < 10; ++a) {
    for (std::uint16_t b = 0; b < 3; ++b) {
      points.push_back({a, b});
      outputs.push_back((a >= 5) * 4 + (b == 2) * 2);
      outputs.push_back(a);
    }
  }
  std::mt19937_64 random(seed);
  forest.grow({points, outputs, std::vector<double>(30, 1)}, random);
}

TEST(Forest, predicts_the_outputs_that_it_learned) {
  Forest forest = forest_of(20);
  grow(forest, 1);
  EXPECT_DOUBLE_EQ(forest.mean_at({0, 0}), 0);
  EXPECT_DOUBLE_EQ(forest.mean_at({4, 2}), 2);
  EXPECT_DOUBLE_EQ(forest.mean_at({5, 1}), 4);
  EXPECT_DOUBLE_EQ(forest.mean_at({9, 2}), 6);
  for (std::size_t tree = 0; tree < 20; ++tree) EXPECT_DOUBLE_EQ(forest.predict(tree, {7, 1})[1], 7);
}

TEST(Forest, one_seed_gives_one_forest) {
  Forest first = forest_of(5), second = forest_of(5);
  grow(first, 3);
  grow(second, 3);
  for (std::uint16_t a = 0; a < 10; ++a) EXPECT_EQ(first.mean_at({a, 1}), second.mean_at({a, 1}));
}

TEST(Forest, rows_of_one_point_count_by_their_weights) {
  const std::vector<Point> same = {{1, 1}, {1, 1}};
  const std::vector<double> outputs = {0, 0, 4, 8}, weights = {3, 1};
  Forest forest = forest_of(3);
  std::mt19937_64 random(1);
  forest.grow({same, outputs, weights}, random);
  EXPECT_DOUBLE_EQ(forest.mean_at({7, 2}), 1);
  EXPECT_DOUBLE_EQ(forest.predict(0, {7, 2})[1], 2);
}

TEST(Forest, predicts_zero_without_rows) {
  Forest forest = forest_of(3);
  std::mt19937_64 random(1);
  forest.grow({}, random);
  EXPECT_EQ(forest.mean_at({0, 0}), 0);
}

TEST(Forest, each_point_lies_in_the_box_of_one_leaf_that_predicts_it) {
  Forest forest = forest_of(1);
  grow(forest, 2);
  const auto boxes = forest.boxes(0, 2);
  for (std::uint16_t a = 0; a < 10; ++a) {
    for (std::uint16_t b = 0; b < 3; ++b) {
      int found = 0;
      for (const Forest::Box& box : boxes) {
        if (!box.allowed[0].empty() && !box.allowed[0][a]) continue;
        if (!box.allowed[1].empty() && !box.allowed[1][b]) continue;
        ++found;
        EXPECT_DOUBLE_EQ(box.output, forest.mean_at({a, b}));
      }
      EXPECT_EQ(found, 1) << a << ' ' << b;
    }
  }
}

}  // namespace
}  // namespace gktune
