// Compiles spaces/cub_reduce.yaml for a GPU that is absent, and reads its winners as policies of CUB.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "db/exchange/cub_policy.h"
#include "tests/scratch_folder.h"
#include "tests/templates/made_up_gpu.h"
#include "tests/templates/shipped_spaces.h"
#include "tuner/device/cuda/compile/cuda_compiler.h"
#include "tuner/device/cuda/compile/module_file.h"
#include "tuner/device/cuda/compile/toolkit.h"
#include "tuner/space/plan.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

class CubReduce : public testing::Test {
 protected:
  void SetUp() override {
    auto compiler = CudaCompiler::open({});
    if (!compiler) GTEST_SKIP() << compiler.error().message;
    compiler_ = std::move(*compiler);
  }
  std::vector<CompiledVariant> compile(std::vector<SourcePlan> variants) {
    return compiler_->compile({std::move(variants), "sm_90", folder_.path("cache"), Instrumentation::none});
  }

  ScratchFolder folder_;
  std::unique_ptr<CudaCompiler> compiler_;
};

TEST_F(CubReduce, is_compiled_for_a_gpu) {
  const auto spaces = shipped_spaces();
  const auto path =
      std::ranges::find_if(spaces, [](const auto& each) { return each.ends_with("/cub_reduce.yaml"); });
  ASSERT_NE(path, spaces.end());
  const auto definition = read_space_file(*path, {.device_kind = "cuda"});
  ASSERT_TRUE(definition.ok()) << definition.error().front().str();
  const Problem large{{"element", "float"}, {"operation", "sum"}, {"offsetType", "uint32"}, {"n", 1 << 24}};
  const Problem small{{"element", "int64"}, {"operation", "min"}, {"offsetType", "uint64"}, {"n", 1000}};
  const Config config{{"itemsPerThread", 16}, {"threadsPerBlock", 512}, {"itemsPerVecLoad", 2}};
  const auto of_large = resolve(definition->kernel, config, large, made_up_gpu("sm_90"));
  const auto of_small = resolve(definition->kernel, config, small, made_up_gpu("sm_90"));
  ASSERT_TRUE(of_large.ok() && of_small.ok());
  // Two passes of as many blocks as CUB starts, five for each that the GPU holds at
  // a time; or one of one block.
  ASSERT_EQ(of_large->candidate.steps.size(), 2u);
  EXPECT_EQ(of_large->candidate.steps[0].grid[0], std::min((1 << 24) / (16 * 512), 5 * 4 * 132));
  EXPECT_EQ(of_large->candidate.steps[0].block[0], 512);
  ASSERT_EQ(of_small->candidate.steps.size(), 1u);
  // One of them is enough: each takes seconds.
  const auto compiled = compile({of_large->candidate.source});
  if (compiled[0].log.find("CUB 3") != std::string::npos) GTEST_SKIP() << compiled[0].log;
  ASSERT_EQ(compiled[0].status, Status::ok) << compiled[0].log;
  EXPECT_EQ(compiled[0].log, "");
  const auto kernels = read_module(compiled[0].module.path)->kernels;
  EXPECT_EQ(kernels.size(), 2u);
  for (const KernelResources& kernel : kernels) {
    EXPECT_EQ(kernel.spill_bytes, 0);
    EXPECT_LE(kernel.registers, 65536 / 512);
  }
}

Config config_of(std::int64_t items, std::int64_t threads, std::int64_t load) {
  return {{"itemsPerThread", items}, {"threadsPerBlock", threads}, {"itemsPerVecLoad", load}};
}

PortfolioSource tuned_on_h200() {
  PortfolioSource source;
  source.identity.device = {"cuda", "NVIDIA H200", "sm_90", 132};
  CostTable& table = source.table;
  table.configs = {config_of(20, 512, 4), config_of(12, 384, 2), config_of(9, 640, 1)};
  const auto add = [&](const char* element, const char* operation, const char* offset, std::int64_t n,
                       std::vector<double> loss) {
    table.problems.push_back(
        {{"element", element}, {"operation", operation}, {"offsetType", offset}, {"n", n}});
    table.weights.push_back(1);
    table.winners.push_back(static_cast<std::size_t>(std::ranges::find(loss, 0.0) - loss.begin()));
    table.loss.push_back(std::move(loss));
  };
  // The second loses least over both sizes, although it wins neither.
  add("float", "sum", "uint32", 1 << 20, {0, 0.01, 0.3});
  add("float", "sum", "uint32", 1 << 24, {0.2, 0.01, 0});
  add("int64", "max", "uint64", 1 << 24, {0.1, 0.1, 0});
  return source;
}

TEST_F(CubReduce, cub_reads_the_policies_of_its_winners) {
  const auto text = cub_policy_text(tuned_on_h200());
  ASSERT_TRUE(text.ok()) << text.error().message;
  folder_.write("tuned.cuh", *text);
  SourcePlan reader;
  reader.path = folder_.path("reader.cu");
  reader.entries = {"reader"};
  // The header is for host code, which NVRTC does not compile.
  reader.options = {"-default-device"};
  reader.text = R"(
#include <cub/version.cuh>
#if CUB_VERSION / 100000 != 3
#error "CUB 3 is needed"
#endif
#define CUB_RUNTIME_FUNCTION __device__
#define CUB_DEFINE_SUB_POLICY_GETTER(name)
#include "tuned.cuh"
template <class T, class Offset, class Operation>
using Chosen = typename cub::detail::reduce::sm90_policy_hub<T, Offset, Operation>::MaxPolicy::ReducePolicy;
template <class Policy, int items, int threads, int load>
constexpr bool is_of = Policy::ITEMS_PER_THREAD == items && Policy::BLOCK_THREADS == threads && Policy::VECTOR_LOAD_LENGTH == load;
static_assert(is_of<Chosen<float, unsigned, cuda::std::plus<>>, 12, 384, 2>);
static_assert(is_of<Chosen<long long, unsigned long long, cuda::minimum<long long>>, 9 * 4 / 8, 640, 1>);
static_assert(is_of<Chosen<float, unsigned long long, cuda::std::plus<>>, 16, 256, 4>);  // as CUB has it
extern "C" __global__ void reader() {}
)";
  const auto compiled = compile({reader});
  if (compiled[0].log.find("CUB 3") != std::string::npos) GTEST_SKIP() << compiled[0].log;
  EXPECT_EQ(compiled[0].status, Status::ok) << compiled[0].log;
}

// The dispatch is host code: only nvcc compiles it. The example of docs/exchange.md.
TEST(CubPolicy, is_used_by_the_kernels_that_cubs_dispatch_launches) {
  const auto nvcc = find_nvcc({});
  if (!nvcc) GTEST_SKIP() << nvcc.error().message;
  ScratchFolder folder;
  folder.write("tuned_reduce.cuh", *cub_policy_text(tuned_on_h200()));
  folder.write("sum.cu", R"(
#include <cub/version.cuh>
#if CUB_VERSION / 100000 != 3
#error "CUB 3 is needed"
#endif
#include <cub/device/dispatch/dispatch_reduce.cuh>
#include "tuned_reduce.cuh"
using Hub = cub::detail::reduce::sm90_policy_hub<float, unsigned, cuda::std::plus<>>;
cudaError_t sum(void* storage, std::size_t& bytes, const float* in, float* out, unsigned n, cudaStream_t stream) {
  return cub::DispatchReduce<const float*, float*, unsigned, cuda::std::plus<>, float, float, cuda::std::identity,
                             Hub>::Dispatch(storage, bytes, in, out, n, {}, 0.0f, stream);
}
)");
  // Stop at PTX: assembling it takes longer than all the rest.
  const std::string command = "cd '" + folder.path().string() + "' && '" + *nvcc +
                              "' -std=c++17 -arch=sm_90 -ptx sum.cu -o sum.ptx >log 2>&1";
  const int status = std::system(command.c_str());
  const auto contents = [&](const std::string& name) {
    std::ifstream file(folder / name);
    return std::string{std::istreambuf_iterator<char>(file), {}};
  };
  const std::string log = contents("log"), ptx = contents("sum.ptx");
  if (log.find("CUB 3 is needed") != std::string::npos) GTEST_SKIP() << log;
  ASSERT_EQ(status, 0) << log;
  std::size_t kernels = 0;
  for (std::size_t at = ptx.find(".entry"); at != std::string::npos; at = ptx.find(".entry", at + 1)) {
    const std::string signature = ptx.substr(at, ptx.find('{', at) - at);
    if (signature.find("sm90_policy_hub") == std::string::npos) continue;
    ++kernels;
    EXPECT_NE(signature.find(".maxntid 384"), std::string::npos) << signature;
  }
  EXPECT_EQ(kernels, 3u) << log;  // one pass for small inputs, two passes for others
}

TEST(CubPolicy, is_written_only_for_winners_of_the_shipped_space) {
  const auto refused = [](auto change) {
    PortfolioSource source = tuned_on_h200();
    change(source);
    const auto text = cub_policy_text(source);
    return text.ok() ? "" : text.error().message;
  };
  const std::string hint = ": this format holds winners of spaces/cub_reduce.yaml";
  EXPECT_EQ(refused([](auto&) {}), "");
  EXPECT_EQ(refused([](auto& source) { source.identity.device.architecture = "x86-64"; }),
            "'x86-64' is no architecture of a GPU" + hint);
  EXPECT_EQ(refused([](auto& source) { source.table.problems[0] = {{"n", 1}}; }),
            "the problems have no type 'element'" + hint);
  EXPECT_EQ(refused([](auto& source) { source.table.problems[0].set("element", "half"); }),
            "unknown problem element=half operation=sum offsetType=uint32 n=1048576" + hint);
  EXPECT_EQ(refused([](auto& source) {
              for (Config& config : source.table.configs) config = {{"threadsPerBlock", 64}};
            }),
            "the configurations have no number 'itemsPerThread'" + hint);
  PortfolioSource hostile = tuned_on_h200();
  hostile.identity.device.name = "x\n#error \\";
  EXPECT_EQ(cub_policy_text(hostile)->find("\n#error"), std::string::npos);
}

}  // namespace
}  // namespace gktune
