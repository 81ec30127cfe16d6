#include "tuner/core/trial.h"

#include <gtest/gtest.h>

#include <string>

namespace gktune {
namespace {

std::string unknown_fields(const Trial& trial) {
  std::string names;
  const auto note = [&](const char* name, const auto& field) {
    if constexpr (requires { field.is_known; }) {
      if (!field.is_known) names += names.empty() ? name : std::string(" ") + name;
    }
  };
  fields(note, trial);
  return names;
}

TEST(Trial, fields_are_the_columns_of_the_database_in_their_order) {
  const Trial trial;
  std::string names;
  fields([&](const char* name, const auto&) { names += std::string(name) + ' '; }, trial);
  EXPECT_EQ(names,
            "config status message objective is_dropped_early median_us low_us high_us min_us mean_us "
            "deviation_us fresh_us metrics registers spill_bytes static_shared_bytes dynamic_shared_bytes occupancy "
            "grid_x grid_y grid_z block_x block_y block_z clock_mhz temperature_c power_w energy_j throttled "
            "compile_s run_s started_ms ended_ms samples ");
}

TEST(Trial, fields_say_which_values_are_unknown) {
  Trial trial;
  trial.status = Status::crashed;
  EXPECT_EQ(unknown_fields(trial),
            "objective median_us low_us high_us min_us mean_us deviation_us fresh_us registers spill_bytes "
            "static_shared_bytes dynamic_shared_bytes occupancy clock_mhz temperature_c power_w energy_j");
  trial.status = Status::ok;
  trial.timing.median_us = 1;
  trial.resources = {
      .registers = 0, .spill_bytes = 0, .static_shared_bytes = 0, .dynamic_shared_bytes = 0, .occupancy = 1};
  trial.conditions = {.clock_mhz = 0, .temperature_c = 0, .power_w = 1};
  EXPECT_EQ(unknown_fields(trial), "fresh_us energy_j");
}

TEST(Trial, every_status_is_found_by_its_name) {
  for (int i = 0; i <= static_cast<int>(kLastStatus); ++i) {
    auto status = static_cast<Status>(i);
    EXPECT_EQ(status_from_name(status_name(status)), status);
  }
  EXPECT_EQ(status_from_name("fine"), std::nullopt);
}

}  // namespace
}  // namespace gktune
