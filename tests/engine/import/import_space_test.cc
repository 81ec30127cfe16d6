#include "engine/import/import_space.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/scratch_folder.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

constexpr std::string_view kT1 = R"json({
  "General": {"FormatVersion": 1},
  "ConfigurationSpace": {
    "TuningParameters": [
      {"Name": "block_size_x", "Type": "int", "Values": "[32, 64, 128]", "Default": 64},
      {"Name": "per_thread", "Type": "int", "Values": "list(range(1, 6, 2))"},
      {"Name": "way", "Type": "string", "Values": "['wide', 'narrow']"},
      {"Name": "hints", "Type": "bool", "Values": "[True, False]"}
    ],
    "Conditions": [{"Parameters": ["block_size_x", "per_thread"], "Expression": "block_size_x * per_thread <= 256 and not (way == 'wide' and hints)"}]
  },
  "KernelSpecification": {
    "Language": "CUDA", "KernelName": "copy", "KernelFile": "copy.cu", "CompilerOptions": ["-use_fast_math"],
    "GlobalSizeType": "OpenCL", "ProblemSize": [4096],
    "LocalSize": {"X": "block_size_x"}, "GlobalSize": {"X": "(ProblemSize[0] // per_thread)"},
    "Arguments": [
      {"Name": "in", "Type": "float", "MemoryType": "Vector", "Size": "ProblemSize[0]", "AccessType": "ReadOnly", "FillType": "Random", "FillValue": 2, "RandomSeed": 3},
      {"Name": "out", "Type": "float", "MemoryType": "Vector", "Size": "ProblemSize[0]", "AccessType": "WriteOnly"},
      {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": 4096}
    ]
  }
})json";

std::string error_with(std::string_view part, std::string_view replacement) {
  std::string text(kT1);
  const auto at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  const auto space = import_space_text(text.replace(at, part.size(), replacement), "copy.json");
  return space ? "no error" : space.error().message;
}

TEST(ImportSpace, a_t1_file_becomes_a_readable_space_file) {
  const auto space = import_space_text(std::string(kT1), "copy.json");
  ASSERT_TRUE(space.ok()) << space.error().message;
  ScratchFolder scratch;
  std::ofstream(scratch / "copy.yaml") << space->text;
  std::ofstream(scratch / "copy.cu") << "__global__ void copy(const float* in, float* out, int n) {\n"
                                        "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                        "  if (i < n) out[i] = in[i] * per_thread * hints;\n}\n";
  const auto read =
      read_space_file((scratch / "copy.yaml").string(), {.device_kind = "cuda", .strategies = {}});
  ASSERT_TRUE(read.ok()) << read.error().front().message << "\n" << space->text;
  ASSERT_EQ(read->parameters.size(), 4u);
  EXPECT_EQ(read->parameters[1].values, (std::vector<Value>{1, 3, 5}));
  EXPECT_EQ(read->parameters[2].values, (std::vector<Value>{"wide", "narrow"}));
  EXPECT_EQ(read->constraints.size(), 1u);
  EXPECT_EQ(read->kernel.default_values.find("block_size_x")->integer(), 64);
  EXPECT_EQ(read->kernel.arguments.size(), 3u);
}

TEST(ImportSpace, a_t1_default_in_quotes_has_the_kind_of_the_values) {
  std::string text(kT1);
  text.replace(text.find("\"Default\": 64"), 13, "\"Default\": \"64\"");
  const auto space = import_space_text(text, "copy.json");
  ASSERT_TRUE(space.ok()) << space.error().message;
  EXPECT_NE(space->text.find("block_size_x: {values: [32, 64, 128], default: 64}"), std::string::npos)
      << space->text;
}

TEST(ImportSpace, errors_name_what_is_wrong_in_a_t1_file) {
  EXPECT_EQ(error_with("\"[32, 64, 128]\"", "\"[32, 64\""),
            "copy.json: the values of 'block_size_x' are neither a list nor a range: [32, 64");
  EXPECT_EQ(error_with("list(range(1, 6, 2))", "range(6, 1)"),
            "copy.json: the values of 'per_thread' are an empty range: range(6, 1)");
  EXPECT_EQ(error_with("[True, False]", "[None]"),
            "copy.json: the values of 'hints' are neither a list nor a range: [None]");
  EXPECT_EQ(error_with("\"KernelName\"", "\"Name\""), "copy.json: 'KernelName' is missing");
  EXPECT_EQ(error_with("\"Language\": \"CUDA\"", "\"Language\": \"OpenCL\""),
            "copy.json: the language is OpenCL, not CUDA");
  EXPECT_EQ(error_with("\"KernelName\": \"copy\"", "\"KernelName\": 3"),
            "copy.json: 'KernelName' is not a text");
  EXPECT_EQ(error_with("\"Default\": 64", "\"Default\": [64]"),
            "copy.json: the default of 'block_size_x' is neither a number nor a text, true or false");
  EXPECT_EQ(error_with("\"[True, False]\"", "[18446744073709551615]"),
            "copy.json: a value of 'hints' is neither a number nor a text, true or false");
  EXPECT_EQ(import_space_text("{", "a.json").error().message, "a.json: it is not JSON");
  EXPECT_EQ(import_space_text("{}", "a.json").error().message, "a.json: 'KernelSpecification' is missing");
  EXPECT_FALSE(import_space("none.json").ok());
}

TEST(ImportSpace, the_source_is_named_from_the_folder_of_the_space_file) {
  const std::string text = "// %RANGE% TUNE_ITEMS ipt 7:24:1\n";
  for (const auto& [folder, expected] : std::vector<std::pair<std::string, std::string>>{
           {"", "benchmarks/sum.cu"}, {"benchmarks", "sum.cu"}, {"spaces", "../benchmarks/sum.cu"}}) {
    const auto space = import_space_text(text, "benchmarks/sum.cu", {{}, folder});
    ASSERT_TRUE(space.ok()) << space.error().message;
    EXPECT_NE(space->text.find("source: " + expected + "\n"), std::string::npos) << space->text;
  }
}

TEST(ImportSpace, comments_of_a_cccl_benchmark_become_parameters) {
  const auto space = import_space_text(
      "#include <cub/device/device_reduce.cuh>\n// %RANGE% TUNE_ITEMS_PER_THREAD ipt 7:24:1\n"
      "// %RANGE% TUNE_THREADS_PER_BLOCK tpb 128:1024:32\n// %RANGE% TUNE_ITEMS_PER_VEC_LOAD_POW2 ipv "
      "1:2:1\n",
      "sum.cu");
  ASSERT_TRUE(space.ok()) << space.error().message;
  EXPECT_NE(space->text.find("TUNE_ITEMS_PER_THREAD: {range: [7, 24, 1]}  # ipt"), std::string::npos)
      << space->text;
  EXPECT_NE(space->text.find("TUNE_THREADS_PER_BLOCK: {range: [128, 1024, 32]}"), std::string::npos);
  EXPECT_FALSE(space->notes.empty());
  EXPECT_EQ(import_space_text("// %RANGE% X x 1:2\n", "sum.cu").error().message,
            "sum.cu: line 1: 'X x 1:2' is not MACRO label low:high:step");
  EXPECT_EQ(import_space_text("\n// %RANGE% X x 3:2:1\n", "sum.cu").error().message,
            "sum.cu: line 2: 'X x 3:2:1' is an empty range");
}

}  // namespace
}  // namespace gktune
