#include "cli/devices.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace gktune
