#include <gtest/gtest.h>

#include <fstream>

#include "call.h"
#include "tests/scratch_folder.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

namespace fs = std::filesystem;

class New : public ::testing::Test {
 protected:
  Call make(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "new");
    arguments.insert(arguments.end(), {"--dir", folder()});
    return call(arguments);
  }
  std::string folder() const { return folder_.path("made"); }
  std::string file(const std::string& name) const { return folder() + '/' + name; }
  std::string text(const std::string& name) const { return contents_of(file(name)); }
  ScratchFolder folder_;
};

TEST_F(New, does_not_describe_the_example_as_the_named_kernel) {
  for (const std::string language : {"cuda", "c++"}) {
    const std::string name = language == "cuda" ? "transpose.cu" : "transpose.cc";
    EXPECT_EQ(make({"transpose", "--language", language}).code, ExitCode::done);
    EXPECT_NE(text(name).find("Put the computation of transpose in its"), std::string::npos) << text(name);
    EXPECT_EQ(text(name).find("// transpose: "), std::string::npos) << text(name);
    fs::remove_all(folder());
  }
}

TEST_F(New, writes_cpp_on_request) {
  EXPECT_EQ(make({"turn", "--language", "c++"}).code, ExitCode::done);
  EXPECT_NE(text("turn.cc").find("void turn("), std::string::npos);
  auto definition = read_space_file(file("turn.yaml"));
  ASSERT_TRUE(definition.ok()) << definition.error().front().str();
  EXPECT_EQ(definition->kernel.language, Language::cpp);
}

TEST_F(New, writes_a_space_file_without_errors) {
  ASSERT_EQ(make({"stencil"}).code, ExitCode::done);
  for (const char* kind : {"cuda", "host"}) {
    auto definition = read_space_file(file("stencil.yaml"), {.device_kind = kind});
    ASSERT_TRUE(definition.ok()) << definition.error().front().str();
    EXPECT_EQ(definition->kernel.name, "stencil");
  }
}

TEST_F(New, copies_any_template_with_what_it_includes) {
  std::size_t count = 0;
  for (const auto& space : fs::directory_iterator(GKTUNE_SOURCE_DIR "/spaces")) {
    const std::string like = space.path().stem().string();
    const Call made = make({"mine", "--like", like});
    ASSERT_EQ(made.code, ExitCode::done) << made.err;
    const auto definition =
        read_space_file(file("mine.yaml"), {.device_kind = like == "histogram_cpu" ? "host" : "cuda"});
    ASSERT_TRUE(definition.ok()) << definition.error().front().str();
    EXPECT_EQ(definition->kernel.name, "mine");
    const auto original =
        read_space_file(space.path().string(), {.device_kind = like == "histogram_cpu" ? "host" : "cuda"});
    EXPECT_EQ(problems_of(definition->kernel), problems_of(original->kernel)) << like;
    EXPECT_EQ(definition->kernel.source_text, original->kernel.source_text) << like;
    fs::remove_all(folder());
    ++count;
  }
  EXPECT_GE(count, 16u);
}

TEST_F(New, lets_two_copies_of_templates_share_what_they_include) {
  ASSERT_EQ(make({"first", "--like", "softmax"}).code, ExitCode::done);
  const Call second = make({"second", "--like", "norm"});
  EXPECT_EQ(second.code, ExitCode::done) << second.err;
  std::ofstream(file("common/rows.cuh")) << "// changed";
  const Call third = make({"third", "--like", "norm"});
  EXPECT_EQ(third.code, ExitCode::failed) << third.err;
  EXPECT_NE(third.err.find("rows.cuh exists; nothing was written"), std::string::npos) << third.err;
  EXPECT_FALSE(fs::exists(file("third.yaml")));
}

TEST_F(New, refuses_a_template_that_there_is_not) {
  const Call made = make({"mine", "--like", "sofmax"});
  EXPECT_EQ(made.code, ExitCode::usage);
  EXPECT_NE(made.err.find("unknown template 'sofmax', did you mean 'softmax'?"), std::string::npos)
      << made.err;
  EXPECT_EQ(make({"mine", "--like", "softmax", "--language", "cuda"}).code, ExitCode::usage);
  EXPECT_EQ(make({"a-b", "--like", "softmax"}).code, ExitCode::usage);
  EXPECT_FALSE(fs::exists(folder()));
}

TEST_F(New, refuses_a_name_that_a_function_cannot_have) {
  for (const std::string name : {"", "2d", "_x", "a-b", "../a", "a b", "größe", "int", "main"}) {
    Call made = make({name});
    EXPECT_EQ(made.code, ExitCode::usage) << name;
    EXPECT_TRUE(made.err.starts_with("error: '" + name + "' is not a valid kernel name: ")) << made.err;
  }
  EXPECT_EQ(make({std::string(101, 'a')}).code, ExitCode::usage);
  EXPECT_FALSE(fs::exists(folder()));
}

}  // namespace
}  // namespace gktune
