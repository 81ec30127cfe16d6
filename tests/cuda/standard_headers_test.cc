#include "tuner/device/cuda/compile/nvrtc.h"

#include <gtest/gtest.h>

#include "tests/scratch_folder.h"
#include "tuner/device/cuda/compile/toolkit.h"

namespace gktune {
namespace {

// Names that a kernel may use from each header.
constexpr const char* kUses = R"(
#include <algorithm>
#include <array>
#include <assert.h>
#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <float.h>
#include <limits>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <type_traits>
#include <utility>

template <typename T>
__global__ void uses(T* out, std::uint64_t n) {
  static_assert(std::is_same<T, float>::value, "");
  static_assert(sizeof(uint8_t) == 1 && sizeof(std::int64_t) == 8 && sizeof(size_t) == 8, "");
  static_assert(std::numeric_limits<int>::max() == INT_MAX && CHAR_BIT == 8, "");
  const std::size_t i = threadIdx.x;
  assert(i < n);
  if (i == count) printf("%d\n", static_cast<int>(i));
  const std::array<float, 2> both{FLT_MAX, INFINITY};
  std::pair<int, float> pair{1, both[i % 2]};
  std::swap(pair.first, *reinterpret_cast<int*>(out));
  out[i] = std::min(std::max(pair.second, std::sqrt(out[i])), sqrtf(static_cast<float>(M_PI))) + std::abs(out[i]);
}
)";

SourcePlan user(int count) {
  SourcePlan plan;
  plan.path = "uses.cu";
  plan.text = kUses;
  plan.macros = {{"count", std::to_string(count)}};
  plan.entries = {"uses<float>"};
  return plan;
}

// Compiles a kernel with each library for sm_90.
TEST(StandardHeadersTest, libraries_for_device_code_compile_with_them) {
  auto compiler = open_cuda_compiler({});
  if (!compiler) GTEST_SKIP() << compiler.error().message;
  ScratchFolder folder;
  std::vector<SourcePlan> variants;
  for (const auto& [includes, body] : std::vector<std::pair<std::string, std::string>>{
           {"#include <cub/cub.cuh>\n",
            "using Reduce = cub::BlockReduce<float, 128>; using Scan = cub::WarpScan<int>;\n"
            "__shared__ typename Reduce::TempStorage storage; __shared__ typename Scan::TempStorage warp[4]; "
            "int sum = 1;\n"
            "Scan(warp[threadIdx.x / 32]).InclusiveSum(sum, sum); out[0] = "
            "Reduce(storage).Sum(in[threadIdx.x]) + sum;"},
           {"#include <cuda.h>\n#include <cuda/barrier>\n__constant__ CUtensorMap map;\n",
            "out[0] = sizeof map + M_SQRT1_2;"},
           {"#include <cuda/std/array>\n#include <cuda/std/complex>\n#include <cuda/std/span>\n",
            "cuda::std::array<float, 2> a{in[0], in[1]}; cuda::std::complex<float> c(a[0], a[1]); out[0] = "
            "c.real();"},
           {"#include <curand_kernel.h>\n",
            "curandStatePhilox4_32_10_t s; curand_init(1, threadIdx.x, 0, &s); out[0] = curand_uniform(&s);"},
           {"#include <cuComplex.h>\n#include <cuda_fp8.h>\n",
            "cuFloatComplex a = make_cuFloatComplex(in[0], 1); out[0] = cuCabsf(cuCmulf(a, a)) + "
            "float(__nv_fp8_e4m3(in[1]));"}}) {
    SourcePlan plan;
    plan.path = "uses.cu";
    plan.text = includes + "__global__ void uses(const float* in, float* out) {\n" + body + "\n}\n";
    plan.entries = {"uses"};
    variants.push_back(std::move(plan));
  }
  for (const auto& result : (*compiler)->compile({variants, "sm_90", folder.path("cache")}))
    EXPECT_EQ(result.status, Status::ok) << result.log;
}

TEST(StandardHeadersTest, serve_a_kernel_that_includes_them_alone_and_with_others) {
  auto compiler = open_cuda_compiler({});
  if (!compiler) GTEST_SKIP() << compiler.error().message;
  const ScratchFolder folder;
  for (const std::vector<SourcePlan>& variants : {std::vector{user(1)}, std::vector{user(2), user(3)}}) {
    const auto compiled = (*compiler)->compile({variants, "sm_90", folder.path("cache")});
    for (const auto& variant : compiled) EXPECT_EQ(variant.status, Status::ok) << variant.log;
    EXPECT_EQ(compiled.front().module.path, compiled.back().module.path);
  }
}

TEST(StandardHeadersTest, each_header_can_be_included_by_itself) {
  auto nvrtc = Nvrtc::open({});
  if (!nvrtc) GTEST_SKIP() << nvrtc.error().message;
  std::vector<std::string> options{"--gpu-architecture=sm_90"};
  for (const auto& dir : toolkit_include_dirs({}, nvrtc->path())) options.push_back("-I" + dir);
  const auto headers = standard_headers();
  for (const auto& [name, text] : headers) {
    const std::string twice = "#include <" + name + ">\n";
    const NvrtcOutput output =
        nvrtc->compile({"k.cu", twice + twice + "__global__ void k() {}", headers, options, {}});
    EXPECT_TRUE(output.ok) << name << ": " << output.log;
  }
}

}  // namespace
}  // namespace gktune
