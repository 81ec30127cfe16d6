#include "tuner/device/cuda/compile/toolkit.h"

#include <gtest/gtest.h>

#include "tests/scratch_folder.h"

namespace gktune {
namespace {

using Paths = std::vector<std::string>;

class Toolkit : public testing::Test {
 protected:
  ScratchFolder folder_;
};

TEST_F(Toolkit, named_folder_is_the_only_one_searched_for_libraries) {
  folder_.write("lib64/libnvrtc.so", "");
  folder_.write("targets/x86_64-linux/lib/libnvrtc.so", "");
  EXPECT_EQ(toolkit_library_dirs({folder_.path()}),
            (Paths{folder_.path("lib64"), folder_.path("targets/x86_64-linux/lib")}));
}

TEST_F(Toolkit, named_folder_without_libraries_has_no_folder_to_search) {
  EXPECT_TRUE(toolkit_library_dirs({folder_.path("no/such/folder")}).empty());
}

TEST_F(Toolkit, headers_of_the_named_folder_come_first_and_those_of_cub_with_them) {
  folder_.write("include/cuda_fp16.h", "");
  folder_.write("include/cccl/cub/cub.cuh", "");
  EXPECT_EQ(toolkit_include_dirs({folder_.path()}, "/no/such/lib64/libnvrtc.so"),
            (Paths{folder_.path("include"), folder_.path("include/cccl")}));
}

TEST_F(Toolkit, headers_are_those_of_the_library_that_was_found) {
  folder_.write("include/cuda_fp16.h", "");
  folder_.write("lib64/libnvrtc.so", "");
  EXPECT_EQ(toolkit_include_dirs({}, folder_.path("lib64/libnvrtc.so")).front(), folder_.path("include"));
}

}  // namespace
}  // namespace gktune
