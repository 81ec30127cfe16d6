#pragma once

// Inputs whose elements depend on each other: sorted, shuffled, of a Zipf distribution, fields, sparse
// matrices. Every device holds the same bits, as with generator.h. Where an element depends on those before
// it, it needs the sum of their weights: blocks of elements are added up first, then made on their own.

#include "tuner/measure/generator.h"

namespace gktune {

// The numbers of ContentsKind.
enum StructureKind { kSorted = 6, kPermutation, kZipf, kField, kCsrOffsets, kCsrColumns };

// Elements whose weights one thread adds up.
constexpr unsigned long long kStructureBlock = 1024;

struct FieldWave {
  unsigned long long across, down;
  double start;
};

// A buffer's contents; the members as in ContentsPlan and SparsePlan.
struct Structure {
  int kind;
  bool gives_sums;  // the elements are the sums of the weights up to them
  unsigned long long count, seed;
  double a, b;
  unsigned long long a_integer, b_integer, width;
  FieldWave waves[3];
  unsigned long long rows, columns, nonzeros, sparse_seed;
  int lengths;  // of the rows: 0: all equal; 1: any up to twice the mean; 2: of a Zipf distribution
  double exponent, total;     // the sum of all weights
  const double* sums_before;  // of the weights, for each block
  const double* sums;         // zipf: of the weights up to each number
  const unsigned long long*
      offsets;  // csr: the places where rows begin; csr_offsets that have weights need none
};

// e to the power of x for x <= 0: by the powers of 2 and a series. The standard library's function may differ
// between machines.
GKTUNE_EVERYWHERE inline double plain_exp(double x) {
  const double log2 = 0.69314718055994531;
  if (-x / log2 >= 1075) return 0;
  long long halvings = static_cast<long long>(-x / log2);
  const double rest = x + static_cast<double>(halvings) * log2;
  const double reciprocals[] = {1.0 / 20, 1.0 / 19, 1.0 / 18, 1.0 / 17, 1.0 / 16, 1.0 / 15, 1.0 / 14,
                                1.0 / 13, 1.0 / 12, 1.0 / 11, 1.0 / 10, 1.0 / 9,  1.0 / 8,  1.0 / 7,
                                1.0 / 6,  1.0 / 5,  1.0 / 4,  1.0 / 3,  1.0 / 2,  1.0};
  double sum = 1;
  for (const double reciprocal : reciprocals) sum = 1 + sum * (rest * reciprocal);
  for (; halvings >= 32; halvings -= 32) sum *= 1.0 / 4294967296.0;
  return sum / static_cast<double>(1ull << halvings);
}

// The weight of the k-th most frequent of many, k from 0.
GKTUNE_EVERYWHERE inline double zipf_weight(unsigned long long k, double exponent) {
  return plain_exp(-exponent * plain_log(static_cast<double>(k + 1)));
}

// The i-th of the numbers from 0 to count - 1 in a random order. Four rounds of a Feistel network permute the
// next power of four; numbers beyond the count are permuted again.
GKTUNE_EVERYWHERE inline unsigned long long permuted(unsigned long long seed, unsigned long long i,
                                                     unsigned long long count) {
  int half = 1;
  while ((1ull << (2 * half)) < count) ++half;
  const unsigned long long mask = (1ull << half) - 1;
  do {
    unsigned long long left = i >> half, right = i & mask;
    for (unsigned long long round = 0; round < 4; ++round) {
      const unsigned long long mixed = left ^ (random_bits(seed, 4 * right + round) & mask);
      left = right;
      right = mixed;
    }
    i = left << half | right;
  } while (i >= count);
  return i;
}

GKTUNE_EVERYWHERE inline unsigned long long weight_count(const Structure& s) {
  switch (s.kind) {
    case kSorted:
      return s.count + 1;  // distances between the elements and the bounds
    case kZipf:
      return s.a_integer;
    case kCsrOffsets:
      return s.rows;
    default:
      return 0;
  }
}

GKTUNE_EVERYWHERE inline double weight_of(const Structure& s, unsigned long long i) {
  if (i >= weight_count(s)) return 0;
  if (s.kind == kSorted)
    return -plain_log(1 - unit_uniform(s.seed, i));  // exponential, as such distances are
  if (s.kind == kZipf) return zipf_weight(i, s.b);
  if (s.lengths == 1) return unit_uniform(s.sparse_seed, i);
  return s.lengths == 2 ? zipf_weight(permuted(s.sparse_seed, i, s.rows), s.exponent) : 1;
}

GKTUNE_EVERYWHERE inline double block_weight(const Structure& s, unsigned long long block) {
  double sum = 0;
  for (unsigned long long i = block * kStructureBlock; i < (block + 1) * kStructureBlock; ++i)
    sum += weight_of(s, i);
  return sum;
}

// Three waves between the bounds.
GKTUNE_EVERYWHERE inline double field_value(const Structure& s, unsigned long long i) {
  const unsigned long long rows = s.count / s.width;
  const double x = static_cast<double>(i % s.width) / static_cast<double>(s.width),
               y = static_cast<double>(i / s.width) / static_cast<double>(rows > 0 ? rows : 1);
  double sum = 0;
  for (const FieldWave& wave : s.waves) {
    const double turns =
        static_cast<double>(wave.across) * x + static_cast<double>(wave.down) * y + wave.start;
    sum += cosine_of_turns(turns - static_cast<double>(static_cast<long long>(turns)));
  }
  return s.a + (s.b - s.a) * (0.5 + sum / 6);
}

// The number of leading items that are at most x, of sorted ones.
template <class T>
GKTUNE_EVERYWHERE inline unsigned long long count_up_to(const T* items, unsigned long long count, T x) {
  unsigned long long first = 0;
  while (count > 0) {
    const unsigned long long half = count / 2;
    const bool is_after = !(x < items[first + half]);
    first = is_after ? first + half + 1 : first;
    count = is_after ? count - half - 1 : half;
  }
  return first;
}

// One column in each of as many parts of the row as it has nonzeros: sorted and distinct.
GKTUNE_EVERYWHERE inline unsigned long long csr_column(const Structure& s, unsigned long long i) {
  const unsigned long long row = count_up_to(s.offsets, s.rows + 1, i) - 1;
  const unsigned long long k = i - s.offsets[row], length = s.offsets[row + 1] - s.offsets[row];
  return uniform_integer(s.seed, i, k * s.columns / length, (k + 1) * s.columns / length - 1);
}

// `up_to`: the sum of the weights up to the i-th element, `before` without its own.
GKTUNE_EVERYWHERE inline double structured_real(const Structure& s, unsigned long long i, double up_to) {
  if (s.gives_sums) return up_to;
  return s.kind == kField ? field_value(s, i) : s.a + (s.b - s.a) * (up_to / s.total);
}

GKTUNE_EVERYWHERE inline unsigned long long structured_integer(const Structure& s, unsigned long long i,
                                                               double before, double up_to) {
  switch (s.kind) {
    case kSorted: {
      unsigned long long place = static_cast<unsigned long long>(up_to / s.total * 9007199254740992.0);
      if (place > 9007199254740991ull) place = 9007199254740991ull;
      const unsigned long long range = s.b_integer - s.a_integer + 1;  // 0: all 2^64 of them
      return s.a_integer + (range == 0 ? place << 11 : product_high(place << 11, range));
    }
    case kPermutation:
      return permuted(s.seed, i, s.count);
    case kZipf: {
      const unsigned long long number = count_up_to(s.sums, s.a_integer, unit_uniform(s.seed, i) * s.total);
      return number < s.a_integer ? number : s.a_integer - 1;
    }
    case kField: {
      const double nearest = field_value(s, i) + 0.5;
      const long long whole = static_cast<long long>(nearest);
      return static_cast<unsigned long long>(static_cast<double>(whole) > nearest ? whole - 1 : whole);
    }
    case kCsrOffsets: {
      if (s.offsets != nullptr) return s.offsets[i];
      if (i == s.rows) return s.nonzeros;
      const unsigned long long share =
          static_cast<unsigned long long>(static_cast<double>(s.nonzeros) * (before / s.total));
      return share < s.nonzeros ? share : s.nonzeros;
    }
    default:
      return csr_column(s, i);
  }
}

// Calls store_real(i, value) or store_integer(i, bits) for each element from `first` to before `end`, which
// has to be in one block if the elements have weights.
template <class StoreReal, class StoreInteger>
GKTUNE_EVERYWHERE inline void make_structured(const Structure& s, bool is_real, unsigned long long first,
                                              unsigned long long end, const StoreReal& store_real,
                                              const StoreInteger& store_integer) {
  const bool has_weights = s.sums_before != nullptr;
  const double before = has_weights ? s.sums_before[first / kStructureBlock] : 0;
  double sum = 0;
  for (unsigned long long i = first; i < end; ++i) {
    const double up_to = has_weights ? sum + weight_of(s, i) : 0;
    if (is_real)
      store_real(i, structured_real(s, i, before + up_to));
    else
      store_integer(i, structured_integer(s, i, before + sum, before + up_to));
    sum = up_to;
  }
}

}  // namespace gktune
