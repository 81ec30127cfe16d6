#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "program_process.h"
#include "tests/fenced_blocks.h"

namespace gktune {
namespace {

namespace fs = std::filesystem;

// The first line of each block of the complete example names its file: "# sum.yaml" or "// sum.cu".
void write_block(const fs::path& folder, const std::string& block) {
  const std::string line = block.substr(0, block.find('\n'));
  std::ofstream(folder / line.substr(line.find(' ') + 1)) << block;
}

TEST(SpaceFilePage, the_complete_example_runs) {
  const fs::path folder = fs::path(::testing::TempDir()) / "gktune_space_file_page";
  fs::remove_all(folder);
  fs::create_directories(folder);
  const std::string page = contents_of(GKTUNE_SOURCE_DIR "/docs/space-file.md");
  write_block(folder, fenced_blocks(page, "yaml").at(0));
  for (const std::string& source : fenced_blocks(page, "cuda")) write_block(folder, source);
  const int code =
      ShellProcess(folder, "gktune check sum.yaml --device host --problem n=1000 --sample 6").wait();
  EXPECT_EQ(code, 0) << contents_of(folder / "out") << contents_of(folder / "err");
  const int run_code =
      ShellProcess(folder,
                   "gktune run sum.yaml --device host --problem n=1000,T=int --trials 2 --db sum.db --quiet")
          .wait();
  EXPECT_EQ(run_code, 0) << contents_of(folder / "out") << contents_of(folder / "err");
  fs::remove_all(folder);
}

}  // namespace
}  // namespace gktune
