#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "cli/devices.h"
#include "cli/output/json.h"
#include "cli/output/screen.h"
#include "cli/output/units.h"

namespace gktune {
namespace {

using Line = std::pair<std::string, std::string>;

std::vector<Line> lines_of(const DeviceInfo& device) {
  std::vector<Line> lines;
  for (const Field& field : describe(device)) lines.emplace_back(field.key, text_of(field.cell, field.unit));
  return lines;
}

TEST(DeviceText, describes_a_gpu_as_device_queries_do) {
  DeviceInfo device;
  device.kind = "cuda";
  device.architecture = "sm_90";
  device.multiprocessors = 132;
  device.clock_khz = 1980000;
  device.memory_clock_khz = 3201000;
  device.memory_bus_bits = 6144;
  device.shared_bytes_per_block = 49152;
  device.max_grid_x = 2147483647;
  device.max_grid_y = device.max_grid_z = 65535;
  device.ecc = true;
  EXPECT_EQ(lines_of(device), (std::vector<Line>{{"architecture", "sm_90"},
                                                 {"compute capability", "9.0"},
                                                 {"multiprocessors", "132"},
                                                 {"clock", "1980 MHz"},
                                                 {"memory bandwidth", "4917 GB/s"},
                                                 {"memory clock", "3201 MHz"},
                                                 {"memory bus", "6144 bits"},
                                                 {"shared memory per block", "48 KiB"},
                                                 {"warp size", "32"},
                                                 {"largest grid", "2,147,483,647 × 65,535 × 65,535"},
                                                 {"ECC", "yes"},
                                                 {"MIG", "no"}}));
}

TEST(DeviceText, shows_cores_and_no_ecc_for_a_cpu) {
  DeviceInfo device;
  device.kind = "host";
  device.architecture = "x86-64";
  device.multiprocessors = 2;
  device.compiler = "g++ 12.2.0";
  EXPECT_EQ(
      lines_of(device),
      (std::vector<Line>{
          {"architecture", "x86-64"}, {"cores", "2"}, {"warp size", "32"}, {"compiler", "g++ 12.2.0"}}));
}

TEST(Json, counts_are_numbers) {
  EXPECT_EQ(json_of_count(8352).dump(), "8352");
  EXPECT_EQ(json_of_count(std::numeric_limits<std::uint64_t>::max()).dump(), "18446744073709551615");
  EXPECT_TRUE(json_of_count(Count(1) << 80).is_number_float());
  EXPECT_DOUBLE_EQ(json_of_count(Count(1) << 80).get<double>(), 0x1p80);
}

TEST(Json, unknown_figures_of_a_trial_are_null) {
  Trial trial;
  trial.timing.median_us = 2;
  Json json = json_of(trial);
  for (const char* figure : {"registers", "spill_bytes", "static_shared_bytes", "dynamic_shared_bytes",
                             "occupancy", "grid", "block"}) {
    EXPECT_TRUE(json.at("resources").at(figure).is_null()) << figure;
  }
  trial.resources.registers = 0;
  trial.resources.occupancy = 0.5;
  trial.resources.grid = {2, 1, 1};
  json = json_of(trial);
  EXPECT_EQ(json.at("resources").at("registers"), 0);
  EXPECT_EQ(json.at("resources").at("occupancy"), 0.5);
  EXPECT_EQ(json.at("resources").at("grid").dump(), "[2,1,1]");
}

TEST(Json, unknown_figures_of_a_device_are_null) {
  DeviceInfo device;
  device.multiprocessors = 8;
  const Json json = json_of(device);
  EXPECT_EQ(json.at("multiprocessors"), 8);
  EXPECT_TRUE(json.at("memory_clock_khz").is_null());
  EXPECT_EQ(json.at("ecc"), false);
}

TEST(Json, bytes_that_are_not_utf8_are_replaced) {
  std::ostringstream stream;
  print(stream, Json("caf\xe9"));
  EXPECT_EQ(stream.str(), "\"caf\xef\xbf\xbd\"\n");
}

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

TEST(Units, times_keep_three_digits) {
  EXPECT_EQ(format_time_us(0.8124), "812 ns");
  EXPECT_EQ(format_time_us(1), "1.00 µs");
  EXPECT_EQ(format_time_us(9.996), "10.0 µs");
  EXPECT_EQ(format_time_us(12.44), "12.4 µs");
  EXPECT_EQ(format_time_us(812.4), "812 µs");
  EXPECT_EQ(format_time_us(3214), "3.21 ms");
  EXPECT_EQ(format_time_us(1204000), "1.20 s");
}

TEST(Units, durations_are_shown_in_fitting_units) {
  EXPECT_EQ(format_seconds(0.25), "250 ms");
  EXPECT_EQ(format_seconds(2.25), "2.2 s");
  EXPECT_EQ(format_seconds(45.4), "45 s");
  EXPECT_EQ(format_seconds(125), "2 m 05 s");
  EXPECT_EQ(format_seconds(3725), "1 h 02 m");
}

TEST(Units, bytes_and_numbers_are_readable) {
  EXPECT_EQ(format_bytes(100), "100 B");
  EXPECT_EQ(format_bytes(49152), "48 KiB");
  EXPECT_EQ(format_bytes(149786984448), "139.5 GiB");
  EXPECT_EQ(format_number(4613.4), "4613");
  EXPECT_EQ(format_number(12.3456), "12.35");
  EXPECT_EQ(format_number(0.98765), "0.9877");
  EXPECT_EQ(format_percent(0.0123), "1.2 %");
  EXPECT_EQ(format_date(1717176000000), "2024-05-31 17:20");
  for (const std::int64_t unknown :
       {std::int64_t{0}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::max()})
    EXPECT_EQ(format_date(unknown), "-");
}

TEST(Units, bars_grow_in_eighths_of_a_character) {
  EXPECT_EQ(bar(1, 3), "███");
  EXPECT_EQ(bar(0.5, 3), "█▌");
  EXPECT_EQ(bar(0, 3), "");
  EXPECT_EQ(bar(std::numeric_limits<double>::quiet_NaN(), 3), "");
}

}  // namespace
}  // namespace gktune
