// example: the transpose of a square matrix of n rows. A place to start from: put your own function here.
//
// What example.yaml calls parameters are macros here, a configuration is one value for each. A function leaves open what
// its author cannot know to be best:
//   tile     the matrix is worked on in squares of so many rows and columns, so that what one touches stays in a cache
//   inner    which way is walked within a tile: along the rows of what is read, or of what is written
//   threads  is no macro that this file looks at: the space file turns it into OMP_NUM_THREADS

#include <cstdint>

enum class Inner { read, written };

// Sizes need not be multiples of the tile: the last ones are cut short.
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
