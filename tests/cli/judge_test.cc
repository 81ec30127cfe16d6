// gktune judge, in processes of its own.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "program_process.h"
#include "tests/expectations.h"
#include "tests/scratch_folder.h"
#include "tuner/process/child_process.h"

namespace gktune {
namespace {

using Json = nlohmann::json;

constexpr const char* kBegin = R"cuda(/* gktune
launches: {entry: mine, grid: "ceil_div(n, 128)", block: 128, arguments: [in, out, n]}
*/
__global__ void mine(const float* in, float* out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
)cuda";

class JudgeCommand : public ::testing::Test {
 protected:
  JudgeCommand() {
    for (const char* name : {"twice.yaml", "twice.cu", "twice_reference.cu"})
      scratch_.write(name, contents_of(std::string(GKTUNE_SOURCE_DIR "/tests/cli/spaces/") + name));
    scratch_.write("good.cu", std::string(kBegin) + "  if (i < n) out[i] = 2 * in[i];\n}\n");
    scratch_.write("wrong.cu", std::string(kBegin) + "  if (i < n) out[i] = 3 * in[i];\n}\n");
    scratch_.write("outside.cu", std::string(kBegin) + "  out[i] = 2 * in[i];\n}\n");
    scratch_.write("bad.cu", "/* gktune\nlunches: {}\n*/\n");
    scratch_.write("broken.cu", std::string(kBegin) + "  if (i < n out[i] = 2 * in[i];\n}\n");
  }

  int run(const std::string& arguments) {
    return ShellProcess(scratch_.path(), "gktune judge " + arguments + " --cache cache").wait();
  }
  // Reads candidates from a socket.
  Result<ChildProcess> judge_of_lines(const std::string& flags = "") {
    const std::string script = "cd '" + scratch_.path().string() +
                               "' && exec '" GKTUNE_PROGRAM_FOLDER
                               "/gktune' judge twice.yaml --jsonl --device host --cache cache" +
                               flags;
    return ChildProcess::start({{"/bin/sh", "-c", script}, {}, ChildOptions::Kind::coprocess});
  }
  // Sends a text, and waits for an answer of a line or more.
  static void send(ChildProcess& judge, const FileDescriptor& input, const std::string& text) {
    EXPECT_EQ(::write(input.number(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    judge.forget_output();
    for (int attempt = 0; attempt < 6000 && !judge.output_tail().ends_with('\n'); ++attempt) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      judge.read_output();
    }
  }
  std::string out() { return contents_of(scratch_ / "out"); }
  std::string err() { return contents_of(scratch_ / "err"); }

  ScratchFolder scratch_;
};

TEST_F(JudgeCommand, a_verdict_has_a_command_that_shows_the_failure_again) {
  EXPECT_EQ(run("twice.yaml outside.cu --device host"), 1);
  EXPECT_TRUE(contains(out(), "outside.cu: out_of_bounds\nsanitize: illegal_access, n=1\n"));
  const std::string mark = "shown by: ";
  const std::string command = out().substr(out().find(mark) + mark.size());
  EXPECT_EQ(command, "gktune check twice.yaml --candidate outside.cu --sanitize --problem n=1\n");
  EXPECT_EQ(ShellProcess(scratch_.path(), command.substr(0, command.size() - 1) + " --cache cache").wait(),
            1);
  EXPECT_TRUE(contains(out(), "outside.cu:6"));
}

TEST_F(JudgeCommand, one_candidate_does_not_stop_the_others) {
  EXPECT_EQ(run("twice.yaml bad.cu absent.cu broken.cu wrong.cu good.cu --device host --time 1s --json"), 1);
  const Json verdicts = Json::parse(out());
  ASSERT_EQ(verdicts.size(), 5u);
  const char* const expected[] = {"does_not_compile", "does_not_compile", "does_not_compile", "wrong",
                                  "accepted"};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(verdicts[i]["verdict"], expected[i]) << verdicts[i];
  EXPECT_TRUE(
      contains(verdicts[0]["message"].get<std::string>(), "bad.cu:2:1: error: unknown key 'lunches'"));
  EXPECT_EQ(verdicts[2]["reproduce"],
            "gktune check twice.yaml --candidate broken.cu --device host --problem n=1000");
  EXPECT_EQ(verdicts[4]["comparisons"].size(), 2u);
  EXPECT_EQ(verdicts[4]["means"][0]["baseline"], "default");
}

TEST_F(JudgeCommand, a_candidate_is_not_judged_again_unless_something_changes) {
  const std::string arguments = "twice.yaml good.cu --device host --within 90% --time 1min --problem n=1000 --json";
  EXPECT_EQ(run(arguments), 0) << out() << err();
  const std::string first = out();
  EXPECT_EQ(run(arguments), 0);
  EXPECT_EQ(out(), first);
  EXPECT_EQ(run(arguments + " --fresh"), 0);
  EXPECT_NE(out(), first);
  scratch_.write("twice_reference.cu", contents_of(scratch_ / "twice_reference.cu") + "\n#error changed\n");
  EXPECT_EQ(run(arguments), 1);
  EXPECT_EQ(Json::parse(out())[0]["verdict"], "not_judged");
}

TEST_F(JudgeCommand, a_slower_candidate_fails_the_gate) {
  scratch_.write("slow.cu", std::string(kBegin) +
                                "  float x = i < n ? in[i] : 0, y = x;\n"
                                "  for (int k = 0; k < 5000; ++k) y = y * 0.5f + x * 0.5f;\n"
                                "  if (i < n) out[i] = 2 * y;\n}\n");
  const std::string brief = " --device host --problem n=1000 --within 50%", rest = brief + " --time 1min";
  EXPECT_EQ(run("twice.yaml slow.cu --baseline good.cu" + rest), 1) << out() << err();
  EXPECT_TRUE(contains(out(), "slow.cu: accepted\n"));
  EXPECT_TRUE(contains(out(), "slower"));
  EXPECT_EQ(run("twice.yaml good.cu --baseline slow.cu" + rest), 0) << out() << err();
  // Too little time decides nothing.
  EXPECT_EQ(run("twice.yaml good.cu --baseline slow.cu --time 1ms" + brief), 5) << out() << err();
  // Without --within the speed decides nothing.
  EXPECT_EQ(run("twice.yaml slow.cu --baseline good.cu --device host --problem n=1000"), 0);
}

TEST_F(JudgeCommand, the_winner_of_the_database_is_a_baseline) {
  const std::string judge =
      "twice.yaml good.cu --device host --baseline best --baseline default --time 1s --json";
  EXPECT_EQ(run(judge), 1);
  EXPECT_EQ(
      ShellProcess(scratch_.path(), "gktune run twice.yaml --device host --problem n=1000 --cache cache -q")
          .wait(),
      0);
  EXPECT_EQ(run(judge), 1);
  EXPECT_TRUE(contains(err(), "the database has no winner of twice n=4000"));
  EXPECT_EQ(run(judge + " --problem n=1000"), 0) << err();
  const Json comparisons = Json::parse(out())[0]["comparisons"];
  ASSERT_EQ(comparisons.size(), 2u);
  EXPECT_EQ(comparisons[0]["baseline"], "best");
  EXPECT_FALSE(comparisons[0]["baseline_config"].empty());
}

TEST_F(JudgeCommand, candidates_come_as_lines_and_verdicts_go_as_lines) {
  scratch_.write("lines",
                 "{\"candidate\": \"wrong.cu\", \"id\": 7}\n\n[1]\nnonsense\n{\"candidate\": \"bad.cu\"}\n");
  EXPECT_EQ(run("twice.yaml --jsonl --device host < lines"), 1);
  const std::vector<std::string> lines = lines_of(out());
  ASSERT_EQ(lines.size(), 4u) << out() << err();
  const Json first = Json::parse(lines[0]);
  EXPECT_EQ(first["id"], 7);
  EXPECT_EQ(first["candidate"], "wrong.cu");
  EXPECT_EQ(first["verdict"], "wrong");
  EXPECT_TRUE(contains(lines[1], "expected {\\\"candidate\\\": FILE}, found [1]"));
  EXPECT_EQ(Json::parse(lines[2])["verdict"], "does_not_compile");
  EXPECT_EQ(Json::parse(lines[3])["candidate"], "bad.cu");
}

TEST_F(JudgeCommand, a_line_is_judged_before_the_next_one_comes) {
  auto judge = judge_of_lines(" -q");
  FileDescriptor input = judge->take_socket();
  const auto verdict_of = [&](const std::string& line) {
    send(*judge, input, line);
    return Json::parse(judge->output_tail(), nullptr, false).value("verdict", "none");
  };
  EXPECT_EQ(verdict_of("{\"candidate\": \"wrong.cu\"}\n"), "wrong");
  EXPECT_EQ(verdict_of("{\"candidate\": \"broken.cu\"}\n\n"), "does_not_compile");
  const std::string last = "{\"candidate\": \"bad.cu\"}";  // without an end of the line
  EXPECT_EQ(::write(input.number(), last.data(), last.size()), static_cast<ssize_t>(last.size()));
  judge->forget_output();
  input.close();
  EXPECT_EQ(judge->wait().str(), "exited with code 1");
  judge->read_output();
  EXPECT_TRUE(contains(judge->output_tail(), "unknown key 'lunches'"));
}

TEST_F(JudgeCommand, an_interrupt_ends_a_judge_that_waits_for_lines) {
  auto judge = judge_of_lines();
  const FileDescriptor input = judge->take_socket();
  send(*judge, input, "{\"candidate\": \"bad.cu\"}\n");
  judge->signal_alone(SIGINT);
  EXPECT_EQ(judge->exit_status_within(std::chrono::seconds(60)).value_or(ExitStatus{}).str(),
            "exited with code 130");
}

TEST_F(JudgeCommand, verdicts_come_in_the_order_of_the_candidates_though_several_are_examined_at_a_time) {
  std::string lines, expected;
  for (int i = 0; i < 12; ++i) {
    const bool is_broken = i % 3 == 1;
    scratch_.write(
        "c" + std::to_string(i) + ".cu",
        contents_of(scratch_ / (is_broken ? "broken.cu" : "wrong.cu")) + "// " + std::to_string(i));
    lines += "{\"candidate\": \"c" + std::to_string(i) + ".cu\"}\n";
    expected += is_broken ? "does_not_compile " : "wrong ";
  }
  scratch_.write("lines", lines);
  EXPECT_EQ(run("twice.yaml --jsonl --device host < lines"), 1);
  std::string found;
  for (const std::string& line : lines_of(out()))
    found += Json::parse(line)["verdict"].get<std::string>() + ' ';
  EXPECT_EQ(found, expected);
}

TEST_F(JudgeCommand, a_candidate_uses_no_files_outside_its_sandbox) {
  const ScratchFolder other;
  other.write("secret", "a_secret_word");
  const std::string begin = kBegin;
  const std::size_t kernel = begin.find("__global__");
  const auto with = [&](const std::string& before, const std::string& factor) {
    return begin.substr(0, kernel) + before + begin.substr(kernel) + "  if (i < n) out[i] = " + factor +
           " * in[i];\n}\n";
  };
  scratch_.write("reads.cu", with("#include \"" + other.path("secret") + "\"\n", "2"));
  scratch_.write("opens.cu", with("#include <fcntl.h>\n#include <sys/socket.h>\n",
                                  "(open(\"" + other.path("secret") + "\", O_RDONLY) < 0 && open(\"" +
                                      scratch_.path("cache/new") +
                                      "\", O_CREAT | O_WRONLY, 0600) < 0 && "
                                      "socket(AF_INET, SOCK_STREAM, 0) < 0 ? 2 : 3)"));
  const std::string rest = " --device host --problem n=1000 --time 300ms --require-sandbox --json";
  // A compiler without a path is not beside the working directory.
  ShellProcess(scratch_.path(), "CXX=g++ gktune judge twice.yaml reads.cu opens.cu --cache cache" + rest)
      .wait();
  if (err().find("no sandbox") != std::string::npos) GTEST_SKIP() << err();
  const Json verdicts = Json::parse(out());
  EXPECT_EQ(verdicts[0]["verdict"], "does_not_compile");
  EXPECT_FALSE(contains(out(), "a_secret_word"));
  EXPECT_EQ(verdicts[1]["verdict"], "accepted") << verdicts[1];
  EXPECT_EQ(verdicts[1]["sandbox"], (Json{"files", "sockets", "processes"}));
}

TEST_F(JudgeCommand, a_candidate_runs_in_one_process_for_debuggers) {
  const auto exec = [&](const std::string& arguments) {
    return ShellProcess(scratch_.path(), "gktune exec " + arguments + " --device host --cache cache").wait();
  };
  EXPECT_EQ(exec("good.cu twice.yaml"), 0) << err();
  EXPECT_TRUE(out().starts_with("candidate good.cu: twice n=1000\nok\n2 runs on ")) << out();
  EXPECT_EQ(exec("wrong.cu twice.yaml --problem n=77 --json"), 1);
  const Json report = Json::parse(out());
  EXPECT_EQ(report["candidate"], "wrong.cu");
  EXPECT_EQ(report["problem"]["n"], 77);
  EXPECT_EQ(report["status"], "wrong_result");
  std::string text = contents_of(scratch_ / "good.cu");
  text.insert(text.find("launches"), "parameters: {width: [32, 64, 128]}\n");
  text.replace(text.find("block: 128"), 10, "block: width");
  text.replace(text.find(", 128)"), 6, ", width)");
  text.replace(text.find("* 128"), 5, "* width");
  scratch_.write("wide.cu", text);
  EXPECT_EQ(exec("wide.cu twice.yaml --only width=64 --debug"), 0) << err();
  EXPECT_TRUE(contains(out(), "n=1000 with width=64\nok\n"));
  const std::pair<std::string, std::string> wrong[] = {
      {"bad.cu twice.yaml", "unknown key 'lunches'"},
      {"absent.cu twice.yaml", "absent.cu"},
      {"good.cu twice.yaml --problem n=1,2", "--problem: 2 problems; name one"},
      {"good.cu twice.yaml --problem m=1", "--problem: "},
      {"wide.cu twice.yaml --only width=65", "--only: "},
      {"17 twice.yaml --problem n=1", "--problem and --only choose for a candidate"},
  };
  for (const auto& [arguments, message] : wrong) {
    EXPECT_EQ(exec(arguments), 2) << arguments;
    EXPECT_TRUE(contains(err(), message)) << arguments;
  }
}

TEST_F(JudgeCommand, a_space_without_a_reference_judges_nothing) {
  std::string space = contents_of(scratch_ / "twice.yaml");
  space.erase(space.find("reference:"), space.find("metrics:") - space.find("reference:"));
  space.replace(space.find(", check: exact"), 14, "");
  scratch_.write("twice.yaml", space);
  EXPECT_EQ(run("twice.yaml good.cu --device host"), 2);
  EXPECT_TRUE(contains(err(), "twice.yaml has no reference and no verifier to judge by"));
}

}  // namespace
}  // namespace gktune
