#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tuner/core/fields.h"

namespace gktune {

// From `file` on, elements depend on each other, and are made on the host.
GKTUNE_ENUM(ContentsKind, zero, constant, ramp, uniform, normal, file, sorted, permutation, zipf, field,
            csr_offsets, csr_columns)

// Elements depend on each other.
constexpr bool is_structured(ContentsKind kind) { return kind > ContentsKind::file; }
constexpr bool is_random(ContentsKind kind) {
  return kind == ContentsKind::uniform || kind == ContentsKind::normal || is_structured(kind);
}

// How the nonzeros of a sparse matrix are divided among its rows.
GKTUNE_ENUM(RowLengths, even, uniform, zipf)

// The rows of a sparse matrix. Arguments for its offsets and its columns have the same.
struct SparsePlan {
  std::int64_t rows = 0, columns = 0, nonzeros = 0;
  RowLengths lengths = RowLengths::even;
  double exponent = 1;  // of zipf
  std::uint64_t seed = 0;
  friend bool operator==(const SparsePlan&, const SparsePlan&) = default;
};

GKTUNE_FIELDS(SparsePlan, rows, columns, nonzeros, lengths, exponent, seed)

// A buffer's contents before a launch, with all expressions evaluated.
struct ContentsPlan {
  ContentsKind kind = ContentsKind::zero;
  // constant: a; ramp: from a by b; uniform, sorted, field: a to b; normal: mean a,
  // deviation b; zipf: exponent b
  double a = 0, b = 0;
  std::int64_t a_integer = 0, b_integer = 0;  // exact, for integer elements; zipf: the number of values
  // A ramp or a file with a seed has elements that are drawn from its own; without one (0) it has them in order.
  std::uint64_t seed = 0;
  std::string file;
  std::int64_t width = 1;  // of a field
  SparsePlan sparse;
  bool is_computed = false;  // zeros that the inputs of the reference replace
  friend bool operator==(const ContentsPlan&, const ContentsPlan&) = default;
};

GKTUNE_FIELDS(ContentsPlan, kind, is_computed, a, b, a_integer, b_integer, seed, file, width, sparse)

// How an output is compared with the reference. An element passes if one of the
// first three allows its difference.
struct TolerancePlan {
  double absolute = 0;
  double relative = 0;
  std::int64_t ulp = 0;
  bool has_norm = false;             // the norm of all differences counts instead of each of them
  double norm = 0;                   // its allowed share of the norm of the expected output
  bool any_order = false;            // compared after sorting
  bool nan_equals = false;           // NaN is right where NaN is expected
  std::uint64_t row = 0, pitch = 0;  // of each `pitch` elements the first `row` count; 0: all count
  int mask = -1;  // of the plan's arguments; elements do not count where it is zero; -1: none

  bool is_selective() const { return pitch > 0 || mask >= 0; }
  friend bool operator==(const TolerancePlan&, const TolerancePlan&) = default;
};

GKTUNE_FIELDS(TolerancePlan, absolute, relative, ulp, has_norm, norm, any_order, nan_equals, row, pitch, mask)

// How a kernel is launched, besides its geometry. The fields have the names of the keys in space files, where
// a bool is a condition, a number a percentage, and an array up to three extents.
struct LaunchAttributes {
  std::array<std::int64_t, 3> cluster{1, 1, 1};  // blocks
  bool is_cooperative = false;                   // its blocks can wait for each other
  bool is_programmatic = false;                  // it may start before the launch in front of it has ended
  std::int64_t carveout_percent = -1;  // of the largest shared memory, preferred; -1: the driver decides

  std::int64_t cluster_blocks() const { return cluster[0] * cluster[1] * cluster[2]; }
  friend bool operator==(const LaunchAttributes&, const LaunchAttributes&) = default;
};

template <class Archive, Is<LaunchAttributes> S>
void fields(Archive&& archive, S& attributes) {
  archive("cluster", attributes.cluster);
  archive("cooperative", attributes.is_cooperative);
  archive("programmatic", attributes.is_programmatic);
  archive("carveout", attributes.carveout_percent);
}

// One kernel launch, without its arguments.
struct LaunchShape {
  std::array<std::int64_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::int64_t shared_bytes = 0;  // dynamic
  LaunchAttributes attributes = {};
};

// How the sanitizer names the buffer of an access outside of it.
inline std::string outside_of(const std::string& buffer) { return "outside ‘" + buffer + "’"; }

// Data races that the sanitizer does not report.
struct AllowedRaces {
  bool of_same_value = false;      // the threads write the same value
  std::vector<std::string> lines;  // bfs.cu:33: one of the two accesses is there
  friend bool operator==(const AllowedRaces&, const AllowedRaces&) = default;
};

GKTUNE_FIELDS(AllowedRaces, of_same_value, lines)

}  // namespace gktune
