#include "tuner/device/host/compile/host_compiler.h"

#include "tests/host/kernels.h"
#include "tests/process/processes.h"
#include "tests/scratch_folder.h"
#include "tuner/core/files.h"
#include "tuner/device/host/compile/kernel_headers.h"

namespace gktune {
namespace {

constexpr const char* kStore = "__global__ void k(int* p) { *p = N; }\n";

class HostCompilerTest : public WithEachCompiler {
 protected:
  CompiledVariant compile(const SourcePlan& source, const std::string& cache = "cache") {
    return compiler_.compile({{source}, "", folder_.path(cache)}).at(0);
  }

  ScratchFolder folder_;
  HostCompiler compiler_{GetParam()};
};

TEST_P(HostCompilerTest, does_not_compile_the_same_source_twice) {
  const SourcePlan source = kernel_source(kStore, {"k"}, {{"N", "1"}});
  const CompiledVariant first = compile(source), again = compile(source);
  ASSERT_EQ(first.status, Status::ok) << first.log;
  EXPECT_FALSE(first.from_cache);
  EXPECT_TRUE(again.from_cache);
  EXPECT_EQ(again.module, first.module);
}

TEST_P(HostCompilerTest, repairs_headers_that_are_damaged_or_missing) {
  const SourcePlan source = kernel_source(kStore, {"k"}, {{"N", "1"}});
  ASSERT_EQ(compile(source).status, Status::ok);
  std::filesystem::path headers;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "cache")) {
    if (entry.is_directory()) headers = entry.path();
  }
  for (const EmbeddedFile& header : kernel_headers()) {
    ASSERT_TRUE(write_atomically(headers / header.path, "#error damaged\n").ok());
  }
  EXPECT_EQ(compile(kernel_source(kStore, {"k"}, {{"N", "2"}})).status, Status::ok);
  std::filesystem::remove_all(headers);
  EXPECT_EQ(compile(kernel_source(kStore, {"k"}, {{"N", "3"}})).status, Status::ok);
  for (const EmbeddedFile& header : kernel_headers()) {
    EXPECT_EQ(*read_whole(headers / header.path), header.text) << header.path;
  }
}

TEST(kernel_headers, are_complete_for_each_of_several_processes_that_write_them_at_once) {
  const ScratchFolder folder;
  for (int round = 0; round < 5; ++round) {
    const std::string cache = folder.path("cache" + std::to_string(round));
    EXPECT_TRUE(holds_in_children(4, [&](int) {
      const auto place = place_kernel_headers(cache);
      bool is_complete = place.ok();
      for (const EmbeddedFile& header : kernel_headers()) {
        is_complete = is_complete && *read_whole(std::filesystem::path(*place) / header.path) == header.text;
      }
      return is_complete;
    }));
  }
}

TEST_P(HostCompilerTest, compiles_a_source_again_after_a_failure) {
  SourcePlan source = kernel_source("#include \"later.h\"\n__global__ void k(int* p) { *p = 1; }\n", {"k"});
  source.options = {"-I" + folder_.path("later")};
  EXPECT_EQ(compile(source).status, Status::compile_failed);
  folder_.write("later/later.h", "");
  EXPECT_EQ(compile(source).status, Status::ok);
}

TEST_P(HostCompilerTest, names_the_compiled_source_if_another_folder_has_the_same_text) {
  SourcePlan source = kernel_source("__global__ void k(int* p) {\n  *p = missing;\n}\n", {"k"});
  std::vector<std::string> paths;
  for (const char* folder : {"first", "second"}) {
    folder_.write(std::string(folder) + "/kernel.cu", source.text);
    paths.push_back(folder_.path(std::string(folder) + "/kernel.cu"));
  }
  for (const std::size_t own : {0U, 1U, 0U}) {
    source.path = paths[own];
    const CompiledVariant result = compile(source);
    EXPECT_EQ(result.status, Status::compile_failed);
    EXPECT_NE(result.log.find(paths[own] + ":2:"), std::string::npos) << result.log;
    EXPECT_EQ(result.log.find(paths[1 - own]), std::string::npos) << result.log;
  }
}

TEST_P(HostCompilerTest, includes_files_by_conditions_on_parameters) {
  const std::string text = R"(
#define FROM_2 (N >= 2)
#if FROM_2 && defined(__CUDACC__)
#include <array>
#else
#include "no/such/header.h"
#endif
__global__ void k(int* p) { *p = static_cast<int>(std::array<int, N>().size()); }
)";
  const CompileJob job{{kernel_source(text, {"k"}, {{"N", "2"}, {"size_type", "double"}}),
                        kernel_source(text, {"k"}, {{"N", "3"}, {"size_type", "double"}})},
                       "",
                       folder_.path("cache")};
  for (const CompiledVariant& result : compiler_.compile(job)) {
    EXPECT_EQ(result.status, Status::ok) << result.log;
  }
  const CompiledVariant lacking = compile(kernel_source(text, {"k"}, {{"N", "1"}}));
  EXPECT_EQ(lacking.status, Status::compile_failed);
  EXPECT_NE(lacking.log.find("kernel.cu:6"), std::string::npos) << lacking.log;
}

TEST_P(HostCompilerTest, accepts_shared_variables_as_cuda_does) {
  const CompiledVariant variant = compile(kernel_source(R"(
__global__ void k(int* p) {
  static __shared__ int twice_static[2];
  __shared__ static int static_behind[2];
  p = twice_static + static_behind[0];
  __shared__ alignas(128) int tile[64];
  __shared__ alignas(double) unsigned char bytes[24];
  extern __shared__ alignas(16) int dynamic[];
  extern volatile int __shared__ after_the_type[];
  *p = sizeof tile + sizeof bytes + dynamic[0] + after_the_type[1];
})",
                                                        {"k"}));
  EXPECT_EQ(variant.status, Status::ok) << variant.log;
}

TEST_P(HostCompilerTest, accepts_definitions_behind_declarations_with_c_linkage) {
  const CompiledVariant variant = compile(kernel_source(R"(
#ifdef __cplusplus
extern "C" {
#endif
__global__ void k(int* p);
__device__ inline int one() { return 1; }
#ifdef __cplusplus
}
#endif
__global__ void k(int* p) { *p = one(); }
)",
                                                        {"k"}));
  EXPECT_EQ(variant.status, Status::ok) << variant.log;
}

TEST_P(HostCompilerTest, includes_a_list_of_macros_as_often_as_the_source_does) {
  folder_.write("list.inc", "X(1)\nX(2)\nX(3)\n");
  SourcePlan source = kernel_source(R"(
#define X(a) +a
constexpr int kSum = 0
#include "list.inc"
    ;
#undef X
#define X(a) *a
constexpr int kProduct = 1
#include "list.inc"
    ;
static_assert(kSum == 6 && kProduct == 6, "");
__global__ void k(int* p) { *p = kSum; }
)",
                                    {"k"});
  source.path = folder_.path("kernel.cu");
  const CompiledVariant result = compile(source);
  EXPECT_EQ(result.status, Status::ok) << result.log;
}

TEST_P(HostCompilerTest, writes_no_folder_into_code_that_other_folders_reuse) {
  const CompiledVariant result = compile(kernel_source(kStore, {"k"}, {{"N", "2"}}));
  ASSERT_EQ(result.status, Status::ok) << result.log;
  const std::string code = *read_whole(result.module.path);
  EXPECT_EQ(code.find(std::filesystem::current_path().string() + '\0'), std::string::npos);
}

TEST_P(HostCompilerTest, fails_if_it_cannot_write) {
  folder_.write("file", "");
  const CompiledVariant result = compile(kernel_source(kStore, {"k"}, {{"N", "2"}}), "file/cache");
  EXPECT_EQ(result.status, Status::machine_failed);
  EXPECT_NE(result.log.find("cannot write"), std::string::npos) << result.log;
}

// The compiled source does not change that.
TEST_P(HostCompilerTest, distinguishes_a_full_disk_from_a_source_that_does_not_compile) {
  folder_.write("full",
                "#!/bin/sh\n[ \"$1\" = --version ] && echo full && exit\nexec cat \"$0\" > /dev/full\n");
  std::filesystem::permissions(folder_ / "full", std::filesystem::perms::owner_all);
  compiler_ = HostCompiler(folder_.path("full"));
  const CompiledVariant result = compile(kernel_source(kStore, {"k"}, {{"N", "3"}}));
  EXPECT_EQ(result.status, Status::machine_failed);
  EXPECT_NE(result.log.find("No space left on device"), std::string::npos) << result.log;
}

// The linker is a process of the compiler, which reports how that ended.
TEST_P(HostCompilerTest, does_not_blame_the_source_for_a_killed_linker) {
  std::filesystem::create_directory(folder_ / "programs");
  folder_.write("programs/ld",
                "#!/bin/sh\n[ -e \"$0.calm\" ] && exec ld \"$@\"\ntouch \"$0.calm\"\nkill -9 $$\n");
  std::filesystem::permissions(folder_ / "programs/ld", std::filesystem::perms::owner_all);
  compiler_ = HostCompiler(std::string(GetParam()) + " -B" + folder_.path("programs"));
  const CompiledVariant once = compile(kernel_source(kStore, {"k"}, {{"N", "5"}}));
  EXPECT_EQ(once.status, Status::ok) << once.log;
  folder_.write("programs/ld", "#!/bin/sh\nkill -9 $$\n");
  const CompiledVariant always = compile(kernel_source(kStore, {"k"}, {{"N", "6"}}));
  EXPECT_EQ(always.status, Status::machine_failed) << always.log;
  EXPECT_TRUE(always.log.starts_with("the compiler was killed")) << always.log;
}

TEST_P(HostCompilerTest, reports_a_missing_compiler_as_a_failure_of_the_machine) {
  compiler_ = HostCompiler(folder_.path("no_such_compiler"));
  const CompiledVariant result = compile(kernel_source(kStore, {"k"}, {{"N", "4"}}));
  EXPECT_EQ(result.status, Status::machine_failed);
  EXPECT_NE(result.log.find("no_such_compiler"), std::string::npos) << result.log;
}

TEST_P(HostCompilerTest, may_be_a_command_of_several_words) {
  HostCompiler launched("env GKTUNE_WORD=1 " + GetParam() + " -DGIVEN=3");
  const SourcePlan source = kernel_source("__global__ void k(int* p) { *p = GIVEN; }\n", {"k"});
  const CompiledVariant result = launched.compile({{source}, "", folder_.path("cache")}).at(0);
  EXPECT_EQ(result.status, Status::ok) << result.log;
  EXPECT_FALSE(HostCompiler::version(" ").ok());
}

TEST_P(HostCompilerTest, compiles_a_kernel_of_a_whole_program_with_replaced_settings) {
  const std::string text =
      "#include <cstdio>\n#include <vector>\n#include <cublas_v2.h>\nusing namespace std;\n#define TILE 16\n"
      "constexpr int kFactor = 2;\n"
      "__global__ void k(int* out) { out[threadIdx.x] = TILE * kFactor; }\n"
      "int main() {\n  int* x;\n  cudaMalloc(&x, 64);\n  k<<<1, 4>>>(x);\n  vector<int> y;\n  cublasHandle_t "
      "h;\n}\n";
  for (const auto& [macros, expected] :
       {std::pair{std::vector<std::pair<std::string, std::string>>{{"TILE", "3"}, {"kFactor", "5"}}, 15},
        std::pair{std::vector<std::pair<std::string, std::string>>{}, 32}}) {
    Kernels kernels(GetParam(), kernel_source(text, {"k"}, macros));
    std::vector<int> out(4);
    kernels.run(0, shape(1, 4), out.data());
    EXPECT_EQ(out, std::vector<int>(4, expected));
  }
  const CompiledVariant of_empty_problem = compile(kernel_source(text, {}, {}));  // which launches nothing
  EXPECT_EQ(of_empty_problem.status, Status::ok) << of_empty_problem.log;
}

GKTUNE_WITH_EACH_COMPILER(HostCompilerTest);

}  // namespace
}  // namespace gktune
