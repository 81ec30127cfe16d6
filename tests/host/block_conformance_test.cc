#include <numeric>

#include "tests/host/conformance.h"

namespace gktune {
namespace {

using Block = Conformance;

std::vector<int> counted(int count) {
  std::vector<int> in(static_cast<std::size_t>(count));
  std::iota(in.begin(), in.end(), 1);
  return in;
}

TEST_P(Block, grids_and_blocks_have_three_dimensions) {
  std::vector<unsigned> out(3 * 2 * 4 * 5 * 3 * 2), expected;
  run("block.cu", "positions", {{3, 2, 4}, {5, 3, 2}, 0}, out);
  for (unsigned block = 0; block < 24; ++block) {
    for (unsigned thread = 0; thread < 30; ++thread) {
      expected.push_back(thread % 5 + 10 * (thread / 5 % 3) + 100 * (thread / 15) + 1000 * (block % 3) +
                         10000 * (block / 3 % 2) + 100000 * (block / 6));
    }
  }
  EXPECT_EQ(out, expected);
}

TEST_P(Block, barriers_return_the_votes_of_a_block) {
  std::vector<int> in = counted(70), out(70 * 4);
  in[0] = 0;
  run("block.cu", "votes", line(1, 70), in, out);
  for (std::size_t i = 0; i < 70; ++i) {
    EXPECT_EQ(
        std::vector<int>(out.begin() + static_cast<long>(4 * i), out.begin() + static_cast<long>(4 * i + 4)),
        (std::vector<int>{68, 1, 1, 0}));
  }
}

TEST_P(Block, barriers_wait_only_for_threads_that_have_not_returned) {
  std::vector<int> in = counted(70), out(70 * 3), expected(2 * 3);
  in[0] = 10;
  for (int i = 2; i < 40; ++i) expected.insert(expected.end(), {38, 1, 0});
  expected.resize(out.size());
  run("block.cu", "votes_without_returned", line(1, 70), in, out);
  EXPECT_EQ(out, expected);
}

TEST_P(Block, static_shared_memory_belongs_to_a_block) {
  std::vector<int> in = counted(96 * 5), out(96 * 5), expected;
  run("block.cu", "reverse_static", line(5, 96), in, out);
  for (int i = 0; i < 96 * 5; ++i) {
    const int thread = i % 96;
    expected.push_back(in[static_cast<std::size_t>(i - thread + 95 - thread)] * 100 + 95 - thread);
  }
  EXPECT_EQ(out, expected);
}

TEST_P(Block, dynamic_shared_memory_is_as_large_as_asked_for) {
  std::vector<int> in = counted(700), out(700);
  run("block.cu", "reverse_dynamic", line(1, 700, 700 * sizeof(int)), in, out);
  EXPECT_EQ(out, std::vector<int>(in.rbegin(), in.rend()));
}

TEST_P(Block, dynamic_shared_memory_may_be_declared_outside_of_the_kernel) {
  std::vector<float> in(33), out(33);
  std::iota(in.begin(), in.end(), 0.0f);
  run("block.cu", "reverse_namespace_scope", line(1, 33, 33 * sizeof(float)), in, out);
  EXPECT_EQ(out, std::vector<float>(in.rbegin(), in.rend()));
}

TEST_P(Block, barriers_work_in_loops_and_functions) {
  std::vector<int> in = counted(100), out(100);
  run("block.cu", "rotations", line(1, 100), in, out);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], (i + 15) % 100 + 1);
}

TEST_P(Block, kernels_may_be_templates_and_use_lambdas) {
  std::vector<float> in{0, 1, 2.5f}, out(3);
  run("block.cu", "templated<float, 3>", line(1, 3), in, out);
  EXPECT_EQ(out, (std::vector<float>{2, 8, 17}));
  std::vector<int> whole{1, 2, 3}, result(3);
  run("block.cu", "templated<int, 5>", line(1, 3), whole, result);
  EXPECT_EQ(result, (std::vector<int>{12, 22, 32}));
}

TEST_P(Block, device_variables_outlive_a_launch) {
  std::vector<int> first(9), second(9);
  run("block.cu", "variables", line(1, 8), first);
  run("block.cu", "variables", line(1, 8), second);
  EXPECT_EQ(std::vector<int>(first.begin(), first.begin() + 8),
            (std::vector<int>{1, 10, 100, 1000, 1, 10, 100, 1000}));
  EXPECT_EQ(second[8], first[8] + 1);
}

TEST_P(Block, kernels_may_have_c_linkage_and_namespaces) {
  std::vector<int> out(4);
  run("block.cu", "c_linkage", line(1, 4), out);
  EXPECT_EQ(out, std::vector<int>(4, 32));
  run("block.cu", "inner::in_namespace", line(1, 4), out);
  EXPECT_EQ(out, std::vector<int>(4, 7));
}

TEST_P(Block, computes_a_tiled_matrix_product) {
  for (const int n : {1, 15, 33}) {
    const auto count = static_cast<std::size_t>(n * n);
    std::vector<float> a(count), b(count), c(count, -1), expected(count);
    for (std::size_t i = 0; i < count; ++i)
      a[i] = static_cast<float>(i % 7), b[i] = static_cast<float>(i % 5) - 2;
    for (int row = 0; row < n; ++row) {
      for (int column = 0; column < n; ++column) {
        for (int k = 0; k < n; ++k) {
          expected[static_cast<std::size_t>(row * n + column)] +=
              a[static_cast<std::size_t>(row * n + k)] * b[static_cast<std::size_t>(k * n + column)];
        }
      }
    }
    std::vector<int> size{n};
    run("block.cu", "matmul", {{(n + 15) / 16, (n + 15) / 16, 1}, {16, 16, 1}, 0}, a, b, c, size);
    EXPECT_EQ(c, expected) << n;
  }
}

TEST_P(Block, the_last_block_sees_the_writes_of_the_others) {
  std::vector<int> in = counted(32 * 40), partial(40), out(1);
  std::vector<unsigned> arrived(1);
  run("block.cu", "last_block", line(40, 32), in, partial, out, arrived);
  EXPECT_EQ(out[0], 32 * 40 * (32 * 40 + 1) / 2);
  EXPECT_EQ(arrived[0], 0u);
}

GKTUNE_ON_EACH_RUNNER(Block);

}  // namespace
}  // namespace gktune
