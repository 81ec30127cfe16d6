// A function to start from: it swaps the rows and columns of a square matrix. Put the computation of example in its
// place, here, in example_reference.cc and under `arguments` in example.yaml.
//
// The parameters of example.yaml are macros here. A configuration is one value for each:
//   tile     rows and columns of the squares in which the matrix is worked on, so that a square stays in a cache
//   inner    the direction within a square: along the rows of the input, or of the output
//   threads  not used in this file: the space file turns it into OMP_NUM_THREADS

#include <cstdint>

enum class Inner { read, written };

// Sizes need not be multiples of the tile: the last squares are cut short.
void example(const float* in, float* out, std::int64_t n) {
#pragma omp parallel for collapse(2)
  for (std::int64_t row = 0; row < n; row += tile) {
    for (std::int64_t column = 0; column < n; column += tile) {
      const std::int64_t row_end = row + tile < n ? row + tile : n;
      const std::int64_t column_end = column + tile < n ? column + tile : n;
      if constexpr (Inner::inner == Inner::read) {
        for (std::int64_t i = row; i < row_end; ++i) {
          for (std::int64_t j = column; j < column_end; ++j) out[j * n + i] = in[i * n + j];
        }
      } else {
        for (std::int64_t j = column; j < column_end; ++j) {
          for (std::int64_t i = row; i < row_end; ++i) out[j * n + i] = in[i * n + j];
        }
      }
    }
  }
}
