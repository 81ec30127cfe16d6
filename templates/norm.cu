// Each row of a matrix of any size normalized, as between the layers of a language model:
//   rms    out = in / sqrt(mean of in² + epsilon) * weight
//   layer  out = (in - mean) / sqrt(variance + epsilon) * weight + bias
// Elements are floats or bfloat16; all arithmetic is in single precision. The variance is the mean of the squared
// deviations from the mean: a difference of sums would lose its digits where the mean is large.
//
// The ways, values of `way`:
//   passes     goes through the row once for each of the mean, the squares and the results
//   registers  keeps the row in registers, so that memory is read once, and merges the mean and the squares of the threads
//              at once: they meet once for a row
//
// Parameters:
//   threadsPerRow  threads that share a row: a warp or a block of them
//   rowsPerBlock   rows of a block
//   vectorWidth    elements of a load
//   perThread      loads that a thread has in flight at once; registers: a row has no more than the row's threads load
//   loadHint, storeHint  plain, streaming (see common/loads.cuh)
// The problem's `normalization` is rms or layer, its `element` float or __nv_bfloat16.

#include <cuda_bf16.h>

#include "common/rows.cuh"

enum class Way { passes, registers };
enum class Normalization { rms, layer };

constexpr bool kHasMean = Normalization::normalization == Normalization::layer;
constexpr gktune::Hint kLoadHint = gktune::Hint::loadHint, kStoreHint = gktune::Hint::storeHint;

using Part = gktune::RowPart<element, vectorWidth, threadsPerRow, perThread>;

__device__ inline float sum_over_row(float value) {
  return gktune::over_row<gktune::Operation::sum, threadsPerRow, rowsPerBlock>(value);
}

__device__ inline float sum_of(const float (&values)[Part::kCount]) {
  float sum = 0;
#pragma unroll
  for (int i = 0; i < Part::kCount; ++i) sum += values[i];
  return sum;
}

__device__ inline float squares_of(const Part& part, const float (&values)[Part::kCount], float mean) {
  float sum = 0;
  part.for_each(values, [&](float value) { sum += (value - mean) * (value - mean); });
  return sum;
}

// The number of some elements, their mean, and the sum of their squared deviations from it.
struct Moments {
  float count, mean, squares;
};

// The mean of none is 0.
__device__ inline float inverse(float count) { return __fdividef(1, fmaxf(count, 1)); }

__device__ inline Moments moments_of(const Part& part, const float (&values)[Part::kCount]) {
  const float count = static_cast<float>(part.count()), mean = sum_of(values) * inverse(count);
  return {count, mean, squares_of(part, values, mean)};
}

__device__ inline Moments merged(const Moments& a, const Moments& b) {
  const float count = a.count + b.count, share = inverse(count), apart = a.mean - b.mean;
  return {count, (a.count * a.mean + b.count * b.mean) * share,
          a.squares + b.squares + apart * apart * (a.count * b.count * share)};
}

__device__ inline void write(const Part& part, element* out, float (&values)[Part::kCount], const element* weight,
                             const element* bias, float mean, float factor) {
  if constexpr (kHasMean) {
    part.with(values, [&](float& value, float by, float plus) { value = (value - mean) * factor * by + plus; },
              weight, bias);
  } else {
    part.with(values, [&](float& value, float by) { value *= factor * by; }, weight);
  }
  part.store<kStoreHint>(out, values);
}

__global__ void __launch_bounds__(threadsPerRow * rowsPerBlock)
    normalize(const element* in, const element* weight, const element* bias, element* out, long long rows,
              long long columns, float epsilon) {
  const long long row = blockIdx.x * static_cast<long long>(rowsPerBlock) + threadIdx.y;
  // Threads of rows that do not exist take part in the barriers.
  const long long length = row < rows ? columns : 0;
  const element* from = in + row * columns;
  element* to = out + row * columns;
  const float share = 1 / static_cast<float>(columns);

  Part part(from, length, static_cast<int>(threadIdx.x));
  float values[Part::kCount], mean = 0, squares = 0;
  part.begin(0);
  if constexpr (Way::way == Way::registers) {
    part.load<kLoadHint>(from, values, 0);
    if constexpr (kHasMean) {
      const Moments moments = gktune::over_row<threadsPerRow, rowsPerBlock>(
          moments_of(part, values), [](const Moments& a, const Moments& b) { return merged(a, b); });
      mean = moments.mean;
      squares = moments.squares;
    } else {
      squares = sum_over_row(squares_of(part, values, mean));
    }
    write(part, to, values, weight, bias, mean, rsqrtf(squares * share + epsilon));
  } else {
    const long long batches = part.batches();
    if constexpr (kHasMean) {
      for (long long batch = 0; batch < batches; ++batch) {
        part.begin(batch);
        part.load<kLoadHint>(from, values, 0);
        mean += sum_of(values);
      }
      mean = sum_over_row(mean) * share;
    }
    for (long long batch = 0; batch < batches; ++batch) {
      part.begin(batch);
      part.load<kLoadHint>(from, values, 0);
      squares += squares_of(part, values, mean);
    }
    const float factor = rsqrtf(sum_over_row(squares) * share + epsilon);
    for (long long batch = 0; batch < batches; ++batch) {
      part.begin(batch);
      part.load<kLoadHint>(from, values, 0);
      write(part, to, values, weight, bias, mean, factor);
    }
  }
}
