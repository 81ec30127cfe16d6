// Applications read the public headers and the names in them, and begin with the first example: all are small.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/fenced_blocks.h"

namespace gktune {
namespace {

const std::filesystem::path kRoot = GKTUNE_SOURCE_DIR;

std::string contents_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::filesystem::path> cpp_headers() {
  std::vector<std::filesystem::path> headers;
  for (const auto& entry : std::filesystem::directory_iterator(kRoot / "include/gktune")) {
    if (entry.path().filename() != "gktune.h") headers.push_back(entry.path());  // it is for C
  }
  return headers;
}

// The first groups of all matches.
std::set<std::string> found(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern, std::regex::ECMAScript | std::regex::multiline);
  std::set<std::string> all;
  for (std::sregex_iterator each(text.begin(), text.end(), regex), end; each != end; ++each)
    all.insert((*each)[1]);
  return all;
}

std::string between(const std::string& text, const std::string& first, const std::string& last) {
  const std::size_t begin = text.find(first), end = text.find(last, begin);
  EXPECT_NE(begin, std::string::npos) << first;
  EXPECT_NE(end, std::string::npos) << last;
  return text.substr(std::min(begin, text.size()), end - begin);
}

// Lines that are neither blank nor a comment nor an #include.
std::ptrdiff_t lines_to_write(const std::string& text) {
  const std::regex line("^[ \t]*[^ \t\n].*$", std::regex::ECMAScript | std::regex::multiline);
  return std::count_if(
      std::sregex_iterator(text.begin(), text.end(), line), {},
      [](const std::smatch& match) { return !std::regex_search(match.str(), std::regex("^[ \t]*(//|#)")); });
}

TEST(PublicHeaders, are_at_most_8_files_of_700_lines) {
  std::ptrdiff_t lines = 0;
  for (const auto& header : cpp_headers()) {
    const std::string text = contents_of(header);
    lines += std::count(text.begin(), text.end(), '\n');
  }
  EXPECT_LE(cpp_headers().size(), 8u);
  EXPECT_GT(lines, 0);
  EXPECT_LE(lines, 700);
}

TEST(PublicHeaders, declare_the_names_of_the_document_of_which_applications_use_at_most_15) {
  const std::string page = contents_of(kRoot / "docs/runtime.md");
  const auto used = found(between(page, "Applications use these names:", "The other names"), "^\\| `(\\w+)`");
  const auto special = found(between(page, "The other names", "## A header at build time"), "`(\\w+)`(?!::)");
  EXPECT_LE(used.size(), 15u);
  std::set<std::string> documented = used, declared;
  documented.insert(special.begin(), special.end());
  for (const auto& header : cpp_headers()) {
    declared.merge(found(contents_of(header),
                         "^(?:class|struct|enum class|using) (?:\\[\\[\\w+\\]\\] )?(\\w+)(?: =.*;| .*\\{)$"));
  }
  EXPECT_EQ(documented, declared);
}

TEST(PublicHeaders, a_tuned_launch_takes_at_most_20_lines_of_yaml_and_5_of_cpp) {
  const auto blocks = fenced_blocks(contents_of(kRoot / "docs/runtime.md"), "cpp");
  ASSERT_FALSE(blocks.empty());
  EXPECT_NE(blocks[0].find("->launch("), std::string::npos) << blocks[0];
  EXPECT_LE(lines_to_write(blocks[0]), 5);
  const std::string space = contents_of(kRoot / "examples/reduce/sum.yaml");
  EXPECT_GT(lines_to_write(space), 5);
  EXPECT_LE(lines_to_write(space), 20);
}

}  // namespace
}  // namespace gktune
