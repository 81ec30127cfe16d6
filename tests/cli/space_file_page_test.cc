#include <gtest/gtest.h>

#include <string>

#include "program_process.h"
#include "tests/fenced_blocks.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

// The first line of each block of the complete example names its file: "# sum.yaml" or "// sum.cu".
void write_block(const ScratchFolder& folder, const std::string& block) {
  const std::string line = block.substr(0, block.find('\n'));
  folder.write(line.substr(line.find(' ') + 1), block);
}

TEST(SpaceFilePage, the_complete_example_runs) {
  const ScratchFolder folder;
  const std::string page = contents_of(GKTUNE_SOURCE_DIR "/docs/space-file.md");
  write_block(folder, fenced_blocks(page, "yaml").at(0));
  for (const std::string& source : fenced_blocks(page, "cuda")) write_block(folder, source);
  const int code =
      ShellProcess(folder.path(), "gktune check sum.yaml --device host --problem n=1000 --sample 6").wait();
  EXPECT_EQ(code, 0) << contents_of(folder / "out") << contents_of(folder / "err");
  const int run_code =
      ShellProcess(folder.path(),
                   "gktune run sum.yaml --device host --problem n=1000,T=int --trials 2 --db sum.db --quiet")
          .wait();
  EXPECT_EQ(run_code, 0) << contents_of(folder / "out") << contents_of(folder / "err");
}

}  // namespace
}  // namespace gktune
