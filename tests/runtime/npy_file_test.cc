#include "runtime/npy_file.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/scratch_folder.h"
#include "tuner/measure/npy.h"

namespace gktune {
namespace {

TEST(NpyFile, of_every_element_type_is_read_back) {
  const ScratchFolder folder;
  const auto path = folder / "x.npy";
  for (int type = 0; type <= static_cast<int>(ElementType::float64); ++type) {
    const auto element = static_cast<ElementType>(type);
    std::vector<std::byte> written(element_size(element) * 37), read(written.size());
    for (std::size_t i = 0; i < written.size(); ++i) written[i] = static_cast<std::byte>(i * 7 + 1);
    ASSERT_TRUE(write_npy(path, element, written).ok());
    const auto done = read_npy(path, element, read);
    ASSERT_TRUE(done.ok()) << done.error().message;
    EXPECT_EQ(read, written) << element_type_name(element);
  }
}

TEST(NpyFile, in_a_folder_that_does_not_exist_is_an_error) {
  EXPECT_FALSE(write_npy("/no/such/folder/x.npy", ElementType::int8, {}).ok());
}

}  // namespace
}  // namespace gktune
