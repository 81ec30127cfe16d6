#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "tests/scratch_folder.h"
#include "tests/unprivileged.h"
#include "tuner/device/worker/folders.h"

namespace gktune {
namespace {

namespace fs = std::filesystem;

mode_t mode_of(const fs::path& path) {
  struct stat status {};
  EXPECT_EQ(stat(path.c_str(), &status), 0);
  return status.st_mode & 07777;
}

std::string refusal(const fs::path& path) {
  const auto made = make_private_folder(path);
  return made ? "" : made.error().message;
}

class PrivateFolder : public ::testing::Test {
 protected:
  void own(const std::string& name, uid_t user) { ASSERT_EQ(chown((folder_ / name).c_str(), user, user), 0); }

  ScratchFolder folder_;
  fs::path root_ = fs::canonical(folder_.path());
};

TEST_F(PrivateFolder, is_made_with_its_parents_for_this_user_alone) {
  const auto made = make_private_folder(folder_ / "a" / "b" / "cache");
  EXPECT_EQ(*made, root_ / "a" / "b" / "cache");
  for (const char* name : {"a", "a/b", "a/b/cache"}) EXPECT_EQ(mode_of(folder_ / name), 0700u) << name;
  EXPECT_TRUE(make_private_folder(folder_ / "a" / "b" / "cache" / "").ok()) << "with a slash at the end";
}

TEST_F(PrivateFolder, may_be_read_by_others) {
  fs::create_directory(folder_ / "cache");
  ASSERT_EQ(chmod((folder_ / "cache").c_str(), 0755), 0);
  EXPECT_EQ(refusal(folder_ / "cache"), "");
  EXPECT_EQ(mode_of(folder_ / "cache"), 0755u);
}

TEST_F(PrivateFolder, is_refused_if_others_can_write_it) {
  fs::create_directory(folder_ / "cache");
  ASSERT_EQ(chmod((folder_ / "cache").c_str(), 0777), 0);
  EXPECT_EQ(refusal(folder_ / "cache"), "the folder for compiled code is not safe: everyone can write to " +
                                            (root_ / "cache").string() + ", and code is loaded from it");
  ASSERT_EQ(chmod((folder_ / "cache").c_str(), 01777), 0);
  EXPECT_NE(refusal(folder_ / "cache"), "") << "a sticky folder lets others add files";
}

TEST_F(PrivateFolder, is_refused_below_a_parent_that_others_can_write) {
  fs::create_directories(folder_ / "open" / "cache");
  ASSERT_EQ(chmod((folder_ / "open").c_str(), 0777), 0);
  EXPECT_EQ(refusal(folder_ / "open" / "cache"),
            "the folder for compiled code is not safe: everyone can write to " + (root_ / "open").string() +
                ", and code is loaded from a folder in it");
  EXPECT_NE(refusal(folder_ / "open" / "new"), "");
  EXPECT_FALSE(fs::exists(folder_ / "open" / "new")) << "made before the check";
  ASSERT_EQ(chmod((folder_ / "open").c_str(), 01777), 0);
  EXPECT_EQ(refusal(folder_ / "open" / "cache"), "") << "as below /tmp";
}

TEST_F(PrivateFolder, is_refused_if_a_group_can_write_it) {
  if (geteuid() != 0) GTEST_SKIP() << "needs files of another group";
  fs::create_directory(folder_ / "cache");
  ASSERT_EQ(chown((folder_ / "cache").c_str(), 0, 100), 0);
  ASSERT_EQ(chmod((folder_ / "cache").c_str(), 0770), 0);
  EXPECT_EQ(refusal(folder_ / "cache"), "the folder for compiled code is not safe: a group can write to " +
                                            (root_ / "cache").string() + ", and code is loaded from it");
}

TEST_F(PrivateFolder, is_refused_if_it_belongs_to_another_user) {
  if (geteuid() != 0) GTEST_SKIP() << "needs files of another user";
  fs::create_directories(folder_ / "theirs" / "cache");
  own("theirs/cache", Unprivileged::kNobody);
  EXPECT_EQ(refusal(folder_ / "theirs" / "cache"),
            "the folder for compiled code is not safe: " + (root_ / "theirs" / "cache").string() +
                " belongs to nobody, and code is loaded from it");
  own("theirs/cache", 0);
  own("theirs", Unprivileged::kNobody);
  EXPECT_NE(refusal(folder_ / "theirs" / "cache"), "") << "its owner can replace the folder";
}

TEST_F(PrivateFolder, is_checked_at_the_target_of_a_link) {
  if (geteuid() != 0) GTEST_SKIP() << "needs files of another user";
  fs::create_directory(folder_ / "theirs");
  own("theirs", Unprivileged::kNobody);
  fs::create_directory_symlink(folder_ / "theirs", folder_ / "link");
  EXPECT_NE(refusal(folder_ / "link"), "");
  EXPECT_NE(refusal(folder_ / "link" / "cache"), "");
  fs::create_directory(folder_ / "ours");
  fs::create_directory_symlink(folder_ / "ours", folder_ / "good");
  EXPECT_EQ(*make_private_folder(folder_ / "good"), root_ / "ours");
}

TEST_F(PrivateFolder, is_accepted_below_a_folder_of_root) {
  if (geteuid() != 0) GTEST_SKIP() << "needs files of another user";
  ASSERT_EQ(chmod(folder_.path().c_str(), 0755), 0);
  fs::create_directory(folder_ / "ours");
  own("ours", Unprivileged::kNobody);
  const Unprivileged somebody;
  EXPECT_EQ(refusal(folder_ / "ours"), "");
  EXPECT_TRUE(refusal(folder_ / "new").ends_with(": Permission denied")) << refusal(folder_ / "new");
  EXPECT_TRUE(refusal(folder_.path()).ends_with(": Permission denied")) << refusal(folder_.path());
}

TEST_F(PrivateFolder, says_why_it_cannot_be_made) {
  folder_.write("file", "text");
  EXPECT_TRUE(refusal(folder_ / "file").ends_with(": Not a directory")) << refusal(folder_ / "file");
  EXPECT_TRUE(refusal(folder_ / "file" / "cache").ends_with(": Not a directory"));
  EXPECT_EQ(
      refusal(""),
      "there is no folder for compiled code: neither HOME nor XDG_CACHE_HOME is set to an absolute path");
}

}  // namespace
}  // namespace gktune
