#include "cli/output/json.h"

#include <gtest/gtest.h>

#include <sstream>

namespace gktune {
namespace {

TEST(Json, counts_are_numbers) {
  EXPECT_EQ(json_of_count("8352").dump(), "8352");
  EXPECT_EQ(json_of_count("18446744073709551615").dump(), "18446744073709551615");
  EXPECT_TRUE(json_of_count("1208925819614629174706176").is_number_float());
  EXPECT_DOUBLE_EQ(json_of_count("1208925819614629174706176").get<double>(), 0x1p80);
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

}  // namespace
}  // namespace gktune
