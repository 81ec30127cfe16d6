// `gktune import` of a script of Kernel Tuner reads the script without running it.
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
  EXPECT_EQ(text(made, "a:"), "a: {type: float32, extent: size, init: {normal: [0, 1]}}");
  EXPECT_EQ(text(made, "c:"), "c: {type: float32, extent: size, role: out}");
  EXPECT_EQ(text(made, "n:"), "n: {type: int32, value: size}");
  EXPECT_EQ(text(made, "grid:"), "grid: ceil_div(size, block_size_x * per_thread)");
  EXPECT_EQ(text(made, "block:"), "block: block_size_x");
  EXPECT_EQ(made.space.notes[1], "the restriction strange could not be read: write it under constraints");
}

TEST_F(ImportTest, a_script_with_two_dimensions_and_a_dict_is_read) {
  folder_.write("mm.cu", "__global__ void mm(float* c, const float* a) { c[tile] = a[0]; }\n");
  const Imported made = import(
      "import numpy\nproblem = (1024, 512)\nheight, width = 512, 1024\n"
      "params = dict(block_size_x=[16, 32], block_size_y=list(range(2, 9, 2)), tile=(1, 2))\n"
      "a = numpy.random.rand(512, 1024).astype(numpy.float64)\nc = numpy.empty((512, 1024), "
      "dtype=numpy.float64)\n"
      "tune_kernel('mm', 'mm.cu', problem, [c, a], params, grid_div_y=['block_size_y', 'tile'])\n",
      "mm.py");
  EXPECT_EQ(text(made, "grid:"),
            "grid: [\"ceil_div(size_x, block_size_x)\", \"ceil_div(size_y, block_size_y * tile)\"]");
  EXPECT_EQ(text(made, "c:"), "c: {type: float64, extent: 512 * 1024, role: out}");
  EXPECT_EQ(text(made, "block_size_y:"), "block_size_y: [2, 4, 6, 8]");
}

TEST_F(ImportTest, expressions_of_sizes_in_a_script_are_evaluated) {
  folder_.write("mm.cu",
                "extern \"C\" __global__ void mm(float* c, const float* a, const float* b, int n) { c[tile] "
                "= a[0] * b[n]; }\n");
  const Imported made = import(
      "import numpy as np\nfrom kernel_tuner import tune_kernel\ndef tune():\n"
      "    problem_size = (512, 256)\n    size = np.prod(problem_size)\n    border = (17 // 2 * 2, 4)\n    "
      "rows, columns = 100, int(2e3)\n"
      "    with open('mm.cu') as f:\n        source = f.read()\n"
      "    a = np.random.randn(*problem_size).astype(np.float32)\n"
      "    b = np.random.uniform(-1, 2, size=(problem_size[0] + border[0]) * "
      "problem_size[-1]).astype(np.float32)\n"
      "    c = np.zeros((rows, columns), dtype=np.float32)\n    args = [c, a, b, np.int32(problem_size[1])]\n"
      "    params = dict()\n    params['block_size_x'] = [1 << 5, 64]\n    params['tile'] = [border[1], "
      "len(border)]\n"
      "    tune_kernel('mm', source, problem_size, args, params, compiler_options=['-O3', f'-DN={size}'])\n",
      "mm.py");
  EXPECT_EQ(text(made, "source:"), "source: mm.cu");
  EXPECT_EQ(text(made, "block_size_x:"), "block_size_x: [32, 64]");
  EXPECT_EQ(text(made, "tile:"), "tile: [4, 2]");
  EXPECT_EQ(text(made, "a:"), "a: {type: float32, extent: size_x * size_y, init: {normal: [0, 1]}}");
  EXPECT_EQ(text(made, "b:"),
            "b: {type: float32, extent: (size_x + (17 // 2 * 2)) * size_y, init: {uniform: [-1, 2]}}");
  EXPECT_EQ(text(made, "c:"), "c: {type: float32, extent: rows * columns, role: out}");
  EXPECT_EQ(text(made, "columns:"), "columns: [2000]");
  EXPECT_EQ(text(made, "argument3:"), "argument3: {type: int32, value: size_y}");
  EXPECT_EQ(text(made, "- -O3"), "- -O3");
  EXPECT_EQ(made.space.notes[0],
            "the compiler option f'-DN={size}' could not be read: add it to the options");
}

TEST_F(ImportTest, restrictions_may_be_texts_lambdas_and_functions) {
  folder_.write("k.cu", "__global__ void k(float* x) { x[A * B] = 1; }\n");
  const Imported made = import(
      "import numpy as np\nlimit = 64\ndef small(p):\n    return p['A'] < p.B\ndef long_one(p):\n    x = "
      "p['A']\n    return x\n"
      "def short_one(A, B): return A % 2 == 0 or B > 2\n"
      "limits = ['A * B <= limit', lambda A, B: A != 3 * B, lambda p: p['A'] + p['B'] > 2, small, long_one, "
      "short_one]\n"
      "limits += [\"A < 8 or B > 1\"]\n"
      "tune_kernel('k', 'k.cu', 100, [np.zeros(100, np.float32)], {'A': [1, 2, 4], 'B': [2, 3]}, "
      "restrictions=limits)\n",
      "k.py");
  std::vector<std::string> constraints;
  for (const auto& each : made.definition.constraints) constraints.push_back(each.condition.text());
  EXPECT_EQ(constraints, (std::vector<std::string>{"A * B <= 64", "A != 3 * B", "A + B > 2", "A < B",
                                                   "A % 2 == 0 or B > 2", "A < 8 or B > 1"}));
  EXPECT_EQ(made.space.notes[0], "the restriction long_one could not be read: write it under constraints");
}

TEST_F(ImportTest, roles_come_from_the_kernel_and_expected_answers_from_the_call) {
  const Imported made = import(
      "import numpy as np\nsource = \"\"\"\n__constant__ float weights[5];\n"
      "template <typename T> __global__ void count(const T* data, unsigned int* bins, float* sums, float* "
      "state, int n) {\n"
      "  atomicAdd(&bins[data[0] % NBINS], 1u); sums[0] = weights[0]; state[n] += THREADS * "
      "HALF;\n}\n\"\"\"\n"
      "NBINS = 256\nn = int(1e5)\nweights = np.ones(5).astype(np.float32)\n"
      "data = np.random.randint(0, NBINS, size=n, dtype=np.uint8)\nbins = "
      "np.zeros(NBINS).astype(np.uint32)\nsums = np.empty(n, np.float32)\n"
      "state = np.random.rand(n).astype(np.float32)\n"
      "tune_kernel(kernel_name='count<unsigned char>', kernel_source=source, problem_size='BLOCKS', "
      "arguments=[data, bins, sums, state, np.int32(n)],\n"
      "  tune_params={'THREADS': [64, 128], 'BLOCKS': [10, 20]}, block_size_names=['THREADS'], "
      "grid_div_x=[],\n"
      "  defines={'THREADS': 'THREADS', 'NBINS': NBINS, 'HALF': lambda p: p['THREADS'] // 2}, "
      "cmem_args={'weights': weights},\n"
      "  smem_args=dict(size='THREADS * 4'), answer=[None, expected(), None, None, None], atol=1e-3,\n"
      "  metrics={'GB/s': lambda p: n / p['time'] / 1e6}, objective='GB/s', "
      "objective_higher_is_better=True)\n",
      "count.py");
  EXPECT_EQ(text(made, "kernel:"), "kernel: count");
  EXPECT_EQ(text(made, "entry:"), "entry: count<unsigned char>");
  EXPECT_EQ(text(made, "NBINS:"), "NBINS: {values: [256], macro: NBINS}");
  EXPECT_EQ(text(made, "- -D"), "- -DHALF={THREADS // 2}");
  EXPECT_EQ(text(made, "data:"), "data: {type: uint8, extent: n, init: {uniform: [0, 255]}}");
  EXPECT_EQ(text(made, "bins:"), "bins: {type: uint32, extent: NBINS, role: inout, init: zero}");
  EXPECT_EQ(text(made, "sums:"), "sums: {type: float32, extent: n, role: out, check: none}");
  EXPECT_EQ(text(made, "state:"),
            "state: {type: float32, extent: n, role: inout, init: {uniform: [0, 1]}, check: none}");
  EXPECT_EQ(text(made, "weights:"),
            "weights: {type: float32, extent: 5, symbol: weights, init: {constant: 1}}");
  EXPECT_EQ(text(made, "grid:"), "grid: BLOCKS");
  EXPECT_EQ(text(made, "block:"), "block: THREADS");
  EXPECT_EQ(text(made, "shared:"), "shared: THREADS * 4");
  EXPECT_EQ(text(made, "GB/s:"), "GB/s: n / (time_s * 1e3) / 1e6");
  EXPECT_EQ(text(made, "objective:"), "objective: {maximize: GB/s}");
  EXPECT_EQ(made.space.notes.back(),
            "there is no reference: add one, so that outputs are checked; answer says what it computes, "
            "within check: {absolute: 1e-3}");
}

TEST_F(ImportTest, one_statement_can_assign_several_names) {
  const Imported made = import(
      "import numpy as np\nfrom kernel_tuner import tune_kernel\nrows = columns = 512\n"
      "x = np.zeros((rows, columns), np.float32)\n"
      "tune_kernel('k', '''\n__global__ void k(float* x, int columns) { x[0] = 1; }\n''', (columns, rows), "
      "[x, np.int32(columns)],\n"
      "  {'block_size_x': [32, 64]})\n",
      "chain.py");
  EXPECT_EQ(text(made, "rows:"), "rows: [512]");
  EXPECT_EQ(text(made, "columns:"), "columns: [512]");
  EXPECT_EQ(text(made, "x:"), "x: {type: float32, extent: rows * columns, role: out}");
}
TEST_F(ImportTest, a_number_that_is_the_problem_size_follows_it) {
  const Imported made = import(
      "import numpy as np\nfrom kernel_tuner import tune_kernel\nn = np.int32(5_000_000)\nx = np.zeros(n, "
      "np.float32)\n"
      "tune_kernel('k', '''\n__global__ void k(float* x, int n) { x[0] = n; }\n''', n, [x, n], "
      "{'block_size_x': [32, 64]})\n",
      "number.py");
  EXPECT_EQ(text(made, "n: ["), "n: [5000000]");
  EXPECT_EQ(text(made, "n: {"), "n: {type: int32, value: n}");
}

TEST_F(ImportTest, bad_scripts_give_an_error_of_one_line) {
  EXPECT_EQ(error("print(1)\n", "a.py"), "a.py: it does not call tune_kernel()");
  EXPECT_EQ(error("tune_kernel('k', 'k.cu')\n", "a.py"), "a.py: tune_kernel() has no problem_size");
  const auto with = [&](const std::string& parameters, const std::string& size = "8",
                        const std::string& arguments = "[]") {
    return error("tune_kernel('k', 'k.cu', " + size + ", " + arguments + ", " + parameters + ")\n", "a.py");
  };
  EXPECT_EQ(with("make()"),
            "a.py: tune_params is no dict that can be read without running the script: make()");
  EXPECT_EQ(with("{}"), "a.py: tune_params is empty");
  EXPECT_EQ(with("{'x': load('f')}"),
            "a.py: the values of 'x' are no list that can be read without running the script: load('f')");
  EXPECT_EQ(with("{'x': []}").substr(0, 30), "a.py: the values of 'x' are no");
  EXPECT_EQ(with("{3: [1]}"), "a.py: tune_params: '3: [1]' is not a name with a list");
  EXPECT_EQ(with("{'x': [1]}", "f()"),
            "a.py: the problem size 'f()' is no number that can be read without running the script");
  EXPECT_EQ(with("{'x': [1]}", "8", "f()"),
            "a.py: the arguments are no list that can be read without running the script: f()");
  EXPECT_EQ(error("tune_kernel(k(), 'k.cu', 8, [], {'x': [1]})\n", "a.py"),
            "a.py: kernel_name is no text: k()");
  EXPECT_EQ(error("tune_kernel('k', s(), 8, [], {'x': [1]})\n", "a.py"),
            "a.py: kernel_source is no text: s()");
}

}  // namespace
}  // namespace gktune
