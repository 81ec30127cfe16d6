#include "bench/peers.h"

#include <cublas_v2.h>
#include <cusparse.h>

#include <cstdio>
#include <cstdlib>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <memory>

namespace gktune {
namespace {

void check(cudaError_t code, const char* doing) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", doing, cudaGetErrorString(code));
  std::exit(1);
}

void check_status(int code, const char* library, const char* doing) {
  if (code == 0) return;
  std::fprintf(stderr, "%s: %s says %d\n", doing, library, code);
  std::exit(1);
}
void check(cublasStatus_t code, const char* doing) { check_status(code, "cuBLAS", doing); }
void check(cusparseStatus_t code, const char* doing) { check_status(code, "cuSPARSE", doing); }

using Memory = std::shared_ptr<void>;  // shared by the copies of a LibraryCall

Memory allocate(std::size_t size) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, size), "allocate");
  return {memory, [](void* at) { cudaFree(at); }};
}

template <class Element>
LibraryCall cub_sum(PeerStream stream, std::size_t in, std::size_t out, std::int64_t count) {
  auto sum = [=](void* scratch, std::size_t& size, PeerAddress from, PeerAddress to) {
    check(cub::DeviceReduce::Sum(scratch, size, reinterpret_cast<const Element*>(from),
                                 reinterpret_cast<Element*>(to), count, stream),
          "CUB's sum");
  };
  std::size_t size = 0;
  sum(nullptr, size, 0, 0);
  return [=, scratch = allocate(size)](const PeerAddress* buffers) {
    std::size_t of_scratch = size;
    sum(scratch.get(), of_scratch, buffers[in], buffers[out]);
  };
}

std::shared_ptr<cublasContext> blas(PeerStream stream) {
  cublasHandle_t handle = nullptr;
  check(cublasCreate(&handle), "open cuBLAS");
  check(cublasSetStream(handle, stream), "set the stream");
  check(cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH), "turn TF32 off");
  return {handle, [](cublasHandle_t it) { cublasDestroy(it); }};
}

}  // namespace

LibraryCall cub_sum_int(PeerStream stream, std::size_t in, std::size_t out, std::int64_t count) {
  return cub_sum<int>(stream, in, out, count);
}

LibraryCall cub_sum_float(PeerStream stream, std::size_t in, std::size_t out, std::int64_t count) {
  return cub_sum<float>(stream, in, out, count);
}

LibraryCall cub_histogram(PeerStream stream, std::size_t in, std::int64_t count) {
  constexpr int kBins = 256;
  const Memory counts = allocate(kBins * sizeof(int));
  auto histogram = [=](void* scratch, std::size_t& size, PeerAddress from) {
    check(cub::DeviceHistogram::HistogramEven(scratch, size, reinterpret_cast<const unsigned char*>(from),
                                              static_cast<int*>(counts.get()), kBins + 1, 0, kBins,
                                              static_cast<int>(count), stream),
          "CUB's histogram");
  };
  std::size_t size = 0;
  histogram(nullptr, size, 0);
  return [=, scratch = allocate(size)](const PeerAddress* buffers) {
    std::size_t of_scratch = size;
    histogram(scratch.get(), of_scratch, buffers[in]);
  };
}

LibraryCall cub_scan(PeerStream stream, std::size_t in, std::size_t out, std::int64_t count) {
  auto scan = [=](void* scratch, std::size_t& size, PeerAddress from, PeerAddress to) {
    check(cub::DeviceScan::InclusiveSum(scratch, size, reinterpret_cast<const unsigned int*>(from),
                                        reinterpret_cast<unsigned int*>(to), static_cast<int>(count), stream),
          "CUB's scan");
  };
  std::size_t size = 0;
  scan(nullptr, size, 0, 0);
  return [=, scratch = allocate(size)](const PeerAddress* buffers) {
    std::size_t of_scratch = size;
    scan(scratch.get(), of_scratch, buffers[in], buffers[out]);
  };
}

LibraryCall cub_segmented_sum(PeerStream stream, std::size_t offsets, std::size_t in, std::size_t out,
                              std::int64_t segments) {
  auto sum = [=](void* scratch, std::size_t& size, PeerAddress begins, PeerAddress from, PeerAddress to) {
    const int* begin = reinterpret_cast<const int*>(begins);
    check(cub::DeviceSegmentedReduce::Sum(scratch, size, reinterpret_cast<const float*>(from),
                                          reinterpret_cast<float*>(to), segments, begin, begin + 1, stream),
          "CUB's segmented sum");
  };
  std::size_t size = 0;
  sum(nullptr, size, 0, 0, 0);
  return [=, scratch = allocate(size)](const PeerAddress* buffers) {
    std::size_t of_scratch = size;
    sum(scratch.get(), of_scratch, buffers[offsets], buffers[in], buffers[out]);
  };
}

namespace {

// The handle and the descriptors of one product. They live as long as the process.
struct SparseProduct {
  cusparseHandle_t handle = nullptr;
  cusparseSpMatDescr_t a = nullptr;
  cusparseDnVecDescr_t x = nullptr, y = nullptr;

  SparseProduct(PeerStream stream, const SparseMatrix& matrix) {
    // cuSPARSE refuses null pointers. Each call sets the right ones.
    void* some = this;
    check(cusparseCreate(&handle), "open cuSPARSE");
    check(cusparseSetStream(handle, stream), "set the stream");
    check(cusparseCreateCsr(&a, matrix.rows, matrix.columns, matrix.nonzeros, some, some, some, CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
          "describe the matrix");
    check(cusparseCreateDnVec(&x, matrix.columns, some, CUDA_R_32F), "describe x");
    check(cusparseCreateDnVec(&y, matrix.rows, some, CUDA_R_32F), "describe y");
  }
};

}  // namespace

LibraryCall cusparse_spmv(PeerStream stream, const SparseMatrix& matrix, std::size_t x, std::size_t y) {
  const auto product = std::make_shared<SparseProduct>(stream, matrix);
  const float one = 1, zero = 0;
  std::size_t size = 0;
  check(cusparseSpMV_bufferSize(product->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, product->a, product->x, &zero,
                                product->y, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, &size),
        "ask for cuSPARSE's scratch memory");
  return [=, scratch = allocate(size)](const PeerAddress* buffers) {
    auto memory = [&](std::size_t place) { return reinterpret_cast<void*>(buffers[place]); };
    check(cusparseCsrSetPointers(product->a, memory(matrix.row_offsets), memory(matrix.column_indices),
                                 memory(matrix.values)),
          "set the matrix");
    check(cusparseDnVecSetValues(product->x, memory(x)), "set x");
    check(cusparseDnVecSetValues(product->y, memory(y)), "set y");
    check(cusparseSpMV(product->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, product->a, product->x, &zero,
                       product->y, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, scratch.get()),
          "cuSPARSE's product");
  };
}

LibraryCall cublas_saxpy(PeerStream stream, float a, std::size_t x, std::size_t y, std::int64_t count) {
  return [=, handle = blas(stream)](const PeerAddress* buffers) {
    check(cublasSaxpy(handle.get(), static_cast<int>(count), &a, reinterpret_cast<const float*>(buffers[x]),
                      1, reinterpret_cast<float*>(buffers[y]), 1),
          "cuBLAS' saxpy");
  };
}

LibraryCall cublas_sgemv(PeerStream stream, std::size_t a, std::size_t x, std::size_t y, std::int64_t rows,
                         std::int64_t columns) {
  return [=, handle = blas(stream)](const PeerAddress* buffers) {
    const float one = 1, zero = 0;
    // cuBLAS counts in columns: to it our matrix is transposed.
    check(cublasSgemv(handle.get(), CUBLAS_OP_T, static_cast<int>(columns), static_cast<int>(rows), &one,
                      reinterpret_cast<const float*>(buffers[a]), static_cast<int>(columns),
                      reinterpret_cast<const float*>(buffers[x]), 1, &zero,
                      reinterpret_cast<float*>(buffers[y]), 1),
          "cuBLAS' sgemv");
  };
}

LibraryCall cublas_sgemm(PeerStream stream, std::size_t a, std::size_t b, std::size_t c, std::int64_t m,
                         std::int64_t n, std::int64_t k) {
  const int rows = static_cast<int>(m), columns = static_cast<int>(n), depth = static_cast<int>(k);
  return [=, handle = blas(stream)](const PeerAddress* buffers) {
    const float one = 1, zero = 0;
    // cuBLAS counts in columns: to it our C is its transpose, B^T A^T.
    check(cublasSgemm(handle.get(), CUBLAS_OP_N, CUBLAS_OP_N, columns, rows, depth, &one,
                      reinterpret_cast<const float*>(buffers[b]), columns,
                      reinterpret_cast<const float*>(buffers[a]), depth, &zero,
                      reinterpret_cast<float*>(buffers[c]), columns),
          "cuBLAS' sgemm");
  };
}

LibraryCall cublas_gemm(PeerStream stream, bool is_half, std::size_t a, std::size_t b, std::size_t c, std::int64_t m,
                        std::int64_t n, std::int64_t k) {
  const int rows = static_cast<int>(m), columns = static_cast<int>(n), depth = static_cast<int>(k);
  const cudaDataType type = is_half ? CUDA_R_16F : CUDA_R_16BF;
  return [=, handle = blas(stream)](const PeerAddress* buffers) {
    const float one = 1, zero = 0;
    // cuBLAS counts in columns: to it B is K x N already, and our C is its transpose, B A^T.
    check(cublasGemmEx(handle.get(), CUBLAS_OP_T, CUBLAS_OP_N, columns, rows, depth, &one,
                       reinterpret_cast<const void*>(buffers[b]), type, depth,
                       reinterpret_cast<const void*>(buffers[a]), type, depth, &zero,
                       reinterpret_cast<void*>(buffers[c]), type, columns, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
          "cuBLAS' gemm");
  };
}

LibraryCall cublas_batched_sgemm(PeerStream stream, std::size_t a, std::size_t b, std::size_t c,
                                 std::int64_t matrices, std::int64_t size) {
  const int rows = static_cast<int>(size);
  return [=, handle = blas(stream)](const PeerAddress* buffers) {
    const float one = 1, zero = 0;
    check(cublasSgemmStridedBatched(handle.get(), CUBLAS_OP_N, CUBLAS_OP_N, rows, rows, rows, &one,
                                    reinterpret_cast<const float*>(buffers[b]), rows, size * size,
                                    reinterpret_cast<const float*>(buffers[a]), rows, size * size, &zero,
                                    reinterpret_cast<float*>(buffers[c]), rows, size * size,
                                    static_cast<int>(matrices)),
          "cuBLAS' batched sgemm");
  };
}

}  // namespace gktune
