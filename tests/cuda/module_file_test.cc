#include "tuner/device/cuda/compile/module_file.h"

#include <gtest/gtest.h>

#include "tests/scratch_folder.h"

namespace gktune {
namespace {

const CompiledModule kModule{std::string(5000, 'x'), {{"k", 24, 8, 16, 1024}}};

TEST(module_file, holds_the_code_and_the_resources_of_its_kernels) {
  ScratchFolder folder;
  folder.write("a.code", pack_module(kModule));
  const auto back = read_module(folder.path("a.code"));
  EXPECT_EQ(back->cubin, kModule.cubin);
  EXPECT_EQ(back->kernels, kModule.kernels);
}

TEST(module_file, is_an_error_if_it_is_damaged_or_missing) {
  ScratchFolder folder;
  EXPECT_EQ(read_module(folder.path("no")).error().message, "no compiled module at " + folder.path("no"));
  folder.write("text", "no module");
  EXPECT_FALSE(read_module(folder.path("text")).ok());
  folder.write("half", "gktune module 1\n{\"packing\":\"zstd\",\"size\":5000,\"kernels\":[]}\nabc");
  EXPECT_FALSE(read_module(folder.path("half")).ok());
}

TEST(compile_log, reads_the_resources_of_each_kernel) {
  const auto log = read_compile_log(
      "ptxas info    : 70 bytes gmem\n"
      "ptxas info    : Compiling entry function '_Z5spillPf' for 'sm_90a'\n"
      "ptxas info    : Function properties for _Z5spillPf\n"
      "ptxas         .     768 bytes stack frame, 1752 bytes spill stores, 1748 bytes spill loads\n"
      "ptxas info    : Used 24 registers, used 1 barriers, 768 bytes cumulative stack size, 4096 bytes smem\n"
      "ptxas info    : Compile time = 86.469 ms\n"
      "ptxas info    : Compiling entry function 'b' for 'sm_90a'\n"
      "ptxas info    : Function properties for b\n"
      "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 255 registers\n");
  EXPECT_TRUE(log.messages.empty());
  EXPECT_EQ(log.kernels,
            (std::vector<KernelResources>{{"_Z5spillPf", 24, 768, 3500, 4096}, {"b", 255, 0, 0, 0}}));
}

TEST(compile_log, keeps_messages_with_their_lines) {
  const auto log = read_compile_log(
      "k.cu(4): error: identifier \"bad\" is undefined\n"
      "  p[0]=bad;\n"
      "       ^\n"
      "\n"
      "k.cu(4): error: static assertion failed\n"
      "          detected during instantiation of \"void t<N>(int *)\" \n"
      "\n"
      "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n"
      "2 errors detected in the compilation of \"k.cu\".\n"
      "ptxas fatal   : Unresolved extern function '_Z5otheri'\n");
  ASSERT_EQ(log.messages.size(), 3u);
  EXPECT_EQ(log.messages[0], "k.cu(4): error: identifier \"bad\" is undefined\n  p[0]=bad;\n       ^\n");
  EXPECT_EQ(log.messages[2], "ptxas fatal   : Unresolved extern function '_Z5otheri'\n");
}

TEST(compile_log, is_empty_without_output_about_kernels) {
  EXPECT_TRUE(read_compile_log("").messages.empty());
  EXPECT_TRUE(read_compile_log("ptxas info    : Used 3 registers\n").kernels.empty());
}

}  // namespace
}  // namespace gktune
