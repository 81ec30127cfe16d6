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
  std::size_t count() const {
    if (!fs::exists(folder())) return 0;
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder()), fs::directory_iterator()));
  }
  ScratchFolder folder_;
};

TEST_F(New, writes_three_files_and_names_the_next_command) {
  Call made = make({"stencil"});
  EXPECT_EQ(printed_by(made),
            file("stencil.cu") + '\n' + file("stencil_reference.cu") + '\n' + file("stencil.yaml") + '\n');
  EXPECT_EQ(made.err, "  hint: gktune run " + file("stencil.yaml") + '\n');
  EXPECT_EQ(count(), 3u);
  for (const char* name : {"stencil.cu", "stencil_reference.cu", "stencil.yaml"}) {
    EXPECT_EQ(text(name).find("example"), std::string::npos) << text(name);
    EXPECT_NE(text(name).find("stencil"), std::string::npos) << text(name);
  }
}

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

TEST_F(New, overwrites_no_file) {
  fs::create_directories(folder());
  std::ofstream(file("stencil_reference.cu")) << "mine";
  Call made = make({"stencil"});
  EXPECT_TRUE(ended(made, ExitCode::failed,
                    "error: " + file("stencil_reference.cu") + " exists; nothing was written\n"));
  EXPECT_EQ(made.out, "");
  EXPECT_EQ(count(), 1u);
  EXPECT_EQ(text("stencil_reference.cu"), "mine");
}

TEST_F(New, does_not_follow_a_link_to_a_missing_file) {
  fs::create_directories(folder());
  fs::create_symlink(folder_.path("elsewhere"), file("stencil.yaml"));
  EXPECT_EQ(make({"stencil"}).code, ExitCode::failed);
  EXPECT_FALSE(fs::exists(folder_.path("elsewhere")));
  EXPECT_EQ(count(), 1u);
}

TEST_F(New, a_folder_that_cannot_be_made_is_an_error) {
  std::ofstream(folder()) << "a file";
  Call made = make({"stencil"});
  EXPECT_EQ(made.code, ExitCode::failed);
  EXPECT_TRUE(made.err.starts_with("error: cannot ")) << made.err;
}

TEST_F(New, refuses_a_name_that_a_function_cannot_have) {
  for (const std::string name : {"", "2d", "_x", "a-b", "../a", "a b", "größe", "int", "main"}) {
    Call made = make({name});
    EXPECT_EQ(made.code, ExitCode::usage) << name;
    EXPECT_TRUE(made.err.starts_with("error: '" + name + "' is not a valid kernel name: ")) << made.err;
  }
  EXPECT_EQ(make({std::string(101, 'a')}).code, ExitCode::usage);
  EXPECT_EQ(count(), 0u);
}

TEST_F(New, refuses_a_name_that_the_example_uses) {
  Call made = make({"threadsPerBlock"});
  EXPECT_EQ(made.code, ExitCode::usage);
  EXPECT_NE(made.err.find("the example uses this name"), std::string::npos) << made.err;
}

TEST_F(New, an_unknown_language_is_an_error) {
  Call made = make({"stencil", "--language", "cdua"});
  EXPECT_EQ(made.code, ExitCode::usage);
  EXPECT_NE(made.err.find("did you mean 'cuda'"), std::string::npos) << made.err;
  EXPECT_EQ(count(), 0u);
}

}  // namespace
}  // namespace gktune
