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
