#include "engine/peaks.h"

#include <gtest/gtest.h>

namespace gktune {
namespace {

DeviceInfo h200() {
  DeviceInfo device;
  device.architecture = "sm_90";
  device.multiprocessors = 132;
  device.clock_khz = 1980000;
  device.memory_clock_khz = 3201000;
  device.memory_bus_bits = 6144;
  return device;
}

TEST(Peaks, match_the_data_sheet_of_an_h200) {
  EXPECT_NEAR(peak_bandwidth_gbs(h200()), 4917, 1);
  EXPECT_NEAR(peak_compute_gflops(h200()), 66908, 1);
}

TEST(Peaks, give_a_share_to_a_metric_of_bandwidth_or_compute) {
  const auto shares = peak_shares(
      {{"GB/s", 2458.5}, {"TFLOP/s", 33.454}, {"TiB/s", 1.0}, {"GB", 7.0}, {"elements", 3}}, h200());
  ASSERT_EQ(shares.size(), 3u);
  EXPECT_EQ(shares[0].metric, "GB/s");
  EXPECT_NEAR(shares[0].share, 0.5, 1e-3);
  EXPECT_EQ(shares[0].kind, PeakShare::Kind::bandwidth);
  EXPECT_NEAR(shares[1].share, 0.5, 1e-3);
  EXPECT_NEAR(shares[1].peak, 66.9, 0.1);
  EXPECT_EQ(shares[1].kind, PeakShare::Kind::compute);
  EXPECT_NEAR(shares[2].share, 1099.5 / 4917, 1e-3);
}

TEST(Peaks, give_no_share_if_they_are_unknown) {
  DeviceInfo unknown;
  EXPECT_TRUE(peak_shares({{"GB/s", 1.0}, {"TFLOP/s", 1.0}}, unknown).empty());
  EXPECT_TRUE(peak_shares({{"GB/s", "fast"}}, h200()).empty());
}

}  // namespace
}  // namespace gktune
