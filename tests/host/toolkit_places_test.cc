#include "tuner/device/host/compile/toolkit_places.h"

#include <gtest/gtest.h>

#include "tests/scratch_folder.h"

namespace gktune {
namespace {

using Paths = std::vector<std::string>;

class PlacesOfToolkit : public testing::Test {
 protected:
  ScratchFolder folder_;
};

TEST_F(PlacesOfToolkit, are_only_the_named_folder_for_libraries) {
  folder_.write("lib64/libnvrtc.so", "");
  folder_.write("targets/x86_64-linux/lib/libnvrtc.so", "");
  EXPECT_EQ(toolkit_library_dirs({folder_.path()}),
            (Paths{folder_.path("lib64"), folder_.path("targets/x86_64-linux/lib")}));
}

TEST_F(PlacesOfToolkit, are_none_if_the_named_folder_has_no_libraries) {
  EXPECT_TRUE(toolkit_library_dirs({folder_.path("no/such/folder")}).empty());
}

TEST_F(PlacesOfToolkit, are_first_the_named_folder_for_headers_and_cub) {
  folder_.write("include/cuda_fp16.h", "");
  folder_.write("include/cccl/cub/cub.cuh", "");
  EXPECT_EQ(toolkit_include_dirs({folder_.path()}, "/no/such/lib64/libnvrtc.so"),
            (Paths{folder_.path("include"), folder_.path("include/cccl")}));
}

TEST_F(PlacesOfToolkit, are_beside_the_library_that_was_found_for_headers) {
  folder_.write("include/cuda_fp16.h", "");
  folder_.write("lib64/libnvrtc.so", "");
  EXPECT_EQ(toolkit_include_dirs({}, folder_.path("lib64/libnvrtc.so")).front(), folder_.path("include"));
}

}  // namespace
}  // namespace gktune
