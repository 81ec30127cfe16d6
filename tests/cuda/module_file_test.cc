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
  ASSERT_TRUE(back.ok()) << back.error().message;
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

}  // namespace
}  // namespace gktune
