// Undefined behaviour in CUDA, and operations that this device cannot run. Each is reported with its
// place, and none is imitated.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "tests/host/kernels.h"
#include "tests/scratch_folder.h"
#include "tuner/device/host/compile/kernel_headers.h"

namespace gktune {
namespace {

class Refusals : public WithEachCompiler {
 protected:
  static std::string kernel(const std::string& body) {
    return "__global__ void k(const int* in, int* out) {\n" + body + "\n}";
  }
  static void expect_words(const std::string& message, const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      EXPECT_NE(message.find(word), std::string::npos) << "no " << word << " in: " << message;
    }
  }
  void expect_fault(const std::string& body, const LaunchShape& shape,
                    const std::vector<std::string>& words) {
    Kernels kernels(GetParam(), kernel_source(kernel(body), {"k"}));
    std::vector<int> in(64), out(64);
    const auto result = kernels.launch(0, shape, static_cast<const int*>(in.data()), out.data());
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(status_name(result.error().status), "barrier_divergence");
    expect_words(result.error().message, words);
  }
  void expect_no_code(const std::string& text, const std::vector<std::string>& words) {
    const CompiledVariant compiled = try_compile(GetParam(), kernel_source(text, {"k"}));
    EXPECT_EQ(status_name(compiled.status), "compile_failed");
    expect_words(compiled.log, words);
  }
};

TEST_P(Refusals, report_barriers_in_two_branches) {
  expect_fault("  if (threadIdx.x % 2)\n    __syncthreads();\n  else\n    __syncthreads();", shape(1, 64),
               {"different barriers", "thread (0,0,0) at kernel.cu:5", "thread (1,0,0), kernel.cu:3"});
}

TEST_P(Refusals, report_a_shuffle_from_a_lane_that_takes_no_part) {
  expect_fault("  if (threadIdx.x < 16)\n    out[threadIdx.x] = __shfl_sync(0xffffu, threadIdx.x, 20);",
               shape(1, 32), {"reads from lane 20, which does not take part", "kernel.cu:3"});
}

TEST_P(Refusals, report_a_mask_without_its_caller) {
  expect_fault("  out[threadIdx.x] = __ballot_sync(0x1u, 1);", shape(1, 32),
               {"mask 0x00000001 leaves out its caller", "thread (1,0,0)", "kernel.cu:2"});
}

TEST_P(Refusals, report_a_mask_with_a_lane_that_never_arrives) {
  expect_fault("  if (threadIdx.x < 16) __syncwarp();\n  __syncthreads();", shape(1, 32),
               {"waits for ever at a warp operation with mask 0xffffffff that lane 16 does not enter",
                "waits at a block's barrier at kernel.cu:3", "kernel.cu:2"});
}

TEST_P(Refusals, report_lanes_with_different_masks) {
  expect_fault("  __syncwarp(threadIdx.x == 0 ? 0x3u : 0xffffffffu);", shape(1, 32),
               {"entered with another mask or as another operation", "kernel.cu:2"});
}

TEST_P(Refusals, report_a_tile_of_an_impossible_size) {
  const std::string body =
      "  const auto block = cooperative_groups::this_thread_block();\n"
      "  const auto tile = cooperative_groups::tiled_partition(block, in[0]);\n"
      "  const auto part = cooperative_groups::coalesced_threads();\n"
      "  out[threadIdx.x] = tile.size() + cooperative_groups::tiled_partition(part, in[1]).size();";
  Kernels kernels(GetParam(), kernel_source("#include <cooperative_groups.h>\n" + kernel(body), {"k"}));
  std::vector<int> out(64);
  const auto launch = [&](std::vector<int> in) {
    return kernels.launch(0, shape(1, 64), static_cast<const int*>(in.data()), out.data());
  };
  EXPECT_TRUE(launch({32, 4}).ok());
  EXPECT_EQ(out, std::vector<int>(64, 36));
  for (const int size : {0, 3, 64}) {
    for (const auto& [in, line] :
         {std::pair{std::vector{size, 4}, "kernel.cu:4"}, std::pair{std::vector{32, size}, "kernel.cu:6"}}) {
      const auto result = launch(in);
      ASSERT_FALSE(result.ok()) << size;
      EXPECT_EQ(status_name(result.error().status), "aborted");
      expect_words(result.error().message,
                   {"a tile of another size than 1, 2, 4, 8, 16 or 32 threads", line});
    }
  }
}

// The compiler reports many further lines, which are left out.
TEST_P(Refusals, report_each_header_and_feature_that_the_host_lacks_in_one_line) {
  const std::string texture = "  cudaTextureObject_t texture = 0;\n  out[0] = tex3D<int>(texture, 1, 2, 3);";
  const std::string ptx =
      "  int lane;\n  asm volatile(\"mov.u32 %0, %laneid;\" : \"=r\"(lane));\n  out[0] = lane;";
  const std::string child = "__global__ void child(int* x) { x[0] = 1; }\n";
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"#include <cub/cub.cuh>\n" + kernel("  using Sort = cub::BlockRadixSort<int, 64, 4>;"),
            "3: error: this part of CUB"},
           {"#include <cub/block/block_radix_sort.cuh>\n" + kernel("  cub::BlockRadixSort<int, 64, 4> sort;"),
            "1: error: this part of CUB (<cub/block/block_radix_sort.cuh>)"},
           {"#include <cub/device/device_reduce.cuh>\n" + kernel("  cub::DeviceReduce reduce;"),
            "1: error: CUB's algorithms for a device (<cub/device/device_reduce.cuh>)"},
           {"#include <mma.h>\n" + kernel("  using namespace nvcuda::wmma;"),
            "1: error: tensor-core kernels (<mma.h>)"},
           {"#include <cute/tensor.hpp>\n" + kernel("  using namespace cute;"),
            "1: error: CuTe (<cute/tensor.hpp>)"},
           {"#include <cutlass/cutlass.h>\n" + kernel("  cutlass::half_t x;"),
            "1: error: CUTLASS (<cutlass/cutlass.h>)"},
           {"\n#include <curand.h>\n" + kernel("  curandGenerator_t generator;"),
            "2: error: cuRAND (<curand.h>)"},
           {"#include <cuda_fp8.h>\n" + kernel("  __nv_fp8_e4m3 x;"),
            "1: error: 8-bit floating-point types (<cuda_fp8.h>)"},
           {"#include <cuda_awbarrier_primitives.h>\n" + kernel("  __mbarrier_t x;"),
            "1: error: barriers by their primitives (<cuda_awbarrier_primitives.h>)"},
           {"#include <cufftdx.hpp>\n" + kernel("  using Size = cufftdx::Size<8>;"),
            "1: error: cuFFTDx (<cufftdx.hpp>)"},
           {"#include \"cute/tensor.hpp\"\n" + kernel("  cute::half_t x;"),
            "1: error: CuTe (\"cute/tensor.hpp\")"},
           {"#include <cuda/std/mdspan>\n" + kernel(""),
            "1: error: this part of libcu++ (<cuda/std/mdspan>)"},
           {kernel(texture), "3: error: this kind of texture"},
           {kernel(ptx), "3: error: inline PTX"},
           {child + kernel("  child<<<1, 1>>>(out);"), "3: error: launches by a kernel (<<<…>>>)"}}) {
    const CompiledVariant compiled = try_compile(GetParam(), kernel_source(text, {"k"}));
    EXPECT_EQ(status_name(compiled.status), "compile_failed");
    EXPECT_EQ(compiled.log, "kernel.cu:" + message + " cannot run on the host device\n") << text;
  }
}

// A folder with CUTLASS, or the toolkit's own: its headers clash with those of the
// host device in hundreds of lines.
TEST_P(Refusals, report_each_header_of_a_library_in_one_line) {
  ScratchFolder folder;
  const std::string uses = "  using namespace cute, cutlass, cub, wmma; __nv_fp8_e4m3 x;";
  for (const char* name : {"cute/tensor.hpp", "cutlass/cutlass.h", "cub/device/device_reduce.cuh",
                           "cuda/std/mdspan", "cuda_fp8.h", "mma.h"}) {
    for (const auto& [open, close] : {std::pair{"<", ">"}, std::pair{"\"", "\""}}) {
      std::filesystem::create_directories((folder.path() / name).parent_path());
      folder.write(name, "#error this is not for the host device\n");
      SourcePlan source =
          kernel_source(fmt::format("#include {}{}{}\n", open, name, close) + kernel(uses), {"k"});
      source.include_dirs = {folder.path().string()};
      const CompiledVariant compiled = try_compile(GetParam(), source);
      EXPECT_EQ(std::ranges::count(compiled.log, '\n'), 1) << compiled.log;
      expect_words(compiled.log,
                   {fmt::format("kernel.cu:1: error: "), name, " cannot run on the host device\n"});
    }
  }
}

TEST(unsupported_header, is_that_of_curand_where_the_toolkit_lacks_it) {
  EXPECT_EQ(unsupported_header("<curand_kernel.h>", false, "curandState s;"),
            "cuRAND (<curand_kernel.h>) cannot run on the host device");
  EXPECT_EQ(unsupported_header("<curand_kernel.h>", true, "curandState s;"), std::nullopt);
}

// Many programs have one header that includes all libraries.
TEST_P(Refusals, leave_out_headers_that_the_code_does_not_use) {
  const CompiledVariant compiled =
      try_compile(GetParam(), kernel_source("#include <cuda_fp8.h>\n#include <mma.h>\n#include "
                                            "<thrust/device_vector.h>\n" +
                                                kernel("  out[0] = 1;"),
                                            {"k"}));
  EXPECT_EQ(status_name(compiled.status), "ok") << compiled.log;
}

// Headers of the host device come before those of the folder, and the user's headers in the folder are found.
TEST_P(Refusals, are_not_caused_by_an_include_folder_with_the_toolkit) {
  ScratchFolder folder;
  std::filesystem::create_directories(folder / "cuda");
  for (const char* name : {"cuda_fp16.h", "cuda/atomic", "cooperative_groups.h", "cuda_runtime.h"})
    folder.write(name, "#error this is not for the host device\n");
  folder.write("cuda/own.cuh", "__device__ int own() { return 7; }\n");
  SourcePlan source = kernel_source(
      "#include <cuda/atomic>\n#include <cuda/own.cuh>\n#include <cooperative_groups.h>\n#include "
      "\"cuda_fp16.h\"\n"
      "#include \"cuda_runtime.h\"\n" +
          kernel("  out[0] = own() + int(__half(1));"),
      {"k"});
  source.include_dirs = {folder.path().string()};
  Kernels kernels(GetParam(), source);
  std::vector<int> in(1), out(1);
  kernels.run(0, shape(1, 1), static_cast<const int*>(in.data()), out.data());
  EXPECT_EQ(out[0], 8);
}

TEST_P(Refusals, report_a_grid_barrier_that_a_block_misses) {
  Kernels kernels(GetParam(), kernel_source("#include <cooperative_groups.h>\n" +
                                                kernel("  if (blockIdx.x == 1) return;\n"
                                                       "  cooperative_groups::this_grid().sync();"),
                                            {"k"}));
  LaunchShape cooperative = shape(3, 32);
  cooperative.attributes.is_cooperative = true;
  std::vector<int> in(1), out(1);
  const auto result = kernels.launch(0, cooperative, static_cast<const int*>(in.data()), out.data());
  ASSERT_FALSE(result.ok());
  expect_words(result.error().message, {"a barrier over the grid that another block misses", "kernel.cu:4"});
}

TEST_P(Refusals, name_the_lines_of_clusters_and_of_atomic_operations_of_128_bits) {
  expect_no_code("#include <cooperative_groups.h>\n" + kernel("  cooperative_groups::this_cluster().sync();"),
                 {"thread-block clusters cannot run on the host device", "kernel.cu:3"});
  const std::string words = "128-bit atomic operations cannot run on the host device";
  expect_no_code(kernel("  atomicExch(reinterpret_cast<int4*>(out), make_int4(1, 2, 3, 4));"),
                 {words, "kernel.cu:2"});
  expect_no_code(kernel("  int4 wide = {};\n  atomicCAS(reinterpret_cast<int4*>(out), wide, wide);"),
                 {words, "kernel.cu:3"});
}

GKTUNE_WITH_EACH_COMPILER(Refusals);

}  // namespace
}  // namespace gktune
