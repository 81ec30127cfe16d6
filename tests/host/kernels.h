#pragma once

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "tuner/device/host/compile/host_compiler.h"
#include "tuner/device/host/execute/executor.h"
#include "tuner/device/host/execute/shared_object.h"

namespace gktune {

// The compilers of this machine that kernels are tested with.
std::vector<std::string> compilers();
// A folder for compiled kernels that all tests share.
std::string kernel_cache();

// A source to compile under test.
SourcePlan kernel_source(std::string text, std::vector<std::string> entries,
                         std::vector<std::pair<std::string, std::string>> macros = {});
// Compiles one source. The test fails if that fails.
Module compile_kernel(const std::string& cxx, const SourcePlan& source);
CompiledVariant try_compile(const std::string& cxx, const SourcePlan& source);

// The entries of one loaded source, run by their number. The code is instrumented if there is a watch.
class Kernels {
 public:
  Kernels(const std::string& cxx, SourcePlan source, ExecutionSettings settings = {.threads = 2});

  Executor& executor() { return executor_; }
  SharedObject& module() { return module_; }

  template <class... A>
  Result<void, Failure> launch(std::size_t entry, const LaunchShape& shape, A... arguments) {
    std::array<void*, sizeof...(A)> pointers{&arguments...};
    return module_.launch(executor_, entry, shape, pointers);
  }
  // Fails the test if the kernel fails.
  template <class... A>
  void run(std::size_t entry, const LaunchShape& shape, A... arguments) {
    const Result<void, Failure> result = launch(entry, shape, arguments...);
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
  }

 private:
  SharedObject module_;
  Executor executor_;
};

LaunchShape shape(std::int64_t blocks, std::int64_t threads, std::int64_t shared_bytes = 0);

// A test for each compiler.
class WithEachCompiler : public testing::TestWithParam<std::string> {};
std::string compiler_label(const testing::TestParamInfo<std::string>& info);

#define GKTUNE_WITH_EACH_COMPILER(suite) \
  INSTANTIATE_TEST_SUITE_P(, suite, testing::ValuesIn(compilers()), compiler_label)

}  // namespace gktune
