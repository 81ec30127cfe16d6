#pragma once

#include <cstdint>
#include <string>

namespace gktune {

// From `file` on, elements depend on each other, and are made on the host.
enum class ContentsKind {
  zero,
  constant,
  ramp,
  uniform,
  normal,
  file,
  sorted,
  permutation,
  zipf,
  field,
  csr_offsets,
  csr_columns,
};

constexpr bool is_made_on_host(ContentsKind kind) { return kind >= ContentsKind::file; }
constexpr bool is_random(ContentsKind kind) {
  return kind == ContentsKind::uniform || kind == ContentsKind::normal || kind > ContentsKind::file;
}

// How the nonzeros of a sparse matrix are divided among its rows.
enum class RowLengths { even, uniform, zipf };

// The rows of a sparse matrix. Arguments for its offsets and its columns have the same.
struct SparsePlan {
  std::int64_t rows = 0, columns = 0, nonzeros = 0;
  RowLengths lengths = RowLengths::even;
  double exponent = 1;  // of zipf
  std::uint64_t seed = 0;
  friend bool operator==(const SparsePlan&, const SparsePlan&) = default;
};

// A buffer's contents before a launch, with all expressions evaluated.
struct ContentsPlan {
  ContentsKind kind = ContentsKind::zero;
  // constant: a; ramp: from a by b; uniform, sorted, field: a to b; normal: mean a,
  // deviation b; zipf: exponent b
  double a = 0, b = 0;
  std::int64_t a_integer = 0, b_integer = 0;  // exact, for integer elements; zipf: so many values
  std::uint64_t seed = 0;
  std::string file;
  std::string array;       // of a .npz file
  std::int64_t width = 1;  // of a field
  SparsePlan sparse;
  bool is_computed = false;  // zeros that the inputs of the reference replace
  friend bool operator==(const ContentsPlan&, const ContentsPlan&) = default;
};

}  // namespace gktune
