#include "tuner/space/reader/yaml_document.h"

#include <gtest/gtest.h>

namespace gktune {
namespace {

// The rest of the document from the place of `word` within the scalar under `v`.
std::string place_of(const std::string& document, const std::string& word) {
  const YamlDocument parsed = parse_yaml(document);
  EXPECT_TRUE(parsed.errors.empty());
  const YamlNode* node = parsed.root.find("v");
  if (node == nullptr) return "no such key";
  const std::size_t index = node->text.find(word);
  return document.substr(source_offset(document, *node, index), word.size());
}

TEST(YamlDocument, words_are_found_in_every_kind_of_scalar) {
  EXPECT_EQ(place_of("v: one two", "two"), "two");
  EXPECT_EQ(place_of("v: 'it''s ''two'''", "two"), "two");
  EXPECT_EQ(place_of("v: one\n  and\n  two", "two"), "two");
  EXPECT_EQ(place_of("v: one\n\n\n  two", "two"), "two");
  EXPECT_EQ(place_of("v: |\n  one\n    and\n  two\n", "two"), "two");
  EXPECT_EQ(place_of("v: >-\n  one\n  two\n", "two"), "two");
  EXPECT_EQ(place_of("v: |2\n    one\n  two\n", "two"), "two");
  EXPECT_EQ(place_of("v: &anchor two", "two"), "two");
  EXPECT_EQ(place_of("v: \"one\r\n  two\"", "two"), "two");
}

TEST(YamlDocument, a_word_behind_an_escape_has_the_place_of_its_scalar) {
  EXPECT_EQ(place_of("v: \"a\\tb two\"", "two"), "\"a\\");
}

TEST(YamlDocument, aliases_are_copies_of_their_anchors) {
  const auto document = parse_yaml("a: &x [1, {b: 2}]\nv: *x\n");
  ASSERT_TRUE(document.errors.empty());
  const YamlNode* node = document.root.find("v");
  ASSERT_NE(node, nullptr);
  ASSERT_EQ(node->items.size(), 2u);
  EXPECT_EQ(node->items[1].find("b")->text, "2");
}

TEST(YamlDocument, quoted_and_tagged_scalars_are_not_plain) {
  const auto document = parse_yaml("[1, '1', \"1\", ! 1]");
  ASSERT_EQ(document.root.items.size(), 4u);
  EXPECT_TRUE(document.root.items[0].is_plain());
  for (std::size_t i = 1; i < 4; ++i) EXPECT_FALSE(document.root.items[i].is_plain()) << i;
}

TEST(YamlDocument, a_missing_value_has_the_place_of_its_key) {
  const auto document = parse_yaml("a:\n\n\nb:\n  -\n\n  - x\n");
  ASSERT_TRUE(document.errors.empty());
  EXPECT_EQ(document.root.find("a")->offset, 0u);
  EXPECT_EQ(document.root.find("b")->items[0].offset, 10u);
}

TEST(YamlDocument, a_mebibyte_of_anything_is_read_or_refused_quickly) {
  for (const char* part :
       {"[",   "{",  "- ", "? ",     "a: ", "&a ", "*a ", "'",   "\"",    "|\n", "a\n",     "[]",
        "{},", "\t", "%",  "a: b\n", ", ",  "!a ", "-\n", "#\n", "---\n", "\r",  "\xc2\x85"}) {
    std::string text;
    while (text.size() < 100'000) text += part;
    const auto document = parse_yaml(text);
    EXPECT_TRUE(!document.errors.empty() || document.root.kind != YamlNode::Kind::map) << part;
  }
}

}  // namespace
}  // namespace gktune
