// The files of all shipped spaces.
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "shipped_spaces.h"
#include "tests/scratch_folder.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

class ShippedSpace : public testing::TestWithParam<std::string> {};

TEST_P(ShippedSpace, is_read_without_errors_for_a_gpu_and_for_a_cpu) {
  for (const char* kind : {"cuda", "host"}) {
    auto definition = read_space_file(GetParam(), {.device_kind = kind});
    if (definition.ok()) continue;
    for (const Diagnostic& diagnostic : definition.error()) ADD_FAILURE() << kind << ": " << diagnostic.str();
  }
}

// The comment that a source begins with.
std::string opening_of(const std::string& source) {
  std::istringstream lines(source);
  std::string opening, line;
  while (std::getline(lines, line) && line.starts_with("//")) opening += line.substr(2) + '\n';
  return opening;
}

bool names(const std::string& text, const std::string& word) {
  return std::regex_search(text, std::regex("\\b" + word + "\\b"));
}

TEST_P(ShippedSpace, names_its_ways_and_parameters_at_the_beginning_of_its_source) {
  const auto definition = read_space_file(GetParam(), {.device_kind = "cuda"});
  const std::string opening = opening_of(definition->kernel.source_text);
  for (const Parameter& parameter : definition->parameters) {
    EXPECT_TRUE(names(opening, parameter.name)) << parameter.name;
    if (parameter.name != "way") continue;
    for (const Value& way : parameter.values) EXPECT_TRUE(names(opening, way.str())) << way.str();
  }
}

std::string text_of(const std::string& path) {
  return contents_of(std::string(GKTUNE_SOURCE_DIR) + '/' + path);
}

TEST(Readme, shows_a_shipped_space_file_unchanged) {
  const std::string space = text_of("spaces/saxpy.yaml");
  ASSERT_FALSE(space.empty());
  EXPECT_NE(text_of("README.md").find("```yaml\n" + space + "```\n"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Spaces, ShippedSpace, testing::ValuesIn(shipped_spaces()), space_name);

}  // namespace
}  // namespace gktune
