#include "gktune/values.h"

#include <gtest/gtest.h>

namespace gktune {
namespace {

TEST(NamedValues, equality_ignores_the_order) {
  EXPECT_EQ((NamedValues{{"a", 1}, {"b", 2}}), (NamedValues{{"b", 2}, {"a", 1}}));
  EXPECT_NE((NamedValues{{"a", 1}}), (NamedValues{{"a", 1}, {"b", 2}}));
  EXPECT_NE((NamedValues{{"a", 1}}), (NamedValues{{"a", 1.0}}));
}

TEST(NamedValues, json_sorts_the_names_and_text_keeps_their_order) {
  NamedValues values{{"way", "one_pass"}, {"batchSize", 8}};
  EXPECT_EQ(values.json(), R"({"batchSize":8,"way":"one_pass"})");
  EXPECT_EQ(values.str(), "way=one_pass batchSize=8");
  EXPECT_EQ(NamedValues().json(), "{}");
}

TEST(NamedValues, setting_a_name_again_replaces_its_value) {
  NamedValues values{{"n", 1}};
  values.set("n", 2);
  ASSERT_NE(values.find("n"), nullptr);
  EXPECT_EQ(*values.find("n"), Value(2));
  EXPECT_EQ(values.size(), 1u);
  EXPECT_EQ(values.find("m"), nullptr);
}

}  // namespace
}  // namespace gktune
