// Inputs whose elements depend on each other.
#include <gtest/gtest.h>

#include "listed_cases.h"
#include "reduce_example.h"
#include "tests/scratch_folder.h"
#include "tuner/array/npy.h"
#include "tuner/space/plan.h"

namespace gktune {
namespace {

Result<Definition, std::vector<Diagnostic>> read_arguments(const std::string& arguments,
                                                           const std::string& problem = "{n: [100]}",
                                                           const std::string& path = "k.yaml") {
  return read_space_text("kernel: k\nsource: k.cu\nproblem: " + problem + "\narguments:\n" + arguments +
                             "\nlaunches: {entry: k}\n",
                         path, {}, [](const std::string&) -> Result<std::string> { return std::string(); });
}

// The first error of the file or of its only problem, or "none".
std::string error(const std::string& arguments, const std::string& problem = "{n: [100]}") {
  const auto read = read_arguments(arguments, problem);
  if (!read) return read.error().front().message;
  const auto plan = resolve(read->kernel, {}, {{"n", 100}}, {});
  return plan ? "none" : plan.error().message;
}

Plan plan_of(const std::string& arguments) {
  const auto read = read_arguments(arguments);
  EXPECT_TRUE(read.ok()) << (read ? "" : read.error().front().str());
  auto plan = read ? resolve(read->kernel, {}, {{"n", 100}}, {}) : Result<Plan>(Error{"unread"});
  EXPECT_TRUE(plan.ok()) << (plan ? "" : plan.error().message);
  return plan ? *std::move(plan) : Plan();
}

constexpr const char* kMatrix =
    "  offsets: {type: int32, extent: n + 1, init: {csr_offsets: {nonzeros: 5 * n, columns: 2 * n, lengths: "
    "zipf, "
    "exponent: 1.5}, seed: 3}}\n"
    "  columns: {type: int32, extent: 5 * n, init: {csr_columns: offsets, seed: 4}}\n";

TEST(StructuredInputs, columns_of_a_sparse_matrix_match_its_rows) {
  const Plan plan = plan_of(kMatrix);
  const SparsePlan expected{100, 200, 500, RowLengths::zipf, 1.5, 3};
  EXPECT_EQ(plan.arguments[0].contents.sparse, expected);
  EXPECT_EQ(plan.arguments[1].contents.sparse, expected);
  EXPECT_EQ(plan.arguments[1].contents.seed, 4u);
}

TEST(ComplexArguments, have_only_tolerances_for_complex_numbers) {
  const auto checked = [](const std::string& check) {
    const auto read = read_space_text(
        "kernel: k\nsource: k.cu\nproblem: {n: [100]}\narguments:\n  z: {type: complex64, extent: n, role: "
        "out, check: " +
            check + "}\nlaunches: {entry: k}\nreference: {launches: {entry: r}}\n",
        "k.yaml", {}, [](const std::string&) -> Result<std::string> { return std::string(); });
    if (!read) return read.error().front().message;
    const auto plan = resolve(read->kernel, {}, {{"n", 100}}, {});
    return plan ? "" : plan.error().message;
  };
  EXPECT_EQ(checked("{absolute: 0.1, relative: 1e-3}"), "");
  EXPECT_EQ(checked("{norm: 1e-3}"), "");
  EXPECT_EQ(
      checked("{ulp: 4}"),
      "argument 'z': ulp: complex numbers are compared by the magnitude of their difference: use absolute or "
      "relative");
  EXPECT_EQ(checked("{order: any}"), "argument 'z': order: complex numbers have none");
}

TEST(StructuredInputs, other_kinds_of_contents_are_read) {
  const Plan plan = plan_of(
      "  a: {type: float, extent: n, init: {sorted: [-1, 1]}}\n"
      "  b: {type: int32, extent: n, init: permutation}\n"
      "  c: {type: uint8, extent: n, init: {zipf: [n, 1.25], seed: 9}}\n"
      "  d: {type: float, extent: n, init: {field: [0, 1], width: 20}}\n"
      "  e: {type: float, extent: n, init: {file: \"x_{n}.npy\"}}");
  EXPECT_EQ(plan.arguments[0].contents.kind, ContentsKind::sorted);
  EXPECT_EQ(plan.arguments[0].contents.a, -1);
  EXPECT_EQ(plan.arguments[1].contents.kind, ContentsKind::permutation);
  EXPECT_EQ(plan.arguments[2].contents.a_integer, 100);
  EXPECT_EQ(plan.arguments[2].contents.b, 1.25);
  EXPECT_EQ(plan.arguments[2].contents.seed, 9u);
  EXPECT_EQ(plan.arguments[3].contents.width, 20);
  EXPECT_EQ(plan.arguments[4].contents.file, "x_100.npy");
}

TEST(Arguments, have_the_errors_of_the_list) {
  const auto cases = listed_cases("argument_errors.txt");
  for (const auto& [argument, expected] : cases) EXPECT_EQ(error("  a: " + argument), expected) << argument;
  EXPECT_GT(cases.size(), 40u);
}

TEST(StructuredInputs, a_sparse_matrix_has_as_many_columns_as_nonzeros) {
  const std::string matrix = kMatrix;
  EXPECT_EQ(error(std::string(matrix).replace(matrix.find("extent: 5 * n"), 13, "extent: 4 * n")),
            "argument 'columns': init csr_columns: 400 elements for 500 nonzeros");
}

}  // namespace
}  // namespace gktune
