// The memory of the program is closed to its candidates, and that of a debugged candidate is open.
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "program_process.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

// Ends its process if it can open the memory of a program above it, meets none, or cannot be debugged itself.
constexpr const char* kCurious = R"cc(
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

  // Counts the processes of gktune above this one, and those of them whose memory it can open.
  static int programs_above(int& opened) {
    int programs = 0;
    for (int pid = ::getpid(); pid > 1;) {
      char path[64], state[512] = "", name[64] = "";
      std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
      std::FILE* file = std::fopen(path, "r");
      if (file == nullptr || std::fgets(state, sizeof state, file) == nullptr) break;
      std::fclose(file);
      int parent = 0;
      std::sscanf(state, "%*d (%63[^)]) %*c %d", name, &parent);
      std::snprintf(path, sizeof path, "/proc/%d/mem", pid);
      if (pid != ::getpid() && std::strcmp(name, "gktune") == 0) {
        ++programs;
        if (::open(path, O_RDWR) >= 0 || ::open(path, O_RDONLY) >= 0) ++opened;
      }
      pid = parent;
    }
    return programs;
  }

  void doubled(const float* in, float* out, int n) {
    int opened = 0;
    const int programs = programs_above(opened);
    if (::prctl(PR_GET_DUMPABLE) != 1) ::_exit(30);
    if (opened > 0) ::_exit(10 + opened);
#ifdef kLeast
    if (programs < kLeast) ::_exit(20 + programs);
#endif
    for (int i = 0; i < n; ++i) out[i] = 2 * in[i];
  }
  void twice(const float* in, float* out, int n) {
    for (int i = 0; i < n; ++i) out[i] = 2 * in[i];
  }
)cc";

constexpr const char* kSpace = R"(
kernel: curious
source: curious.cc
problem: {n: [100]}
parameters: {kLeast: LEAST}
arguments:
  in: {type: float, extent: n, init: {uniform: [0, 1]}}
  out: {type: float, extent: n, role: out}
  n: {type: int, value: n}
launches: {entry: doubled}
reference: {source: plain.cc, launches: {entry: twice}}
)";

class ClosedMemoryOfPrograms : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.write("curious.cc", kCurious);
    folder_.write("plain.cc",
                  "void twice(const float* in, float* out, int n) {\n"
                  "  for (int i = 0; i < n; ++i) out[i] = 2 * in[i];\n}\n");
  }
  // Runs a command on the space; its candidates expect one of these numbers of programs above them.
  int result_of(const std::string& least, const std::string& command) {
    std::string space = kSpace;
    space.replace(space.find("LEAST"), 5, least);
    folder_.write("curious.yaml", space);
    return ShellProcess(folder_.path(), command).wait();
  }
  ScratchFolder folder_;
};

// The tuning process and the worker. Root keeps no capabilities here: they would close their
// memory.
TEST_F(ClosedMemoryOfPrograms, is_out_of_reach_for_candidates) {
  const std::string alike = ::geteuid() == 0 ? "setpriv --bounding-set=-all --inh-caps=-all " : "";
  if (!alike.empty() && result_of("[0]", alike + "true") != 0) GTEST_SKIP() << "root needs setpriv for this";
  EXPECT_EQ(result_of("[1, 2]", alike + "gktune run curious.yaml --device host --json"), 0)
      << contents_of(folder_ / "err");
  const std::string out = contents_of(folder_ / "out");
  EXPECT_EQ(out.find("\"crashed\""), std::string::npos) << out;
}

TEST_F(ClosedMemoryOfPrograms, is_open_for_debuggers_of_exec) {
  EXPECT_EQ(result_of("[0, 1]", "gktune run curious.yaml --device host --trials 1"), 0);
  EXPECT_EQ(result_of("[0, 1]", "gktune exec curious curious.yaml"), 0) << contents_of(folder_ / "err");
}

}  // namespace
}  // namespace gktune
