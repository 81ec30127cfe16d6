#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

struct CUstream_st;

namespace gktune {

// The driver's handle types, declared here so that callers need not include cuda.h.
using PeerStream = CUstream_st*;
using PeerAddress = unsigned long long;

// The same work as libraries do it, put into a stream. The numbers are the places of buffers among those that
// a call is given. What they need besides is allocated when they are made.
using LibraryCall = std::function<void(const PeerAddress* buffers)>;

LibraryCall cub_sum_int(PeerStream stream, std::size_t in, std::size_t out, std::int64_t count);
LibraryCall cub_sum_float(PeerStream stream, std::size_t in, std::size_t out, std::int64_t count);
// A histogram of bytes with 256 bins.
LibraryCall cub_histogram(PeerStream stream, std::size_t in, std::int64_t count);
// The inclusive scan of 32-bit integers, modulo 2^32.
LibraryCall cub_scan(PeerStream stream, std::size_t in, std::size_t out, std::int64_t count);
// The sums of segments of floats. `offsets` says where they begin; the last number is where the last one
// ends.
LibraryCall cub_segmented_sum(PeerStream stream, std::size_t offsets, std::size_t in, std::size_t out,
                              std::int64_t segments);
// Compressed rows of floats: the places of its three buffers.
struct SparseMatrix {
  std::size_t row_offsets, column_indices, values;
  std::int64_t rows, columns, nonzeros;
};
// y = A x, without preparing the matrix beforehand.
LibraryCall cusparse_spmv(PeerStream stream, const SparseMatrix& matrix, std::size_t x, std::size_t y);
LibraryCall cublas_saxpy(PeerStream stream, float a, std::size_t x, std::size_t y, std::int64_t count);
// Row-major.
LibraryCall cublas_sgemv(PeerStream stream, std::size_t a, std::size_t x, std::size_t y, std::int64_t rows,
                         std::int64_t columns);
// Row-major, TF32 off.
LibraryCall cublas_sgemm(PeerStream stream, std::size_t a, std::size_t b, std::size_t c, std::int64_t m,
                         std::int64_t n, std::int64_t k);
// C = A B^T of bfloat16 or half, row-major, summed in single precision.
LibraryCall cublas_gemm(PeerStream stream, bool is_half, std::size_t a, std::size_t b, std::size_t c,
                        std::int64_t m, std::int64_t n, std::int64_t k);
// Square matrices behind each other, the rest as above.
LibraryCall cublas_batched_sgemm(PeerStream stream, std::size_t a, std::size_t b, std::size_t c,
                                 std::int64_t matrices, std::int64_t size);

}  // namespace gktune
