#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "tests/scratch_folder.h"
#include "tuner/core/device_info.h"

namespace gktune {
namespace {

TEST(DeviceInfo, cards_of_one_model_have_equal_names_and_numbers_of_multiprocessors) {
  DeviceInfo whole, cut;
  whole.name = cut.name = "a card";
  whole.multiprocessors = 132;
  EXPECT_FALSE(are_of_one_model(whole, cut));
  cut.multiprocessors = 132;
  EXPECT_TRUE(are_of_one_model(whole, cut));
  cut.name = "another card";
  EXPECT_FALSE(are_of_one_model(whole, cut));
}

TEST(DeviceInfo, attributes_are_its_identity_and_its_numbers) {
  DeviceInfo info;
  info.name = "a card";
  info.warp_size = 64;
  info.ecc = true;
  info.driver = "580";
  const NamedValues attributes = info.attributes();
  EXPECT_EQ(attributes.find("name")->text(), "a card");
  EXPECT_EQ(attributes.find("warp_size")->integer(), 64);
  EXPECT_EQ(attributes.find("ecc"), nullptr);
  EXPECT_EQ(attributes.find("driver"), nullptr);
  EXPECT_EQ(attributes.size(), 25u);
}

namespace fs = std::filesystem;

TEST(DeviceKinds, the_host_comes_first_and_is_not_a_gpu) {
  EXPECT_EQ(known_device_kinds().front().name, "host");
  EXPECT_FALSE(is_gpu("host"));
  EXPECT_TRUE(is_gpu("cuda"));
}

TEST(DeviceKinds, a_kind_is_found_by_its_whole_name) {
  EXPECT_EQ(find_device_kind("cuda")->toolkit, "CUDA");
  for (const char* name : {"", "cud", "cudas", "CUDA", "replay"}) {
    EXPECT_EQ(find_device_kind(name), nullptr) << name;
    EXPECT_FALSE(is_gpu(name)) << name;
  }
}

TEST(DeviceKinds, the_name_of_an_architecture_decides_its_kind) {
  EXPECT_EQ(kind_of_architecture("sm_120a")->name, "cuda");
  for (const char* name : {"", "sm_", "sm_x", "SM_90", "x86-64", "90"})
    EXPECT_EQ(kind_of_architecture(name), nullptr) << name;
}

// "cuda", "cuda:1"; not "cuda::std", a namespace.
bool has_literal(const std::string& text, std::string_view name) {
  const std::string begin = '"' + std::string(name);
  for (std::size_t at = text.find(begin); at != text.npos; at = text.find(begin, at + 1)) {
    const std::string next = text.substr(at + begin.size(), 2);
    if (next.starts_with('"') || (next.starts_with(':') && next != "::")) return true;
  }
  return false;
}

// Names of kinds of GPUs belong to the backends' folders, to the tables of backends and languages, and
// to what takes CUDA's own data.
TEST(DeviceKinds, generic_code_names_no_kind_of_gpu) {
  const fs::path root = GKTUNE_SOURCE_DIR;
  const std::set<std::string> places = {"tuner/core/device_info.cc", "tuner/device/backends.cc",
                                        "tuner/space/definition.cc", "db/identity.cc",
                                        "runtime/cuda_launch_device.cc"};
  std::set<std::string> found;
  for (const char* folder : {"tuner", "db", "engine", "runtime", "cli"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const fs::path& path = entry.path();
      if (path.extension() != ".cc" && path.extension() != ".h") continue;
      const std::string name = path.lexically_relative(root).string();
      const std::string text = contents_of(path);
      for (const DeviceKind& kind : known_device_kinds()) {
        if (!kind.is_gpu || name.starts_with("tuner/device/" + std::string(kind.name) + '/')) continue;
        if (has_literal(text, kind.name)) found.insert(name);
      }
    }
  }
  EXPECT_EQ(found, places);
}

}  // namespace
}  // namespace gktune
