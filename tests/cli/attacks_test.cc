// The candidates of tests/attacks, which try to fool the judge. The first line of each names the verdicts
// that are right.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "program_process.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

// Those that a CPU can execute. bench/on_gpu judges the others, with the kernels.
enum class Attackers { kernels, host_code };

Attackers attackers_of(const std::string& name) {
  return name.starts_with("cpu_") || name.ends_with(".cc") ? Attackers::host_code : Attackers::kernels;
}

// Copies these attacks. Returns their names as words of a command.
std::string copied(const ScratchFolder& scratch, Attackers attackers) {
  const fs::path folder = GKTUNE_SOURCE_DIR "/tests/attacks";
  for (const char* name : {"twice.yaml", "twice.cu"})
    scratch.write(name, contents_of(folder / "space" / name));
  std::string names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (entry.is_directory() || attackers_of(name) != attackers || name.starts_with("gpu_") ||
        name.starts_with("host_"))
      continue;
    scratch.write(name, contents_of(entry.path()));
    names += ' ' + name;
  }
  return names;
}

// "// crashed or hung: prints without end"
bool is_expected(const ScratchFolder& scratch, const std::string& name, const std::string& verdict) {
  const std::string text = contents_of(scratch / name);
  std::istringstream words(text.substr(0, text.find(':')));
  for (std::string word; words >> word;)
    if (word == verdict) return true;
  return false;
}

void judge_all(Attackers attackers, std::size_t least) {
  const ScratchFolder scratch;
  const bool needs_sandbox = attackers == Attackers::host_code;
  const std::string names = copied(scratch, attackers);
  // Their commands and files are forbidden to them where the system can do that; elsewhere they are not
  // tried.
  const int code = ShellProcess(scratch.path(), "gktune judge twice.yaml" + names +
                                                    " --device host --time 300ms --json --cache cache" +
                                                    (needs_sandbox ? " --require-sandbox" : ""))
                       .wait();
  if (needs_sandbox && contents_of(scratch / "err").find("no sandbox") != std::string::npos)
    GTEST_SKIP() << contents_of(scratch / "err");
  EXPECT_EQ(code, 1) << contents_of(scratch / "err");
  const Json verdicts = Json::parse(contents_of(scratch / "out"), nullptr, false);
  ASSERT_GE(verdicts.size(), least);
  for (const Json& each : verdicts)
    EXPECT_TRUE(is_expected(scratch, each["candidate"], each["verdict"])) << each;
}

TEST(Attacks, of_kernels_get_the_right_verdict) { judge_all(Attackers::kernels, 45); }
TEST(Attacks, of_host_code_on_a_cpu_get_the_right_verdict) { judge_all(Attackers::host_code, 18); }

}  // namespace
}  // namespace gktune
