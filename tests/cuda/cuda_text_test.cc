#include "tuner/device/cuda/compile/cuda_text.h"

#include <gtest/gtest.h>

namespace gktune {
namespace {

FlatSource flat(const std::string& text) { return flatten("k.cu", text, {}, AngleIncludes::keep); }

SourcePlan variant(std::vector<std::pair<std::string, std::string>> macros) {
  SourcePlan plan;
  plan.macros = std::move(macros);
  plan.entries = {"k<1>"};
  return plan;
}

TEST(cuda_text, sets_the_macros_of_one_variant_before_its_source) {
  const auto program = cuda_text_of_one(flat("int x = N;\n"), variant({{"N", "3"}}));
  EXPECT_EQ(program.text, "#define N 3\n#line 1 \"k.cu\"\nint x = N;\n");
  EXPECT_EQ(program.entries[0][0], "k<1>");
}

TEST(cuda_text, gives_each_of_several_variants_a_namespace_and_its_macros) {
  const SourcePlan a = variant({{"N", "3"}}), b = variant({{"N", "4"}});
  const SourcePlan* both[] = {&a, &b};
  const auto program = cuda_text_of_many(flat("__device__ int k = N;\n"), both);
  EXPECT_EQ(
      program.text,
      "#define N 3\nnamespace gktune_variant_0_ {\n#line 1 \"gktune_variant_0_/k.cu\"\n__device__ int k = "
      "N;\n\n}\n#undef N\n"
      "#define N 4\nnamespace gktune_variant_1_ {\n#line 1 \"gktune_variant_1_/k.cu\"\n__device__ int k = "
      "N;\n\n}\n#undef N\n");
  EXPECT_EQ(program.entries[1][0], "gktune_variant_1_::k<1>");
}

TEST(cuda_text, puts_includes_outside_of_the_namespaces) {
  const SourcePlan a = variant({{"WAY", "1"}});
  const SourcePlan* one[] = {&a};
  const auto program =
      cuda_text_of_many(flat("#if WAY\n#include \"x.h\"\n#endif\n#define Y 1\n__device__ int k;\n"), one);
  EXPECT_EQ(
      program.text,
      "#define WAY 1\n#line 1 \"k.cu\"\n#if WAY\n#undef WAY\n#line 2 \"k.cu\"\n#include \"x.h\"\n#define "
      "WAY 1\n#line 3 \"k.cu\"\n#endif\n#define Y 1\n\n#undef WAY\n"
      "#undef Y\n"
      "#define WAY 1\nnamespace gktune_variant_0_ {\n#line 1 \"gktune_variant_0_/k.cu\"\n#if WAY\n\n\n"
      "#line 3 \"gktune_variant_0_/k.cu\"\n#endif\n#define Y 1\n__device__ int k;\n\n}\n#undef WAY\n#undef "
      "Y\n");
}

TEST(cuda_text, hides_parameters_from_the_headers_of_the_toolkit) {
  const SourcePlan a = variant({{"T", "int"}});
  const SourcePlan* one[] = {&a};
  const FlatSource source = flat("#include <x.h>\nT x;\n");
  EXPECT_EQ(cuda_text_of_one(source, a).text,
            "#define T int\n#line 1 \"k.cu\"\n#undef T\n#line 1 \"k.cu\"\n#include <x.h>\n#define T "
            "int\n#line 2 \"k.cu\"\nT x;\n");
  EXPECT_NE(
      cuda_text_of_many(source, one).text.find("#undef T\n#line 1 \"k.cu\"\n#include <x.h>\n#define T int\n"),
      std::string::npos);
}

TEST(cuda_text, removes_the_c_linkage_of_kernels_in_namespaces) {
  const SourcePlan a = variant({});
  const SourcePlan* one[] = {&a};
  const auto program = cuda_text_of_many(flat("extern \"C\" __global__ void k();\n"), one);
  EXPECT_EQ(program.text.find("\"C\""), std::string::npos);
  EXPECT_NE(program.text.find("__global__ void k();"), std::string::npos);
}

TEST(cuda_text, is_not_shared_if_the_source_has_a_block_of_c_linkage) {
  EXPECT_FALSE(can_share_text(flat("extern \"C\" {\nvoid k();\n}\n")));
  EXPECT_TRUE(can_share_text(flat("extern \"C\" void k();\n// extern \"C\" {\n")));
}

TEST(cuda_text, finds_the_variant_that_a_message_is_about) {
  EXPECT_EQ(variant_in_log("gktune_variant_12_/k.cu(3): error: no"), 12u);
  EXPECT_EQ(variant_in_log("ptxas error : '_ZN17gktune_variant_0_5plainEPf' uses too much"), 0u);
  EXPECT_EQ(variant_in_log("ptxas error : '_ZN18gktune_variant_10_5plainEPf' uses too much"), 10u);
  EXPECT_EQ(variant_in_log("k.cu(3): error: no"), std::nullopt);
  EXPECT_EQ(variant_in_log("gktune_variant_"), std::nullopt);
}

TEST(cuda_text, removes_the_names_of_variants_from_messages) {
  EXPECT_EQ(
      without_variant_names("gktune_variant_3_/k.cu(4): error: in gktune_variant_3_::k<gktune_variant_3_::A>"),
      "k.cu(4): error: in k<A>");
}

}  // namespace
}  // namespace gktune
