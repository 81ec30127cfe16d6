#include "engine/import/import_space.h"

#include <gtest/gtest.h>

#include "tests/scratch_folder.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

SpaceDraft small_draft() {
  SpaceDraft draft;
  draft.origin = "add.cu";
  draft.kernel = draft.entry = "add";
  draft.source = "add.cu";
  draft.axes = {{"n", {"4Ki"}}};
  draft.parameters = {{"threads", {32, 64}, 64, ""}};
  draft.arguments = {{"out", "float", "", "n", "", "out", "", ""}};
  draft.grid = {"ceil_div(n, threads)", "1", "1"};
  draft.block = {"threads", "1"};
  draft.passed = {"out"};
  return draft;
}

class SpaceDraftTest : public testing::Test {
 protected:
  // The space file that the draft gives.
  Definition read(const SpaceDraft& draft) {
    folder_.write("add.cu", "__global__ void add(float* out) { out[0] = threads; }\n");
    folder_.write("space.yaml", space_file_text(draft));
    auto read = read_space_file(folder_.path("space.yaml"), {});
    EXPECT_TRUE(read.ok()) << (read ? "" : read.error().front().str()) << space_file_text(draft);
    return read ? *std::move(read) : Definition();
  }
  ScratchFolder folder_;
};

TEST_F(SpaceDraftTest, keys_have_a_fixed_order_and_empty_ones_are_left_out) {
  SpaceDraft draft = small_draft();
  draft.constraints = {{"threads <= n", "no idle threads"}};
  EXPECT_EQ(space_file_text(draft),
            R"yaml(# Made from add.cu by gktune import. Check what it guessed, and add a reference.
kernel: add
source: add.cu

problem:
  n: [4Ki]

parameters:
  threads: {values: [32, 64], default: 64}

constraints:
  - threads <= n  # no idle threads

arguments:
  out: {type: float, extent: n, role: out}

launches:
  entry: add
  grid: ceil_div(n, threads)
  block: threads
  arguments: [out]

# reference:                  # a plain kernel that computes the outputs; without it nothing is checked
#   source: reference.cu
#   launches: {entry: reference, arguments: [out]}
)yaml");
  read(draft);
}

TEST_F(SpaceDraftTest, values_keep_their_kinds_and_characters) {
  const std::vector<Value> values = {"wide", "true", "Null", "64",  "0x1",       "-1",
                                     "a, b", "a: b", "a #b", "[x]", "\"x\"",     "it's",
                                     "\\",   " x ",  "",     "~",   "tab\there", "line\nbreak",
                                     true,   false,  64,     -1,    0.5,         1e-300};
  for (const Value& value : values) {
    SpaceDraft draft = small_draft();
    draft.parameters.push_back({"word", {value}, {}, ""});
    const Definition read = this->read(draft);
    ASSERT_EQ(read.parameters.size(), 2u) << value.json();
    EXPECT_EQ(read.parameters[1].values, std::vector<Value>{value}) << space_file_text(draft);
  }
}

TEST_F(SpaceDraftTest, expressions_keep_their_characters) {
  for (const std::string condition : {"threads in [32, 64]", "\"a\" != 'b'", "not (threads == 1)",
                                      "'a' == 'a'", "(threads % 2) == 0", "-threads < 0"}) {
    SpaceDraft draft = small_draft();
    draft.constraints = {{condition, ""}};
    const Definition read = this->read(draft);
    ASSERT_EQ(read.constraints.size(), 1u);
    EXPECT_EQ(read.constraints[0].condition.text(), condition);
  }
}

}  // namespace
}  // namespace gktune
