#include "engine/device/device_cache.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/scratch_folder.h"

namespace gktune {
namespace {

// A folder like /proc on a machine with two GPUs.
class DeviceCacheTest : public testing::Test {
 protected:
  DeviceCacheTest() {
    write("sys/kernel/random/boot_id", "first boot\n");
    write("driver/nvidia/version", "NVRM version: 580\n");
    write("driver/nvidia/gpus/0000:01:00.0/information", "Model: H200\nVideo BIOS: ??\n");
    write("driver/nvidia/gpus/0000:02:00.0/information", "Model: H200\n");
  }

  void write(const std::string& path, const std::string& text) const {
    folder_.write("proc/" + path, text);
  }
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
  for (const char* path : {"sys/kernel/random/boot_id", "driver/nvidia/version",
                           "driver/nvidia/gpus/0000:02:00.0/information",
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

}  // namespace
}  // namespace gktune
