#include <gtest/gtest.h>

#include "tests/scratch_folder.h"
#include "tuner/device/cuda/compile/module_file.h"
#include "tuner/device/cuda/compile/toolkit.h"

namespace gktune {
namespace {

constexpr const char* kSource = R"(
#include <cuda_fp16.h>
#if WAY == 1
#include "tile.cuh"
#endif
#define ROUNDS (N / 32)
__device__ T weight() { return T(N); }
extern "C" __global__ void sum(const T* in, T* out) {
  __shared__ T partial[N];
  partial[threadIdx.x] = in[threadIdx.x] * weight();
  __syncthreads();
  for (int i = 0; i < ROUNDS; ++i) out[i] = partial[(threadIdx.x * 7) % N];
}
template <int kCount> __global__ void fill(T* out) { out[threadIdx.x] = T(kCount); }
)";

// Uses the NVRTC of the machine, if there is one. It needs no GPU.
class CudaCompilerTest : public testing::Test {
 protected:
  void SetUp() override {
    auto compiler = open_cuda_compiler({});
    if (!compiler) GTEST_SKIP() << compiler.error().message;
    compiler_ = std::move(*compiler);
    folder_.write("tile.cuh", "__device__ int tile = N;\n");
  }

  SourcePlan variant(const std::string& source, std::vector<std::pair<std::string, std::string>> macros,
                     std::vector<std::string> entries) {
    SourcePlan plan;
    plan.path = folder_.path("k.cu");
    plan.text = source;
    plan.macros = std::move(macros);
    plan.entries = std::move(entries);
    return plan;
  }
  SourcePlan sum(int n, const char* type, int way = 1) {
    return variant(kSource, {{"N", std::to_string(n)}, {"T", type}, {"WAY", std::to_string(way)}},
                   {"sum", "fill<" + std::to_string(n) + ">"});
  }
  std::vector<CompiledVariant> compile(std::vector<SourcePlan> variants, const char* architecture = "sm_90") {
    return compiler_->compile({std::move(variants), architecture, folder_.path("cache")});
  }
  KernelResources resources(const CompiledVariant& variant, std::size_t entry) {
    const auto module = read_module(variant.module.path);
    for (const auto& kernel : module->kernels) {
      if (kernel.symbol == variant.module.symbols.at(entry)) return kernel;
    }
    ADD_FAILURE() << "no kernel " << variant.module.symbols.at(entry);
    return {};
  }

  ScratchFolder folder_;
  std::unique_ptr<Compiler> compiler_;
};

TEST_F(CudaCompilerTest, compiles_one_variant) {
  const auto results = compile({sum(64, "float")});
  ASSERT_EQ(results[0].status, Status::ok) << results[0].log;
  EXPECT_EQ(results[0].log, "");
  EXPECT_EQ(results[0].module.symbols[0], "sum");
  EXPECT_EQ(resources(results[0], 0).static_shared_bytes, 64 * 4);
  EXPECT_GT(resources(results[0], 0).registers, 0);
}

constexpr const char* kClass = R"(
#include <no/such/library.h>
struct Point {
  float x;
  Point(float x) : x(x) {}
  __host__ void scale(float by) { x *= by; }
  __device__ float twice() const { return 2 * x; }
};
__global__ void k(Point* points) { points[1].x = points[0].twice(); }
)";

TEST_F(CudaCompilerTest, compiles_classes_with_members_for_the_host_and_headers_that_are_missing) {
  const auto result = compile({variant(kClass, {}, {"k"})})[0];
  ASSERT_EQ(result.status, Status::ok) << result.log;
  EXPECT_EQ(result.log, "warning: <no/such/library.h> was not found; it counts as empty\n");
}

TEST_F(CudaCompilerTest, says_which_host_code_was_left_out) {
  const auto result = compile(
      {variant("float twice(float x) { return 2 * x; }\n__global__ void k(float* x) { *x = twice(*x); }\n",
               {}, {"k"})})[0];
  EXPECT_EQ(result.status, Status::compile_failed);
  EXPECT_NE(result.log.find("note: 'twice' has no __device__, so it is host code, which is left out\n"),
            std::string::npos)
      << result.log;
}

TEST_F(CudaCompilerTest, compiles_several_variants_in_one_program) {
  const auto results = compile({sum(64, "float"), sum(128, "double"), sum(32, "__half", 0)});
  for (const auto& result : results) {
    ASSERT_EQ(result.status, Status::ok) << result.log;
    EXPECT_EQ(result.module.path, results[0].module.path);
  }
  EXPECT_EQ(resources(results[0], 0).static_shared_bytes, 64 * 4);
  EXPECT_EQ(resources(results[1], 0).static_shared_bytes, 128 * 8);
  EXPECT_EQ(resources(results[2], 0).static_shared_bytes, 32 * 2);
}

TEST_F(CudaCompilerTest, reads_registers_and_shared_memory_for_absent_gpus) {
  for (const char* architecture : {"sm_80", "sm_90", "sm_100"}) {
    const auto results = compile({sum(64, "float"), sum(128, "float")}, architecture);
    ASSERT_EQ(results[0].status, Status::ok) << results[0].log;
    EXPECT_GT(resources(results[1], 0).registers, 0) << architecture;
    EXPECT_EQ(resources(results[1], 0).static_shared_bytes, 128 * 4) << architecture;
  }
}

TEST_F(CudaCompilerTest, compiles_instructions_that_only_one_architecture_has) {
  const auto results = compile(
      {variant("__global__ void k() { asm volatile(\"setmaxnreg.dec.sync.aligned.u32 24;\"); }", {}, {"k"})});
  EXPECT_EQ(results[0].status, Status::ok) << results[0].log;
}

TEST_F(CudaCompilerTest, finds_the_variant_that_does_not_compile) {
  const std::string source =
      "__global__ void k(int* p) {\n  static_assert(N > 4, \"too small\");\n  p[0] = N;\n}\n";
  const auto results = compile({variant(source, {{"N", "8"}}, {"k"}), variant(source, {{"N", "2"}}, {"k"}),
                                variant(source, {{"N", "16"}}, {"k"})});
  EXPECT_EQ(results[0].status, Status::ok) << results[0].log;
  EXPECT_EQ(results[1].status, Status::compile_failed);
  EXPECT_EQ(results[2].status, Status::ok) << results[2].log;
  EXPECT_EQ(
      results[1].log.find(folder_.path("k.cu") + "(2): error: static assertion failed with \"too small\""),
      0u)
      << results[1].log;
}

TEST_F(CudaCompilerTest, names_the_compiled_source_if_another_folder_has_the_same_text) {
  const std::vector<std::string> paths = {folder_.path("first/k.cu"), folder_.path("second/k.cu")};
  for (const bool fails : {true, false}) {  // a failure, and a warning that the cache keeps
    SourcePlan plan = variant(fails ? "__global__ void k(int* p) {\n  p[0] = missing;\n}\n"
                                    : "__global__ void k(int* p) {\n  int unused;\n  p[0] = 1;\n}\n",
                              {}, {"k"});
    for (const std::size_t own : {0U, 1U, 0U}) {
      plan.path = paths[own];
      const CompiledVariant result = compile({plan}).at(0);
      EXPECT_EQ(result.status, fails ? Status::compile_failed : Status::ok);
      EXPECT_EQ(result.log.find(paths[own] + "(2): "), 0u) << result.log;
      EXPECT_EQ(result.log.find(paths[1 - own]), std::string::npos) << result.log;
    }
  }
}

TEST_F(CudaCompilerTest, gives_each_variant_its_own_warnings) {
  const std::string source =
      "__global__ void k(int* p) {\n#if N == 2\n  int unused;\n#endif\n  p[0] = N;\n}\n";
  const auto results = compile({variant(source, {{"N", "8"}}, {"k"}), variant(source, {{"N", "2"}}, {"k"})});
  EXPECT_EQ(results[0].log, "");
  EXPECT_EQ(results[1].log.find(folder_.path("k.cu") + "(3): warning"), 0u) << results[1].log;
}

TEST_F(CudaCompilerTest, compiles_variants_separately_if_they_fail_only_together) {
  // The name is looked for outside of the variant's namespace.
  const std::string source =
      "enum Mode { fast };\ntemplate <Mode m> __global__ void k(int* p) { p[0] = N; }\n";
  const auto results =
      compile({variant(source, {{"N", "8"}}, {"k<fast>"}), variant(source, {{"N", "2"}}, {"k<fast>"})});
  EXPECT_EQ(results[0].status, Status::ok) << results[0].log;
  EXPECT_EQ(results[1].status, Status::ok) << results[1].log;
  EXPECT_NE(results[0].module.path, results[1].module.path);
}

TEST_F(CudaCompilerTest, says_which_entry_is_missing) {
  const char* source = "__global__ void twice(int* p) { *p = N; }\n";
  for (const auto& result :
       compile({variant(source, {{"N", "1"}}, {"twcie"}), variant(source, {{"N", "2"}}, {"twcie"})})) {
    EXPECT_EQ(result.status, Status::compile_failed);
    EXPECT_EQ(result.log, folder_.path("k.cu") + " has no function 'twcie', did you mean 'twice'?\n");
  }
}

TEST_F(CudaCompilerTest, says_what_is_wrong_with_an_existing_entry) {
  const auto results = compile({variant("__global__ void k() {}\n", {}, {"k<3>"})});
  EXPECT_EQ(results[0].status, Status::compile_failed);
  EXPECT_NE(results[0].log.find("k<3>"), std::string::npos) << results[0].log;
}

TEST_F(CudaCompilerTest, leaves_out_kernels_that_are_not_launched) {
  const std::string source =
      "__global__ void __launch_bounds__(32) a(int* p) { *p = 1; }\n__global__ void b(int* p) { *p = 2; }\n";
  for (const auto& result : compile({variant(source, {}, {"b"}), variant(source, {{"N", "1"}}, {"b"})})) {
    ASSERT_EQ(result.status, Status::ok) << result.log;
    EXPECT_EQ(result.log, "");
    const auto module = read_module(result.module.path);
    for (const auto& kernel : module->kernels) {
      EXPECT_NE(kernel.symbol.find('b'), std::string::npos) << kernel.symbol;
    }
  }
}

TEST_F(CudaCompilerTest, keeps_kernels_that_are_not_launched_if_the_source_needs_them) {
  const std::string source = "#define NAME k\n__global__ void NAME(int* p) { *p = N; }\n";
  for (const auto& result :
       compile({variant(source, {{"N", "1"}}, {"k"}), variant(source, {{"N", "2"}}, {"k"})})) {
    EXPECT_EQ(result.status, Status::ok) << result.log;
  }
}

TEST_F(CudaCompilerTest, does_not_compile_the_same_source_twice) {
  const auto first = compile({sum(64, "float"), sum(128, "float")});
  const auto again = compile({sum(128, "float"), sum(256, "float")});
  EXPECT_FALSE(first[0].from_cache);
  EXPECT_TRUE(again[0].from_cache);
  EXPECT_EQ(again[0].module, first[1].module);
  EXPECT_FALSE(again[1].from_cache);
}

TEST_F(CudaCompilerTest, compiles_again_after_an_include_changes) {
  (void)compile({sum(64, "float")});
  folder_.write("tile.cuh", "__device__ int tile = N + 1;\n");
  EXPECT_FALSE(compile({sum(64, "float")})[0].from_cache);
}

TEST_F(CudaCompilerTest, passes_options_to_the_compiler) {
  SourcePlan plan = sum(64, "float");
  plan.options = {"-DEXTRA=1", "--std=c++20"};
  plan.text += "\n#if EXTRA != 1 || __cplusplus < 202002L\n#error options lost\n#endif\n";
  EXPECT_EQ(compile({plan})[0].status, Status::ok) << compile({plan})[0].log;
  plan.options = {"--no-such-option"};
  const auto results = compile({plan, plan});
  EXPECT_EQ(results[0].status, Status::compile_failed);
  EXPECT_NE(results[0].log.find("--no-such-option"), std::string::npos) << results[0].log;
}

TEST_F(CudaCompilerTest, fails_if_it_cannot_write) {
  folder_.write("file", "");
  const auto results = compiler_->compile({{sum(64, "float")}, "sm_90", folder_.path("file/cache")});
  EXPECT_EQ(results[0].status, Status::machine_failed);
  EXPECT_NE(results[0].log.find("cannot write"), std::string::npos) << results[0].log;
}

}  // namespace
}  // namespace gktune
