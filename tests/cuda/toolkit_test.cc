#include "tuner/device/cuda/compile/toolkit.h"

#include <gtest/gtest.h>

#include "tests/expectations.h"
#include "tests/scratch_folder.h"
#include "tuner/core/dynamic_library.h"
#include "tuner/device/cuda/compile/nvrtc.h"

namespace gktune {
namespace {

TEST(dynamic_library, names_the_searched_files_and_folders_in_its_error) {
  EXPECT_EQ(message_of(DynamicLibrary::open("the moon", {"libmoon.so.2", "libmoon.so.1"},
                                            {"/no/such", "/nor/this"})),
            "the moon not found: looked for libmoon.so.2 or libmoon.so.1 in /no/such, /nor/this and the "
            "directories of "
            "the system's loader");
}

TEST(dynamic_library, says_why_a_file_was_refused) {
  ScratchFolder folder;
  folder.write("libmoon.so", "not a library");
  const auto library = DynamicLibrary::open("the moon", {"libmoon.so"}, {folder.path("")});
  ASSERT_FALSE(library.ok());
  EXPECT_NE(library.error().message.find("; refused: "), std::string::npos) << library.error().message;
}

TEST(dynamic_library, has_symbols_and_a_path) {
  const auto library = DynamicLibrary::open("mathematics", {"libm.so.6"}, {});
  EXPECT_NE(library->symbol("cos"), nullptr);
  EXPECT_EQ(library->symbol("no_such_function"), nullptr);
  EXPECT_NE(library->path().find("/libm.so.6"), std::string::npos);
}

TEST(dynamic_library, names_the_first_missing_function) {
  const auto library = DynamicLibrary::open("mathematics", {"libm.so.6"}, {});
  FunctionLoader find(*library);
  double (*cosine)(double) = find("cos");
  ASSERT_TRUE(find.done().ok());
  EXPECT_EQ(cosine(0), 1);
  EXPECT_EQ(find.if_there("no_such_function").address, nullptr);
  find("first_missing");
  find("second_missing");
  ASSERT_FALSE(find.done().ok());
  EXPECT_EQ(find.done().error().message, library->path() + " has no function first_missing");
}

TEST(nvrtc, is_refused_if_it_lacks_functions) {
  // Another library under its name.
  ScratchFolder folder;
  const auto other = DynamicLibrary::open("mathematics", {"libm.so.6"}, {});
  std::filesystem::create_directories(folder.path("lib64"));
  std::filesystem::create_symlink(other->path(), folder.path("lib64/libnvrtc.so.13"));
  const auto nvrtc = Nvrtc::open({folder.path("")});
  ASSERT_FALSE(nvrtc.ok());
  EXPECT_NE(nvrtc.error().message.find("has no function nvrtcVersion"), std::string::npos)
      << nvrtc.error().message;
}

}  // namespace
}  // namespace gktune
