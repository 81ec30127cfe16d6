// gktune import of a script of Kernel Tuner: the script is read, never run.
#include "tests/engine/import/imported.h"

namespace gktune {
namespace {

constexpr const char* kScript = R"(#!/usr/bin/env python
import numpy as np
from collections import OrderedDict
from kernel_tuner import tune_kernel

kernel_string = """
__global__ void add(float* c, const float* a, const float* b, int n) {
  for (int i = (blockIdx.x * block_size_x + threadIdx.x) * per_thread, k = 0; k < per_thread; ++k, ++i)
    if (i < n) c[i] = a[i] + b[i];
}
"""
size = 72 * 1000
a = np.random.randn(size).astype(np.float32)   # 'quoted', in a comment
b = np.random.rand(size).astype(np.float32)
c = np.zeros_like(b)
n = np.int32(size)
args = [c, a, b, n]

tune_params = OrderedDict()
tune_params["block_size_x"] = [32*i for i in range(1, 9) if i % 2 == 0] + [1024]
tune_params["per_thread"] = [2**i for i in range(3)]
tune_params["hint"] = ["none", "ldg"]
tune_params["flag"] = [True, False]

restrict = ["block_size_x*per_thread <= 1024", lambda p: p["per_thread"] > 1 or p["hint"] == "none", strange]
restrict.append("flag or block_size_x > 64")
results, env = tune_kernel("add", kernel_string, size, args, tune_params,
                           grid_div_x=["block_size_x", "per_thread"], restrictions=restrict,
                           answer=[a + b, None, None, None])
)";

TEST_F(ImportTest, a_script_of_kernel_tuner_is_read_without_running_it) {
  const Imported made = import(kScript, "vector_add.py");
  const Definition& definition = made.definition;
  EXPECT_EQ(definition.kernel.name, "add");
  EXPECT_NE(definition.kernel.source_text.find("c[i] = a[i] + b[i]"), std::string::npos);
  EXPECT_EQ(text(made, "source:"), "source: vector_add.cu");
  ASSERT_EQ(definition.parameters.size(), 4u) << made.space.text;
  EXPECT_EQ(definition.parameters[0].values, (std::vector<Value>{64, 128, 192, 256, 1024}));
  EXPECT_EQ(definition.parameters[1].values, (std::vector<Value>{1, 2, 4}));
  EXPECT_EQ(definition.parameters[2].values, (std::vector<Value>{"none", "ldg"}));
  EXPECT_EQ(definition.parameters[3].values, (std::vector<Value>{true, false}));
  EXPECT_EQ(definition.constraints.size(), 3u) << made.space.text;
  EXPECT_EQ(text(made, "size:"), "size: [72000]");
  EXPECT_EQ(text(made, "a:"), "a: {type: float32, extent: \"size\", init: {normal: [0, 1]}}");
  EXPECT_EQ(text(made, "c:"), "c: {type: float32, extent: \"size\", role: out}");
  EXPECT_EQ(text(made, "n:"), "n: {type: int32, value: size}");
  EXPECT_EQ(text(made, "grid:"), "grid: ['ceil_div(size, block_size_x * per_thread)', '1', '1']");
  EXPECT_EQ(text(made, "block:"), "block: ['block_size_x', '1', '1']");
  EXPECT_EQ(made.space.notes[0], "the restriction strange could not be read: write it under constraints");
}

TEST_F(ImportTest, a_script_with_two_dimensions_and_a_dict) {
  folder_.write("mm.cu", "__global__ void mm(float* c, const float* a) { c[tile] = a[0]; }\n");
  const Imported made = import(
      "import numpy\nproblem = (1024, 512)\nheight, width = 512, 1024\n"
      "params = dict(block_size_x=[16, 32], block_size_y=list(range(2, 9, 2)), tile=(1, 2))\n"
      "a = numpy.random.rand(512, 1024).astype(numpy.float64)\nc = numpy.empty((512, 1024), dtype=numpy.float64)\n"
      "tune_kernel('mm', 'mm.cu', problem, [c, a], params, grid_div_y=['block_size_y', 'tile'])\n",
      "mm.py");
  EXPECT_EQ(text(made, "grid:"), "grid: ['ceil_div(size_x, block_size_x)', 'ceil_div(size_y, block_size_y * tile)', '1']");
  EXPECT_EQ(text(made, "c:"), "c: {type: float64, extent: \"512 * 1024\", role: out}");
  EXPECT_EQ(text(made, "block_size_y:"), "block_size_y: [2, 4, 6, 8]");
}

TEST_F(ImportTest, bad_scripts_get_one_line) {
  EXPECT_EQ(error("print(1)\n", "a.py"), "a.py: it does not call tune_kernel()");
  EXPECT_EQ(error("tune_kernel('k', 'k.cu')\n", "a.py"), "a.py: tune_kernel() has no problem_size");
  const auto with = [&](const std::string& parameters, const std::string& size = "8", const std::string& arguments = "[]") {
    return error("tune_kernel('k', 'k.cu', " + size + ", " + arguments + ", " + parameters + ")\n", "a.py");
  };
  EXPECT_EQ(with("make()"), "a.py: tune_params is no dict that can be read without running the script: make()");
  EXPECT_EQ(with("{}"), "a.py: tune_params is empty");
  EXPECT_EQ(with("{'x': load('f')}"),
            "a.py: the values of 'x' are no list that can be read without running the script: load('f')");
  EXPECT_EQ(with("{'x': []}").substr(0, 30), "a.py: the values of 'x' are no");
  EXPECT_EQ(with("{3: [1]}"), "a.py: tune_params: '3: [1]' is not a name with a list");
  EXPECT_EQ(with("{'x': [1]}", "f()"), "a.py: the problem size 'f()' is no number that can be read without running the script");
  EXPECT_EQ(with("{'x': [1]}", "8", "f()"), "a.py: the arguments are no list that can be read without running the script: f()");
  EXPECT_EQ(error("tune_kernel(k(), 'k.cu', 8, [], {'x': [1]})\n", "a.py"), "a.py: kernel_name is no text: k()");
  EXPECT_EQ(error("tune_kernel('k', s(), 8, [], {'x': [1]})\n", "a.py"), "a.py: kernel_source is no text: s()");
}

}  // namespace
}  // namespace gktune
