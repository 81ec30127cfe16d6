#include "cli/output/pictures.h"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

namespace gktune {
namespace {

using Lines = std::vector<std::string>;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(Bars, have_the_heights_of_their_values) {
  EXPECT_EQ(bars({0, 0.5, 1, 0.25}, 2), (Lines{"  █ ", " ██▄"}));
  EXPECT_EQ(bars({kNaN, -3, 7}, 1), (Lines{"  █"}));
  EXPECT_EQ(bars({}, 2), (Lines{"", ""}));
}

std::string printed(const ScoreHistory& history, const Screen& screen) {
  std::ostringstream stream;
  print_pictures(stream, screen, history);
  return stream.str();
}

const ScoreHistory kHistory{{100, kNaN, 40, 60, 20, 10, 10, 30}, "time", false};

TEST(Pictures, show_the_best_so_far_and_the_distribution) {
  EXPECT_EQ(printed(kHistory, {.is_terminal = true, .has_colour = false, .columns = 28}),
            "\n"
            "best so far\n"
            "   100 µs ██      \n"
            "          ██      \n"
            "          ████    \n"
            "          ████▄   \n"
            "  10.0 µs █████▁▁▁\n"
            "          trial 1 8\n"
            "\n"
            "distribution of times\n"
            "        2 █                \n"
            "          █                \n"
            "          █    ▄  ▄ ▄  ▄  ▄\n"
            "          █    █  █ █  █  █\n"
            "        0 █    █  █ █  █  █\n"
            "          10.0 µs    100 µs\n");
}

TEST(Pictures, fit_the_terminal) {
  for (const std::size_t columns : {30u, 40u, 80u, 200u}) {
    const std::string text =
        printed(kHistory, {.is_terminal = true, .has_colour = false, .columns = columns});
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(columns_of(line), columns);
    EXPECT_FALSE(text.empty());
  }
}

TEST(Pictures, are_left_out_in_pipes_on_narrow_terminals_and_without_differences) {
  const Screen terminal{.is_terminal = true, .has_colour = false, .columns = 80};
  EXPECT_EQ(printed(kHistory, {}), "");
  EXPECT_EQ(printed(kHistory, {.is_terminal = true, .has_colour = false, .columns = 20}), "");
  EXPECT_EQ(printed({{1, 2, 3, 4}, "time", false}, terminal), "");
  EXPECT_EQ(printed({{5, 5, 5, 5, 5, 5}, "time", false}, terminal), "");
  EXPECT_EQ(printed({{kNaN, kNaN, kNaN, kNaN, kNaN, kNaN}, "time", false}, terminal), "");
}

TEST(Pictures, rise_for_a_metric_that_is_maximised) {
  const std::string text = printed({{-1, 2, 1, 3, 4, 4}, "GB/s", true}, {.is_terminal = true, .columns = 40});
  EXPECT_NE(text.find("  4 GB/s     ██\n"), std::string::npos) << text;
  EXPECT_NE(text.find("distribution of GB/s"), std::string::npos);
}

}  // namespace
}  // namespace gktune
