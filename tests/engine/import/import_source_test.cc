// `gktune import` of a CUDA source writes a valid space file with the facts of the source.
#include <algorithm>
#include <fstream>

#include "tests/engine/import/imported.h"
#include "tests/expectations.h"

namespace gktune {
namespace {

// A source of sources.txt and what is expected of its space file.
struct Case {
  std::string name, kernel, source;
  std::vector<std::string> expected;
};
void PrintTo(const Case& each, std::ostream* out) { *out << each.name; }

std::vector<Case> cases() {
  std::vector<Case> all;
  std::ifstream file(GKTUNE_SOURCE_DIR "/tests/engine/import/sources.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("//@ ")) {
      std::istringstream words(line.substr(4));
      words >> all.emplace_back().name >> all.back().kernel;
    } else if (all.empty()) {
      continue;
    } else if (line.size() > 4 && line.starts_with("//") && line[3] == ' ' && line[2] != ' ') {
      all.back().expected.push_back(line.substr(2));
    } else {
      all.back().source += line + '\n';
    }
  }
  return all;
}

// … in the pattern stands for any text.
bool matches(std::string_view line, std::string_view pattern) {
  constexpr std::string_view kAny = "…";
  const std::size_t any = pattern.find(kAny);
  if (any == pattern.npos) return line == pattern;
  if (!line.starts_with(pattern.substr(0, any))) return false;
  const std::string_view rest = pattern.substr(any + kAny.size());
  for (std::size_t at = any; at <= line.size(); ++at) {
    if (matches(line.substr(at), rest)) return true;
  }
  return false;
}

class ImportedSource : public ImportTest, public testing::WithParamInterface<Case> {};

TEST_P(ImportedSource, gives_the_expected_lines) {
  const Imported made = import(GetParam().source, "kernel.cu", {GetParam().kernel, {}});
  std::vector<std::string> lines;
  std::istringstream text(made.space.text);
  for (std::string line; std::getline(text, line);)
    lines.push_back(line.substr(std::min(line.size(), line.find_first_not_of(' '))));
  ASSERT_FALSE(GetParam().expected.empty());
  for (const std::string& expected : GetParam().expected) {
    const std::string what = expected.substr(2);
    bool holds = false;
    switch (expected[0]) {
      case '=':
        holds = std::ranges::any_of(lines, [&](const std::string& line) { return matches(line, what); });
        break;
      case '!':
        holds = std::ranges::none_of(lines, [&](const std::string& line) { return line.starts_with(what); });
        break;
      case '?':
        holds = std::ranges::any_of(made.space.notes,
                                    [&](const std::string& note) { return note.find(what) != note.npos; });
        break;
      case '#':
        holds = std::to_string(made.definition.parameters.size()) == what;
        break;
    }
    EXPECT_TRUE(holds) << expected << "\nin\n" << made.space.text << testing::PrintToString(made.space.notes);
  }
}

INSTANTIATE_TEST_SUITE_P(, ImportedSource, testing::ValuesIn(cases()),
                         [](const auto& each) { return each.param.name; });

const std::string kCopy =
    "__global__ void copy(const float* in, float* out, int n) {\n  int i = blockIdx.x * 64 + threadIdx.x;\n"
    "  if (i < n) out[i] = in[i];\n}\nint main() {\n  const int n = 1 << 20;\n  float *in, *out;\n"
    "  cudaMalloc(&in, sizeof(float) * n);\n  dim3 block(64), grid((n + block.x - 1) / block.x);\n"
    "  copy<<<grid, block>>>(in, out, n);\n}\n";
// How outputs are compared with those of the default configuration.
const std::string kRounding = ", check: {absolute: 1e-4, relative: 1e-4}";

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

TEST_F(ImportTest, incomplete_and_odd_sources_do_not_crash) {
  for (std::size_t size = 0; size < kCopy.size(); size += 7)
    (void)import_space_text(kCopy.substr(0, size), "kernel.cu");
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
  folder_.write("types.h", "#include \"names.h\"\n");
  folder_.write("utils/names.h", "typedef unsigned int count_t;\n");
  const Imported made =
      import("#include <tools.h>\n__global__ void k(float* x, count_t n) { x[0] += n; }\n", "src/kernel.cu");
  EXPECT_EQ(text(made, "include:"), "include: [include, ., utils]");
  EXPECT_EQ(text(made, "n: {"), "n: {type: uint32, value: n}");
}

TEST_F(ImportTest, the_source_is_named_from_the_folder_of_the_space_file) {
  for (const auto& [folder, expected] : std::vector<std::pair<std::string, std::string>>{
           {"", "benchmarks/sum.cu"}, {"benchmarks", "sum.cu"}, {"spaces", "../benchmarks/sum.cu"}}) {
    const auto space = import_space_text(kCopy, "benchmarks/sum.cu", {{}, folder});
    ASSERT_TRUE(space.ok()) << space.error().message;
    EXPECT_NE(space->text.find("source: " + expected + "\n"), std::string::npos) << space->text;
  }
}

TEST_F(ImportTest, bad_sources_give_an_error_of_one_line) {
  EXPECT_EQ(error("int main() {}\n"), "kernel.cu: it has no kernel (no __global__ function)");
  EXPECT_EQ(error(kCopy, "kernel.cu", "other"), "kernel.cu: it has no kernel 'other'; its kernels are copy");
  EXPECT_EQ(error("#define LIST int x, int y\n__global__ void k(LIST) {}\n"),
            "kernel.cu: the parameters of 'k' do not show: a macro or #if hides them");
  EXPECT_EQ(error("kernel: x\n", "space.yaml"), "space.yaml: it is no CUDA source (.cu)");
  EXPECT_EQ(error("tune_kernel('k', 'k.cu', 8, [], {'x': [1]})\n", "tune.py"),
            "tune.py: python -m gktune.definitions reads problems of KernelBench, and python -m "
            "gktune.kernel_tuner runs scripts of Kernel Tuner");
  EXPECT_EQ(error("{}\n", "sum.json"),
            "sum.json: python -m gktune.definitions reads definitions of FlashInfer-Bench");
}

}  // namespace
}  // namespace gktune
