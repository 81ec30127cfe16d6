#include "tuner/search/bayes/features.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace gktune {
namespace {

// A parameter with more values has this many positions: tables hold a number for each pair of levels.
constexpr std::size_t kPositions = 64;
constexpr int kMostTwos = 8;

bool is_ordered(const Parameter& parameter) {
  return std::ranges::none_of(parameter.values, &Value::is_text);
}

double number_of(const Value& value) {
  return value.is_boolean() ? (value.boolean() ? 1 : 0) : value.number();
}

int twos_in(double number) {
  if (number < 1 || number != std::floor(number) || number > 0x1p62) return 0;
  int twos = 0;
  for (auto whole = static_cast<std::int64_t>(number); whole % 2 == 0 && twos < kMostTwos; whole /= 2) ++twos;
  return twos;
}

bool is_power_of_two(double number) {
  int exponent = 0;
  return number > 0 && std::frexp(number, &exponent) == 0.5;
}

// The position of each rank: the mean of its place among the sorted values and its magnitude.
std::vector<double> positions(const std::vector<double>& numbers) {
  const double low = std::ranges::min(numbers), high = std::ranges::max(numbers);
  const bool is_log = low > 0 && high / low >= 4;
  const auto scaled = [&](double number) {
    return is_log ? std::log(number / low) / std::log(high / low) : (number - low) / (high - low);
  };
  std::vector<std::size_t> order(numbers.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](std::size_t rank) { return numbers[rank]; });
  std::vector<double> found(numbers.size());
  for (std::size_t place = 0; place < order.size(); ++place) {
    const double among = static_cast<double>(place) / static_cast<double>(order.size() - 1);
    found[order[place]] = (among + (high > low ? scaled(numbers[order[place]]) : 0)) / 2;
  }
  return found;
}

// The 2-adic feature of each rank, in [0, 1]. Empty if it adds nothing to the position.
std::vector<double> twos(const std::vector<double>& numbers) {
  if (numbers.size() < 4 || std::ranges::min(numbers) < 1) return {};
  if (std::ranges::all_of(numbers, is_power_of_two)) return {};
  std::vector<double> found;
  for (const double number : numbers) found.push_back(twos_in(number));
  const auto [low, high] = std::ranges::minmax(found);
  if (low == high) return {};
  const double least = low, range = high - low;
  for (double& each : found) each = (each - least) / range;
  return found;
}

Dimension ordered_dimension(const Parameter& parameter) {
  std::vector<double> numbers;
  for (const Value& value : parameter.values) numbers.push_back(number_of(value));
  Dimension dimension;
  const std::vector<double> position = positions(numbers), two = twos(numbers);
  dimension.has_twos = !two.empty();
  const bool has_size = numbers.size() >= 3 && std::ranges::min(numbers) > 0;
  const bool is_binned = numbers.size() > kPositions;
  std::map<std::pair<double, double>, std::uint16_t> known;
  for (std::size_t rank = 0; rank < numbers.size(); ++rank) {
    const double steps = kPositions - 1;
    const double place = is_binned ? std::round(position[rank] * steps) / steps : position[rank];
    const double worth = dimension.has_twos ? two[rank] : 0;
    const std::pair key(is_binned ? place : static_cast<double>(rank), worth);
    const auto [entry, is_new] = known.try_emplace(key, static_cast<std::uint16_t>(dimension.levels.size()));
    if (is_new) dimension.levels.push_back({static_cast<float>(place), static_cast<float>(worth)});
    dimension.level_of.push_back(entry->second);
    if (has_size) dimension.size_of.push_back(std::log(numbers[rank]));
  }
  return dimension;
}

// Texts beyond the last level share it.
Dimension categorical_dimension(const Parameter& parameter) {
  constexpr std::size_t kCategories = 512;
  Dimension dimension{.is_categorical = true};
  for (std::size_t rank = 0; rank < parameter.values.size(); ++rank) {
    dimension.level_of.push_back(static_cast<std::uint16_t>(std::min(rank, kCategories - 1)));
  }
  dimension.levels.resize(std::min(parameter.values.size(), kCategories));
  return dimension;
}

}  // namespace

Features::Features(const Space& space) {
  for (std::uint32_t i = 0; i < space.parameters().size(); ++i) {
    const Parameter& parameter = space.parameters()[i];
    if (parameter.values.size() < 2) continue;
    dimensions_.push_back(is_ordered(parameter) ? ordered_dimension(parameter)
                                                : categorical_dimension(parameter));
    dimensions_.back().parameter = i;
  }
}

Point Features::point(std::span<const std::uint32_t> ranks) const {
  Point point;
  point.reserve(dimensions_.size());
  for (const Dimension& dimension : dimensions_) {
    point.push_back(dimension.level_of[ranks[dimension.parameter]]);
  }
  return point;
}

double Features::alignment(const Point& point) const {
  double sum = 0;
  for (std::size_t i = 0; i < point.size(); ++i)
    sum += static_cast<double>(dimensions_[i].levels[point[i]].twos);
  return sum;
}

}  // namespace gktune
