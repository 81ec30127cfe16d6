#include "cli/screen.h"

#include <gtest/gtest.h>

namespace gktune {
namespace {

const Screen kColour{.is_terminal = true, .has_colour = true};

TEST(Screen, a_screen_without_colour_gets_none) {
  EXPECT_EQ(paint(Screen{}, Ink::red, "error:"), "error:");
  EXPECT_EQ(paint(kColour, Ink::red, "error:"), "\x1b[31merror:\x1b[0m");
}

TEST(Screen, columns_are_code_points_without_colour_codes) {
  EXPECT_EQ(columns_of("12 µs"), 5u);
  EXPECT_EQ(columns_of(paint(kColour, Ink::bold, "12 µs")), 5u);
  EXPECT_EQ(columns_of("\x1b["), 0u);
}

TEST(Screen, what_is_too_long_ends_in_an_ellipsis) {
  EXPECT_EQ(cut("short", 5), "short");
  EXPECT_EQ(cut("a longer text", 5), "a lo…");
  EXPECT_EQ(cut("µµµµ", 3), "µµ…");
  EXPECT_EQ(cut("text", 0), "");
}

TEST(Screen, a_cut_ends_the_colour) {
  EXPECT_EQ(cut(paint(kColour, Ink::red, "abcdef"), 3), "\x1b[31mab…\x1b[0m");
}

}  // namespace
}  // namespace gktune
