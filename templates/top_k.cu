// The k greatest elements of each row of a matrix, in descending order, and their places in the row. Of equal elements
// the one that comes first in the row is the greater: the result is unique. NaN is no number: a row has at least k
// others.
//
// An element and its place become one integer, its key, in the order of the results. A block finds a limit that the
// k-th greatest key of its row is not below, collects the candidates from there on in shared memory, and sorts them.
//
// The ways, values of `way`:
//   radix   counts how often each digit occurs, from the highest one on, until few keys are left that begin like the
//           k-th greatest. Memory is read once if a block's threads keep a row in registers, else once for each digit
//           and for the candidates. The time hardly depends on the contents
//   filter  reads the row once, batch after batch. Each thread knows the greatest element that it has seen: the k-th
//           greatest of those is a limit, so that few elements of the first batch and fewer of the others become
//           candidates. Rows in ascending order are the worst case: candidates are sorted again and again
//
// Parameters:
//   threadsPerBlock  threads of a row
//   vectorWidth      elements of a load
//   perThread        loads that a thread has in flight at once: a batch
//   capacity         candidates that shared memory has room for; filter: more than half of it raises the limit
//   digitBits        radix: bits of a digit
//   loadHint         plain, streaming (see common/loads.cuh)

#include "common/rows.cuh"

enum class Way { radix, filter };

constexpr gktune::Hint kHint = gktune::Hint::loadHint;

using Part = gktune::RowPart<float, vectorWidth, threadsPerBlock, perThread>;
using Values = float[Part::kCount];
using Key = unsigned long long;

__device__ inline float lowest() { return gktune::lowest(0.0f); }  // negative infinity
__device__ inline float missing() { return __uint_as_float(0x7fffffffu); }  // NaN

// Unsigned integers in the order of the numbers; 0 and -0 are the same.
__device__ inline unsigned order_of(float value) {
  const unsigned bits = __float_as_uint(value + 0.0f);
  return bits >> 31 ? ~bits : bits | 1u << 31;
}
__device__ inline float value_of(unsigned order) { return __uint_as_float(order >> 31 ? order ^ 1u << 31 : ~order); }

__device__ inline Key key_of(float value, long long place) {
  return static_cast<Key>(order_of(value)) << 32 | ~static_cast<unsigned>(place);
}
__device__ inline long long place_of(Key key) { return ~static_cast<unsigned>(key); }

struct Candidates {
  Key keys[capacity];
  int count;
};

__device__ inline void add(Candidates& candidates, Key key) {
  const int place = atomicAdd(&candidates.count, 1);
  if (place < capacity) candidates.keys[place] = key;
}

// The candidates in descending order. All threads of the block call this and the following functions.
__device__ inline void sort(Candidates& candidates) {
  Key* keys = candidates.keys;
  int size = 1;
  while (size < candidates.count) size *= 2;
  for (int i = candidates.count + static_cast<int>(threadIdx.x); i < size; i += threadsPerBlock) keys[i] = 0;
  __syncthreads();
  for (int run = 2; run <= size; run *= 2) {
    for (int stride = run / 2; stride > 0; stride /= 2) {
      for (int i = static_cast<int>(threadIdx.x); i < size / 2; i += threadsPerBlock) {
        const int first = 2 * i - (i & (stride - 1)), second = first + stride;
        const Key one = keys[first], other = keys[second];
        if ((one < other) == ((first & run) == 0)) {
          keys[first] = other;
          keys[second] = one;
        }
      }
      __syncthreads();
    }
  }
}

// Only candidates that are not below the limit stay.
__device__ inline void drop_below(Candidates& candidates, Key limit) {
  constexpr int kEach = capacity / threadsPerBlock;
  Key mine[kEach];
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const int place = static_cast<int>(threadIdx.x) + i * threadsPerBlock;
    mine[i] = place < candidates.count ? candidates.keys[place] : 0;
  }
  __syncthreads();
  if (threadIdx.x == 0) candidates.count = 0;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    if (mine[i] >= limit) add(candidates, mine[i]);
  }
  __syncthreads();
}

// A limit from the greatest element of each thread: bit by bit, what at least k threads reach.
__device__ inline Key limit_of(float greatest, int k) {
  const unsigned mine = order_of(greatest);
  unsigned limit = 0;
  for (unsigned bit = 1u << 31; bit != 0; bit /= 2) {
    if (__syncthreads_count(mine >= (limit | bit)) >= k) limit |= bit;
  }
  const unsigned least = order_of(lowest());
  return static_cast<Key>(limit > least ? limit : least) << 32;
}

// Adds the elements of a batch of which more may pass than there is room for: each thread offers one at a time.
// Returns the limit of then.
__device__ inline Key add_in_turn(Candidates& candidates, const Part& part, const float* row, int k, Key limit) {
#pragma unroll 1
  for (int i = 0; i < Part::kCount; ++i) {
    if (candidates.count + threadsPerBlock > capacity) {
      sort(candidates);
      if (candidates.keys[k - 1] > limit) limit = candidates.keys[k - 1];
      __syncthreads();
      if (threadIdx.x == 0) candidates.count = k;
    }
    __syncthreads();
    const float value = part.has(i) ? row[part.place(i)] : missing();
    if (value >= lowest()) {
      const Key key = key_of(value, part.place(i));
      if (key >= limit) add(candidates, key);
    }
    __syncthreads();
  }
  return limit;
}

__device__ inline void filter(Candidates& candidates, Part& part, const float* row, int k) {
  float greatest = lowest();
  Key limit = 0;
  const long long batches = part.batches();
  for (long long batch = 0; batch < batches; ++batch) {
    Values values;
    part.begin(batch);
    part.load<kHint>(row, values, missing());
#pragma unroll
    for (int i = 0; i < Part::kCount; ++i) greatest = fmaxf(greatest, values[i]);
    if (batch == 0) limit = limit_of(greatest, k);
    const int before = candidates.count;
    __syncthreads();
    const float least = value_of(static_cast<unsigned>(limit >> 32));
#pragma unroll
    for (int i = 0; i < Part::kCount; ++i) {
      if (values[i] >= least) {  // no missing one
        const Key key = key_of(values[i], part.place(i));
        if (key >= limit) add(candidates, key);
      }
    }
    __syncthreads();
    const int count = candidates.count;
    if (count <= capacity / 2) continue;
    const Key raised = limit_of(greatest, k);
    if (raised > limit) limit = raised;
    if (count <= capacity) {
      drop_below(candidates, limit);
    } else {
      if (threadIdx.x == 0) candidates.count = before;
      __syncthreads();
      limit = add_in_turn(candidates, part, row, k, limit);
    }
  }
  const Key raised = limit_of(greatest, k);
  if (raised > limit) drop_below(candidates, raised);
}

// The first warp finds this about the digit of the k-th greatest key.
struct Digit {
  int value, greater, equal;  // the digit, and how many keys have a greater one or this one
};

// The digit of the `wanted`-th greatest of the keys that were counted. Lanes look at parts of the bins, the first one
// at the highest digits.
__device__ inline Digit digit_of(const int* bins, int wanted) {
  constexpr int kBins = 1 << digitBits, kEach = kBins / 32;
  const int lane = static_cast<int>(threadIdx.x), highest = kBins - 1 - lane * kEach;
  int sum = 0;
  for (int i = 0; i < kEach; ++i) sum += bins[highest - (i + lane) % kEach];
  int greater = sum;
  for (int offset = 1; offset < 32; offset *= 2) {
    const int before = __shfl_up_sync(0xffffffffu, greater, offset);
    if (lane >= offset) greater += before;
  }
  greater -= sum;
  const bool is_here = greater < wanted && wanted <= greater + sum;
  int value = highest;
  if (is_here) {
    for (; greater + bins[value] < wanted; --value) greater += bins[value];
  }
  const unsigned where = __ballot_sync(0xffffffffu, is_here);
  const int source = where == 0 ? 0 : __ffs(static_cast<int>(where)) - 1;
  value = __shfl_sync(0xffffffffu, value, source);
  return {value, __shfl_sync(0xffffffffu, greater, source), bins[value]};
}

template <class Visit>
__device__ inline void for_each_key(Part& part, const float* row, Values& values, const Visit& visit) {
  const long long batches = part.batches();
  for (long long batch = 0; batch < batches; ++batch) {
    part.begin(batch);
    if (batches > 1) part.load<kHint>(row, values, missing());
#pragma unroll
    for (int i = 0; i < Part::kCount; ++i) {
      if (values[i] >= lowest()) visit(key_of(values[i], part.place(i)));
    }
  }
}

__device__ inline void select_by_digits(Candidates& candidates, Part& part, const float* row, int k) {
  __shared__ int bins[1 << digitBits];
  __shared__ Digit digit;
  Values values;
  part.begin(0);
  if (part.batches() == 1) part.load<kHint>(row, values, missing());
  Key limit = 0;
  int wanted = k, left = 64, reached = capacity + 1;  // keys that reach the limit
  while (left > 0 && reached > capacity) {
    const int low = left > digitBits ? left - digitBits : 0, bits = left - low;
    for (int i = static_cast<int>(threadIdx.x); i < 1 << digitBits; i += threadsPerBlock) bins[i] = 0;
    __syncthreads();
    for_each_key(part, row, values, [&](Key key) {
      if (left == 64 || key >> left == limit >> left)
        atomicAdd(&bins[static_cast<unsigned>(key >> low) & ((1u << bits) - 1)], 1);
    });
    __syncthreads();
    if (threadIdx.x < 32) {
      const Digit found = digit_of(bins, wanted);
      if (threadIdx.x == 0) digit = found;
    }
    __syncthreads();
    limit |= static_cast<Key>(digit.value) << low;
    wanted -= digit.greater;
    reached = k - wanted + digit.equal;
    left = low;
  }
  for_each_key(part, row, values, [&](Key key) {
    if (key >= limit) add(candidates, key);
  });
  __syncthreads();
}

__global__ void __launch_bounds__(threadsPerBlock)
    top_k(const float* in, float* greatest, int* places, long long columns, int k) {
  __shared__ Candidates candidates;
  const float* row = in + blockIdx.x * columns;
  if (threadIdx.x == 0) candidates.count = 0;
  __syncthreads();
  Part part(row, columns, static_cast<int>(threadIdx.x));
  if constexpr (Way::way == Way::radix) {
    select_by_digits(candidates, part, row, k);
  } else {
    filter(candidates, part, row, k);
  }
  sort(candidates);
  const int count = candidates.count < k ? candidates.count : k;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += threadsPerBlock) {
    const long long place = place_of(candidates.keys[i]);
    greatest[blockIdx.x * static_cast<long long>(k) + i] = row[place];
    places[blockIdx.x * static_cast<long long>(k) + i] = static_cast<int>(place);
  }
}
