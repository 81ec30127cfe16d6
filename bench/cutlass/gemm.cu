// A matrix product of CUTLASS, whose tiles are parameters. A and C are row-major, B is column-major.
#include <cutlass/gemm/device/gemm.h>

using Product = cutlass::gemm::device::Gemm<
    cutlass::half_t, cutlass::layout::RowMajor, cutlass::half_t, cutlass::layout::ColumnMajor, float,
    cutlass::layout::RowMajor, float, cutlass::arch::OpClassTensorOp, cutlass::arch::Sm80,
    cutlass::gemm::GemmShape<tileRows, tileColumns, tileDepth>,
    cutlass::gemm::GemmShape<warpRows, warpColumns, tileDepth>, cutlass::gemm::GemmShape<16, 8, 16>,
    cutlass::epilogue::thread::LinearCombination<float, 4, float, float>,
    cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<8>, pipelineStages>;

cutlass::Status multiply(const cutlass::half_t* a, const cutlass::half_t* b, float* c, int m, int n, int k,
                         cudaStream_t stream) {
  Product product;
  return product({{m, n, k}, {a, k}, {b, k}, {c, n}, {c, n}, {1.0f, 0.0f}}, nullptr, stream);
}
