#include "tuner/source/source_names.h"

#include <gtest/gtest.h>

namespace gktune {
namespace {

using Names = std::set<std::string, std::less<>>;

Names declared_names(const std::string& text) {
  return gktune::declared_names(flatten("k.cu", text, {}, AngleIncludes::expand));
}

TEST(DeclaredNames, include_parameters_of_templates) {
  EXPECT_EQ(
      declared_names("template <typename T, class U, int tile = 4 * (1 > 0), bool... flags>\nstruct S;"),
      (Names{"T", "U", "tile", "flags"}));
  EXPECT_EQ(declared_names("template <template <typename X> class V, typename W = Pair<int, T>> struct S;"),
            (Names{"V", "W", "X"}));
}

TEST(DeclaredNames, include_parameters_of_functions) {
  EXPECT_EQ(declared_names(
                "__global__ void f(const float* __restrict__ in, int n[2], float eps) { g(in, eps * n); }"),
            (Names{"in", "n", "eps"}));
  EXPECT_EQ(declared_names("auto f(A<int, 2> a, B& b) const -> int { return [](int x) { return x; }(1); }"),
            (Names{"a", "b", "x"}));
}

TEST(DeclaredNames, include_no_types_and_no_expressions) {
  EXPECT_EQ(
      declared_names("template <TYPE> struct A; template <typename = void, unsigned = WIDTH> struct B;"),
      Names());
  EXPECT_EQ(declared_names(
                "void f(const T, ns::T) { if (a * b) { c(d * e); } while (x - y) {} for (int i = 0;;) {} }"),
            Names());
  EXPECT_EQ(
      declared_names("template <> struct A<T> {}; template struct A<T>; bool b = a < c; int d = f(g * h);"),
      Names());
}

TEST(DeclaredNames, are_not_found_in_comments_literals_and_directives) {
  EXPECT_EQ(
      declared_names("// template <int a>\n/* template <int b> */ const char* t = \"template <int c>\";\n"
                     "#define D template <int d>\n"),
      Names());
}

TEST(DeclaredNames, do_not_include_names_that_conditions_test) {
  EXPECT_EQ(declared_names("#if tile > 4\n#endif\ntemplate <int tile, int rows> void f() {}"),
            (Names{"rows"}));
}

TEST(DeclaredNames, are_not_searched_in_code_that_may_not_be_compiled) {
  EXPECT_EQ(
      declared_names("#ifndef HEADER\n#define HEADER\nvoid a(int x) {}\n#if STANDALONE\nvoid b(int y) {}\n"
                     "#else\nvoid c(int z) {}\n#endif\nvoid d(int w) {}\n#endif\n#endif\n"),
      (Names{"x", "w"}));
}

TEST(DeclaredNames, do_not_crash_on_a_text_that_is_not_a_source) {
  for (const char* text :
       {"", "template", "template <", "template <int a", "f(", "f(int a", "f(int a) ", "(int", "\"", "'",
        "\"\\", "x]]]", "f(int a]) {", "f(a]) {", "template <int ]> struct S;"}) {
    EXPECT_EQ(declared_names(text), Names()) << text;
  }
}

}  // namespace
}  // namespace gktune
