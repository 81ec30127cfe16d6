#include "engine/devices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/expectations.h"
#include "tests/scratch_folder.h"
#include "tuner/device/backends.h"

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

// A folder like /proc on a machine with two GPUs.
class DeviceCacheTest : public testing::Test {
 protected:
  DeviceCacheTest() {
    write("sys/kernel/random/boot_id", "first boot\n");
    write("driver/nvidia/version", "NVRM version: 580\n");
    write("driver/nvidia/gpus/0000:01:00.0/information", "Model: H200\nVideo BIOS: ??\n");
    write("driver/nvidia/gpus/0000:02:00.0/information", "Model: H200\n");
  }

  void write(const std::string& path, const std::string& text) const { folder_.write("proc/" + path, text); }
  DeviceCache cache(const std::string& settings = "") const {
    return {folder_.path("cache"), gpus_of_machine(folder_.path("proc")), settings};
  }
  static DeviceInfo card() {
    DeviceInfo info;
    info.kind = "cuda";
    info.name = "a card";
    info.multiprocessors = 132;
    info.compiler = "NVRTC 13.0";
    return info;
  }

  ScratchFolder folder_;
  const BackendName gpu_{"cuda", 0};
};

TEST_F(DeviceCacheTest, a_kept_description_is_found_again_completely) {
  EXPECT_FALSE(cache().find(gpu_));
  cache().keep(gpu_, card());
  const auto found = cache().find(gpu_);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "a card");
  EXPECT_EQ(found->multiprocessors, 132);
  EXPECT_EQ(found->compiler, "NVRTC 13.0");
  EXPECT_FALSE(cache().find({"cuda", 1}));
}

TEST_F(DeviceCacheTest, a_forgotten_description_is_gone) {
  cache().keep(gpu_, card());
  cache().forget(gpu_);
  EXPECT_FALSE(cache().find(gpu_));
}

TEST_F(DeviceCacheTest, another_boot_driver_card_or_setting_invalidates_a_description) {
  cache("CUDA_VISIBLE_DEVICES=0").keep(gpu_, card());
  EXPECT_TRUE(cache("CUDA_VISIBLE_DEVICES=0").find(gpu_));
  EXPECT_FALSE(cache("CUDA_VISIBLE_DEVICES=1").find(gpu_));
  for (const char* path :
       {"sys/kernel/random/boot_id", "driver/nvidia/version", "driver/nvidia/gpus/0000:03:00.0/information",
        "driver/nvidia/capabilities/gpu0/mig/gi1/access"}) {
    cache().keep(gpu_, card());
    EXPECT_TRUE(cache().find(gpu_));
    write(path, std::string("Model: changed ") + path);
    EXPECT_FALSE(cache().find(gpu_)) << path;
  }
}

TEST_F(DeviceCacheTest, a_gpu_is_the_same_after_the_driver_starts_it) {
  cache().keep(gpu_, card());
  write("driver/nvidia/gpus/0000:01:00.0/information", "Model: H200\nVideo BIOS: 96.00\n");
  EXPECT_TRUE(cache().find(gpu_));
}

TEST_F(DeviceCacheTest, no_description_is_kept_if_the_driver_lists_no_gpus) {
  std::filesystem::remove_all(folder_.path("proc/driver/nvidia/gpus"));
  EXPECT_EQ(gpus_of_machine(folder_.path("proc")), "");
  cache().keep(gpu_, card());
  EXPECT_FALSE(cache().find(gpu_));
  EXPECT_FALSE(std::filesystem::exists(folder_.path("cache")));
}

TEST_F(DeviceCacheTest, a_damaged_description_is_not_used) {
  cache().keep(gpu_, card());
  const std::string path = folder_.path("cache/cuda-0.device");
  const auto size = std::filesystem::file_size(path);
  for (const auto length : {std::uintmax_t{0}, std::uintmax_t{10}, size / 2, size - 1}) {
    cache().keep(gpu_, card());
    std::filesystem::resize_file(path, length);
    EXPECT_FALSE(cache().find(gpu_)) << length;
  }
}

TEST_F(DeviceCacheTest, the_description_of_the_host_is_not_kept) {
  cache().keep({"host", 0}, card());
  EXPECT_FALSE(cache().find({"host", 0}));
}

// A program whose workers are the scripted ones: of three GPUs, the last one of another model.
class FindDevice : public testing::Test {
 protected:
  FindDevice() {
    std::ofstream(program_) << "#!/bin/sh\nshift\nexec '" << GKTUNE_SCRIPTED_WORKER << "' '" << refusals()
                            << "' \"$@\"\n";
    std::filesystem::permissions(program_, std::filesystem::perms::owner_all);
  }

  std::string refusals() const { return folder_.path("refusals"); }
  void refuse(const std::string& lines) const { folder_.write("refusals", lines); }
  Result<FoundDevice> find(const DeviceChoice& choice) {
    return find_device(choice, {program_, "worker"},
                       [this](const std::string& notice) { notices_ += notice + '\n'; });
  }
  static std::vector<int> ordinals(const FoundDevice& found) {
    std::vector<int> all;
    for (const BackendName& backend : found.backends) all.push_back(backend.ordinal);
    return all;
  }

  ScratchFolder folder_;
  const std::string program_ = folder_.path("gktune");
  std::string notices_;
  const DeviceChoice all_gpus_ = *parse_device("cuda:all");
};

TEST_F(FindDevice, finds_all_gpus_of_the_model_of_the_first) {
  const auto found = find(all_gpus_);
  EXPECT_EQ(ordinals(*found), (std::vector<int>{0, 1}));
  EXPECT_EQ(found->info.name, "script");
}

TEST_F(FindDevice, leaves_out_a_gpu_of_another_model_with_a_notice) {
  ASSERT_TRUE(find(all_gpus_).ok());
  EXPECT_TRUE(contains(notices_,
                       "cuda:2 is left out: other script with 0 multiprocessors is not the model of cuda:0"));
}

TEST_F(FindDevice, reports_both_reasons_if_neither_a_gpu_nor_the_host_works) {
  const auto kinds = device_kinds();
  if (std::ranges::find(kinds, "cuda") == kinds.end()) GTEST_SKIP() << "built without CUDA";
  refuse("describe:0\n");
  const auto found = find({});
  ASSERT_FALSE(found.ok());  // nor does this host device
  EXPECT_TRUE(contains(found.error().message, "no device cuda:0: there is no such device; "));
}

TEST_F(FindDevice, a_broken_gpu_does_not_hide_those_after_it) {
  refuse("describe:0\n");
  const auto found = find(all_gpus_);
  EXPECT_EQ(ordinals(*found), (std::vector<int>{1}));
  EXPECT_TRUE(contains(notices_, "no device cuda:0: there is no such device"));
}

TEST_F(FindDevice, reports_that_none_of_several_gpus_starts) {
  refuse("describe\n");
  EXPECT_EQ(message_of(find(all_gpus_)), "no device cuda: none of 3 GPUs starts");
}

TEST_F(FindDevice, finds_the_gpu_that_was_asked_for) {
  const auto found = find(*parse_device("cuda:1"));
  EXPECT_EQ(ordinals(*found), (std::vector<int>{1}));
  refuse("describe:1\n");
  EXPECT_EQ(find(*parse_device("cuda:1")).error().message, "no device cuda:1: there is no such device");
}

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
