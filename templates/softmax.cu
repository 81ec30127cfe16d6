// out[row][i] = exp(in[row][i]) / sum of exp(in[row][k]) for each row of a matrix of any size.
// The row's greatest element is subtracted first, so that no exponential overflows.
//
// The ways, values of `way`:
//   three_passes  the greatest element, the sum, and the results are a pass over the row each
//   online        one pass keeps the greatest element and corrects the sum when it grows, a second one writes
//   registers     each thread keeps its elements of the row in registers, so that the row is read once
//
// Parameters:
//   threadsPerRow  threads that share a row: a warp or a block of them
//   rowsPerBlock   rows of a block
//   vectorWidth    elements of a load
//   perThread      loads that a thread has in flight at once; registers: a row has no more than the row's threads load

#include "common/rows.cuh"

enum class Way { three_passes, online, registers };

constexpr float kLowest = -3.402823466e+38f;
constexpr gktune::Hint kHint = gktune::Hint::plain;

using Part = gktune::RowPart<float, vectorWidth, threadsPerRow, perThread>;
using Values = float[Part::kCount];

__device__ inline float greatest_over_row(float value) {
  return gktune::over_row<gktune::Operation::max, threadsPerRow, rowsPerBlock>(value);
}
__device__ inline float sum_over_row(float value) {
  return gktune::over_row<gktune::Operation::sum, threadsPerRow, rowsPerBlock>(value);
}

__device__ inline float greatest_of(const Values& values) {
  float greatest = values[0];
#pragma unroll
  for (int i = 1; i < Part::kCount; ++i) greatest = fmaxf(greatest, values[i]);
  return greatest;
}

// Elements that the row does not have hold kLowest, and may be the only ones.
__device__ inline float exponentials(const Part& part, Values& values, float greatest) {
  float sum = 0;
#pragma unroll
  for (int i = 0; i < Part::kCount; ++i) {
    values[i] = part.has(i) ? expf(values[i] - greatest) : 0;
    sum += values[i];
  }
  return sum;
}

__device__ inline void store(const Part& part, float* to, Values& values, float factor) {
#pragma unroll
  for (int i = 0; i < Part::kCount; ++i) values[i] *= factor;
  part.store<kHint>(to, values);
}

__global__ void __launch_bounds__(threadsPerRow * rowsPerBlock)
    softmax(const float* in, float* out, long long rows, long long columns) {
  const long long row = blockIdx.x * static_cast<long long>(rowsPerBlock) + threadIdx.y;
  // Threads of rows that do not exist take part in the barriers.
  const long long length = row < rows ? columns : 0;
  const float* from = in + row * columns;
  float* to = out + row * columns;

  Part part(from, length, static_cast<int>(threadIdx.x));
  Values values;
  float greatest = kLowest, sum = 0;
  part.begin(0);
  if constexpr (Way::way == Way::registers) {
    part.load<kHint>(from, values, kLowest);
    greatest = greatest_over_row(greatest_of(values));
    sum = sum_over_row(exponentials(part, values, greatest));
    store(part, to, values, 1 / sum);
  } else {
    const long long batches = part.batches();
    for (long long batch = 0; batch < batches; ++batch) {
      part.begin(batch);
      part.load<kHint>(from, values, kLowest);
      const float higher = fmaxf(greatest, greatest_of(values));
      if constexpr (Way::way == Way::online)
        sum = sum * expf(greatest - higher) + exponentials(part, values, higher);
      greatest = higher;
    }
    const float own = greatest;
    greatest = greatest_over_row(own);
    if constexpr (Way::way == Way::online) {
      sum *= expf(own - greatest);
    } else {
      for (long long batch = 0; batch < batches; ++batch) {
        part.begin(batch);
        part.load<kHint>(from, values, kLowest);
        sum += exponentials(part, values, greatest);
      }
    }
    const float factor = 1 / sum_over_row(sum);
    for (long long batch = 0; batch < batches; ++batch) {
      part.begin(batch);
      part.load<kHint>(from, values, kLowest);
      exponentials(part, values, greatest);
      store(part, to, values, factor);
    }
  }
}
