#include "tuner/device/cuda/compile/unused_kernels.h"

#include <gtest/gtest.h>

namespace gktune {
namespace {

TEST(unused_kernels, become_device_functions) {
  EXPECT_EQ(without_unused_kernels("__global__ void a() {}\nstatic __global__ void b(int* p) {}\n", {"a"}),
            "__global__ void a() {}\nstatic __device__ void b(int* p) {}\n");
}

TEST(unused_kernels, lose_the_attributes_of_kernels) {
  EXPECT_EQ(without_unused_kernels("__global__ void __launch_bounds__(f(1, 2))\nb() {}\n", {"a"}),
            "__device__ void \nb() {}\n");
}

TEST(unused_kernels, are_recognised_by_the_names_of_entries) {
  const std::string text = "__global__ void a() {}\n__global__ void ab() {}\n";
  EXPECT_EQ(without_unused_kernels(text, {"x::a", "ab"}), text);
  EXPECT_NE(without_unused_kernels(text, {"b"}), text);
}

TEST(unused_kernels, stay_unchanged_if_their_declaration_is_unusual) {
  for (const std::string text :
       {"template <int n>\n__global__ void b() {}\n", "#define K \\\n  __global__ void b() {}\n",
        "// __global__ void b() {}\n", "__global__ void b(const __grid_constant__ T p) {}\n", "__global__ ",
        "__global__ void b(", "__global__ auto x = 3;",
        "__global__ void b() {}\nvoid f() { a<<<1, 1>>>(); }\n"}) {
    EXPECT_EQ(without_unused_kernels(text, {"a"}), text);
  }
}

}  // namespace
}  // namespace gktune
