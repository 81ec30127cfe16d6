#include "cli/output/screen.h"

#include <gtest/gtest.h>

#include <sstream>

namespace gktune {
namespace {

const Screen kColour{.is_terminal = true, .has_colour = true};

std::string printed(const Painted& painted) {
  std::ostringstream stream;
  stream << painted;
  return stream.str();
}

TEST(Screen, text_is_plain_on_a_screen_without_colour) {
  EXPECT_EQ(printed(paint(Screen{}, Ink::red, "error:")), "error:");
  EXPECT_EQ(printed(paint(kColour, Ink::red, "error:")), "\x1b[31merror:\x1b[0m");
  EXPECT_EQ(printed(paint(kColour, Ink::none, "error:")), "error:");
}

TEST(Screen, columns_count_code_points) {
  EXPECT_EQ(columns_of("12 µs"), 5u);
  EXPECT_EQ(columns_of(""), 0u);
}

TEST(Screen, a_cut_text_ends_in_an_ellipsis) {
  EXPECT_EQ(cut("short", 5), "short");
  EXPECT_EQ(cut("a longer text", 5), "a lo…");
  EXPECT_EQ(cut("µµµµ", 3), "µµ…");
  EXPECT_EQ(cut("text", 0), "");
}

}  // namespace
}  // namespace gktune
