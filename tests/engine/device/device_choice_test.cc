#include "engine/device/device_choice.h"

#include <gtest/gtest.h>

#include "engine/device/known_device.h"

namespace gktune {
namespace {

TEST(DeviceChoice, reads_names_of_devices) {
  using Kind = DeviceChoice::Kind;
  EXPECT_EQ(*parse_device("auto"), DeviceChoice{});
  EXPECT_EQ(*parse_device("host"), DeviceChoice{Kind::host});
  EXPECT_EQ(*parse_device("cuda"), (DeviceChoice{.kind = Kind::gpu, .gpu_kind = "cuda"}));
  EXPECT_EQ(parse_device("sm_120a")->architecture, "sm_120a");
  EXPECT_EQ(parse_device("sm_120a")->kind, Kind::architecture);
  EXPECT_EQ(*parse_device("cuda:3"), (DeviceChoice{.kind = Kind::gpu, .gpu_kind = "cuda", .ordinal = 3}));
  EXPECT_EQ(*parse_device("cuda:all"),
            (DeviceChoice{.kind = Kind::gpu, .gpu_kind = "cuda", .extent = DeviceChoice::Extent::all}));
  EXPECT_EQ(*parse_device("replay:a/b.json.gz"),
            (DeviceChoice{.kind = Kind::replay, .recording = "a/b.json.gz"}));
  EXPECT_FALSE(parse_device("replay:"));
  EXPECT_FALSE(parse_device("replay"));
}

TEST(DeviceChoice, refuses_other_names_with_a_suggestion) {
  EXPECT_EQ(
      parse_device("hots").error().message,
      "no device is called 'hots', did you mean 'host'?; the devices are auto, host, cuda, cuda:all, cuda:0, "
      "sm_90, replay:FILE");
  for (const char* text :
       {"", "sm_", "sm_x", "cuda:", "cuda:-1", "cuda:1x", "cudas", "gpu", "host:1", "CUDA:99999999999"}) {
    EXPECT_FALSE(parse_device(text).ok()) << text;
  }
}

TEST(KnownDevice, is_found_by_a_part_of_its_name) {
  const std::vector<DeviceIdentity> devices = {{"cuda", "NVIDIA H200", "sm_90", 132},
                                               {"host", "CPU: x", "x86-64", 2}};
  EXPECT_EQ(find_device("h200", devices)->name, "NVIDIA H200");
  EXPECT_EQ(find_device("CPU: x", devices)->kind, "host");
  EXPECT_EQ(find_device("A100", devices).error().message,
            "the database knows no device 'A100'; it knows NVIDIA H200; CPU: x");
}

}  // namespace
}  // namespace gktune
