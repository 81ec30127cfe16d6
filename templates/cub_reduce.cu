// The sum, minimum or maximum of a vector by the kernels of CUB's DeviceReduce. Their policy is made of the parameters that
// CUB's own benchmarks tune:
//   itemsPerThread   nominal, for elements of 4 bytes; CUB scales it to the size of an element
//   threadsPerBlock  nominal likewise
//   itemsPerVecLoad  elements that a thread loads at once from aligned inputs
//
// CUB's dispatch runs on the host and is no part of what is compiled here: the space file has its arithmetic. It passes
// GridEvenShare by value, which the kernels below make from its two inputs. They call the code of CUB's kernels, which
// are declared as device functions for that.

#include <cub/version.cuh>
#if CUB_VERSION / 100000 != 3
#error "this is written for CUB 3, which comes with CUDA 13"
#endif

#define CUB_DETAIL_KERNEL_ATTRIBUTES __device__ __forceinline__
#undef __launch_bounds__
#define __launch_bounds__(...)
#include <cub/device/dispatch/kernels/reduce.cuh>

using int64 = long long;
using uint32 = unsigned int;
using uint64 = unsigned long long;

struct Sum : cuda::std::plus<> {
  static __device__ element neutral() { return element(0); }
};
struct Minimum : cuda::minimum<> {
  static __device__ element neutral() {
    using Limits = cuda::std::numeric_limits<element>;
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  }
};
struct Maximum : cuda::maximum<> {
  static __device__ element neutral() {
    using Limits = cuda::std::numeric_limits<element>;
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  }
};
enum class Operation { sum, min, max };
constexpr Operation kOperation = Operation::operation;
using Combine = cuda::std::conditional_t<kOperation == Operation::sum, Sum,
                                         cuda::std::conditional_t<kOperation == Operation::min, Minimum, Maximum>>;

struct Policy {
  using ReducePolicy = cub::AgentReducePolicy<threadsPerBlock, itemsPerThread, element, itemsPerVecLoad,
                                              cub::BLOCK_REDUCE_WARP_REDUCTIONS, cub::LOAD_LDG>;
  using SingleTilePolicy = ReducePolicy;
  using ActivePolicy = Policy;
};
constexpr int kThreads = Policy::ReducePolicy::BLOCK_THREADS;
constexpr int kItems = Policy::ReducePolicy::ITEMS_PER_THREAD;

// The macro is empty since CUB's kernels are functions.
#define LAUNCH_BOUNDS(...) __attribute__((launch_bounds(__VA_ARGS__)))

// Each block reduces its share of the tiles to one element.
extern "C" __global__ void LAUNCH_BOUNDS(kThreads)
    reduce_tiles(const element* in, element* partial, offsetType n, int mostBlocks) {
  cub::GridEvenShare<offsetType> share;
  share.DispatchInit(n, mostBlocks, kThreads * kItems);
  cub::detail::reduce::DeviceReduceKernel<Policy, const element*, offsetType, Combine, element, cuda::std::identity>(
      in, partial, n, share, {}, {});
}

// One block reduces the rest: all elements of a small input, or those of the blocks.
extern "C" __global__ void LAUNCH_BOUNDS(kThreads, 1) reduce_rest(const element* in, element* out, offsetType n) {
  cub::detail::reduce::DeviceReduceSingleTileKernel<Policy, const element*, element*, offsetType, Combine, element,
                                                    element>(in, out, n, {}, Combine::neutral(), {});
}
