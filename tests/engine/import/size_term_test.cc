#include "engine/import/size_term.h"

#include <gtest/gtest.h>

namespace gktune {
namespace {

const SizeTerm kN = SizeTerm::atom("n"), kB = SizeTerm::atom("b");
SizeTerm number(std::int64_t value) { return SizeTerm::number(value); }

TEST(SizeTerm, equal_parts_are_combined) {
  EXPECT_EQ(kN.plus(number(0)).text(), "n");
  EXPECT_EQ(kN.plus(kN).text(), "n * 2");
  EXPECT_EQ(kN.minus(kN).text(), "0");
  EXPECT_EQ(kN.times(kB).minus(kB.times(kN)).text(), "0");
  EXPECT_EQ(number(2).plus(kN).plus(number(3)).text(), "n + 5");
  EXPECT_EQ(number(0).minus(kN).plus(kB).text(), "-n + b");
  EXPECT_EQ(kN.plus(number(1)).times(kB).text(), "(n + 1) * b");
}

TEST(SizeTerm, a_size_in_bytes_is_divided_by_the_size_of_its_elements) {
  EXPECT_EQ(kN.times(number(4)).divided_by(number(4))->text(), "n");
  EXPECT_EQ(kN.plus(number(6)).times(number(4)).divided_by(number(4))->text(), "n + 6");
  EXPECT_EQ(kN.times(number(16)).divided_by(number(4))->text(), "n * 4");
  EXPECT_EQ(kN.times(kB).divided_by(kB)->text(), "n");
  EXPECT_EQ(kN.divided_by(number(1))->text(), "n");
  EXPECT_EQ(kN.divided_by(number(4))->text(), "n // 4");
  EXPECT_EQ(kN.plus(kB).divided_by(number(4))->text(), "(n + b) // 4");
}

TEST(SizeTerm, a_division_that_rounds_up_is_recognized) {
  EXPECT_EQ(kN.plus(kB).minus(number(1)).divided_by(kB)->text(), "ceil_div(n, b)");
  EXPECT_EQ(kN.plus(number(255)).divided_by(number(256))->text(), "ceil_div(n, 256)");
  EXPECT_EQ(kN.minus(number(1)).divided_by(kB)->plus(number(1)).text(), "ceil_div(n, b)");
  EXPECT_EQ(kN.plus(number(255)).divided_by(SizeTerm::atom("threads", 256))->text(), "ceil_div(n, threads)");
  EXPECT_EQ(kN.plus(number(254)).divided_by(number(256))->text(), "(n + 254) // 256");
  EXPECT_EQ(kN.as_real().divided_by(kB)->rounded_up().text(), "ceil_div(n, b)");
}

TEST(SizeTerm, real_and_whole_numbers_differ) {
  EXPECT_EQ(SizeTerm::real("0.5").times(kN).text(), "0.5 * n");
  EXPECT_EQ(kN.as_real().divided_by(number(2))->text(), "n / 2");
  EXPECT_EQ(kN.as_real().divided_by(number(2))->as_integer().text(), "n // 2");
  EXPECT_EQ(SizeTerm::real("0.5").times(kN).as_integer().text(), "int(0.5 * n)");
  EXPECT_EQ(number(7).divided_by(number(2))->constant(), 3);
  EXPECT_EQ(number(7).remainder(number(4))->constant(), 3);
}

TEST(SizeTerm, an_operation_without_a_result_gives_nothing) {
  EXPECT_FALSE(kN.divided_by(number(0)));
  EXPECT_FALSE(kN.remainder(number(0)));
  EXPECT_FALSE(number(std::int64_t{1} << 40).times(number(std::int64_t{1} << 40)).is_sound());
  EXPECT_FALSE(kN.constant());
}

}  // namespace
}  // namespace gktune
