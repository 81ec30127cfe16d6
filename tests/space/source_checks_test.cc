// Faults of a space file and its source that are found without compiling.
#include <gtest/gtest.h>

#include "reduce_example.h"
#include "tests/expectations.h"
#include "tuner/source/source_names.h"
#include "tuner/space/plan.h"

namespace gktune {
namespace {

DeviceInfo some_device() {
  DeviceInfo info;
  info.kind = "cuda";
  info.warp_size = 32;
  info.max_threads_per_block = 1024;
  info.max_block_x = info.max_block_y = info.max_block_z = 1024;
  info.max_grid_x = info.max_grid_y = info.max_grid_z = 65535;
  return info;
}

struct Case {
  std::string source = "__global__ void scale(const float* in, float* out, float factor, int n) {}\n";
  std::string in = "float", out = "float", factor = "float", n = "int32";
  std::string entry = "scale", arguments = "[in, out, factor, n]", parameters = "{tile: [16, 32]}";
  std::string more = "options: [\"-DUSED={tile}\"]\n";

  std::string space() const {
    return "kernel: scale\nsource: scale.cu\nproblem: {n: [1024]}\nparameters: " + parameters +
           "\narguments:\n  in: {type: " + in +
           ", extent: n, init: {uniform: [0, 1]}}\n  out: {type: " + out +
           ", extent: n, role: out}\n  factor: {type: " + factor + ", value: 2}\n  n: {type: " + n +
           ", value: n}\nlaunches: {entry: \"" + entry + "\", grid: 4, block: 64, arguments: " + arguments +
           "}\n" + more;
  }
  Result<Definition, std::vector<Diagnostic>> read() const {
    return read_space_text(space(), "scale.yaml", {}, files_of({{"scale.cu", source}}));
  }
};

// The fault of the configuration, or an empty text.
std::string fault(const Case& test) {
  const auto read = test.read();
  if (!read) return "reading: " + read.error().front().message;
  Config config;
  for (const Parameter& parameter : read->parameters) config.set(parameter.name, parameter.values.front());
  const auto plan = resolve(read->kernel, config, {{"n", 1024}}, some_device());
  return plan ? plan->reference_error.value_or("") : plan.error().message;
}

std::string errors(const Case& test) {
  const auto read = test.read();
  return read ? "" : read.error().front().message;
}
std::string warnings(const Case& test) {
  const auto read = test.read();
  std::string all;
  if (!read) return "reading: " + read.error().front().message;
  for (const Diagnostic& warning : read->warnings) all += warning.str() + '\n';
  return all;
}

TEST(LaunchCheck, finds_nothing_wrong_with_a_launch_that_fits) { EXPECT_EQ(fault({}), ""); }

TEST(LaunchCheck, names_both_types_of_a_buffer) {
  EXPECT_EQ(fault({.in = "double"}),
            "launch of 'scale': parameter 1 'in' is const float*, 'in' is a buffer of float64");
  EXPECT_EQ(fault({.out = "float16"}),
            "launch of 'scale': parameter 2 'out' is float*, 'out' is a buffer of float16");
  EXPECT_EQ(fault({.n = "int64"}),
            "launch of 'scale': parameter 4 'n' is int, 'n' is a scalar of type int64");
}

TEST(LaunchCheck, knows_the_names_of_complex_types) {
  const auto with = [](const std::string& parameter, const std::string& in,
                       const std::string& entry = "scale") {
    const std::string head = entry == "scale" ? "" : "template <class T> ";
    return fault({.source = head + "__global__ void scale(const " + parameter +
                            "* in, float* out, float factor, int n) {}\n",
                  .in = in,
                  .entry = entry});
  };
  for (const char* name : {"float2", "cuComplex", "cuFloatComplex", "cuda::std::complex<float>",
                           "thrust::complex<float>", "std::complex< float >", "float", "float4"}) {
    EXPECT_EQ(with(name, "complex64"), "") << name;
  }
  for (const char* name : {"double2", "cuDoubleComplex", "cuda::std::complex<double>", "double"}) {
    EXPECT_EQ(with(name, "complex128"), "") << name;
    EXPECT_TRUE(contains(with(name, "complex64"), "parameter 1 'in' is const " + std::string(name)));
  }
  // A buffer may hold real and imaginary parts in turn, and a vector type may hold any elements.
  EXPECT_EQ(with("cuFloatComplex", "float"), "");
  EXPECT_EQ(with("float2", "int32"), "");
  EXPECT_EQ(with("cuFloatComplex", "double"),
            "launch of 'scale': parameter 1 'in' is const cuFloatComplex*, 'in' is a buffer of float64");
  EXPECT_EQ(with("T", "complex64", "scale<cuda::std::complex<float>>"), "");
  EXPECT_NE(with("T", "complex64", "scale<cuda::std::complex<double>>"), "");
}

TEST(LaunchCheck, distinguishes_a_texture_from_a_buffer) {
  const auto with = [](const std::string& parameter, const std::string& arguments) {
    return fault(
        {.source = "__global__ void scale(" + parameter + " in, float* out, float factor, int n) {}\n",
         .arguments = arguments});
  };
  const std::string texture = "[{texture: in, sizes: n}, out, factor, n]", buffer = "[in, out, factor, n]";
  EXPECT_EQ(with("cudaTextureObject_t", texture), "");
  EXPECT_EQ(with("unsigned long long", texture), "");
  EXPECT_EQ(with("const float*", texture),
            "launch of 'scale': parameter 1 'in' is const float*, the launch passes a texture of in");
  EXPECT_EQ(with("cudaTextureObject_t", buffer),
            "launch of 'scale': parameter 1 'in' is cudaTextureObject_t, 'in' is a buffer of float32");
}

TEST(LaunchCheck, finds_missing_and_extra_arguments) {
  EXPECT_EQ(
      fault({.arguments = "[in, out, factor]"}),
      "launch of 'scale': it has 4 parameters (const float* in, float* out, float factor, int n), the launch "
      "passes 3 arguments (in, out, factor)");
  EXPECT_TRUE(contains(fault({.arguments = "[in, out, factor, n, n]"}), "passes 5 arguments"));
}

TEST(LaunchCheck, finds_swapped_arguments) {
  EXPECT_EQ(fault({.arguments = "[in, out, n, factor]"}),
            "launch of 'scale': parameter 3 'factor' is float, 'n' is a scalar of type int32; 'n' and "
            "'factor' seem to "
            "be swapped");
  EXPECT_TRUE(
      contains(fault({.arguments = "[in, factor, out, n]"}), "'factor' and 'out' seem to be swapped"));
}

TEST(LaunchCheck, replaces_template_arguments_and_macros) {
  const std::string source =
      "template <typename T, int k>\n__global__ void scale(const T* in, T* out, T factor, int n) {}\n";
  EXPECT_EQ(fault({.source = source, .entry = "scale<float, tile>"}), "");
  EXPECT_EQ(
      fault({.source = source, .entry = "scale<double, tile>"}),
      "launch of 'scale<double, 16>': parameter 1 'in' is const T* (double), 'in' is a buffer of float32");
  const std::string macro = "__global__ void scale(const tile* in, tile* out, tile factor, int n) {}\n";
  EXPECT_EQ(fault({.source = macro, .parameters = "{tile: [float]}"}), "");
  EXPECT_TRUE(contains(fault({.source = macro, .parameters = "{tile: [double]}"}), "const tile* (double)"));
}

TEST(LaunchCheck, knows_aliases_and_macros_of_the_source) {
  const std::string kernel = "__global__ void scale(const real* in, real* out, real factor, count n) {}\n";
  const std::string count = "typedef int count;\n";
  EXPECT_EQ(fault({.source = "using real = float;\n" + count + kernel}), "");
  for (const char* real : {"using real = double;\n", "#define real double\n"}) {
    EXPECT_EQ(fault({.source = real + count + kernel}),
              "launch of 'scale': parameter 1 'in' is const real* (double), 'in' is a buffer of float32");
  }
  EXPECT_EQ(fault({.source = "using real = float;\n" + count + kernel, .n = "int64"}),
            "launch of 'scale': parameter 4 'n' is count (int), 'n' is a scalar of type int64");
  // A parameter replaces the alias of its name.
  const Case replaced{.source = "typedef double tile;\nusing real = tile;\n" + count + kernel,
                      .parameters = "{tile: [float]}"};
  EXPECT_EQ(fault(replaced), "");
  // So does an axis of the problem.
  const auto read = read_space_text(
      "kernel: k\nsource: k.cu\nproblem: {real: [double]}\narguments:\n"
      "  x: {type: \"{real}\", extent: 8, init: zero}\nlaunches: {entry: k}\n",
      "k.yaml", {}, files_of({{"k.cu", "typedef float real;\n__global__ void k(const real* x) {}\n"}}));
  ASSERT_TRUE(read.ok()) << read.error().front().str();
  EXPECT_TRUE(resolve(read->kernel, {}, {{"real", "double"}}, some_device()).ok());
}

TEST(LaunchCheck, reports_nothing_if_the_text_does_not_decide) {
  for (const std::string source :
       {"#ifndef REAL\n#define REAL double\n#endif\n"
        "__global__ void scale(const REAL* in, REAL* out, REAL factor, int n) {}\n",
        "#if USED > 16\n__global__ void scale(const double* in) {}\n#else\n__global__ void scale(const "
        "float* in, float* "
        "out, float factor, int n) {}\n#endif\n",
        "template <typename T = double>\n__global__ void scale(const T* in, T* out, T factor, int n) {}\n",
        "__global__ void scale(const float4* in, float4* out, unsigned n, unsigned m) {}\n",
        "#define KERNEL(name) __global__ void name(const double* in)\nKERNEL(scale) {}\n",
        "DECLARE scale(const float* in, float* out, float factor, int n) {}\n"}) {
    Case test{.source = source};
    if (source.find("float4") != std::string::npos) test.arguments = "[in, out, n, n]";
    EXPECT_EQ(fault(test), "") << source;
  }
  EXPECT_EQ(
      fault({.source = "__global__ void scale(const void* in, char* out, float factor, unsigned n) {}\n"}),
      "");
}

TEST(LaunchCheck, refuses_a_function_that_is_not_a_kernel) {
  EXPECT_EQ(fault({.source = "void scale(const float* in, float* out, float factor, int n) {}\n"}),
            "launch of 'scale': 'scale' is no kernel, its declaration lacks __global__");
}

TEST(LaunchCheck, passes_the_stream_to_host_code) {
  Case test;
  test.more += "language: host\n";
  const auto fault_of = [&](const std::string& source) {
    test.source = source;
    std::string text = test.space();
    text.replace(text.find(", grid: 4, block: 64"), 20, "");
    const auto read = read_space_text(text, "scale.yaml", {}, files_of({{"scale.cu", test.source}}));
    if (!read) return read.error().front().message;
    const auto plan = resolve(read->kernel, {{"tile", 16}}, {{"n", 1024}}, some_device());
    return plan ? "" : plan.error().message;
  };
  EXPECT_EQ(fault_of("int scale(const float* in, float* out, float factor, int n, cudaStream_t stream) {}\n"),
            "");
  EXPECT_EQ(fault_of("int scale(const float* in, float* out, float factor, int n) {}\n"), "");
  EXPECT_EQ(fault_of("void scale(const float* in, float* out, float factor, CUstream_st* stream) {}\n"),
            "launch of 'scale': it has 3 parameters (const float* in, float* out, float factor), the launch "
            "passes 4 arguments (in, out, factor, n)");
  EXPECT_EQ(fault_of("__global__ void scale(const float* in, float* out, float factor, int n) {}\n"),
            "launch of 'scale': 'scale' is a kernel: host code is a function that launches it");
}

TEST(LaunchCheck, checks_the_reference_too) {
  Case test;
  test.source += "__global__ void plain(const double* in, float* out) {}\n";
  test.more += "reference: {launches: {entry: plain, arguments: [in, out]}}\n";
  EXPECT_EQ(
      fault(test),
      "the reference: launch of 'plain': parameter 1 'in' is const double*, 'in' is a buffer of float32");
}

TEST(SourceMacros, a_parameter_that_nothing_uses_is_a_warning) {
  EXPECT_EQ(warnings({.more = ""}),
            "scale.yaml:4:14: warning: nothing uses the parameter 'tile'\n"
            "  parameters: {tile: [16, 32]}\n"
            "               ^~~~\n"
            "  the source does not name it, nor does an expression or an option\n");
  EXPECT_EQ(warnings({}), "");
  EXPECT_EQ(warnings({.more = "constraints: [tile > 1]\n"}), "");
  Case used{.more = ""};
  used.source += "#if tile > 3\n#endif\n";
  EXPECT_EQ(warnings(used), "");
  Case commented{.more = ""};
  commented.source += "// tile\n";
  EXPECT_NE(warnings(commented), "");
}

std::string unused_in(const std::string& text, const std::set<std::string, std::less<>>& mentioned = {}) {
  const FlatSource source = flatten("k.cu", text, {}, AngleIncludes::expand, [](const std::string&) {
    return Result<std::string>(Error{"no such file"});
  });
  std::string all;
  for (const std::string& name : unused_names(source, {"tile", "blockCount"}, mentioned)) all += name + ' ';
  return all;
}

TEST(UnusedNames, are_not_a_word_of_the_source) {
  EXPECT_EQ(unused_in("int x = tile;\n"), "blockCount ");
  EXPECT_EQ(unused_in("int tiles = blockCounter; // tile\n"), "blockCount tile ");
  EXPECT_EQ(unused_in("#ifdef tile\n#include <blockCount>\n#endif\n"), "blockCount ");
  EXPECT_EQ(unused_in("int x;\n", {"tile"}), "blockCount ");
}

TEST(UnusedNames, are_not_reported_if_a_macro_of_the_source_joins_words) {
  EXPECT_EQ(unused_in("#define JOIN(a, b) a##b\nint x = JOIN(block, Count);\n"), "");
}

TEST(UnusedNames, are_not_reported_if_only_the_compiler_knows_an_include) {
  EXPECT_EQ(unused_in("#define HEADER \"k.h\"\n#include HEADER\n"), "");
  // Sees no parameters.
  EXPECT_EQ(unused_in("#include \"missing.h\"\n#include <cub/cub.cuh>\n"), "blockCount tile ");
}

TEST(UnusedNames, do_not_become_macros) {
  const auto macros_with = [](const Case& test) {
    const auto read = test.read();
    Config config;
    for (const Parameter& parameter : read->parameters) config.set(parameter.name, parameter.values.front());
    const auto plan = resolve(read->kernel, config, {{"n", 1024}}, some_device());
    return plan->candidate.source.macros.size();
  };
  EXPECT_EQ(macros_with({.more = "constraints: [tile > 1]\n"}), 0u);
  EXPECT_EQ(macros_with({.more = "options: [\"-DSIDE=tile\"]\n"}), 1u);
  Case value{.parameters = "{tile: [16, 32], side: [tile]}", .more = ""};
  value.source = "__global__ void scale(const float* in, float* out, float factor, int n) { *out = side; }\n";
  EXPECT_EQ(macros_with(value), 2u);
}

TEST(UnusedNames, become_macros_of_host_code) {
  for (const bool is_host : {false, true}) {
    const auto read = read_space_text(
        std::string("kernel: scale\nsource: scale.cu\nlanguage: ") + (is_host ? "host" : "c++") +
            "\nproblem: {n: [1024]}\nparameters: {tile: [16, 32]}\narguments: {out: {type: float, extent: n, "
            "role: out}}\n"
            "launches: {entry: scale, arguments: [out]}\nconstraints: [tile > 1]\n",
        "scale.yaml", {}, files_of({{"scale.cu", "extern \"C\" void scale(float* out) { out[0] = 1; }\n"}}));
    ASSERT_TRUE(read.ok()) << read.error().front().str();
    EXPECT_EQ(read->kernel.undefined_names.contains("tile"), !is_host);
  }
}

TEST(SourceMacros, a_macro_with_arguments_named_like_a_parameter_is_one_error) {
  Case test;
  test.source = "\n#define tile(x) 32\n" + test.source;
  EXPECT_EQ(errors(test), "scale.cu:2 defines 'tile' with arguments: the parameter cannot replace it");
  for (const std::string text :
       {"#define tile 32\n", "#ifndef tile\n#define tile 32\n#endif\n", "#if 0\n#define tile 32\n#endif\n",
        "#define tiles tile\n", "// #define tile 32\n"}) {
    Case harmless;
    harmless.source = text + harmless.source;
    EXPECT_EQ(warnings(harmless), "") << text;
  }
}

TEST(SourceMacros, a_variable_named_like_a_parameter_is_one_error) {
  for (const std::string text :
       {"__device__ float tile[4];\n", "__device__ int tile = 4;\n", "__device__ void tile(int x) {}\n",
        "__device__ int f(int x) { const int tile = x; return tile; }\n"}) {
    Case test;
    test.source = "\n\n" + text + test.source;
    EXPECT_EQ(errors(test), "scale.cu:3 declares 'tile', which the parameter cannot replace") << text;
  }
  for (const std::string text :
       {"#ifndef tile\nconstexpr int tile = 32;\n#endif\n", "constexpr int size = tile;\n",
        "constexpr int tile = 32;\n", "static const unsigned tile{32};\n", "constexpr auto tile = 3;\n",
        "enum { tile = 32, other };\n", "int tile;\n", "void run(int tile) { float x[tile]; }\n",
        "__device__ int f() { return tile; }\n", "template <int tile> struct S { int a[tile]; };\n"}) {
    Case harmless;
    harmless.source = text + harmless.source;
    EXPECT_EQ(errors(harmless), "") << text;
  }
}

TEST(SourceMacros, a_reference_in_the_same_source_sees_the_default_configuration) {
  Case test;
  test.source += "__global__ void plain(float* out) { out[0] = tile; }\n";
  test.more = "reference: {launches: {entry: plain, arguments: [out]}}\n";
  const auto macros = [](const Case& each) {
    const auto read = each.read();
    const auto plan = resolve(read->kernel, {{"tile", 16}}, {{"n", 1024}}, some_device());
    return plan->reference.source.macros;
  };
  using Macros = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(macros(test), (Macros{{"tile", "16"}}));
  EXPECT_TRUE(contains(warnings(test),
                       "the reference is in the kernel's source, which is compiled for it with tile=16"));
  Case compared;
  compared.source =
      "__global__ void scale(const float* in, float* out, float factor, int n) { out[0] = tile; }\n";
  compared.more = "reference: default\n";
  EXPECT_TRUE(contains(warnings(compared), "the default configuration, which is the reference, has tile=16"));
  test.parameters = "{tile: {values: [16, 32], default: 32}}";
  EXPECT_EQ(macros(test), (Macros{{"tile", "32"}}));
  EXPECT_EQ(warnings(test), "");
  test.more = "reference: {source: ./scale.cu, launches: {entry: plain, arguments: [out]}}\n";
  EXPECT_EQ(macros(test), (Macros{{"tile", "32"}}));
}

}  // namespace
}  // namespace gktune
