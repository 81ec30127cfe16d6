// gktune judge on a GPU.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/expectations.h"
#include "tests/scratch_folder.h"
#include "tuner/process/sandbox.h"

namespace gktune {
namespace {

constexpr const char* kCandidate = R"gktune(/* gktune
launches: {entry: mine, grid: "ceil_div(n, 64)", block: 64, arguments: [in, out, n] }
*/
__global__ void mine(const float* in, float* out, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
)gktune";

TEST(JudgedOnAGpu, candidates_are_compiled_and_executed_in_a_sandbox) {
  if (std::system(GKTUNE_PROGRAM " devices | grep -q ^cuda") != 0) GTEST_SKIP() << "this machine has no GPU";
  if (const auto supported = check_sandbox(); !supported) GTEST_SKIP() << supported.error().message;
  const ScratchFolder folder, other;
  other.write("secret", "a_secret_word");
  folder.write("right.cu", kCandidate);
  folder.write("reads.cu", std::string(kCandidate) + "#include \"" + other.path("secret") + "\"\n");
  const std::string command = GKTUNE_PROGRAM " judge " GKTUNE_SOURCE_DIR "/tests/attacks/space/twice.yaml " +
                              folder.path("right.cu") + " " + folder.path("reads.cu") +
                              " --device cuda --require-sandbox --time 300ms --json --quiet --cache " +
                              folder.path("cache") + " > " + folder.path("out") + " 2> " + folder.path("err");
  EXPECT_NE(std::system(command.c_str()), 0);
  const std::string verdicts = contents_of(folder / "out");
  EXPECT_TRUE(contains(verdicts, R"("verdict": "accepted")"));
  EXPECT_TRUE(contains(verdicts, R"("verdict": "does_not_compile")"));
  EXPECT_EQ(verdicts.find("a_secret_word"), verdicts.npos) << verdicts;
  EXPECT_TRUE(contains(verdicts, R"("files")")) << contents_of(folder / "err");
}

TEST(JudgedOnAGpu, host_code_is_executed_apart_and_marked) {
  if (std::system(GKTUNE_PROGRAM " devices | grep -q ^cuda") != 0) GTEST_SKIP() << "this machine has no GPU";
  const ScratchFolder folder;
  folder.write("mine.cu", R"gktune(/* gktune
language: host
launches: {entry: mine, arguments: [in, out, n]}
*/
__global__ void twice_all(const float* in, float* out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
void mine(const float* in, float* out, int n, cudaStream_t stream) {
  twice_all<<<(n + 127) / 128, 128, 0, stream>>>(in, out, n);
}
)gktune");
  const std::string command = GKTUNE_PROGRAM " judge " GKTUNE_SOURCE_DIR "/tests/attacks/space/twice.yaml " +
                              folder.path("mine.cu") + " --device cuda --time 300ms --json --quiet --cache " +
                              folder.path("cache") + " > " + folder.path("out") + " 2> " + folder.path("err");
  EXPECT_EQ(std::system(command.c_str()), 0) << contents_of(folder / "err");
  const std::string verdicts = contents_of(folder / "out");
  EXPECT_TRUE(contains(verdicts, R"("verdict": "accepted")")) << verdicts;
  EXPECT_TRUE(contains(verdicts, R"("code": "host_code")")) << verdicts;
}

}  // namespace
}  // namespace gktune
