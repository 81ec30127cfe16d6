#include "tuner/source/signatures.h"

#include <gtest/gtest.h>

namespace gktune {
namespace {

std::vector<FunctionSignature> signatures(const std::string& text) {
  return signatures_in(flatten("k.cu", text, {}, AngleIncludes::expand));
}

// "kernel copy<T,n>(const T*,long long n)", with "?" for parameters that the text does not decide.
std::string words(const std::string& text) {
  std::string all;
  for (const FunctionSignature& signature : signatures(text)) {
    static constexpr const char* kKinds[] = {"kernel ", "function ", "unknown "};
    all += kKinds[static_cast<std::size_t>(signature.kind)] + signature.name;
    for (std::size_t i = 0; i < signature.template_parameters.size(); ++i)
      all += (i == 0 ? "<" : ",") + signature.template_parameters[i];
    if (!signature.template_parameters.empty()) all += '>';
    all += '(';
    if (!signature.parameters) all += '?';
    for (const auto& parameter : signature.parameters.value_or(std::vector<FunctionSignature::Parameter>()))
      all += (all.ends_with('(') ? "" : ", ") + parameter.type + '|' + parameter.name;
    all += ")\n";
  }
  return all;
}

TEST(Signatures, have_the_parameters_of_kernels) {
  EXPECT_EQ(words("__global__ void f(const float* __restrict__ in, float *out, unsigned long n) { g(in); }"),
            "kernel f(const float* __restrict__|in, float*|out, unsigned long|n)\n");
  EXPECT_EQ(
      words("extern \"C\" __global__ void __launch_bounds__(N, 2) f(int x[], const __grid_constant__ P p);"),
      "kernel f(int*|x, const __grid_constant__ P|p)\n");
  EXPECT_EQ(words("namespace a { static __global__ void f() {} __global__ void g(void) {} }"),
            "kernel f()\nkernel g()\n");
  EXPECT_EQ(words("[[maybe_unused]] __global__ __attribute__((used)) void f(float a = 3) {}"),
            "kernel f(float|a)\n");
}

TEST(Signatures, name_the_parameters_of_templates) {
  EXPECT_EQ(
      words(
          "template <typename T, int n = (1 > 0), class... U>\n__global__ void f(std::array<T, n> a, T* b);"),
      "kernel f<T,n,U>(std::array<T, n>|a, T*|b)\n");
  EXPECT_EQ(words("template <> __global__ void f<float, 3>(float* b) {}"), "kernel f(float*|b)\n");
}

TEST(Signatures, distinguish_functions_kernels_and_what_a_macro_makes) {
  EXPECT_EQ(
      words("void f(int) {}\n__device__ inline float g(float x) { return h(x); }\nKERNEL k(int* p) {}\n"),
      "function f(int|)\nfunction g(float|x)\nunknown k(int*|p)\n");
  EXPECT_EQ(words("int x = f(3); void g() { if (a) { h(b); } while (c) { return d(e); } }"),
            "function g()\n");
}

TEST(Signatures, are_unknown_if_a_macro_or_a_condition_decides) {
  EXPECT_EQ(words("#define TWO int a, int b\n__global__ void f(TWO) {}"), "kernel f(?)\n");
  EXPECT_EQ(words("#define PTR(T) T*\n__global__ void f(PTR(int) a) {}"), "kernel f(?)\n");
  EXPECT_EQ(words("__global__ void f(int a\n#if B\n, int b\n#endif\n) {}"), "kernel f(?)\n");
  EXPECT_EQ(words("__global__ void f(void (*g)(int)) {}"), "kernel f(?)\n");
  EXPECT_EQ(words("template <class... T> __global__ void f(T... all) {}"), "kernel f<T>(?)\n");
}

TEST(Signatures, are_one_for_a_declaration_and_its_definition) {
  EXPECT_EQ(words("__global__ void f(int a);\n__global__ void f(int a) {}"), "kernel f(int|a)\n");
}

TEST(Signatures, are_not_found_in_a_text_that_is_not_a_source) {
  for (const char* text :
       {"", "(", ")", "f(", "__global__", "__global__ void f", "__global__ void f(", "template <", "template",
        "> (", "f<(", "}", "__global__ void (", "__global__ (void)"})
    EXPECT_EQ(words(text), "") << text;
}

// The resolved types, separated by blanks and bars.
std::string resolved(const std::string& text) {
  std::string all;
  for (const FunctionSignature& signature : signatures(text)) {
    for (const auto& parameter : signature.parameters.value_or(std::vector<FunctionSignature::Parameter>()))
      all += (all.empty() ? "" : " | ") + parameter.resolved_type;
  }
  return all;
}

TEST(Signatures, have_aliases_and_simple_macros_resolved) {
  const std::string kernel = "__global__ void f(const real* __restrict__ x, index n) {}\n";
  EXPECT_EQ(resolved("using real = float;\ntypedef unsigned long index;\n" + kernel),
            "const float * __restrict__ | unsigned long");
  EXPECT_EQ(
      resolved("typedef real2 real;\nnamespace n { using real2 = ::half; }\n#define index int\n" + kernel),
      "const ::half * __restrict__ | int");
  EXPECT_EQ(resolved("extern \"C\" {\ntypedef float real;\n}\nusing index = float*;\n" + kernel),
            "const float * __restrict__ | index");
}

TEST(Signatures, keep_names_that_the_text_does_not_decide) {
  const std::string kernel = "__global__ void f(real x) {}\n";
  for (const char* before :
       {"#if DOUBLE\nusing real = double;\n#else\nusing real = float;\n#endif\n",
        "#ifndef real\n#define real float\n#endif\n", "using real = float;\n#undef real\n",
        "#ifdef DOUBLE\n#define real double\n#endif\nusing real = float;\n",
        "struct S { using real = float; };\n", "template <int n> using real = V<n>;\n",
        "namespace a { using real = float; }\nnamespace b { using real = double; }\n", "using real = real;\n",
        "typedef void (*real)(int);\n", "struct T {};\ntemplate <typename real>\n"}) {
    EXPECT_EQ(resolved(before + kernel), "real") << before;
  }
  EXPECT_EQ(resolved("using real = float;\n__global__ void f(n::real x) {}\n"), "n::real");
  EXPECT_EQ(resolved("using real = float;\ntemplate <typename real>\n" + kernel), "real");
}

TEST(ParseType, splits_a_type_into_its_base_and_pointers) {
  EXPECT_EQ(parse_type("const unsigned char * __restrict__"), (CppType{"unsigned char", 1, true}));
  EXPECT_EQ(parse_type("float const*"), (CppType{"float", 1, true}));
  EXPECT_EQ(parse_type("float* const"), (CppType{"float", 1, false}));
  EXPECT_EQ(parse_type("std::int64_t"), (CppType{"std::int64_t", 0, false}));
  EXPECT_EQ(parse_type("A<int>*"), (CppType{"", 1, false}));
  EXPECT_EQ(parse_type("float&"), (CppType{"", 0, false}));
}

}  // namespace
}  // namespace gktune
