// `gktune check --device sm_90`: compiles for a GPU that is not present.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "program_process.h"
#include "tests/expectations.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

using Json = nlohmann::json;

class ArchitectureCheck : public ProgramTest {
 protected:
  void SetUp() override {
    std::filesystem::copy(GKTUNE_SOURCE_DIR "/tests/cli/spaces", folder_.path());
    check("twice.yaml --device sm_90");
    for (const char* absent : {"NVRTC not found", "built without CUDA"}) {
      if (err_.find(absent) != std::string::npos) GTEST_SKIP() << err_;
    }
  }
  int check(const std::string& arguments) { return gktune("check " + arguments); }
};

TEST_F(ArchitectureCheck, prints_the_resources_of_each_configuration) {
  ASSERT_EQ(check("twice.yaml --device sm_90 --problem n=1000"), 0) << err_;
  const std::vector<std::string> lines = lines_of(out_);
  ASSERT_EQ(lines.size(), 5u) << out_;
  EXPECT_TRUE(lines[0].starts_with("registers  spilled  static shared  dynamic shared  block  problem"))
      << out_;
  EXPECT_TRUE(contains(lines[1], "n=1000   threadsPerBlock=64")) << out_;
  EXPECT_TRUE(contains(lines[2], "n=1000   threadsPerBlock=128")) << out_;
  EXPECT_EQ(lines[4], "twice compile: 2 checked, nothing found");
  EXPECT_TRUE(contains(err_, "compiled for sm_90, as in H100; nothing ran"));
}

TEST_F(ArchitectureCheck, prints_the_resources_as_json) {
  ASSERT_EQ(check("twice.yaml --device sm_90 --problem n=1000 --json"), 0) << err_;
  const Json report = Json::parse(out_);
  EXPECT_EQ(report["architecture"], "sm_90");
  EXPECT_EQ(report["checked"], 2);
  EXPECT_TRUE(report["findings"].empty());
  ASSERT_EQ(report["configurations"].size(), 2u);
  for (const Json& each : report["configurations"]) {
    EXPECT_GT(each["registers"].get<int>(), 0);
    EXPECT_EQ(each["spill_bytes"], 0);
    EXPECT_EQ(each["block"][0], each["config"]["threadsPerBlock"]);
    EXPECT_EQ(each["problem"], Json({{"n", 1000}}));
  }
}

TEST_F(ArchitectureCheck, a_sample_has_no_configuration_twice) {
  folder_.write("five.cu", "__global__ void k(float* p) { *p = WAY; }\n");
  folder_.write("five.yaml",
                "kernel: five\nsource: five.cu\nparameters: {WAY: {range: [1, 5]}}\n"
                "arguments: {out: {type: float, extent: 1, role: out}}\nlaunches: {entry: k}\n");
  ASSERT_EQ(check("five.yaml --device sm_90 --sample 4 --json"), 0) << err_ << out_;
  const Json report = Json::parse(out_);
  std::set<Json> ways;
  for (const Json& each : report["configurations"]) ways.insert(each["config"]["WAY"]);
  EXPECT_EQ(ways.size(), 4u) << out_;
}

TEST_F(ArchitectureCheck, says_that_the_kernels_of_host_code_are_unknown) {
  folder_.write("called.cu",
                "__global__ void k(float* p) { *p = 1; }\nvoid called(float* p) { k<<<1, 1>>>(p); }\n");
  folder_.write("called.yaml",
                "kernel: called\nsource: called.cu\nlanguage: host\n"
                "arguments: {out: {type: float, extent: 1, role: out}}\nlaunches: {entry: called}\n");
  const int code = check("called.yaml --device sm_90");
  if (err_.find("host code needs nvcc") != std::string::npos) GTEST_SKIP() << err_;
  ASSERT_EQ(code, 0) << err_ << out_;
  EXPECT_TRUE(contains(out_, "        -        -              -               -      -"));
  EXPECT_FALSE(contains(out_, "-1"));
  EXPECT_TRUE(contains(
      err_, "not checked: the registers, shared memory and blocks of the kernels that host code launches"));
  ASSERT_EQ(check("called.yaml --device sm_90 --json"), 0) << err_;
  const Json report = Json::parse(out_);
  EXPECT_TRUE(report["not_checked"].is_string());
  for (const char* figure :
       {"registers", "spill_bytes", "static_shared_bytes", "dynamic_shared_bytes", "grid", "block"})
    EXPECT_TRUE(report["configurations"][0][figure].is_null()) << figure;
}

TEST_F(ArchitectureCheck, says_that_nothing_links_relocatable_code) {
  const auto report_with = [&](const std::string& option) {
    EXPECT_EQ(ShellProcess(folder_.path(),
                           "sed 's/^source:.*/&\\noptions: [" + option + "]/' twice.yaml > linked.yaml")
                  .wait(),
              0);
    EXPECT_EQ(check("linked.yaml --device sm_90 --problem n=1000 --json"), 0) << err_;
    return Json::parse(out_);
  };
  for (const char* option : {"-rdc=true", "--relocatable-device-code=true"})
    EXPECT_TRUE(contains(report_with(option).value("not_checked", ""), "nothing links it")) << out_;
  EXPECT_EQ(check("linked.yaml --device sm_90 --problem n=1000"), 0) << err_;
  EXPECT_TRUE(
      contains(err_, "warning: not checked: whether code of --relocatable-device-code=true can be loaded"));
  for (const char* option : {"-rdc=false", "-lineinfo"})
    EXPECT_FALSE(report_with(option).contains("not_checked"));
}

TEST_F(ArchitectureCheck, names_what_the_gpu_cannot_hold) {
  folder_.write("large.cu",
                "extern \"C\" __global__ void large(float* out) {\n"
                "  __shared__ float tile[kib * 256];\n"
                "  tile[threadIdx.x] = out[threadIdx.x];\n"
                "  __syncthreads();\n"
                "  out[threadIdx.x] = tile[threadIdx.x ^ 1];\n"
                "}\n");
  folder_.write("large.yaml",
                "kernel: large\nsource: large.cu\nproblem: {n: [64]}\nparameters: {kib: [16, 300]}\n"
                "arguments: {out: {type: float, extent: n, role: out}}\n"
                "launches: [{entry: large, block: 64, arguments: [out]}]\n");
  EXPECT_EQ(check("large.yaml --device sm_90 --json"), 1) << err_;
  const Json report = Json::parse(out_);
  ASSERT_EQ(report["configurations"].size(), 1u);
  EXPECT_EQ(report["configurations"][0]["static_shared_bytes"], 16 * 1024);
  ASSERT_EQ(report["findings"].size(), 1u);
  EXPECT_EQ(report["findings"][0]["candidates"][0]["config"]["kib"], 300);
}

TEST_F(ArchitectureCheck, says_once_that_the_gpu_cannot_launch_the_reference) {
  folder_.write("plain.cu", "__global__ void plain(float* out) { out[threadIdx.x] = width; }\n");
  folder_.write("plain.yaml",
                "kernel: plain\nsource: plain.cu\nproblem: {n: [64]}\nparameters: {width: {values: [16, 32], "
                "default: 16}}\n"
                "arguments: {out: {type: float, extent: n, role: out}}\n"
                "launches: [{entry: plain, block: n, arguments: [out]}]\n"
                "reference: {launches: [{entry: plain, block: 2048, arguments: [out]}]}\n");
  EXPECT_EQ(check("plain.yaml --device sm_90 --json"), 1) << err_;
  const Json report = Json::parse(out_);
  ASSERT_EQ(report["findings"].size(), 1u) << out_;
  EXPECT_EQ(report["findings"][0]["status"], "reference_failed");
  EXPECT_EQ(report["findings"][0]["message"],
            "the reference: launch of 'plain': block '2048': 2048 is more than the device's 1024");
  EXPECT_EQ(check("plain.yaml --device sm_90"), 1);
  EXPECT_TRUE(out_.starts_with("plain compile: 0 of 2 checked, 1 reference_failed\n")) << out_;
  EXPECT_EQ(check("plain.yaml --sanitize"), 1);
  EXPECT_FALSE(contains(err_, "--sample"));
}

TEST_F(ArchitectureCheck, lists_the_architectures_when_one_is_unknown) {
  for (const char* unknown : {"sm_12", "sm_91", "sm_999"}) {
    EXPECT_EQ(check(std::string("twice.yaml --device ") + unknown), 3);
    EXPECT_TRUE(contains(err_, std::string("does not compile for '") + unknown + "'; it knows sm_"));
    EXPECT_TRUE(contains(err_, "sm_90"));
  }
}

}  // namespace
}  // namespace gktune
