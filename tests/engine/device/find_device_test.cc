#include "engine/device/find_device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/scratch_folder.h"
#include "tuner/device/backends.h"

namespace gktune {
namespace {

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
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(ordinals(*found), (std::vector<int>{0, 1}));
  EXPECT_EQ(found->info.name, "script");
}

TEST_F(FindDevice, leaves_out_a_gpu_of_another_model_with_a_notice) {
  ASSERT_TRUE(find(all_gpus_).ok());
  EXPECT_NE(
      notices_.find("cuda:2 is left out: other script with 0 multiprocessors is not the model of cuda:0"),
      std::string::npos)
      << notices_;
}

TEST_F(FindDevice, reports_both_reasons_if_neither_a_gpu_nor_the_host_works) {
  const auto kinds = device_kinds();
  if (std::ranges::find(kinds, "cuda") == kinds.end()) GTEST_SKIP() << "built without CUDA";
  refuse("describe:0\n");
  const auto found = find({});
  ASSERT_FALSE(found.ok());  // nor does this host device
  EXPECT_NE(found.error().message.find("no device cuda:0: there is no such device; "), std::string::npos)
      << found.error().message;
}

TEST_F(FindDevice, a_broken_gpu_does_not_hide_those_after_it) {
  refuse("describe:0\n");
  const auto found = find(all_gpus_);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(ordinals(*found), (std::vector<int>{1}));
  EXPECT_NE(notices_.find("no device cuda:0: there is no such device"), std::string::npos) << notices_;
}

TEST_F(FindDevice, reports_that_none_of_several_gpus_starts) {
  refuse("describe\n");
  const auto found = find(all_gpus_);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().message, "no device cuda: none of 3 GPUs starts");
}

TEST_F(FindDevice, finds_the_gpu_that_was_asked_for) {
  const auto found = find(*parse_device("cuda:1"));
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(ordinals(*found), (std::vector<int>{1}));
  refuse("describe:1\n");
  EXPECT_EQ(find(*parse_device("cuda:1")).error().message, "no device cuda:1: there is no such device");
}

}  // namespace
}  // namespace gktune
