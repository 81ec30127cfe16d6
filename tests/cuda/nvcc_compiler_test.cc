// Host code, compiled by nvcc for a GPU that is absent.
#include "tuner/device/cuda/compile/nvcc_compiler.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/expectations.h"
#include "tests/scratch_folder.h"
#include "tests/templates/made_up_gpu.h"
#include "tuner/device/cuda/compile/toolkit.h"
#include "tuner/device/host/execute/shared_object.h"
#include "tuner/space/plan.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

class NvccCompilerTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto nvcc = find_nvcc({}); !nvcc) GTEST_SKIP() << nvcc.error().message;
    auto compiler = open_cuda_compiler({});
    if (!compiler) GTEST_SKIP() << compiler.error().message;
    compiler_ = std::move(*compiler);
  }
  SourcePlan source(const std::string& text, const std::string& entry) {
    SourcePlan plan;
    plan.language = Language::host;
    plan.path = folder_.path("a.cu");
    plan.text = text;
    plan.entries = {entry};
    return plan;
  }
  CompiledVariant compile(const SourcePlan& source) {
    return compiler_->compile({{source}, "sm_90", folder_.path("cache")}).at(0);
  }

  ScratchFolder folder_;
  std::unique_ptr<Compiler> compiler_;
};

TEST_F(NvccCompilerTest, makes_functions_that_take_the_arguments_of_the_launch) {
  const auto definition =
      read_space_file(GKTUNE_SOURCE_DIR "/tests/kernels/launches/host_code.yaml", {.device_kind = "cuda"});
  ASSERT_TRUE(definition.ok()) << definition.error().front().str();
  const auto plan = resolve(definition->kernel, {{"threads", 256}}, {{"n", 65536}}, made_up_gpu("sm_90"));
  const CompiledVariant first = compile(plan->candidate.source), again = compile(plan->candidate.source);
  ASSERT_EQ(first.status, Status::ok) << first.log;
  EXPECT_EQ(first.log, "");
  EXPECT_FALSE(first.from_cache);
  EXPECT_TRUE(again.from_cache);
  EXPECT_EQ(again.module, first.module);
  const auto module = SharedObject::load(first.module);
  ASSERT_EQ(module->entry_count(), 1u);
  const kernel::Entry& entry = module->entry(0);
  ASSERT_EQ(entry.argument_count, 4u);  // without the stream
  EXPECT_TRUE(entry.argument_is_pointer[2]);
  EXPECT_EQ(entry.argument_bytes[3], 4u);
}

TEST_F(NvccCompilerTest, names_a_function_that_is_missing) {
  EXPECT_EQ(compile(source("void scale(int* p) {}\n", "scal")).log,
            folder_.path("a.cu") + " has no function 'scal', did you mean 'scale'?\n");
}

TEST_F(NvccCompilerTest, shows_errors_at_their_lines) {
  const CompiledVariant variant = compile(source("void f(int* p) {\n  *p = undefined;\n}\n", "f"));
  EXPECT_EQ(variant.status, Status::compile_failed);
  EXPECT_EQ(variant.log.find(folder_.path("a.cu") + "(2): error: identifier \"undefined\" is undefined"), 0u)
      << variant.log;
}

TEST_F(NvccCompilerTest, refuses_results_that_are_not_error_codes) {
  const CompiledVariant variant = compile(source("bool f(int* p) { return p != nullptr; }\n", "f"));
  EXPECT_EQ(variant.status, Status::compile_failed);
  EXPECT_TRUE(contains(variant.log, "host code returns nothing, or an error code, which is 0 for success"));
}

// Sets an environment variable for the duration of a test.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) { ::setenv(name, value.c_str(), 1); }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

TEST_F(NvccCompilerTest, does_not_reuse_code_after_options_of_the_environment_change) {
  const SourcePlan plan = source("#ifdef FROM_ENVIRONMENT\n#error seen\n#endif\nvoid f(int* p) {}\n", "f");
  ASSERT_EQ(compile(plan).status, Status::ok);
  for (const char* name : {"NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS"}) {
    const Variable flags(name, "-DFROM_ENVIRONMENT");
    compiler_ = *open_cuda_compiler({});
    const CompiledVariant variant = compile(plan);
    EXPECT_EQ(variant.status, Status::compile_failed) << name;
    EXPECT_TRUE(contains(variant.log, "seen"));
  }
  compiler_ = *open_cuda_compiler({});
  EXPECT_TRUE(compile(plan).from_cache);
}

TEST_F(NvccCompilerTest, names_nvcc_and_the_compiler_that_it_calls_as_its_version) {
  const auto plain = NvccCompiler::open({});
  EXPECT_TRUE(plain->version().starts_with("nvcc ")) << plain->version();
  EXPECT_TRUE(contains(plain->version(), " with "));
  EXPECT_EQ(plain->version().find('\n'), std::string::npos) << plain->version();
  const auto backend = open_architecture_backend("sm_90", {});
  EXPECT_EQ(backend->host_code_compiler().value(), plain->version());

  folder_.write("my-compiler",
                "#!/bin/sh\n[ \"$1\" = --version ] && echo my compiler 7 && exit\nexec g++ \"$@\"\n");
  std::filesystem::permissions(folder_.path("my-compiler"), std::filesystem::perms::owner_all);
  const Variable cxx("NVCC_CCBIN", folder_.path("my-compiler"));
  const auto other = NvccCompiler::open({});
  EXPECT_TRUE(other->version().ends_with(" with my compiler 7")) << other->version();
}

TEST_F(NvccCompilerTest, shows_bad_settings_of_the_environment_in_an_error) {
  {
    const Variable cxx("NVCC_CCBIN", folder_.path("absent"));
    EXPECT_TRUE(contains(message_of(NvccCompiler::open({})), "absent"));
  }
  const Variable flags("NVCC_APPEND_FLAGS", "--no-such-option");
  EXPECT_TRUE(contains(message_of(NvccCompiler::open({})), "no-such-option"));
}

// Needs CUTLASS: GKTUNE_CUTLASS names the folder that has its include/.
TEST_F(NvccCompilerTest, compiles_a_matrix_product_of_cutlass) {
  const char* const cutlass = std::getenv("GKTUNE_CUTLASS");
  if (cutlass == nullptr) GTEST_SKIP() << "GKTUNE_CUTLASS is not set";
  const std::filesystem::path space = GKTUNE_SOURCE_DIR "/bench/cutlass";
  for (const char* file : {"gemm.yaml", "gemm.cu", "gemm_reference.cu"})
    std::filesystem::copy(space / file, folder_.path(file));
  std::filesystem::create_directory_symlink(cutlass, folder_.path("cutlass"));
  const auto definition = read_space_file(folder_.path("gemm.yaml"), {.device_kind = "cuda"});
  ASSERT_TRUE(definition.ok()) << definition.error().front().str();
  Config config;
  for (const Parameter& parameter : definition->parameters)
    config.set(parameter.name, *parameter.default_value);
  const auto plan =
      resolve(definition->kernel, config, {{"m", 4096}, {"n", 4096}, {"k", 4096}}, made_up_gpu("sm_90"));
  for (const ProgramPlan* program : {&plan->candidate, &plan->reference}) {
    const CompiledVariant compiled = compile(program->source);
    EXPECT_EQ(compiled.status, Status::ok) << compiled.log;
  }
}

TEST(Nvcc, is_reported_in_one_line_if_it_is_missing) {
  const ScratchFolder folder;
  EXPECT_EQ(message_of(NvccCompiler::open({folder.path()})),
            "host code needs nvcc, which was not found: looked for " + folder.path("bin/nvcc"));
}

}  // namespace
}  // namespace gktune
