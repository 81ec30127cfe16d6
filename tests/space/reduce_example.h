#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tuner/space/space_file.h"

namespace gktune {

// A file system of a few texts.
inline FileReader files_of(std::map<std::string, std::string> texts) {
  return [texts = std::move(texts)](const std::string& path) -> Result<std::string> {
    const auto found = texts.find(path);
    if (found == texts.end()) return Error{"there is no such file"};
    return found->second;
  };
}

inline const std::map<std::string, std::string> kReduceFiles = {
    {"templates/reduce.cu",
     "#include \"reduce.h\"\ntemplate <class U, int N> __global__ void reduce(const U* in, U* out, long long "
     "n) { out[0] = way(in, batchSize, DISTRIBUTION); }\n"},
    {"templates/reduce.h", "#pragma once\n"},
    {"templates/reference.cu",
     "template <class U> __global__ void reference_sum(const U* in, U* out, long long n);\n"},
};

inline const std::string kReduceSpace = R"yaml(
kernel: reduce
source: ../templates/reduce.cu
include: [../templates]
problem:
  T: [int32, float]
  n: [1Mi, 64Mi]
  distribution: {values: [even, odd], macro: DISTRIBUTION}
parameters:
  threadsPerBlock: {pow2: [64, 1024], default: 256}
  batchSize: {range: [4, 16, 4]}
  way: [two_pass, one_pass]
  hint: [true, false]
let:
  perBlock: threadsPerBlock * batchSize
  blocks: ceil_div(n, perBlock)
constraints:
  - batchSize % 4 == 0
  - threadsPerBlock * batchSize <= 8192 or way == "one_pass"
options: ["-O3", {flag: "--maxrregcount={32 if hint else 64}", when: threadsPerBlock > 128}]
host_options: "-march=native"
arguments:
  in: {type: "{T}", extent: n, init: {uniform: [-100, 100], seed: 7}}
  out: {type: "{T}", extent: 1, role: out, check: {relative: 1e-5}}
  partial: {type: int64, extent: blocks, role: scratch}
  n: {type: int64, value: n}
launches:
  - {fill: out, byte: 0, when: way == "one_pass"}
  - entry: reduce<T, threadsPerBlock>
    grid: blocks
    block: [threadsPerBlock]
    shared: threadsPerBlock * 4
    arguments: [in, out, n]
  - entry: finish
    when: way == "two_pass"
    block: threadsPerBlock
    arguments: [partial, out]
reference:
  source: ../templates/reference.cu
  launches: {entry: reference_sum<T>, grid: 1, block: 1, arguments: [in, out, n]}
metrics: {GB/s: n * 4 / time_s / 1e9}
objective: {maximize: GB/s}
regime: hot
time_limit: 500ms
search: {strategy: auto, trials: 200, time: 1min}
host:
  problem: {n: 64Ki}
  parameters: {threadsPerBlock: [64, 256]}
  search: {trials: 60}
)yaml";

inline Definition read_reduce(const std::string& text = kReduceSpace, const ReadOptions& options = {}) {
  auto read = read_space_text(text, "spaces/reduce.yaml", options, files_of(kReduceFiles));
  if (read) return *std::move(read);
  for (const Diagnostic& diagnostic : read.error()) ADD_FAILURE() << diagnostic.str();
  return {};
}

}  // namespace gktune
