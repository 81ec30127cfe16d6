// `gktune import` of a CUDA source writes a valid space file with the facts of the source.
#include <algorithm>

#include "tests/engine/import/imported.h"

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

// Outputs that are compared with those of the default configuration.
const std::string kRounding = ", check: {absolute: 1e-4, relative: 1e-4}";

TEST_F(ImportTest, a_program_gives_its_kernel_its_macros_and_its_launch) {
  const Imported made = import(kScale);
  EXPECT_EQ(text(made, "kernel:"), "kernel: scale");
  EXPECT_EQ(text(made, "source:"), "source: kernel.cu");
  EXPECT_EQ(text(made, "n: ["), "n: [1048576]");
  EXPECT_EQ(text(made, "TILE:"), "TILE: {values: [4, 8, 16, 32, 64], default: 16}");
  EXPECT_EQ(text(made, "PER_THREAD:"), "PER_THREAD: {values: [1, 2, 4, 8, 16], default: 4}");
  EXPECT_EQ(made.definition.parameters.size(), 2u) << made.space.text;
  EXPECT_EQ(text(made, "in:"), "in: {type: float32, extent: n, init: {uniform: [0, 1]}}");
  EXPECT_EQ(text(made, "out:"), "out: {type: float32, extent: n, role: out" + kRounding + "}");
  EXPECT_EQ(text(made, "factor:"), "factor: {type: float32, value: 2.5}");
  EXPECT_EQ(text(made, "n: {"), "n: {type: int32, value: n}");
  EXPECT_EQ(text(made, "grid:"), "grid: ceil_div(n, TILE * TILE * PER_THREAD)");
  EXPECT_EQ(text(made, "block:"), "block: TILE * TILE");
}

TEST_F(ImportTest, a_literal_block_becomes_a_parameter_that_the_grid_follows) {
  for (const std::string launch :
       {"k<<<(n + 255) / 256, 256>>>(x, n);",
        "int threads = 256, blocks = (n + threads - 1) / threads; k<<<blocks, threads>>>(x, n);",
        "dim3 b(256); dim3 g((n + b.x - 1) / b.x); k<<<g, b>>>(x, n);",
        "k<<<div_up(n, 256), 256, 0, stream>>>(x, n);", "k<<<ceil((float)n / 256), 256>>>(x, n);"}) {
    const Imported made = import(
        "__global__ void k(float* x, int n) { x[0] += 1; }\nvoid run(float* x) {\n  int n = 5000;\n  " +
        launch + "\n}\n");
    EXPECT_EQ(text(made, "grid:"), "grid: ceil_div(n, threadsPerBlock)") << launch;
    EXPECT_EQ(text(made, "block:"), "block: threadsPerBlock") << launch;
    EXPECT_EQ(text(made, "threadsPerBlock:"),
              "threadsPerBlock: {values: [64, 128, 256, 512, 1024], default: 256}");
    EXPECT_EQ(
        text(made, "x:"),
        "x: {type: float32, extent: {guess: n}, role: inout, init: {uniform: [0, 1]}" + kRounding + "}");
  }
}

TEST_F(ImportTest, several_sizes_that_are_guesses_have_a_million_elements_together) {
  const Imported made =
      import("__global__ void k(float* x, int rows, int columns) { x[rows * columns - 1] = 1; }\n");
  EXPECT_EQ(text(made, "rows: ["), "rows: [1024]");
  EXPECT_EQ(text(made, "columns: ["), "columns: [1024]");
  EXPECT_EQ(text(import("__global__ void k(float* x) { x[threadIdx.x] = 1; }\n"), "n: ["), "n: [1048576]");
}

TEST_F(ImportTest, a_tiled_kernel_of_two_dimensions_is_read) {
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
  EXPECT_EQ(text(made, "block:"), "block: [BLOCK, BLOCK]");
  EXPECT_EQ(text(made, "entry:"), "entry: transpose<double>");
  EXPECT_EQ(text(made, "in:"), "in: {type: float64, extent: WIDTH * h, init: {uniform: [0, 1]}}");
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
  EXPECT_EQ(text(made, "block:"), "block: [threadsPerBlock, threadsPerBlockY]");
  EXPECT_EQ(text(made, "grid:"), "grid: [\"ceil_div(n, threadsPerBlock)\", n // threadsPerBlockY]");
}

TEST_F(ImportTest, a_block_macro_that_the_kernel_uses_keeps_its_name) {
  for (const std::string setting :
       {"#define BX 16\n#define BY 8\n", "const int BX = 16;\nconst int BY = 8;\n",
        "enum { BX = 16, BY = 8 };\n", "constexpr int BX = 16, BY = 8;\n"}) {
    const Imported made = import(setting +
                                 "__global__ void k(const float* a, float* c, int m, int n) {\n"
                                 "  __shared__ float tile[BY][BX];\n  c[blockIdx.x * BX + BY] = a[0];\n}\n"
                                 "int main() {\n  int m = 100, n = 70;\n  dim3 block(BX, BY);\n"
                                 "  dim3 grid((n + block.x - 1) / block.x, (m - 1) / BY + 1);\n  k<<<grid, "
                                 "block>>>(a, c, m, n);\n}\n");
    EXPECT_EQ(text(made, "BX:"), "BX: {values: [4, 8, 16, 32, 64], default: 16}") << setting;
    EXPECT_EQ(text(made, "BY:"), "BY: {values: [2, 4, 8, 16, 32], default: 8}") << setting;
    EXPECT_EQ(text(made, "block:"), "block: [BX, BY]");
    EXPECT_EQ(text(made, "grid:"), "grid: [\"ceil_div(n, BX)\", \"ceil_div(m, BY)\"]");
    EXPECT_EQ(made.definition.parameters.size(), 2u) << made.space.text;
  }
}

TEST_F(ImportTest, a_macro_that_only_other_kernels_use_is_not_a_parameter) {
  const Imported made = import(
      "#define TILE 8\n#define BLOCK 64\n__global__ void first(float* x) { x[BLOCK] = 1; }\n"
      "__global__ void second(float* x) { x[TILE] = 1; }\n"
      "void run(float* x) { first<<<1, BLOCK>>>(x); second<<<1, TILE>>>(x); }\n");
  EXPECT_EQ(made.definition.parameters.size(), 1u) << made.space.text;
  EXPECT_EQ(text(made, "BLOCK:").substr(0, 34), "BLOCK: {values: [64], default: 64}");
}

TEST_F(ImportTest, the_size_of_a_single_block_is_a_size_of_the_problem) {
  const Imported made = import(
      "#define N 256\n__global__ void add(const int* a, int* c) { if (threadIdx.x < N) c[threadIdx.x] = "
      "a[threadIdx.x]; }\n"
      "int main() {\n  int *a, *c;\n  cudaMalloc(&a, N * sizeof(int));\n  cudaMalloc(&c, N * sizeof(int));\n "
      " add<<<1, N>>>(a, c);\n}\n");
  EXPECT_EQ(text(made, "N:"), "N: {values: [256], macro: N}");
  EXPECT_EQ(text(made, "block:"), "block: N");
  EXPECT_TRUE(made.definition.parameters.empty()) << made.space.text;
}

TEST_F(ImportTest, sizes_of_vectors_structs_and_variables_are_known) {
  const Imported made = import(
      "struct Body { float x, y, z; float velocity[3]; };\ntypedef struct { int key; double value; } Pair;\n"
      "__global__ void k(const float4* in, float4* out, Body* bodies, Pair* pairs, const double* u, int n) "
      "{\n"
      "  extern __shared__ float4 tile[];\n  tile[0] = in[n];\n  out[n] = tile[0];\n  bodies[n].x += 1;\n  "
      "pairs[n].key = 1;\n}\n"
      "int main() {\n  int n = 1000;\n  float *in, *out;\n  Body* bodies;\n  Pair* pairs;\n  double *u;\n"
      "  size_t bytes = 4 * n * sizeof(float);\n  cudaMalloc(&in, bytes);\n  cudaMalloc(&out, sizeof(float4) "
      "* n);\n"
      "  cudaMalloc(&bodies, n * sizeof(Body));\n  cudaMalloc(&pairs, n * sizeof *pairs);\n  cudaMalloc(&u, "
      "n * sizeof(*u));\n"
      "  k<<<(n + 127) / 128, 128, 128 * sizeof(float4) + sizeof(Body)>>>((const float4*)in, "
      "reinterpret_cast<float4*>(out), bodies, pairs, u, n);\n}\n");
  EXPECT_EQ(text(made, "shared:"), "shared: threadsPerBlock * 16 + 24");
  EXPECT_EQ(text(made, "in:"), "in: {type: float32, extent: n * 4, init: {uniform: [0, 1]}}");
  EXPECT_EQ(text(made, "out:"), "out: {type: float32, extent: n * 4, role: out" + kRounding + "}");
  EXPECT_EQ(text(made, "bodies:"),
            "bodies: {type: float32, extent: n * 6, role: inout, init: {uniform: [0, 1]}" + kRounding + "}");
  EXPECT_EQ(text(made, "pairs:"), "pairs: {type: uint8, extent: n * 16, role: out}  # bytes of Pair");
  EXPECT_EQ(text(made, "u:"), "u: {type: float64, extent: n, init: {uniform: [0, 1]}}");
}

TEST_F(ImportTest, a_memset_says_what_a_buffer_holds_first) {
  const auto imported = [&](const std::string& use, const std::string& set) {
    return text(import("__global__ void k(int* x) { " + use +
                       " }\nint main() {\n  int n = 500;\n  int* x;\n  cudaMalloc(&x, n * sizeof(int));\n" +
                       set + "  k<<<n, 64>>>(x);\n}\n"),
                "x:");
  };
  const std::string start = "x: {type: int32, extent: n, role: inout, init: ";
  EXPECT_EQ(imported("atomicAdd(&x[0], 1);", "  cudaMemset(x, 0, n * sizeof(int));\n"), start + "zero}");
  EXPECT_EQ(imported("x[0] += 1;", "  cudaMemset(x, 0xff, n * sizeof(int));\n"), start + "{constant: -1}}");
  EXPECT_EQ(imported("x[0] += 1;", "  cudaMemset(x, 0, 16);\n"),
            start + "zero}  # the source sets only 4 of them");
  EXPECT_EQ(imported("x[0] += 1;", "  cudaMemset(x, 7, n * 4);\n"),
            start + "{uniform: [0, 100]}}  # the source sets each byte to 7");
  EXPECT_EQ(imported("x[0] = 1;", "  cudaMemset(x, 0, n * sizeof *x);\n"),
            start + "zero}  # the source sets it first; role: out if the kernel writes all of it");
  EXPECT_EQ(imported("x[0] = 1;", ""), "x: {type: int32, extent: n, role: out}");
}

TEST_F(ImportTest, indices_stay_inside_the_array_that_they_point_into) {
  const auto imported = [&](const std::string& use) {
    return text(
        import(
            "__global__ void k(const int* index, const float* table, float* out, int n, int width) { " + use +
            " }\nint main() {\n  int n = 500, rows = 40, width = 8;\n  int* index;\n  float *table, *out;\n"
            "  cudaMalloc(&index, n * sizeof(int));\n  cudaMalloc(&table, rows * width * sizeof(float));\n"
            "  cudaMalloc(&out, n * sizeof(float));\n  "
            "  k<<<n, 64>>>(index, table, out, n, width);\n}\n"),
        "index:");
  };
  const std::string start = "index: {type: int32, extent: n, init: ";
  EXPECT_EQ(
      imported("const int k = index[0]; out[0] = table[k];"),
      start + "{uniform: [0, rows * width - 1]}}  # the range is a guess: the values are positions in table");
  EXPECT_EQ(imported("out[0] = table[__ldg(&index[0]) * width + 3];"),
            start + "{uniform: [0, rows - 1]}}  # the range is a guess: the values are positions in table");
  EXPECT_EQ(imported("__shared__ int bins[33]; atomicAdd(&bins[index[0]], 1); out[0] = 1;"),
            start + "{uniform: [0, 32]}}  # the range is a guess: the values are positions in bins");
  EXPECT_EQ(imported("out[0] = table[n - index[0]];"),
            start +
                "{uniform: [0, 100]}}  # a guess: its values are positions in table, and the source does not "
                "say how many that has");
}

TEST_F(ImportTest, offsets_and_columns_of_a_sparse_matrix_fit_together) {
  const Imported made = import(
      "__global__ void spmv(int rows, const int* begins, const int* columns, const float* values, const "
      "float* x, float* y) {\n"
      "  const int row = blockIdx.x * blockDim.x + threadIdx.x;\n  if (row >= rows) return;\n  float sum = "
      "0;\n"
      "  const int end = begins[row + 1];\n  for (int j = begins[row]; j < end; ++j) sum += values[j] * "
      "x[columns[j]];\n  y[row] = sum;\n}\n"
      "int main(int argc, char** argv) {\n  const int rows = argc > 1 ? std::atoi(argv[1]) : 300, width = "
      "200, count = rows * 5;\n"
      "  cudaMalloc(&begins, (rows + 1) * sizeof(int));\n  cudaMalloc(&columns, count * sizeof(int));\n"
      "  cudaMalloc(&values, count * sizeof(float));\n  cudaMalloc(&x, width * sizeof(float));\n  "
      "cudaMalloc(&y, rows * sizeof(float));\n"
      "  spmv<<<(rows + 127) / 128, 128>>>(rows, begins, columns, values, x, y);\n}\n");
  EXPECT_EQ(text(made, "rows: ["), "rows: [300]");
  EXPECT_EQ(
      text(made, "begins:").substr(0, 96),
      "begins: {type: int32, extent: rows + 1, init: {csr_offsets: {nonzeros: rows * 5, columns: width}");
  EXPECT_EQ(text(made, "columns:").substr(0, 71),
            "columns: {type: int32, extent: rows * 5, init: {csr_columns: begins}}  ");
}

TEST_F(ImportTest, names_are_resolved_in_the_function_that_launches) {
  const Imported made = import(
      "__global__ void k(const float* in, float* out, int n) {\n  const int size = n * 3;\n  float* mine = "
      "out + 1;\n  mine[size] = in[0];\n}\n"
      "void other() { int size = 77; }\n"
      "void launch(const float* from, float* to, int size) { k<<<(size + 63) / 64, 64>>>(from, to, size); }\n"
      "struct Options { int count = 2; };\n"
      "int main(int argc, char** argv) {\n  Options options;\n  if (argc > 1) options.count = "
      "atoi(argv[1]);\n"
      "  options.count = 600;\n  float *a, *b;\n  cudaMalloc((void**)&a, options.count * sizeof(float));\n"
      "  cudaMalloc((void**)&b, (options.count + 0) * sizeof(float));\n  launch(a, b, options.count);\n}\n");
  EXPECT_EQ(text(made, "count:"), "count: [600]");
  EXPECT_EQ(text(made, "grid:"), "grid: ceil_div(count, threadsPerBlock)");
  EXPECT_EQ(text(made, "in:"), "in: {type: float32, extent: count, init: {uniform: [0, 1]}}");
  EXPECT_EQ(text(made, "out:"), "out: {type: float32, extent: count, role: out" + kRounding + "}");
  EXPECT_EQ(text(made, "n: {"), "n: {type: int32, value: count}");
}

TEST_F(ImportTest, roles_follow_pointers_through_casts_and_device_functions) {
  const auto role = [&](const std::string& use) {
    const std::string line = text(import("#define FLOAT4(x) (reinterpret_cast<float4*>(&(x))[0])\n"
                                         "__device__ void put(float* at, float value) { *at = value; }\n"
                                         "__device__ float got(const float* at) { return *at; }\n"
                                         "__global__ void k(float* x, float* y) { y[0] = 1; " +
                                         use + " }\nvoid run(float* x, float* y) { k<<<1, 64>>>(x, y); }\n"),
                                  "x:");
    return line.find("the role is a guess") != std::string::npos ? "guess"
           : line.find("role: out") != std::string::npos         ? "out"
           : line.find("inout") != std::string::npos             ? "inout"
                                                                 : "in";
  };
  EXPECT_EQ(role("put(x + 3, 1);"), std::string("out"));
  EXPECT_EQ(role("put(&x[3], got(x));"), std::string("inout"));
  EXPECT_EQ(role("y[1] = got(x + 1);"), std::string("in"));
  EXPECT_EQ(role("*reinterpret_cast<float4*>(&x[4]) = make_float4(0, 0, 0, 0);"), std::string("out"));
  EXPECT_EQ(role("FLOAT4(x[4]) = make_float4(0, 0, 0, 0);"), std::string("out"));
  EXPECT_EQ(role("((float4*)x)[1].x = y[0];"), std::string("out"));
  EXPECT_EQ(role("float* p = x + 1; while (p < y) *p++ = 0;"), std::string("out"));
  EXPECT_EQ(role("float* p = &x[1]; y[0] = p[1];"), std::string("in"));
  EXPECT_EQ(role("x[1]++;"), std::string("inout"));
  EXPECT_EQ(role("if (x[1] > 0) y[1] = 2;"), std::string("in"));
  EXPECT_EQ(role("unknown(x);"), std::string("guess"));
}

TEST_F(ImportTest, template_arguments_and_the_grid_follow_the_block) {
  const Imported made = import(
      "typedef float real_t;\ntemplate <unsigned int blockSize> __global__ void reduce(const real_t* in, "
      "real_t* out, unsigned int n) {\n"
      "  extern __shared__ real_t s[];\n  for (unsigned int i = blockIdx.x * blockSize; i < n; i += "
      "gridDim.x * blockSize) s[0] += in[i];\n"
      "  out[blockIdx.x] = s[0];\n}\n"
      "int main() {\n  const unsigned int n = 1 << 20;\n  const int threads = 256, maxBlocks = 64;\n  real_t "
      "*in, *out, *last;\n"
      "  int blocks = min(maxBlocks, (int)((n + threads * 2 - 1) / (threads * 2)));\n"
      "  cudaMalloc(&in, n * sizeof(real_t));\n  cudaMalloc(&out, maxBlocks * sizeof(real_t));\n  size_t "
      "smem = threads * sizeof(real_t);\n"
      "  reduce<256><<<blocks, threads, smem>>>(in, out, n);\n  reduce<256><<<1, threads, smem>>>(out, last, "
      "blocks);\n}\n");
  EXPECT_EQ(text(made, "entry:"), "entry: reduce<threadsPerBlock>");
  EXPECT_EQ(text(made, "shared:"), "shared: threadsPerBlock * 4");
  EXPECT_EQ(text(made, "grid:"), "grid: min(maxBlocks, ceil_div(n, threadsPerBlock * 2))");
  EXPECT_EQ(text(made, "maxBlocks:").substr(0, 57),
            "maxBlocks: {values: [16, 32, 64, 128, 256], default: 64} ");
  EXPECT_EQ(made.space.notes[0],
            "the source launches reduce in 2 ways; this is the first: add the others to launches if they "
            "belong to one result");
}

TEST_F(ImportTest, divisions_and_loops_that_leave_a_rest_become_constraints) {
  const Imported made = import(
      "const int TILE_DIM = 32;\nconst int BLOCK_ROWS = 8;\n"
      "__global__ void transpose(float* out, const float* in) {\n  __shared__ float tile[TILE_DIM][TILE_DIM "
      "+ 1];\n"
      "  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) tile[j][0] = in[j];\n  out[0] = tile[0][0];\n}\n"
      "int main() {\n  const int nx = 512, ny = 256, bytes = nx * ny * sizeof(float);\n  dim3 grid(nx / "
      "TILE_DIM, ny / TILE_DIM, 1), block(TILE_DIM, BLOCK_ROWS, 1);\n"
      "  float *in, *out;\n  cudaMalloc(&in, bytes);\n  cudaMalloc(&out, bytes);\n  transpose<<<grid, "
      "block>>>(out, in);\n}\n");
  EXPECT_EQ(made.definition.constraints.size(), 3u) << made.space.text;
  EXPECT_NE(made.space.text.find("- nx % TILE_DIM == 0"), std::string::npos) << made.space.text;
  EXPECT_NE(made.space.text.find("- TILE_DIM % BLOCK_ROWS == 0"), std::string::npos);
  EXPECT_EQ(text(made, "in:"), "in: {type: float32, extent: nx * ny, init: {uniform: [0, 1]}}");
}

TEST_F(ImportTest, structs_constant_memory_and_cooperative_launches_are_written) {
  const Imported made = import(
      "#define RADIUS 2\nstruct Params { float scale; int n; };\nstruct Image { float* data; int width; };\n"
      "__constant__ float weights[2 * RADIUS + 1];\n"
      "__global__ void k(Image image, Params params, const float* in, int step) { image.data[0] = "
      "params.scale * weights[0] * in[step]; }\n"
      "int main() {\n  int n = 900;\n  float h[5], *in;\n  cudaMemcpyToSymbol(weights, h, sizeof(h));\n  "
      "Params params = {2.5f, n};\n  Image image;\n"
      "  image.width = 30;\n  cudaMalloc(&in, n * sizeof(float));\n  int blocks;\n  "
      "cudaDeviceGetAttribute(&blocks, cudaDevAttrMultiProcessorCount, 0);\n"
      "  for (int step = 3; step < 9; ++step) {\n    void* arguments[] = {&image, &params, &in, &step};\n"
      "    cudaLaunchCooperativeKernel((void*)k, blocks, 64, arguments, 0, 0);\n  }\n}\n");
  EXPECT_EQ(text(made, "weights:"),
            "weights: {type: float32, extent: 5, symbol: weights, init: {uniform: [0, 1]}}");
  EXPECT_EQ(text(made, "cooperative:"), "cooperative: true");
  EXPECT_EQ(text(made, "grid:"), "grid: device.multiprocessors");
  EXPECT_EQ(text(made, "step:").substr(0, 29), "step: {type: int32, value: 3}");
  EXPECT_EQ(text(made, "arguments: ["),
            "arguments: [{struct: [image_data, {type: int32, value: 30}]}, {struct: [{type: float32, value: "
            "2.5}, {type: int32, value: n}]}, in, step]");
}

TEST_F(ImportTest, macros_with_parameters_give_the_grid) {
  const Imported made = import(
      "#define TILE_W 32\n#define TILE_H 8\n#define BLOCKS(a, b) (((a) + (b) - 1) / (b))\n#define ROWS(h) "
      "BLOCKS(h, TILE_H)\n"
      "__global__ void k(float* x, int w, int h) { int i = blockIdx.x * TILE_W + threadIdx.x, j = blockIdx.y "
      "* TILE_H + threadIdx.y;\n"
      "  if (i < w && j < h) x[j * w + i] = 1; }\n"
      "int main() { int w = 1920, h = 1080; float* x; cudaMalloc(&x, w * h * sizeof(float));\n"
      "  dim3 grid(BLOCKS(w, TILE_W), ROWS(h)); k<<<grid, dim3(TILE_W, TILE_H)>>>(x, w, h); }\n");
  EXPECT_EQ(text(made, "grid:"), "grid: [\"ceil_div(w, TILE_W)\", \"ceil_div(h, TILE_H)\"]");
  EXPECT_EQ(text(made, "x:"), "x: {type: float32, extent: w * h, role: out" + kRounding + "}");
}
TEST_F(ImportTest, constants_with_a_value_in_braces_are_settings) {
  const Imported made = import(
      "constexpr int kThreads{128}, kOther = 3;\nstruct Size { int n; };\n"
      "template <int BLOCK> __global__ void k(float* x, int n) { int i = blockIdx.x * BLOCK + threadIdx.x; "
      "if (i < n) x[i] = 2; }\n"
      "int main() { const int n{1000}; float* x; cudaMalloc(&x, n * sizeof(float));\n"
      "  k<kThreads><<<(n + kThreads - 1) / kThreads, kThreads>>>(x, n); }\n");
  EXPECT_EQ(text(made, "n: ["), "n: [1000]");
  EXPECT_EQ(text(made, "kThreads:"), "kThreads: {values: [32, 64, 128, 256, 512], default: 128}");
  EXPECT_EQ(text(made, "entry:"), "entry: k<kThreads>");
  EXPECT_EQ(text(made, "grid:"), "grid: ceil_div(n, kThreads)");
  EXPECT_EQ(text(made, "block:"), "block: kThreads");
}
TEST_F(ImportTest, states_that_another_kernel_sets_up_are_noted) {
  const Imported made = import(
      "#include <curand_kernel.h>\n__global__ void prepare(curandState* states) { curand_init(1, "
      "threadIdx.x, 0, &states[threadIdx.x]); }\n"
      "__global__ void draw(curandState* states, float* out) { out[threadIdx.x] = "
      "curand_uniform(&states[threadIdx.x]); }\n"
      "int main() {\n  int count = 640;\n  curandState* states;\n  float* out;\n  cudaMalloc(&states, count "
      "* sizeof(curandState));\n"
      "  cudaMalloc(&out, count * sizeof(float));\n  prepare<<<count / 64, 64>>>(states);\n  draw<<<count / "
      "64, 64>>>(states, out);\n}\n",
      "draw.cu", {"draw", {}});
  EXPECT_EQ(text(made, "states:").substr(0, 53), "states: {type: uint8, extent: count * 48, role: inout");
  const std::string expected =
      "argument states: the source lets the kernel prepare write it first: add that to setup: "
      "(docs/space-file.md)";
  EXPECT_NE(std::ranges::find(made.space.notes, expected), made.space.notes.end());
}

TEST_F(ImportTest, incomplete_and_odd_sources_do_not_crash) {
  const std::string whole(kScale);
  for (std::size_t size = 0; size < whole.size(); size += 7)
    (void)import_space_text(whole.substr(0, size), "kernel.cu");
  for (const std::string odd :
       {"__global__ void k(int* x) {}\nint main() { k<<<n, n>>>(n); }\nint n = n;\n",
        "__global__ void k(int* x, int n) { x[ }\nint main() { int a = b, b = a; k<<<a, b>>>(x, a); }\n",
        "struct S { S s; };\n__global__ void k(S s) {}\nint main() { k<<<1 << 62, 1 / 0, 1 % 0>>>(s); }\n",
        "#define F(x) G(F(x), x)\n#define G(x, y) F(G(x, y)) + F()\n#define H(\n__global__ void k(float* x) "
        "{}\nint main() { k<<<F(1), G(F(1), 2)>>>(x); }\n",
        "__global__ void k(int* x, int n) {}\nvoid f(int a, int b, int c) { g(a + b + c, b + c, c + a + b); "
        "}\n"
        "void g(int a, int b, int c) { f(a + b + c, c + b, b + a + c); k<<<a, b>>>(x, c); }\n",
        "#define A B\n#define B A\n__global__ void k(float* x) { x[A] = B; }\nint main() { k<<<A, B>>>(x); "
        "}\n"}) {
    EXPECT_TRUE(import_space_text(odd, "kernel.cu").ok()) << odd;
  }
}

TEST_F(ImportTest, comments_and_notes_say_what_was_guessed) {
  const Imported made = import(
      "__global__ void first(float* x) { x[threadIdx.x] = 1; }\n"
      "__global__ void second(const int* in, int* sum) { atomicAdd(&sum[0], in[threadIdx.x]); }\n"
      "void run(float* x, int* y, int* z) { second<<<blocks_for(3), how_many(), 1024>>>(y, z); first<<<1, "
      "32>>>(x); }\n");
  EXPECT_EQ(text(made, "kernel:"), "kernel: second");
  EXPECT_NE(text(made, "grid:").find("# a guess: the source says blocks_for(3)"), std::string::npos)
      << made.space.text;
  EXPECT_NE(text(made, "block:").find("# the source says how_many()"), std::string::npos);
  EXPECT_EQ(text(made, "sum:"), "sum: {type: int32, extent: {guess: n}, role: inout, init: zero}");
  EXPECT_EQ(text(made, "shared:"), "shared: 1024");
  std::string notes;
  for (const std::string& each : made.space.notes) notes += each + '\n';
  EXPECT_NE(notes.find("this is for the kernel second of first, second; name another to import that one"),
            std::string::npos)
      << notes;
  EXPECT_NE(notes.find("there is no reference"), std::string::npos);
  EXPECT_EQ(text(import(made.definition.kernel.source_text, "other.cu", {"first", {}}), "kernel:"),
            "kernel: first");
}

TEST_F(ImportTest, a_kernel_without_a_launch_gets_guessed_values) {
  const Imported made =
      import("__global__ void k(const float4* in, float4* out, int count) { out[0] = in[0]; }\n");
  EXPECT_EQ(text(made, "count: ["), "count: [1048576]");
  EXPECT_EQ(text(made, "in:"), "in: {type: float32, extent: {guess: count * 4}, init: {uniform: [0, 1]}}");
  EXPECT_NE(text(made, "grid:").find("a guess"), std::string::npos);
}

TEST_F(ImportTest, a_file_of_kernels_is_imported_from_the_source_that_includes_it) {
  folder_.write("main.cu",
                "#include \"kernel.cu\"\n__global__ void other(float* x) {}\n"
                "int main() { float* x; other<<<1, 1>>>(x); k<<<100, 128>>>(x, 12800); }\n");
  const Imported made = import("__global__ void k(float* x, int n) { x[0] += 1; }\n");
  EXPECT_EQ(text(made, "kernel:"), "kernel: k");
  EXPECT_EQ(text(made, "source:"), "source: main.cu");
  EXPECT_EQ(text(made, "n: {"), "n: {type: int32, value: 12800}");
  EXPECT_EQ(made.space.notes.front(),
            "kernel.cu is a part of main.cu, which launches its kernels: the space has that source");
}

TEST_F(ImportTest, headers_near_the_source_are_found) {
  folder_.write("include/tools.h", "#include <types.h>\n");
  folder_.write("types.h", "typedef unsigned int count_t;\n");
  const Imported made =
      import("#include <tools.h>\n__global__ void k(float* x, count_t n) { x[0] += n; }\n", "src/kernel.cu");
  EXPECT_EQ(text(made, "include:"), "include: [include, .]");
  EXPECT_EQ(text(made, "n: {"), "n: {type: uint32, value: n}");
}

TEST_F(ImportTest, template_arguments_come_from_the_launch_and_from_what_it_passes) {
  const std::string kernel =
      "namespace tools {\ntemplate <class T, int N = 4> __global__ void k(T* x) { x[0] += N; }\n}\n";
  EXPECT_EQ(text(import(kernel + "void run(double* x) { tools::k<<<9, 64>>>(x); }\n"), "entry:"),
            "entry: tools::k<double>");
  EXPECT_EQ(
      text(import(kernel + "template <class F, int M> void run(F* x) { tools::k<F, M><<<9, 64>>>(x); }\n"
                           "int main() { run<double, 8>(0); }\n"),
           "entry:"),
      "entry: tools::k<double, 8>");
  const Imported guessed =
      import(kernel + "template <class F> void run(F* x) { tools::k<F><<<9, 64>>>(x); }\n");
  EXPECT_EQ(text(guessed, "entry:"), "entry: tools::k<float>");
  EXPECT_NE(std::ranges::find(guessed.space.notes, "F=float is a guess"), guessed.space.notes.end());
}

TEST_F(ImportTest, the_unknown_type_of_scalars_alone_is_an_integer_and_that_of_buffers_a_real_number) {
  const Imported made = import(
      "template <class T, class I> __global__ void k(T* x, T y, I stride) { x[threadIdx.x * stride] = y; }\n"
      "void run() { k<<<9, 64>>>(p, 1, 2); }\n");
  EXPECT_EQ(text(made, "entry:"), "entry: k<float, int>");
  EXPECT_NE(std::ranges::find(made.space.notes, "I=int is a guess"), made.space.notes.end());
}

TEST_F(ImportTest, types_behind_macros_and_masks_have_their_type) {
  const Imported made = import(
      "#define ITYPE size_t\n__global__ void k(ITYPE* x, uint n, int mask) { x[0] += n & mask; }\n"
      "void run(ITYPE* x) { ITYPE* d; cudaMalloc(&d, 100 * sizeof(ITYPE)); k<<<9, 64>>>(d, 5, 0xffffffff); "
      "}\n");
  EXPECT_EQ(text(made, "x:"), "x: {type: uint64, extent: 100, role: inout, init: {uniform: [0, 100]}}");
  EXPECT_EQ(text(made, "n:"), "n: {type: uint32, value: 5}");
  EXPECT_EQ(text(made, "mask:"), "mask: {type: int32, value: -1}");
}

TEST_F(ImportTest, a_texture_is_a_buffer_of_texels) {
  const Imported made = import(
      "__global__ void k(cudaTextureObject_t image, float* out, int w, int h) { out[0] = "
      "tex2D<float4>(image, 1, 2).x; }\n");
  EXPECT_EQ(text(made, "image_texels:").substr(0, 56),
            "image_texels: {type: float32, extent: {guess: w * h * 4}");
  EXPECT_EQ(text(made, "arguments: ["),
            "arguments: [{texture: image_texels, sizes: [w, h], channels: 4}, out, w, h]");
}

TEST_F(ImportTest,
       sizes_are_small_on_a_cpu_and_those_of_the_source_for_the_sanitizer_unless_the_kernel_checks_them) {
  const std::string launch =
      "int main() { int n = 3 << 20; float* x; cudaMalloc(&x, n * 4); k<<<n / 256, 256>>>(x, n); }\n";
  const Imported checked =
      import("__global__ void k(float* x, int n) { int i = 0; if (i < n) x[i] += 1; }\n" + launch);
  EXPECT_EQ(text(checked, "host:"), "host:");
  EXPECT_EQ(text(checked, "problem: {"), "problem: {n: [49152]}  # sizes for a CPU");
  EXPECT_EQ(text(checked, "check:"), "no line check: in\n" + checked.space.text);
  const Imported unchecked = import("__global__ void k(float* x, int n) { x[0] += n; }\n" + launch);
  ASSERT_EQ(unchecked.definition.check_problems.size(), 1u) << unchecked.space.text;
  EXPECT_EQ(unchecked.definition.check_problems[0].json(), R"({"n":768})");
}

TEST_F(ImportTest, a_value_of_0_that_a_later_statement_replaces_does_not_count) {
  const std::string kernel =
      "__global__ void k(std::uint64_t* const x, int n) { if (threadIdx.x < n) x[0] = n; }\n";
  const Imported set =
      import(kernel +
             "int main() { int n = 0, threads = 0; std::uint64_t* x; n = 4096; cudaMalloc(&x, n * 8);\n"
             "cudaOccupancyMaxPotentialBlockSize(&grid, &threads, k); k<<<n / 64, threads>>>(x, n); }\n");
  EXPECT_EQ(text(set, "x:"), "x: {type: uint64, extent: n, role: out}");
  EXPECT_EQ(text(set, "n: ["), "n: [4096]");
  EXPECT_EQ(text(set, "block:"), "block: 256  # the source says threads");
  const Imported kept = import(kernel + "int main() { int first = 0; k<<<first + 1, 64>>>(x, 100); }\n");
  EXPECT_EQ(text(kept, "grid:"), "grid: 1");
}

TEST_F(ImportTest, a_file_with_parameters_compares_with_its_default_configuration) {
  EXPECT_EQ(text(import(kScale), "reference:").substr(0, 18), "reference: default");
  const Imported none = import(
      "__global__ void k(float* x, int n) { x[0] += n; }\nvoid run(float* x) { k<<<1, 1>>>(x, 5); }\n");
  EXPECT_NE(none.space.text.find("# reference:"), std::string::npos) << none.space.text;
  // The default configuration has another buffer than others.
  const Imported sized = import(
      "__global__ void k(float* x) {\n"
      "  for (int i = threadIdx.x; i < 9; i += blockDim.x) x[i] = 1;\n}\n"
      "int main() { float* x; int threads = 64; cudaMalloc(&x, 80 * threads * 4); k<<<80, threads>>>(x); "
      "}\n");
  EXPECT_EQ(text(sized, "x: {"), "x: {type: float32, extent: threadsPerBlock * 80, role: out}");
  EXPECT_NE(sized.space.text.find("# reference:"), std::string::npos) << sized.space.text;
}

TEST_F(ImportTest, what_check_would_refuse_is_corrected_or_left_to_decide) {
  const std::string kernel = "__global__ void k(float* x, int n) { x[0] += 1; }\n";
  const Imported large = import(kernel + "void run(float* x, int n) { k<<<n * n, 64>>>(x, n); }\n");
  EXPECT_EQ(text(large, "n: ["), "n: [16384]");
  const Imported never = import(kernel + "void run(float* x) { k<<<(127 - 128) / 128, 128>>>(x, 5); }\n");
  EXPECT_EQ(text(never, "constraints:"), "no line constraints: in\n" + never.space.text);
  const Imported volume =
      import("__global__ void k(float* x, cudaTextureObject_t t) { x[0] = tex3D<float>(t, 1, 2, 3); }\n");
  EXPECT_NE(text(volume, "# To decide:").find("parameter 2 't' is cudaTextureObject_t"), std::string::npos);
}

TEST_F(ImportTest, the_source_is_named_from_the_folder_of_the_space_file) {
  for (const auto& [folder, expected] : std::vector<std::pair<std::string, std::string>>{
           {"", "benchmarks/sum.cu"}, {"benchmarks", "sum.cu"}, {"spaces", "../benchmarks/sum.cu"}}) {
    const auto space = import_space_text(std::string(kScale), "benchmarks/sum.cu", {{}, folder});
    ASSERT_TRUE(space.ok()) << space.error().message;
    EXPECT_NE(space->text.find("source: " + expected + "\n"), std::string::npos) << space->text;
  }
}

TEST_F(ImportTest, bad_sources_give_an_error_of_one_line) {
  EXPECT_EQ(error("int main() {}\n"), "kernel.cu: it has no kernel (no __global__ function)");
  EXPECT_EQ(error(kScale, "kernel.cu", "other"),
            "kernel.cu: it has no kernel 'other'; its kernels are scale");
  EXPECT_EQ(error("#define LIST int x, int y\n__global__ void k(LIST) {}\n"),
            "kernel.cu: the parameters of 'k' do not show: a macro or #if hides them");
  EXPECT_EQ(error("kernel: x\n", "space.yaml"), "space.yaml: it is no CUDA source (.cu)");
  EXPECT_EQ(error("tune_kernel('k', 'k.cu', 8, [], {'x': [1]})\n", "tune.py"),
            "tune.py: python -m gktune.definitions reads problems of KernelBench, and python -m "
            "gktune.kernel_tuner runs scripts of Kernel Tuner");
  EXPECT_EQ(error("{}\n", "sum.json"),
            "sum.json: python -m gktune.definitions reads definitions of FlashInfer-Bench");
}

TEST_F(ImportTest, dim3_variables_that_are_declared_together_and_set_later_are_read) {
  const Imported made = import(
      "#define BX 8\n__global__ void k(float* x) { x[blockIdx.x * BX + threadIdx.x] = 1; }\n"
      "int main() {\n  dim3 size, grid, block;\n  size.x = 768;\n  block.x = BX;\n  grid.x = size.x / BX;\n"
      "  float* x;\n  int bytes = sizeof(float) * size.x;\n  cudaMalloc(&x, bytes);\n  k<<<grid, "
      "block>>>(x);\n}\n");
  EXPECT_EQ(text(made, "grid:"), "grid: 768 // BX");
  EXPECT_EQ(text(made, "block:"), "block: BX");
  EXPECT_EQ(text(made, "x:").substr(0, 31), "x: {type: float32, extent: 768,");
  EXPECT_EQ(text(made, "problem:"), "no line problem: in\n" + made.space.text);
}

TEST_F(ImportTest, branches_that_nvcc_leaves_out_do_not_count) {
  const Imported made = import(
      "#ifdef DOUBLE\ntypedef double real;\n#else\ntypedef float real;\n#endif\n"
      "#if defined(SMALL)\nconst int n = 10;\n#elif !defined(SMALL)\nconst int n = 2000;\n#else\nconst int n "
      "= 3;\n#endif\n"
      "#if 0\n__global__ void k(int wrong) {}\n#endif\n"
      "__global__ void k(real* x, int count) { x[0] = count; }\n"
      "int main() { real* x; cudaMalloc(&x, n * sizeof(real)); k<<<(n + 63) / 64, 64>>>(x, n); }\n");
  EXPECT_EQ(text(made, "n: ["), "n: [2000]");
  EXPECT_EQ(text(made, "x:"), "x: {type: float32, extent: n, role: out" + kRounding + "}");
  const Imported only = import("#ifdef WITH_GPU\n__global__ void k(int* x) { x[0] = 1; }\n#endif\n");
  EXPECT_EQ(text(only, "kernel:"), "kernel: k");
}

TEST_F(ImportTest, the_size_of_a_template_parameter_is_that_of_the_elements) {
  const Imported made = import(
      "template <typename T> __global__ void k(T* x, int n) { x[0] = n; }\n"
      "template <typename T> void run(int n) {\n  T* x;\n  size_t bytes = n * sizeof(T);\n  cudaMalloc(&x, "
      "bytes);\n"
      "  k<T><<<(n + 63) / 64, 64>>>(x, n);\n}\n"
      "int main() { run<double>(5000); run<float>(5000); }\n");
  EXPECT_EQ(text(made, "entry:"), "entry: k<double>");
  EXPECT_EQ(text(made, "x:").substr(0, 29), "x: {type: float64, extent: n,");
}

TEST_F(ImportTest, a_block_that_neither_grid_nor_loops_follow_stays) {
  const auto block = [&](const std::string& body, const std::string& launch) {
    return text(import("__global__ void k(float* x, int n) { " + body + " }\nvoid run(float* x, int n) { " +
                       launch + " }\n"),
                "block:");
  };
  const std::string one = "x[threadIdx.x] = n;";
  const std::string stride = "for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = 1;";
  const std::string variable =
      "int step = blockDim.x * gridDim.x; for (int i = threadIdx.x; i < n; i = i + step) x[i] = 1;";
  EXPECT_EQ(block(one, "k<<<1, 128>>>(x, n);"), "block: 128");
  EXPECT_EQ(block(one, "k<<<n, 128>>>(x, n);"), "block: 128");
  EXPECT_EQ(block(one, "k<<<how_many(n), 128>>>(x, n);"), "block: 128");
  EXPECT_EQ(block(one, "k<<<(n + 127) / 128, 128>>>(x, n);"), "block: threadsPerBlock");
  EXPECT_EQ(block(stride, "k<<<n, 128>>>(x, n);"), "block: threadsPerBlock");
  EXPECT_EQ(block(variable, "k<<<n, 128>>>(x, n);"), "block: threadsPerBlock");
  const std::string sum = "int i = blockIdx.x * blockDim.x; x[i] += x[blockDim.x];";  // no step of a loop
  EXPECT_EQ(block(sum, "k<<<n, 128>>>(x, n);"), "block: 128");
}

TEST_F(ImportTest, a_literal_block_that_repeats_a_setting_of_the_kernel_is_that_parameter) {
  const Imported made = import(
      "#define TILE_DIM 16\n__global__ void k(float* x, int n) { __shared__ float t[TILE_DIM]; t[0] = n; "
      "x[0] = t[0]; }\n"
      "void run(float* x, int n) { dim3 block(16), grid((n + 15) / 16); k<<<grid, block>>>(x, n); }\n");
  EXPECT_EQ(text(made, "block:"), "block: TILE_DIM");
  EXPECT_EQ(text(made, "grid:"), "grid: ceil_div(n, TILE_DIM)");
}

TEST_F(ImportTest, divisors_are_not_0_and_elements_that_a_function_sets_are_outputs) {
  const Imported made = import(
      "__device__ void set(float& to, int from) { to = from; }\n"
      "__global__ void k(const int* stride, float* out, int n) { set(out[0], n / stride[0]); }\n"
      "void run(int* s, float* o) { k<<<1, 32>>>(s, o, 5000); }\n");
  EXPECT_NE(text(made, "stride:").find("init: {uniform: [1, 100]}"), std::string::npos) << made.space.text;
  EXPECT_NE(text(made, "out:").find("role: inout"), std::string::npos) << made.space.text;
}

TEST_F(ImportTest, structs_in_structs_are_written_member_by_member) {
  const Imported made = import(
      "struct Vec { float x, y; };\nstruct Ray { Vec from, to; float2 size; const int* hits; };\n"
      "__global__ void k(Ray ray, float* out) { out[0] = ray.from.x; }\n"
      "void run(Ray r, float* o) { k<<<1, 32>>>(r, o); }\n");
  const std::string one = "{type: float32, value: 1}", pair = "{struct: [" + one + ", " + one + "]}";
  EXPECT_EQ(text(made, "arguments: ["),
            "arguments: [{struct: [" + pair + ", " + pair + ", " + pair + ", ray_hits]}, out]");
}

TEST_F(ImportTest, what_the_source_asserts_of_sizes_and_parameters_is_a_constraint) {
  const Imported made = import(
      "#define TILE 16\nstatic_assert(TILE % 8 == 0 && sizeof(int) == 4, \"eight\");\n"
      "__global__ void k(float* x, int n) { assert(n > 1); x[TILE] = n; }\n"
      "int main() {\n  int n = 4096;\n  float* x = nullptr;\n"
      "  assert((n >= TILE) && n % TILE == 0);\n  assert(x != nullptr);\n  assert(n < 100);\n"
      "  k<<<n / TILE, TILE>>>(x, n);\n}\n");
  std::vector<std::string> constraints;
  for (const Constraint& each : made.definition.constraints) constraints.push_back(each.condition.text());
  EXPECT_EQ(constraints, (std::vector<std::string>{"n % TILE == 0", "TILE % 8 == 0", "n >= TILE"}))
      << made.space.text;
}

TEST_F(ImportTest, shared_memory_that_does_not_show_is_a_guess_and_grids_that_wait_are_cooperative) {
  const Imported made = import(
      "__global__ void k(float* x) { extern __shared__ float s[]; s[0] = 1; cg::this_grid().sync(); x[0] = s[0]; }\n"
      "void launch(dim3 grid, dim3 block, float* x) { k<<<grid, block, bytes_for(block)>>>(x); }\n");
  EXPECT_EQ(text(made, "shared:"), "shared: 48Ki  # a guess");
  EXPECT_EQ(text(made, "cooperative:"), "cooperative: true");
  EXPECT_EQ(text(made, "block:"), "block: 256  # the source says block");
}

TEST_F(ImportTest, sizes_that_are_rounded_up_by_a_mask_are_read) {
  const Imported made = import(
      "__global__ void k(float* x, int n, int padded) { if (threadIdx.x < n) x[padded - 1] = 1; }\n"
      "int main() { int n = 1000, padded = (n + 63) & ~63; float* x; cudaMalloc(&x, padded * 4); "
      "k<<<padded / 64, 64>>>(x, n, padded); }\n");
  EXPECT_EQ(text(made, "padded:"), "padded: {type: int32, value: \"ceil_div(n, 64) * 64\"}");
  EXPECT_EQ(text(made, "x:").substr(0, 50), "x: {type: float32, extent: \"ceil_div(n, 64) * 64\",");
}

TEST_F(ImportTest, a_grid_that_covers_multiples_only_limits_the_sizes) {
  const Imported made = import(
      "#define BM 6\n__global__ void k(float* x, int n) { if (threadIdx.x < n) x[blockIdx.x * 96 + BM] = 96; "
      "}\n"
      "int main() { int n = 9600; float* x; cudaMalloc(&x, n * 4); k<<<n / 96, 96>>>(x, n); }\n");
  EXPECT_EQ(text(made, "- n % 96").substr(0, 13), "- n % 96 == 0");
  ASSERT_EQ(made.definition.check_problems.size(), 1u) << made.space.text;
  EXPECT_EQ(made.definition.check_problems[0].find("n")->integer() % 96, 0);
  EXPECT_TRUE(made.definition.parameters.empty()) << made.space.text;
}

TEST_F(ImportTest, a_dim3_without_a_value_is_a_guess) {
  const Imported made = import(
      "__global__ void k(float* x) { x[0] = 1; }\n"
      "void run(float* x) { dim3 grid, block; choose(grid, block); k<<<grid, block>>>(x); }\n");
  EXPECT_EQ(text(made, "block:"), "block: 256  # the source says block");
}

}  // namespace
}  // namespace gktune
