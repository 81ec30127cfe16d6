#pragma once

// Inputs whose elements depend on each other: sorted, shuffled, of a Zipf distribution, fields,
// sparse matrices. They are the same on every machine.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "tuner/measure/generator.h"

namespace gktune {

// e to the power of x for x <= 0: by the powers of 2 and a series. The standard library's function
// may differ between machines.
inline double plain_exp(double x) {
  constexpr double kLog2 = 0.69314718055994531;
  const double halvings = std::floor(-x / kLog2);
  if (halvings > 1074) return 0;
  const double rest = x + halvings * kLog2;
  double sum = 1;
  for (int k = 24; k >= 1; --k) sum = 1 + sum * rest / k;
  return std::ldexp(sum, -static_cast<int>(halvings));
}

// The weight of the k-th most frequent of many, k from 0.
inline double zipf_weight(std::uint64_t k, double exponent) {
  return plain_exp(-exponent * plain_log(static_cast<double>(k + 1)));
}

inline std::vector<double> sorted_reals(std::uint64_t count, std::uint64_t seed, double low, double high) {
  std::vector<double> values(count);
  for (std::uint64_t i = 0; i < count; ++i) values[i] = uniform_real(seed, i, low, high);
  std::sort(values.begin(), values.end());
  return values;
}

inline std::vector<std::int64_t> sorted_integers(std::uint64_t count, std::uint64_t seed, std::int64_t low,
                                                 std::int64_t high) {
  std::vector<std::int64_t> values(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    values[i] = static_cast<std::int64_t>(
        uniform_integer(seed, i, static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high)));
  }
  std::sort(values.begin(), values.end());
  return values;
}

// 0 to count - 1 in a random order.
inline std::vector<std::uint64_t> permutation(std::uint64_t count, std::uint64_t seed) {
  std::vector<std::uint64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::uint64_t{0});
  for (std::uint64_t i = count; i > 1; --i)
    std::swap(numbers[i - 1], numbers[uniform_integer(seed, i, 0, i - 1)]);
  return numbers;
}

// Numbers from 0 to values - 1; number k comes (k + 1) ** exponent times less often than 0.
inline std::vector<std::uint64_t> zipf_numbers(std::uint64_t count, std::uint64_t seed, std::uint64_t values,
                                               double exponent) {
  std::vector<double> sums(values);
  double sum = 0;
  for (std::uint64_t k = 0; k < values; ++k) sums[k] = sum += zipf_weight(k, exponent);
  std::vector<std::uint64_t> numbers(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto at = std::upper_bound(sums.begin(), sums.end(), unit_uniform(seed, i) * sum) - sums.begin();
    numbers[i] = std::min(static_cast<std::uint64_t>(at), values - 1);
  }
  return numbers;
}

// A smooth field of whole rows: three waves between the bounds.
inline std::vector<double> field_values(std::uint64_t count, std::uint64_t seed, std::uint64_t width,
                                        double low, double high) {
  struct Wave {
    std::uint64_t across, down;
    double start;
  };
  Wave waves[3];
  for (std::uint64_t i = 0; i < 3; ++i) {
    waves[i] = {uniform_integer(seed, 3 * i, 1, 4), uniform_integer(seed, 3 * i + 1, 1, 4),
                unit_uniform(seed, 3 * i + 2)};
  }
  const double across = static_cast<double>(width),
               down = static_cast<double>(std::max<std::uint64_t>(1, count / width));
  std::vector<double> values(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const double x = static_cast<double>(i % width) / across, y = static_cast<double>(i / width) / down;
    double sum = 0;
    for (const Wave& wave : waves) {
      const double turns =
          static_cast<double>(wave.across) * x + static_cast<double>(wave.down) * y + wave.start;
      sum += cosine_of_turns(turns - std::floor(turns));
    }
    values[i] = low + (high - low) * (0.5 + sum / 6);
  }
  return values;
}

// The places of a sparse matrix in compressed rows at which rows begin, and the number of nonzeros
// behind the last. `lengths`: 0: all rows are of one length; 1: of any length up to twice the
// mean; 2: of a Zipf distribution.
inline std::vector<std::uint64_t> csr_offsets(std::uint64_t rows, std::uint64_t columns,
                                              std::uint64_t nonzeros, int lengths, double exponent,
                                              std::uint64_t seed) {
  std::vector<double> weights(rows, 1.0);
  if (lengths == 1) {
    for (std::uint64_t i = 0; i < rows; ++i) weights[i] = unit_uniform(seed, i);
  } else if (lengths == 2) {
    const std::vector<std::uint64_t> ranks = permutation(rows, seed);
    for (std::uint64_t i = 0; i < rows; ++i) weights[i] = zipf_weight(ranks[i], exponent);
  }
  double total = 0, sum = 0;
  for (const double weight : weights) total += weight;
  std::vector<std::uint64_t> offsets(rows + 1), sizes(rows);
  std::uint64_t given = 0, kept = 0;
  for (std::uint64_t i = 0; i < rows; ++i) {
    sum += weights[i];
    const double share = std::floor(static_cast<double>(nonzeros) * (sum / total));
    const std::uint64_t end =
        i + 1 == rows ? nonzeros : std::min(nonzeros, static_cast<std::uint64_t>(share));
    sizes[i] = std::min(columns, end > given ? end - given : 0);
    given = std::max(given, end);
    kept += sizes[i];
  }
  // Rows with room take the rest of rows that would be longer than the matrix is wide.
  std::uint64_t rest = nonzeros - kept;
  for (std::uint64_t i = 0; i < rows && rest > 0; ++i) {
    const std::uint64_t more = std::min(rest, columns - sizes[i]);
    sizes[i] += more;
    rest -= more;
  }
  for (std::uint64_t i = 0; i < rows; ++i) offsets[i + 1] = offsets[i] + sizes[i];
  return offsets;
}

// The columns of the nonzeros, one in each of as many parts of a row as it has nonzeros: sorted and distinct.
inline std::vector<std::uint64_t> csr_columns(const std::vector<std::uint64_t>& offsets,
                                              std::uint64_t columns, std::uint64_t seed) {
  std::vector<std::uint64_t> places(offsets.back());
  for (std::uint64_t row = 0; row + 1 < offsets.size(); ++row) {
    const std::uint64_t length = offsets[row + 1] - offsets[row];
    for (std::uint64_t k = 0; k < length; ++k) {
      const std::uint64_t low = k * columns / length, high = (k + 1) * columns / length - 1,
                          i = offsets[row] + k;
      places[i] = uniform_integer(seed, i, low, high);
    }
  }
  return places;
}

}  // namespace gktune
