#include "tuner/source/kernel_code.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace gktune {
namespace {

FlatSource flat(const std::string& text) { return flatten("k.cu", text, {}, AngleIncludes::keep); }

// The kept code without blank lines, line directives and blanks at the end of lines.
std::string shown(const FlatSource& source) {
  std::string all;
  for (const SourceLine& line : source.lines) {
    if (line.kind == SourceLine::Kind::place || is_blank(line)) continue;
    std::string text = line.text;
    if (const auto at = text.find("#line"); at != std::string::npos) text.erase(0, text.find('\n', at) + 1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.pop_back();
    all += text + '\n';
  }
  return all;
}

std::string kept(const std::string& text, const NameSet& mentioned = {}) {
  FlatSource source = flat(text);
  const auto lines = std::ranges::count(text_of(source), '\n');
  drop_host_code(source, mentioned);
  EXPECT_EQ(std::ranges::count(text_of(source), '\n'), lines);
  return shown(source);
}

std::string replaced(const std::string& text, const NameSet& parameters) {
  FlatSource source = flat(text);
  const auto lines = std::ranges::count(text_of(source), '\n');
  replace_settings(source, parameters);
  EXPECT_EQ(std::ranges::count(text_of(source), '\n'), lines);
  return shown(source);
}

TEST(KernelCode, host_functions_and_what_only_they_use_are_dropped) {
  EXPECT_EQ(kept("#include <vector>\n"
                 "#define CHECK(call) check((call), #call)\n"
                 "static std::vector<float> values;\n"
                 "using Clock = std::chrono::steady_clock;\n"
                 "void check(cudaError_t error, const char* text) { if (error) exit(1); }\n"
                 "__global__ void k(float* x) { x[threadIdx.x] = 1; }\n"
                 "int main(int argc, char** argv) {\n"
                 "  CHECK(cudaMalloc(&values[0], 4));\n#ifdef DEBUG\n  puts(\"hi\");\n#endif\n"
                 "  k<<<1, 32>>>(nullptr);\n}\n"),
            "#include <vector>\n#define CHECK(call) check((call), #call)\n"
            "__global__ void k(float* x) { x[threadIdx.x] = 1; }\n#ifdef DEBUG\n#endif\n");
}

TEST(KernelCode, code_that_kernels_use_stays) {
  const std::string text =
      "constexpr int kUnrolled = 2;\nconstexpr int kRows = 4;\nconst int kColumns = 8;\nenum Mode { fast, "
      "slow };\n"
      "struct Pair { float a, b; };\nusing Real = float;\ntypedef unsigned long long Word;\n"
      "constexpr int area() { return kRows * kColumns; }\n"
      "namespace detail {\ntemplate <class T> struct Traits { static constexpr int n = slow; };\n"
      "template <> struct Traits<int> { static constexpr int n = fast; };\n}\n"
      "struct Plus { __device__ float operator()(float a, float b) const { return a + b; } };\n"
      "__constant__ float filter[9];\n"
      "extern \"C\" {\n__global__ void k(Pair* p, Word w) {\n#pragma unroll kUnrolled\n p->a = Real(area()) "
      "+ detail::Traits<int>::n; }\n}\n"
      "static_assert(kRows < 5);\n";
  EXPECT_EQ(kept(text), text);
}

TEST(KernelCode, members_of_classes_that_call_the_host_api_are_only_declared) {
  EXPECT_EQ(kept("struct Lock {\n"
                 "  int* mutex;\n"
                 "  Lock() {\n    if (cudaMalloc(&mutex, 4)) exit(1);\n  }\n"
                 "  void* operator new(size_t size) const { return cudaHostAlloc(size); }\n"
                 "  int cudaCount() { return 1; }\n"
                 "  __device__ void sync() { cudaDeviceSynchronize(); }\n};\n"
                 "__global__ void k(Lock x) {\n  if (x.mutex) { cudaDeviceSynchronize(); }\n}\n"),
            "struct Lock {\n"
            "  int* mutex;\n"
            "  Lock() ;\n"
            "  void* operator new(size_t size) const ;\n"
            "  int cudaCount() { return 1; }\n"
            "  __device__ void sync() { cudaDeviceSynchronize(); }\n};\n"
            "__global__ void k(Lock x) {\n  if (x.mutex) { cudaDeviceSynchronize(); }\n}\n");
}

TEST(KernelCode, macros_may_stand_for_the_words_of_device_code) {
  EXPECT_EQ(kept("#define HD __host__ __device__\n#define INLINE HD inline\n"
                 "INLINE float twice(float x) { return 2 * x; }\nfloat thrice(float x) { return 3 * x; }\n"),
            "#define HD __host__ __device__\n#define INLINE HD inline\n"
            "INLINE float twice(float x) { return 2 * x; }\n");
}

TEST(KernelCode, names_in_entries_are_kept) {
  const std::string text =
      "struct Sum {};\nstruct Product {};\ntemplate <class F> __global__ void k(int* x) {}\n";
  EXPECT_EQ(kept(text, {"Sum"}), "struct Sum {};\ntemplate <class F> __global__ void k(int* x) {}\n");
}

TEST(KernelCode, kernels_that_the_launches_do_not_mention_are_dropped) {
  const std::string used = "__device__ int twice(int x) { return 2 * x; }\n",
                    k = "__global__ void k(int* x) {}\n";
  const std::string other =
      "__device__ void only_here() {}\ntemplate <class T>\n__global__ void __launch_bounds__(f(1, 2)) "
      "other(T* x) {}\n"
      "template __global__ void other<int>(int*);\n";
  EXPECT_EQ(kept(other + k, {"k"}), "__device__ void only_here() {}\n" + k);
  EXPECT_EQ(kept(used + k + "__global__ void main_one(int* x) { k<<<1, twice(1)>>>(x); }\n", {"main_one"}),
            used + k + "__global__ void main_one(int* x) { k<<<1, twice(1)>>>(x); }\n");
  EXPECT_EQ(kept(other + k, {"none"}), other + k);
}

TEST(KernelCode, a_pragma_is_dropped_with_the_code_around_it) {
  const std::string loop = "__global__ void k(int* x) {\n#pragma unroll 2\n  for (;;) {}\n}\n";
  EXPECT_EQ(kept("int main() {\n#pragma omp for\n  for (;;) {}\n}\n" + loop, {"k"}), loop);
}

TEST(KernelCode, odd_host_declarations_are_dropped_completely) {
  for (const std::string text :
       {"Timer::Timer() : start{0}, stop(1) { run(); }", "auto f = [](int x) { return x; };",
        "std::ostream& operator<<(std::ostream& out, const T& t) { return out; }",
        "template <> void launch<4>(float* x) { k<<<1, 4>>>(x); }", "template void launch<8>(float*);",
        "namespace bench { void run() {} int runs = 3; }", "dim3 grid(16, 16);", "BENCHMARK_MAIN();",
        "class Buffer { public: Buffer() : p_(nullptr) {} ~Buffer() { cudaFree(p_); } private: float* p_; };",
        "auto launch(int n) -> void { k<<<n, n>>>(); }", "struct Options { int n = 4; } options;"}) {
    const std::string left = kept(text + "\n__global__ void k(float* x) {}\n");
    EXPECT_EQ(left.substr(left.size() - 31), "__global__ void k(float* x) {}\n") << text;
    EXPECT_EQ(std::ranges::count(left, '('), 1) << text << ": " << left;  // braces of a namespace stay
  }
}

TEST(KernelCode, a_source_without_matching_brackets_stays_as_it_is) {
  const std::string text =
      "#ifdef WIDE\n__global__ void k(float4* x) {\n#else\n__global__ void k(float* x) {\n#endif\n}\nint "
      "main() {}\n";
  EXPECT_EQ(kept(text), text);
}

TEST(KernelCode, headers_of_host_libraries_stay_only_where_kernels_use_them) {
  EXPECT_EQ(kept("#include <cublas_v2.h>\n#include <thrust/complex.h>\n#include <helper_cuda.h>\n#include "
                 "<cuda_gl_interop.h>\n"
                 "__global__ void k(thrust::complex<float>* x) {}\nint main() { cublasHandle_t h; }\n"),
            "#include <thrust/complex.h>\n__global__ void k(thrust::complex<float>* x) {}\n");
}

TEST(KernelCode, host_code_with_a_name_that_kernels_use_is_removed) {
  const std::string kernel = "__global__ void k(float* data, int n) { reduce(data); T(n); }\n";
  for (const char* host :
       {"float* data;", "static int n = 5;", "void reduce(float* x) { k<<<1, 1>>>(x, 1); }",
        "void k(float* x) { k<<<1, 1>>>(x, 1); }", "extern \"C\" void reduce(float* x);",
        "template <typename T> class Runner { virtual T run() = 0; };", "void (*reduce[])(int) = {run};",
        "using namespace std::chrono;"})
    EXPECT_EQ(kept(host + ('\n' + kernel)), kernel) << host;
  for (const char* device :
       {"const int n = 5;", "namespace reduce = tools;", "constexpr float reduce(float* x) { return *x; }",
        "LIBRARY_DEVICE void reduce(float* x) {}",
        "struct Tool {\n  __device__ void reduce(float* x);\n};\nvoid Tool::reduce(float* x) {}",
        "typedef int T;", "template <class X> struct T;\ntemplate <class X> T(X) -> T<X>;",
        "template <class F> struct T;\ntemplate <class... P> struct T<void (*)(P...)> {\n};",
        "__device__ void reduce(float* x);\nvoid reduce(float* x) {}"})
    EXPECT_EQ(kept(device + ('\n' + kernel)), device + ('\n' + kernel)) << device;
}

TEST(KernelCode, notes_name_the_removed_host_code_that_messages_quote) {
  FlatSource source =
      flat("int twice(int x) { return 2 * x; }\nint n = 5;\n__global__ void k(int* x) { *x = twice(*x); }\n");
  drop_host_code(source, {});
  EXPECT_EQ(host_code_notes(source.host_names, "k.cu(3): error: identifier \"twice\" is undefined\n"),
            "note: 'twice' has no __device__, so it is host code, which is left out\n");
  EXPECT_EQ(host_code_notes(source.host_names, "k.cu:3: error: use of undeclared identifier 'twice2'\n"), "");
}

TEST(KernelCode, unmarked_functions_stay_where_an_option_makes_them_device_code) {
  FlatSource source =
      flat("int twice(int x) { return 2 * x; }\n__global__ void k(int* x) { *x = twice(*x); }\n");
  const std::string before = text_of(source);
  drop_host_code(source, {}, unmarked_with({"-O3", "--device-as-default-execution-space"}));
  EXPECT_EQ(text_of(source), before);
  drop_host_code(source, {}, unmarked_with({"-O3"}));
  EXPECT_NE(text_of(source), before);
}

TEST(ImpliedIncludes, are_of_the_names_that_nvcc_and_host_libraries_declare) {
  EXPECT_EQ(implied_includes(flat("#define HALF (M_PI / 2)\n__global__ void k(float* x) { x[0] = HALF; }\n")),
            "#include <math.h>\n");
  EXPECT_EQ(implied_includes(flat("__global__ void k(float* x, uint n) { x[n] = INFINITY * M_PI; }\n")),
            "#include <sys/types.h>\n#include <math.h>\n");
  EXPECT_EQ(implied_includes(flat("__global__ void k(__nv_bfloat16* x) {}  // uint8_t\n")),
            "#include <cuda_bf16.h>\n");
  EXPECT_EQ(implied_includes(flat("__global__ void k(float* x) {}\n")), "");
}

TEST(ReplaceSettings, replaces_macros_and_constants_by_parameters) {
  const std::string value = "gktune_value_of_TILE";
  for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{
           {"#define TILE 16\nint x = TILE;", "int x = TILE;"},
           {"#define TILE (16 * \\\n  2)\nint x = TILE;", "int x = TILE;"},
           {"#define TILE 16\n#undef TILE\n#define TILE 32\nint x = TILE;", "int x = TILE;"},
           {"constexpr int TILE = 16;", "constexpr int TILE = " + value + ";"},
           {"static constexpr unsigned TILE{16};", "static constexpr unsigned TILE{" + value + "};"},
           {"constexpr int A = f(1, 2), TILE = A * 2, B = 3;",
            "constexpr int A = f(1, 2), TILE = " + value + ", B = 3;"},
           {"const int TILE = 16;", "const int TILE = " + value + ";"},
           {"enum { A = 1, TILE = 16, B };", "enum { A = 1, TILE = " + value + ", B };"},
           {"enum class Size : int { TILE = 16 };", "enum class Size : int { TILE = " + value + " };"},
           {"using TILE = unsigned int;", "using TILE = " + value + ";"},
           {"typedef unsigned int TILE;", "typedef " + value + " TILE;"}}) {
    EXPECT_EQ(replaced(text + "\n", {"TILE", "OTHER"}), expected + "\n");
  }
}

TEST(ReplaceSettings, leaves_other_declarations_unchanged) {
  for (const std::string text :
       {"int TILE = 16;", "const int TILE = blockDim.x;", "const int TILE = size;", "const int* TILE = 0;",
        "#define TILE(x) x", "if (TILE == 16) f();", "int TILES = TILE;", "f(TILE);",
        "template <int TILE> struct S;", "enum { A };", "// constexpr int TILE = 16;"}) {
    FlatSource source = flat(text + "\n");
    const std::string before = text_of(source);
    replace_settings(source, {"TILE"});
    EXPECT_EQ(text_of(source), before) << text;
    EXPECT_TRUE(source.constants.empty()) << text;
  }
}

TEST(UsedBy, lists_the_words_and_numbers_of_the_code_that_a_function_needs) {
  const UsedText used =
      used_by(flat("#define TILE (SIDE * 2)\n#define SIDE 8\n#define OTHER 77\nconst int kBlock = 128;\nenum "
                   "{ WARPS = 4 };\n"
                   "namespace deep { struct Pair { int first[3]; }; }\n__device__ float twice(float x) { "
                   "return x * kBlock; }\n"
                   "__global__ void first(deep::Pair* p) { p[TILE].first[WARPS] = twice(1.5f); }\n"
                   "__global__ void second() { int x = OTHER + 99; }\nint main() { int threads = 256; "
                   "first<<<1, threads>>>(0); }\n"),
              {"first"});
  for (const char* word : {"TILE", "SIDE", "kBlock", "WARPS", "Pair", "twice"})
    EXPECT_TRUE(used.words.contains(word)) << word;
  for (const char* word : {"OTHER", "second", "main", "threads"})
    EXPECT_FALSE(used.words.contains(word)) << word;
  EXPECT_EQ(used.numbers, (NameSet{"1.5f", "128", "2", "3", "4", "8"}));
  EXPECT_TRUE(used_by(flat("__global__ void k() { ( }\n"), {"k"}).words.empty());
}

}  // namespace
}  // namespace gktune
