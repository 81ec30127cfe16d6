#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "tests/expectations.h"
#include "tests/scratch_folder.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(GKTUNE_SOURCE_DIR) / "tests/space/bad";

Result<std::string> read_beside(const std::string& path) {
  return read_whole_file((kFolder / path).string());
}

std::string errors_in(std::string_view text, const std::string& path = "x.yaml") {
  const auto read = read_space_text(text, path, {}, read_beside);
  std::string errors;
  if (read) return "none\n";
  for (const Diagnostic& diagnostic : read.error()) errors += diagnostic.str() + '\n';
  return errors;
}

// Each bad file has its messages beside it. With GKTUNE_UPDATE_EXPECTED set, the test writes them instead:
// read the diff before committing it.
TEST(BadFiles, each_file_gets_its_expected_messages) {
  const bool updates = std::getenv("GKTUNE_UPDATE_EXPECTED") != nullptr;
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".yaml") files.insert(entry.path());
  }
  EXPECT_GE(files.size(), 15u);
  for (auto path : files) {
    const std::string text = contents_of(path);
    const std::string name = path.filename().string();
    const std::string messages = errors_in(text, name);
    path.replace_extension(".txt");
    if (updates) std::ofstream(path, std::ios::binary) << messages;
    EXPECT_EQ(messages, contents_of(path)) << name;
  }
}

std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

TEST(BadFiles, nesting_ten_thousand_deep_is_an_error_in_every_style) {
  const std::string deep = "nested more than 64 deep";
  EXPECT_TRUE(contains(errors_in("a: " + repeated("[", 10000)), deep));
  EXPECT_TRUE(contains(errors_in("a: " + repeated("{a: ", 10000)), deep));
  EXPECT_TRUE(contains(errors_in(repeated("- ", 10000) + "a"), deep));
  EXPECT_TRUE(contains(errors_in(repeated("? ", 10000) + "a"), deep));
  std::string indented;
  for (int i = 0; i < 1400; ++i) indented += repeated(" ", i) + "a:\n";
  EXPECT_TRUE(contains(errors_in(indented), deep));
}

TEST(BadFiles, deep_expressions_are_errors) {
  const std::string head = "kernel: k\nsource: k.cu\nlaunches: {entry: f}\nconstraints: ";
  const std::string nested = repeated("(", 10000) + "1" + repeated(")", 10000);
  EXPECT_TRUE(contains(errors_in(head + nested), "nested too deeply"));
}

TEST(BadFiles, definitions_that_are_inserted_too_often_are_errors) {
  const std::string sum = repeated("a + ", 499) + "a";
  const std::string head =
      "kernel: k\nsource: k.cu\nlaunches: {entry: f}\nparameters: {a: 1}\nlet: {b: " + sum +
      "}\nconstraints:\n";
  const std::string few = errors_in(head + repeated("  - b > 0\n", 50));
  EXPECT_EQ(few, "none\n");
  EXPECT_TRUE(contains(errors_in(head + repeated("  - b > 0\n", 20'000)),
                       "error: this file is too large after its definitions are inserted"));
}

TEST(BadFiles, a_file_that_is_too_large_is_not_read) {
  EXPECT_EQ(errors_in(std::string(2 << 20, ' ')),
            "x.yaml:1:1: error: the file has more than 1048576 bytes\n  \n  ^\n");
}

TEST(BadFiles, a_hundred_errors_are_listed_and_the_others_counted) {
  std::string text =
      "kernel: k\nsource: k.cu\nlaunches: {entry: f}\nconstraints:\n" + repeated("  - x\n", 5000);
  const auto read = read_space_text(text, "x.yaml", {}, read_beside);
  ASSERT_FALSE(read.ok());
  ASSERT_EQ(read.error().size(), 101u);
  EXPECT_EQ(read.error().back().str(), "x.yaml: error: 4900 more errors");
}

TEST(BadFiles, too_many_arguments_parameters_or_launches_are_an_error) {
  std::string arguments, parameters, launches;
  for (int i = 0; i < 5'000; ++i) {
    const std::string number = std::to_string(i);
    arguments += "  a" + number + ": {type: int, value: 1}\n";
    parameters += "  p" + number + ": {range: [1, 9999]}\n";
    launches += "  - entry: f\n";
  }
  const std::string head = "kernel: k\nsource: k.cu\n";
  EXPECT_TRUE(contains(errors_in(head + "arguments:\n" + arguments), "more than 256 arguments"));
  EXPECT_TRUE(contains(errors_in(head + "launches:\n" + launches), "more than 256 launches"));
  EXPECT_TRUE(contains(errors_in(head + "parameters:\n" + parameters), "parameters has more than 512 names"));
}

TEST(BadFiles, bytes_that_are_not_text_are_errors) {
  using namespace std::string_literals;
  EXPECT_EQ(errors_in("kernel: a\0b"s),
            "x.yaml:1:10: error: control character\n  kernel: a b\n           ^\n");
  EXPECT_TRUE(contains(errors_in("kernel: \xff"), "x.yaml:1:9: error: invalid UTF-8"));
  EXPECT_TRUE(contains(errors_in("\xff\xfek\0e\0"s), "invalid UTF-8"));
  EXPECT_TRUE(contains(errors_in("kernel: \xc3"), "invalid UTF-8"));
  EXPECT_TRUE(contains(errors_in(""), "space file must be a map; found nothing"));
}

TEST(BadFiles, columns_count_characters_and_long_lines_are_cut) {
  EXPECT_EQ(
      errors_in("# a\nkernel: k\nsource: k.cu\nlaunches: {entry: f}\n\"ä\": &x {ö: 1}\n"),
      "x.yaml:5:1: error: unknown key 'ä' in space file\n"
      "  \"ä\": &x {ö: 1}\n"
      "  ^~~\n"
      "  keys: kernel, source, language, include, problem, parameters, let, constraints, options, "
      "host_options, environment, arguments, launches, reference, metrics, objective, regime, time_limit, "
      "search, host, check, setup, verify, command\n");
  const std::string far =
      "kernel: k\nsource: k.cu\nlaunches: {entry: f}\nconstraints: " + repeated("1 + ", 100) + "x\n";
  EXPECT_TRUE(contains(errors_in(far), "x.yaml:4:414: error: unknown name 'x'"));
  EXPECT_LT(errors_in(far).size(), 500u);
}

TEST(BadFiles, a_message_that_quotes_a_long_text_is_cut) {
  const std::string errors = errors_in("kernel: k\nsource: k." + repeated("long", 225'000) + "\n");
  EXPECT_TRUE(contains(errors, "longlong"));
  EXPECT_LT(errors.size(), 4000u);
}

TEST(BadFiles, a_missing_file_is_one_error_without_a_line) {
  const auto read = read_space_file("/nowhere/at/all.yaml");
  ASSERT_FALSE(read.ok());
  ASSERT_EQ(read.error().size(), 1u);
  EXPECT_EQ(read.error()[0].str(), "/nowhere/at/all.yaml: error: there is no such file");
  const auto folder = read_space_file(kFolder.string());
  ASSERT_FALSE(folder.ok());
  EXPECT_EQ(folder.error()[0].message, "it is a directory");
}

}  // namespace
}  // namespace gktune
