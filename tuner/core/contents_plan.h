#pragma once

#include <cstdint>
#include <string>

#include "tuner/core/fields.h"

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
inline EnumNames enum_names(ContentsKind) {
  static constexpr std::string_view kNames[] = {"zero",   "constant", "ramp",        "uniform",
                                                "normal", "file",     "sorted",      "permutation",
                                                "zipf",   "field",    "csr_offsets", "csr_columns"};
  return kNames;
}

constexpr bool is_made_on_host(ContentsKind kind) { return kind >= ContentsKind::file; }
constexpr bool is_random(ContentsKind kind) {
  return kind == ContentsKind::uniform || kind == ContentsKind::normal || kind > ContentsKind::file;
}

// How the nonzeros of a sparse matrix are divided among its rows.
enum class RowLengths { even, uniform, zipf };
inline EnumNames enum_names(RowLengths) {
  static constexpr std::string_view kNames[] = {"even", "uniform", "zipf"};
  return kNames;
}

// The rows of a sparse matrix. Arguments for its offsets and its columns have the same.
struct SparsePlan {
  std::int64_t rows = 0, columns = 0, nonzeros = 0;
  RowLengths lengths = RowLengths::even;
  double exponent = 1;  // of zipf
  std::uint64_t seed = 0;
  friend bool operator==(const SparsePlan&, const SparsePlan&) = default;
};

template <class Archive, Is<SparsePlan> S>
void fields(Archive&& archive, S& plan) {
  archive("rows", plan.rows);
  archive("columns", plan.columns);
  archive("nonzeros", plan.nonzeros);
  archive("lengths", plan.lengths);
  archive("exponent", plan.exponent);
  archive("seed", plan.seed);
}

// A buffer's contents before a launch, with all expressions evaluated.
struct ContentsPlan {
  ContentsKind kind = ContentsKind::zero;
  // constant: a; ramp: from a by b; uniform, sorted, field: a to b; normal: mean a,
  // deviation b; zipf: exponent b
  double a = 0, b = 0;
  std::int64_t a_integer = 0, b_integer = 0;  // exact, for integer elements; zipf: the number of values
  std::uint64_t seed = 0;
  std::string file;
  std::string array;       // of a .npz file
  std::int64_t width = 1;  // of a field
  SparsePlan sparse;
  bool is_computed = false;  // zeros that the inputs of the reference replace
  friend bool operator==(const ContentsPlan&, const ContentsPlan&) = default;
};

template <class Archive, Is<ContentsPlan> S>
void fields(Archive&& archive, S& plan) {
  archive("kind", plan.kind);
  archive("is_computed", plan.is_computed);
  archive("a", plan.a);
  archive("b", plan.b);
  archive("a_integer", plan.a_integer);
  archive("b_integer", plan.b_integer);
  archive("seed", plan.seed);
  archive("file", plan.file);
  archive("array", plan.array);
  archive("width", plan.width);
  archive("sparse", plan.sparse);
}

}  // namespace gktune
