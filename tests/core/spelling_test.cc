#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tuner/core/text.h"

namespace gktune {
namespace {

const std::vector<std::string> kNames = {"block_size_x", "block_size_y", "tile", "unroll", "n", "T"};

TEST(Spelling, typing_errors_are_recognised) {
  EXPECT_EQ(closest("blok_size_x", kNames), "block_size_x");
  EXPECT_EQ(closest("tiel", kNames), "tile");
  EXPECT_EQ(closest("unrol", kNames), "unroll");
  EXPECT_EQ(closest("unrolll", kNames), "unroll");
}

TEST(Spelling, the_closest_word_is_suggested_or_the_first_of_equally_close_ones) {
  EXPECT_EQ(closest("block_size_Y", kNames), "block_size_y");
  EXPECT_EQ(closest("block_size_", kNames), "block_size_x");
}

TEST(Spelling, a_word_in_another_case_is_the_closest) {
  EXPECT_EQ(closest("t", kNames), "T");
  EXPECT_EQ(closest("N", kNames), "n");
  EXPECT_EQ(closest("TILE", kNames), "tile");
}

TEST(Spelling, nothing_is_suggested_if_no_word_is_close) {
  EXPECT_EQ(closest("threads", kNames), std::nullopt);
  EXPECT_EQ(closest("z", kNames), std::nullopt);
  EXPECT_EQ(closest("", kNames), std::nullopt);
  EXPECT_EQ(closest("tile", {}), std::nullopt);
  EXPECT_EQ(closest(std::string(100000, 'x'), kNames), std::nullopt);
}

TEST(Spelling, a_suggestion_ends_a_message) {
  EXPECT_EQ(did_you_mean("tiel", kNames), ", did you mean 'tile'?");
  EXPECT_EQ(did_you_mean("threads", kNames), "");
}

TEST(Utf8, bytes_that_are_no_character_are_replaced) {
  const std::string replaced = "\xef\xbf\xbd";
  EXPECT_EQ(as_utf8("plain"), "plain");
  EXPECT_EQ(as_utf8("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
            "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(as_utf8("a\xff"
                    "b"),
            "a" + replaced + "b");
  EXPECT_EQ(as_utf8("\xc3"), replaced);
  EXPECT_EQ(as_utf8("\xc0\x80"), replaced + replaced);                 // an overlong form
  EXPECT_EQ(as_utf8("\xed\xa0\x80"), replaced + replaced + replaced);  // a surrogate
}

}  // namespace
}  // namespace gktune
