// Blocks of 16 x 16 threads have 16 rows of a head, in double precision: no score is so great that its exponential
// overflows.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

constexpr int kMostColumns = 128;

// 16 rows of a head; rows and columns beyond it are zeros.
template <class Element>
__device__ void load(double (&tile)[16][kMostColumns + 1], const Element* head, int first_row, int tokens, int width) {
  const int row = first_row + static_cast<int>(threadIdx.y);
  for (int column = static_cast<int>(threadIdx.x); column < kMostColumns; column += 16) {
    const bool is_inside = row < tokens && column < width;
    tile[threadIdx.y][column] =
        is_inside ? static_cast<float>(head[static_cast<long long>(row) * width + column]) : 0.0f;
  }
}

template <class Element>
__global__ void reference_attention(const Element* q, const Element* k, const Element* v, Element* out, int tokens,
                                    int width, bool is_causal) {
  __shared__ double queries[16][kMostColumns + 1], keys[16][kMostColumns + 1], weights[16][17];
  const int y = static_cast<int>(threadIdx.y), x = static_cast<int>(threadIdx.x);
  const int blocks = (tokens + 15) / 16, head = static_cast<int>(blockIdx.x) / blocks;
  const int first_row = static_cast<int>(blockIdx.x) % blocks * 16, row = first_row + y;
  const long long begin = static_cast<long long>(head) * tokens * width;
  const int end = is_causal && first_row + 16 < tokens ? first_row + 16 : tokens;
  double sums[kMostColumns / 16] = {}, sum = 0;
  load(queries, q + begin, first_row, tokens, width);
  for (int first_key = 0; first_key < end; first_key += 16) {
    load(keys, k + begin, first_key, tokens, width);
    __syncthreads();
    double score = 0;
    for (int i = 0; i < width; ++i) score += queries[y][i] * keys[x][i];
    const int key = first_key + x;
    const bool sees = key < tokens && (!is_causal || key <= row);
    weights[y][x] = sees ? exp(score / sqrt(static_cast<double>(width))) : 0;
    __syncthreads();
    load(keys, v + begin, first_key, tokens, width);
    __syncthreads();
    for (int i = 0; i < 16; ++i) {
      sum += weights[y][i];
      for (int j = 0; j < kMostColumns / 16; ++j) sums[j] += weights[y][i] * keys[i][x + j * 16];
    }
    __syncthreads();
  }
  for (int j = 0; j < kMostColumns / 16; ++j) {
    const int column = x + j * 16;
    if (row < tokens && column < width)
      out[begin + static_cast<long long>(row) * width + column] =
          static_cast<Element>(static_cast<float>(sums[j] / sum));
  }
}
