// gktune import of a CUDA source and of a script of Kernel Tuner: the space file reads, and says what the file says.
#include <gtest/gtest.h>

#include <fstream>

#include "engine/import/import_space.h"
#include "tests/scratch_folder.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

constexpr const char* kScale = R"(#include <cstdio>
#include <vector>
#include <cublas_v2.h>
#define TILE 16
#define WARP_SIZE 32
#define CHECK(call) do { cudaError_t e = call; if (e) { fprintf(stderr, "%d\n", e); exit(1); } } while (0)
constexpr int PER_THREAD = 4;
__global__ void scale(const float* __restrict__ in, float* __restrict__ out, float factor, int n) {
  __shared__ float tile[TILE];
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * PER_THREAD;
  if (threadIdx.x < TILE % WARP_SIZE) tile[threadIdx.x] = factor;
  for (int k = 0; k < PER_THREAD; ++k) if (i + k < n) out[i + k] = in[i + k] * factor;
}
int main() {
  const int n = 1 << 20;
  const size_t bytes = n * sizeof(float);
  float *d_in, *d_out;
  CHECK(cudaMalloc(&d_in, bytes));
  CHECK(cudaMalloc((void**)&d_out, sizeof(float) * n));
  dim3 block(TILE * TILE);
  dim3 grid((n + block.x * PER_THREAD - 1) / (block.x * PER_THREAD));
  scale<<<grid, block>>>(d_in, d_out, 2.5f, n);
}
)";

// The definition that the imported text of a source gives, and the text.
struct Imported {
  ImportedSpace space;
  Definition definition;
};

class ImportTest : public testing::Test {
 protected:
  Imported import(const std::string& source, const std::string& name = "kernel.cu", const SpaceImport& options = {}) {
    folder_.write(name, source);
    SpaceImport own = options;
    own.folder = folder_.path("");
    auto space = import_space(folder_.path(name), own);
    EXPECT_TRUE(space.ok()) << (space ? "" : space.error().message);
    if (!space) return {};
    for (const auto& [file, text] : space->files) folder_.write(file, text);
    folder_.write("space.yaml", space->text);
    auto read = read_space_file(folder_.path("space.yaml"), {});
    EXPECT_TRUE(read.ok()) << (read ? "" : read.error().front().str()) << "\n" << space->text;
    return {*std::move(space), read ? *std::move(read) : Definition()};
  }
  std::string error(const std::string& source, const std::string& name = "kernel.cu", const std::string& kernel = {}) {
    const auto space = import_space_text(source, name, {kernel, {}});
    return space ? "no error" : space.error().message;
  }
  static std::string text(const Imported& imported, const std::string& line_start) {
    std::istringstream lines(imported.space.text);
    for (std::string line; std::getline(lines, line);) {
      const auto at = line.find_first_not_of(' ');
      if (at != std::string::npos && line.compare(at, line_start.size(), line_start) == 0) return line.substr(at);
    }
    return "no line " + line_start + " in\n" + imported.space.text;
  }
  ScratchFolder folder_;
};

TEST_F(ImportTest, a_whole_program_gives_its_kernel_its_macros_and_its_launch) {
  const Imported made = import(kScale);
  EXPECT_EQ(text(made, "kernel:"), "kernel: scale");
  EXPECT_EQ(text(made, "source:"), "source: kernel.cu");
  EXPECT_EQ(text(made, "n: ["), "n: [1048576]");
  EXPECT_EQ(text(made, "TILE:"), "TILE: {values: [4, 8, 16, 32, 64], default: 16}");
  EXPECT_EQ(text(made, "PER_THREAD:"), "PER_THREAD: {values: [1, 2, 4, 8, 16], default: 4}");
  EXPECT_EQ(made.definition.parameters.size(), 2u) << made.space.text;
  EXPECT_EQ(text(made, "in:"), "in: {type: float32, extent: \"n\", init: {uniform: [0, 1]}}");
  EXPECT_EQ(text(made, "out:"), "out: {type: float32, extent: \"n\", role: out}");
  EXPECT_EQ(text(made, "factor:"), "factor: {type: float32, value: 2.5}");
  EXPECT_EQ(text(made, "n: {"), "n: {type: int32, value: n}");
  EXPECT_EQ(text(made, "grid:"), "grid: \"ceil_div(n, TILE * TILE * PER_THREAD)\"");
  EXPECT_EQ(text(made, "block:"), "block: \"TILE * TILE\"");
}

TEST_F(ImportTest, a_literal_block_becomes_a_parameter_that_the_grid_follows) {
  for (const std::string launch :
       {"k<<<(n + 255) / 256, 256>>>(x, n);", "int threads = 256, blocks = (n + threads - 1) / threads; k<<<blocks, threads>>>(x, n);",
        "dim3 b(256); dim3 g((n + b.x - 1) / b.x); k<<<g, b>>>(x, n);", "k<<<div_up(n, 256), 256, 0, stream>>>(x, n);",
        "k<<<ceil((float)n / 256), 256>>>(x, n);"}) {
    const Imported made = import("__global__ void k(float* x, int n) { x[0] += 1; }\nvoid run(float* x) {\n  int n = 5000;\n  " + launch + "\n}\n");
    EXPECT_EQ(text(made, "grid:"), "grid: \"ceil_div(n, threadsPerBlock)\"") << launch;
    EXPECT_EQ(text(made, "block:"), "block: \"threadsPerBlock\"") << launch;
    EXPECT_EQ(text(made, "threadsPerBlock:"), "threadsPerBlock: {values: [64, 128, 256, 512, 1024], default: 256}");
    EXPECT_EQ(text(made, "x:"), "x: {type: float32, extent: \"n\", role: inout, init: {uniform: [0, 1]}}  # the extent is a guess");
  }
}

TEST_F(ImportTest, a_tiled_kernel_of_two_dimensions) {
  const Imported made = import(
      "#define BLOCK 16\n#define WIDTH 2048\n"
      "template <typename T> __global__ void transpose(const T* in, T* out, int width, int height) {\n"
      "  __shared__ T tile[BLOCK][BLOCK + 1];\n  out[0] = in[WIDTH];\n}\n"
      "int main() {\n  int h = 1024;\n  double *a, *b;\n  cudaMalloc(&a, WIDTH * h * sizeof(double));\n"
      "  dim3 threads(BLOCK, BLOCK);\n  dim3 blocks((WIDTH + BLOCK - 1) / BLOCK, (h + BLOCK - 1) / BLOCK);\n"
      "  transpose<double><<<blocks, threads>>>(a, b, WIDTH, h);\n}\n");
  EXPECT_EQ(text(made, "WIDTH:"), "WIDTH: {values: [2048], macro: WIDTH}");
  EXPECT_EQ(text(made, "h:"), "h: [1024]");
  EXPECT_EQ(text(made, "grid:"), "grid: [\"ceil_div(WIDTH, BLOCK)\", \"ceil_div(h, BLOCK)\"]");
  EXPECT_EQ(text(made, "block:"), "block: [\"BLOCK\", \"BLOCK\"]");
  EXPECT_EQ(text(made, "entry:"), "entry: \"transpose<double>\"");
  EXPECT_EQ(text(made, "in:"), "in: {type: float64, extent: \"WIDTH * h\", init: {uniform: [0, 1]}}");
}

TEST_F(ImportTest, aliases_lists_of_dim3_and_defaults_of_arguments_are_read) {
  const Imported made = import(
      "typedef double real;\nusing word = unsigned int;\n"
      "__global__ void k(const real* in, word* out, int n) { out[0] = in[n]; }\n"
      "int main(int argc, char** argv) {\n  const int n = argc > 1 ? atoi(argv[1]) : 1024;\n"
      "  dim3 block(8, 8), grid((n + 7) / 8, n / 8);\n  k<<<grid, block>>>(a, b, n);\n}\n");
  EXPECT_EQ(text(made, "n: ["), "n: [1024]");
  EXPECT_EQ(text(made, "in:").substr(0, 20), "in: {type: float64, ");
  EXPECT_EQ(text(made, "out:").substr(0, 20), "out: {type: uint32, ");
  EXPECT_EQ(text(made, "block:"), "block: [\"threadsPerBlock\", \"threadsPerBlockY\"]");
  EXPECT_EQ(text(made, "grid:"), "grid: [\"ceil_div(n, threadsPerBlock)\", \"n // threadsPerBlockY\"]");
}

TEST_F(ImportTest, comments_and_notes_say_what_was_guessed) {
  const Imported made = import(
      "__global__ void first(float* x) { x[threadIdx.x] = 1; }\n"
      "__global__ void second(const int* in, int* sum) { atomicAdd(&sum[0], in[threadIdx.x]); }\n"
      "void run(float* x, int* y, int* z) { second<<<blocks_for(3), how_many(), 1024>>>(y, z); first<<<1, 32>>>(x); }\n");
  EXPECT_EQ(text(made, "kernel:"), "kernel: second");
  EXPECT_NE(text(made, "grid:").find("# a guess: the source says blocks_for(3)"), std::string::npos) << made.space.text;
  EXPECT_NE(text(made, "block:").find("# the source says how_many()"), std::string::npos);
  EXPECT_EQ(text(made, "sum:"), "sum: {type: int32, extent: \"n\", role: inout, init: zero}  # the extent is a guess");
  EXPECT_EQ(text(made, "shared:"), "shared: \"1024\"");
  std::string notes;
  for (const std::string& each : made.space.notes) notes += each + '\n';
  EXPECT_NE(notes.find("this is for the kernel second of first, second; name another to import that one"), std::string::npos)
      << notes;
  EXPECT_NE(notes.find("there is no reference"), std::string::npos);
  EXPECT_EQ(text(import(made.definition.kernel.source_text, "other.cu", {"first", {}}), "kernel:"), "kernel: first");
}

TEST_F(ImportTest, a_kernel_without_a_launch_gets_a_guess) {
  const Imported made = import("__global__ void k(const float4* in, float4* out, int count) { out[0] = in[0]; }\n");
  EXPECT_EQ(text(made, "count: ["), "count: [1048576]");
  EXPECT_EQ(text(made, "in:"), "in: {type: float32, extent: \"count * 4\", init: {uniform: [0, 1]}}  # the extent is a guess");
  EXPECT_NE(text(made, "grid:").find("a guess"), std::string::npos);
}

TEST_F(ImportTest, bad_sources_get_one_line) {
  EXPECT_EQ(error("int main() {}\n"), "kernel.cu: it has no kernel (no __global__ function)");
  EXPECT_EQ(error(kScale, "kernel.cu", "other"), "kernel.cu: it has no kernel 'other'; its kernels are scale");
  EXPECT_EQ(error("#define LIST int x, int y\n__global__ void k(LIST) {}\n"),
            "kernel.cu: the parameters of 'k' do not show: a macro or #if hides them");
  EXPECT_EQ(error("kernel: x\n", "space.yaml"),
            "space.yaml: neither a CUDA source (.cu), a script of Kernel Tuner (.py), a T1 file (JSON) nor a source "
            "with %RANGE% comments");
}

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
