#include "tuner/search/bayes/features.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "tuner/analysis/draws.h"

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

double roundness_of(double number) {
  return is_power_of_two(number) ? 1 : twos_in(number) / std::log2(number);
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

// The 2-adic feature of each rank, in [0, 1]. Empty if the position says the same.
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
    if (is_new) {
      const double roundness = dimension.has_twos ? roundness_of(numbers[rank]) : 0;
      dimension.levels.push_back(
          {static_cast<float>(place), static_cast<float>(worth), static_cast<float>(roundness)});
    }
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

namespace {

constexpr double kSoftening = 0.2;
constexpr double kFailureQuantile = 0.8;

// On a log scale where that is possible: a maximised metric arrives with its sign turned.
double scaled(double objective, const Targets& targets) {
  if (!targets.is_log) return objective;
  return targets.is_negative ? -std::log(-objective) : std::log(objective);
}

std::vector<double> scaled_objectives(const std::vector<Observation>& observations, Targets& targets) {
  bool all_positive = true, all_negative = true;
  for (const Observation& each : observations) {
    if (!each.is_ok) continue;
    all_positive = all_positive && each.objective > 0;
    all_negative = all_negative && each.objective < 0;
  }
  targets.is_log = all_positive || all_negative;
  targets.is_negative = all_negative && !all_positive;
  std::vector<double> found;
  for (const Observation& each : observations)
    found.push_back(each.is_ok ? scaled(each.objective, targets) : 0);
  return found;
}

std::size_t levels_apart(const Point& a, const Point& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] != b[i];
  return count;
}

// Adjusts for how much slower the searched study is than each related one, judged by the
// configurations nearest to each other.
void align_studies(const std::vector<Observation>& observations, std::vector<double>& logs) {
  std::map<std::uint16_t, std::vector<double>> differences;
  for (std::size_t own = 0; own < observations.size(); ++own) {
    if (observations[own].site.study != 0 || !observations[own].is_ok) continue;
    std::map<std::uint16_t, std::pair<std::size_t, std::size_t>> nearest;  // how far, which
    for (std::size_t other = 0; other < observations.size(); ++other) {
      const std::uint16_t study = observations[other].site.study;
      if (study == 0 || !observations[other].is_ok) continue;
      const std::pair found(levels_apart(observations[own].site.point, observations[other].site.point),
                            other);
      const auto [entry, is_new] = nearest.try_emplace(study, found);
      if (!is_new) entry->second = std::min(entry->second, found);
    }
    for (const auto& [study, found] : nearest) differences[study].push_back(logs[own] - logs[found.second]);
  }
  for (auto& [study, apart] : differences) std::ranges::sort(apart);
  for (std::size_t i = 0; i < observations.size(); ++i) {
    const auto found = differences.find(observations[i].site.study);
    if (found != differences.end()) logs[i] += quantile(found->second, 0.5);
  }
}

void fill_times(const std::vector<Observation>& observations, Targets& targets) {
  std::vector<double> logs = scaled_objectives(observations, targets);
  if (std::ranges::any_of(observations, [](const Observation& each) { return each.site.study != 0; })) {
    align_studies(observations, logs);
  }
  std::vector<double> sorted;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    if (observations[i].is_ok) sorted.push_back(logs[i]);
  }
  std::ranges::sort(sorted);
  auto times = targets.outputs.col(Targets::kTime);
  if (sorted.empty()) {
    times.setZero();
    return;
  }
  targets.low = sorted.front();
  targets.half_range = std::max((quantile(sorted, 0.5) - targets.low) / 2, 1e-9);
  targets.of_failure = quantile(sorted, kFailureQuantile);
  for (std::size_t i = 0; i < logs.size(); ++i) {
    const double log = observations[i].is_ok ? logs[i] : targets.of_failure;
    times[static_cast<Eigen::Index>(i)] = std::log((log - targets.low) / targets.half_range + kSoftening);
  }
  targets.mean = times.mean();
  targets.deviation = std::max(std::sqrt((times.array() - targets.mean).square().mean()), 1e-9);
  times = (times.array() - targets.mean) / targets.deviation;
}

double log_cost_of(const Observation& observation) { return std::log(std::max(observation.cost_s, 1e-6)); }

void find_mean_costs(const std::vector<Observation>& observations, Targets& targets) {
  std::map<std::uint16_t, int> counts;
  for (const Observation& each : observations) {
    targets.mean_log_cost[each.site.study] += log_cost_of(each);
    ++counts[each.site.study];
  }
  for (auto& [study, mean] : targets.mean_log_cost) mean /= counts[study];
}

}  // namespace

double Targets::log_objective_of(double output) const {
  return low + half_range * (std::exp(output * deviation + mean) - kSoftening);
}

void Targets::fill_cost_and_failure(Eigen::Index row, const Observation& observation) {
  outputs(row, kCost) = log_cost_of(observation) - mean_log_cost.at(observation.site.study);
  outputs(row, kFailure) = observation.is_ok ? 0 : 1;
}

bool Targets::extend(const Observation& observation) {
  const bool has_sign = !is_log || (is_negative ? observation.objective < 0 : observation.objective > 0);
  if (!is_best_own || !mean_log_cost.contains(observation.site.study) || (observation.is_ok && !has_sign))
    return false;
  const double log = observation.is_ok ? scaled(observation.objective, *this) : of_failure;
  if (log < low) return false;
  const Eigen::Index row = outputs.rows();
  outputs.conservativeResize(row + 1, Eigen::NoChange);
  outputs(row, kTime) = (std::log((log - low) / half_range + kSoftening) - mean) / deviation;
  fill_cost_and_failure(row, observation);
  if (observation.is_ok) best = std::min(best, outputs(row, kTime));
  return true;
}

Targets targets_of(const std::vector<Observation>& observations) {
  Targets targets;
  targets.outputs.resize(static_cast<Eigen::Index>(observations.size()), Targets::kCount);
  fill_times(observations, targets);
  find_mean_costs(observations, targets);
  double best_elsewhere = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < observations.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    targets.fill_cost_and_failure(row, observations[i]);
    if (!observations[i].is_ok) continue;
    double& best = observations[i].site.study == 0 ? targets.best : best_elsewhere;
    best = std::min(best, targets.outputs(row, Targets::kTime));
  }
  targets.is_best_own = targets.best < std::numeric_limits<double>::infinity();
  if (!targets.is_best_own) targets.best = best_elsewhere;
  return targets;
}

std::vector<std::size_t> best_and_others(const Targets& targets, std::size_t best, std::size_t others,
                                         std::mt19937_64& random) {
  std::vector<std::size_t> all(static_cast<std::size_t>(targets.outputs.rows()));
  std::iota(all.begin(), all.end(), 0u);
  if (all.size() <= best + others) return all;
  const auto times = targets.outputs.col(Targets::kTime);
  std::ranges::nth_element(all, all.begin() + static_cast<std::ptrdiff_t>(best), {},
                           [&](std::size_t i) { return times[static_cast<Eigen::Index>(i)]; });
  draw_to_front(random, all, best, others);
  all.resize(best + others);
  return all;
}

}  // namespace gktune
