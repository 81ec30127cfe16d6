#include <filesystem>

#include "tests/expectations.h"
#include "tests/host/kernels.h"
#include "tests/scratch_folder.h"
#include "tuner/device/host/host_program.h"
#include "tuner/device/worker/backend.h"

namespace gktune {
namespace {

constexpr const char* kRequest =
    R"({"configuration": {"N": 3}, "problem": {}, "arguments": [{"name": "out", "type": "int32", "extent": 1},)"
    R"( {"name": "n", "type": "int32", "value": 5}]})";

// Programs are shell scripts, which count their starts and the requests that they get.
class CommandCompilerTest : public testing::Test {
 protected:
  CommandCompilerTest() {
    folder_.write("k.cu", "extern \"C\" __global__ void k3(int n, int* p) { *p = n + 3; }\n");
  }

  // A program whose `body` handles each request, the variable `request`.
  void program(const std::string& body) {
    folder_.write("compile.sh", "echo >> " + folder_.path("starts") +
                                    "\nwhile read -r request; do\necho \"$request\" >> " +
                                    folder_.path("requests") + "\n" + body + "\ndone\n");
  }
  void answer(const std::string& json) { program("echo '" + json + "'"); }
  std::string with_file(const std::string& rest) {
    return R"({"file": ")" + folder_.path("k.cu") + "\"" + rest + "}";
  }

  SourcePlan source(const std::string& request = kRequest) {
    SourcePlan plan;
    plan.language = Language::command;
    plan.path = folder_.path("kernel.txt");
    plan.entries = {"k"};
    plan.command = {"sh", folder_.path("compile.sh")};
    plan.request = request;
    return plan;
  }
  CompiledVariant compile(const SourcePlan& plan) {
    return compiler_->compile({{plan}, "x86-64", folder_.path("cache")}).front();
  }
  std::string log_of(const std::string& json) {
    answer(json);
    const CompiledVariant variant = compile(source());
    EXPECT_EQ(variant.status, Status::compile_failed) << variant.log;
    return variant.log;
  }
  std::size_t lines_in(const std::string& name) {
    const std::string text = contents_of(folder_ / name);
    return static_cast<std::size_t>(std::ranges::count(text, '\n'));
  }

  ScratchFolder folder_;
  std::unique_ptr<Compiler> compiler_ = with_commands(std::make_unique<HostCompiler>(compilers().front()));
};

TEST_F(CommandCompilerTest, the_launch_is_what_the_program_says) {
  answer(with_file(
      R"(, "launches": {"k": {"entry": "k3", "arguments": ["n", "out"], "block": 32, "shared": 8}})"));
  const CompiledVariant variant = compile(source());
  ASSERT_EQ(variant.status, Status::ok) << variant.log;
  ProgramPlan plan;
  plan.source = source();
  plan.steps = {{.entry = "k", .arguments = {0, 1}}};
  const ProgramPlan launched = launched_as(variant.module, plan);
  EXPECT_EQ(launched.steps[0].arguments, (std::vector<int>{1, 0}));
  EXPECT_EQ(launched.steps[0].block, (std::array<std::int64_t, 3>{32, 1, 1}));
  EXPECT_EQ(launched.steps[0].shared_bytes, 8);

  ArgumentPlan out{.name = "out", .type = ElementType::int32, .count = 1};
  ArgumentPlan n{.name = "n", .type = ElementType::int32, .is_scalar = true, .scalar = 5};
  const auto loaded = HostProgram::load(variant.module, plan, {out, n});
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  Executor executor{ExecutionSettings{}};
  int result = 0, five = 5;
  void* address = &result;
  void* values[] = {&address, &five};
  EXPECT_TRUE(loaded->launch(executor, values).ok());
  EXPECT_EQ(result, 8);
}

TEST_F(CommandCompilerTest, the_program_is_asked_about_the_configuration) {
  answer(with_file(R"(, "launches": {"k": {"entry": "k3"}})"));
  ASSERT_EQ(compile(source()).status, Status::ok);
  EXPECT_EQ(
      contents_of(folder_ / "requests"),
      R"({"architecture":"x86-64","arguments":[{"extent":1,"name":"out","type":"int32"},)"
      R"({"name":"n","type":"int32","value":5}],"configuration":{"N":3},"entries":["k"],"problem":{},"source":")" +
          folder_.path("kernel.txt") + "\"}\n");
}

TEST_F(CommandCompilerTest, one_process_answers_all_requests) {
  answer(with_file(R"(, "launches": {"k": {"entry": "k3"}})"));
  for (const char* request :
       {R"({"configuration": {"N": 1}, "arguments": []})", R"({"configuration": {"N": 2}, "arguments": []})"})
    EXPECT_EQ(compile(source(request)).status, Status::ok);
  EXPECT_EQ(lines_in("starts"), 1u);
  EXPECT_EQ(lines_in("requests"), 2u);
}

TEST_F(CommandCompilerTest, the_same_request_is_made_once) {
  answer(with_file(R"(, "launches": {"k": {"entry": "k3", "block": [2, 3]}})"));
  const CompiledVariant first = compile(source());
  std::filesystem::remove(folder_ / "k.cu");
  compiler_ = with_commands(std::make_unique<HostCompiler>(compilers().front()));
  const CompiledVariant again = compile(source());
  EXPECT_TRUE(again.from_cache);
  EXPECT_EQ(again.module, first.module);
  EXPECT_EQ(lines_in("requests"), 1u);
}

TEST_F(CommandCompilerTest, a_change_of_the_source_is_another_request) {
  answer(with_file(R"(, "launches": {"k": {"entry": "k3"}})"));
  SourcePlan plan = source();
  compile(plan);
  plan.text = "changed";
  compile(plan);
  EXPECT_EQ(lines_in("requests"), 2u);
}

TEST_F(CommandCompilerTest, an_error_of_the_program_is_that_of_the_configuration) {
  EXPECT_EQ(log_of(R"({"error": "N is too large"})"), "N is too large\n");
}

TEST_F(CommandCompilerTest, a_missing_program_fails_no_configuration) {
  SourcePlan plan = source();
  plan.command = {"no-such-compiler", "-x"};
  const CompiledVariant variant = compile(plan);
  EXPECT_EQ(variant.status, Status::machine_failed);
  EXPECT_EQ(variant.log,
            "command 'no-such-compiler -x': no-such-compiler cannot be started: No such file or directory\n");
}

TEST_F(CommandCompilerTest, a_program_that_ends_before_it_ever_answers_fails_no_configuration) {
  program("echo no compiler here >&2; exit 3");
  const CompiledVariant variant = compile(source());
  EXPECT_EQ(variant.status, Status::machine_failed);
  EXPECT_TRUE(variant.log.ends_with("the program exited with code 3\nno compiler here\n")) << variant.log;
}

TEST_F(CommandCompilerTest, a_program_that_ends_is_started_again_once) {
  program("case $request in *'\"N\":9'*) kill -SEGV $$;; *) echo '" +
          with_file(R"(, "launches": {"k": {"entry": "k3"}})") + "';; esac");
  EXPECT_EQ(compile(source()).status, Status::ok);
  const CompiledVariant crashed = compile(source(R"({"configuration": {"N": 9}, "arguments": []})"));
  EXPECT_EQ(crashed.status, Status::crashed);
  EXPECT_TRUE(crashed.log.ends_with("the program was killed by SIGSEGV\n")) << crashed.log;
  EXPECT_EQ(compile(source(R"({"configuration": {"N": 4}, "arguments": []})")).status, Status::ok);
  EXPECT_EQ(lines_in("starts"), 3u);
}

TEST_F(CommandCompilerTest, a_program_that_writes_something_else_fails_no_configuration) {
  for (const char* text : {"compiling", "[1]", "{\"file\": "}) {
    answer(text);
    compiler_ = with_commands(std::make_unique<HostCompiler>(compilers().front()));
    const CompiledVariant variant = compile(source());
    EXPECT_EQ(variant.status, Status::machine_failed);
    EXPECT_TRUE(contains(variant.log, "the program wrote '" + std::string(text) + "', not an answer"));
  }
}

TEST_F(CommandCompilerTest, answers_that_are_wrong_say_why) {
  const std::pair<std::string, std::string> wrong[] = {
      {R"({})", "the answer names no 'file'\n"},
      {R"({"file": 3})", "the answer names no 'file'\n"},
      {with_file(R"(, "launch": {})"), "the answer has the unknown key 'launch'\n"},
      {with_file(R"(, "launches": [])"), "'launches' is no object with the entries of the space file\n"},
      {with_file(R"(, "launches": {"f": {}})"), "launch 'f': the space file launches k\n"},
      {with_file(R"(, "launches": {"k": 3})"), "launch 'k': it is no object\n"},
      {with_file(R"(, "launches": {"k": {"grid": 3}})"), "launch 'k': the unknown key 'grid'\n"},
      {with_file(R"(, "launches": {"k": {"entry": 3}})"), "launch 'k': 'entry' is no text\n"},
      {with_file(R"(, "launches": {"k": {"arguments": "n"}})"),
       "launch 'k': 'arguments' is no list of names\n"},
      {with_file(R"(, "launches": {"k": {"arguments": ["m"]}})"),
       "launch 'k': the space file has no argument \"m\"\n"},
      {with_file(R"(, "launches": {"k": {"block": 0}})"),
       "launch 'k': 'block' is no integer from 1 to 1024: 0\n"},
      {with_file(R"(, "launches": {"k": {"block": [64, 64]}})"), "launch 'k': a block of 4096 threads\n"},
      {with_file(R"(, "launches": {"k": {"block": []}})"),
       "launch 'k': 'block' is no list of one to three extents\n"},
      {with_file(R"(, "launches": {"k": {"shared": 1.5}})"),
       "launch 'k': 'shared' is no integer from 0 to 1048576: 1.5\n"},
      {R"({"file": "/no/k.cu"})", "cannot read /no/k.cu: there is no such file\n"},
  };
  for (const auto& [json, log] : wrong) {
    compiler_ = with_commands(std::make_unique<HostCompiler>(compilers().front()));
    EXPECT_EQ(log_of(json), log);
  }
}

TEST_F(CommandCompilerTest, a_file_of_another_kind_is_refused) {
  folder_.write("k.o", "");
  folder_.write("k.cubin", "");
  const std::string path = folder_.path("k.");
  EXPECT_EQ(log_of(R"({"file": ")" + path + R"(o"})"),
            path + "o is neither a cubin (.cubin) nor a source (.cu, .cc, .cpp)\n");
  compiler_ = with_commands(std::make_unique<HostCompiler>(compilers().front()));
  EXPECT_EQ(log_of(R"({"file": ")" + path + R"(cubin"})"),
            path + "cubin: this device runs sources, no machine code\n");
}

TEST_F(CommandCompilerTest, an_absent_entry_is_an_error_of_the_compiler) {
  EXPECT_TRUE(contains(log_of(with_file("")), "'k'"));
}

}  // namespace
}  // namespace gktune
