#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/fenced_blocks.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

// The examples of the page show single keys. This adds the other keys of a complete file.
const std::map<std::string, std::string> kOtherKeys = {
    {"kernel", "kernel: reduce\n"},
    {"source", "source: reduce.cu\n"},
    {"problem", "problem: {n: [1Mi, 64Mi], rows: 4, T: [int, float]}\n"},
    {"parameters",
     "parameters: {threadsPerBlock: [64, 256], batchSize: [1, 2], vectorWidth: [1, 2], maxRegisters: [0, "
     "32], "
     "threads: [1, 2], way: [one_pass, two_pass]}\n"},
    {"let", "let: {blocks: \"ceil_div(n, 256)\"}\n"},
    {"arguments",
     "arguments: {in: {type: float, extent: n, init: zero}, out: {type: float, extent: 1, role: out}, "
     "partial: {type: float, extent: 8, role: scratch}, n: {type: int64, value: n}}\n"},
    {"launches", "launches: {entry: reduce}\n"},
    {"reference", "reference: {launches: {entry: expected, arguments: [out]}}\n"},
    {"metrics", "metrics: {GB/s: n / time_s}\n"},
};

std::string completed(const std::string& example) {
  std::string whole = example;
  const bool is_function = example.find("environment:") != std::string::npos;
  const bool lists_problems = example.find("problem:\n  - ") != std::string::npos;
  for (const auto& [key, text] : kOtherKeys) {
    if (("\n" + example).find("\n" + key + ":") != std::string::npos) continue;
    if (key == "source" && is_function) {
      whole += "source: reduce.cc\n";
    } else if (lists_problems &&
               (key == "let" || key == "arguments" || key == "metrics" || key == "reference")) {
      continue;  // these use an axis n of the other example
    } else {
      whole += text;
    }
  }
  return whole;
}

TEST(SpaceFilePage, every_example_is_read_without_errors) {
  const auto page = read_whole_file(GKTUNE_SOURCE_DIR "/docs/space-file.md");
  const std::vector<std::string> examples = fenced_blocks(*page, "yaml");
  EXPECT_GE(examples.size(), 14u);
  const auto any_source = [](const std::string&) { return Result<std::string>("float filter[25], total;"); };
  for (const std::string& example : examples) {
    const std::string whole = completed(example);
    const auto read = read_space_text(whole, "example.yaml", {}, any_source);
    if (read) continue;
    for (const Diagnostic& diagnostic : read.error()) ADD_FAILURE() << diagnostic.str() << "\nin\n" << whole;
  }
}

}  // namespace
}  // namespace gktune
