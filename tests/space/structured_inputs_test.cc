// Inputs whose elements depend on each other.
#include <gtest/gtest.h>

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

// The first error of the file or of its only problem, or an empty text.
std::string error(const std::string& arguments, const std::string& problem = "{n: [100]}") {
  const auto read = read_arguments(arguments, problem);
  if (!read) return read.error().front().message;
  const auto plan = resolve(read->kernel, {}, {{"n", 100}}, {});
  return plan ? "" : plan.error().message;
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

TEST(ComplexArguments, have_only_contents_and_tolerances_for_complex_numbers) {
  for (const char* init :
       {"zero", "{constant: 2}", "{uniform: [-1, 1]}", "{normal: [0, 1]}", "{file: x.npy}"})
    EXPECT_EQ(error("  z: {type: complex64, extent: n, init: " + std::string(init) + "}"), "") << init;
  for (const char* init : {"{ramp: [0, 1]}", "{sorted: [0, 1]}", "{field: [0, 1], width: 10}"}) {
    EXPECT_EQ(error("  z: {type: complex128, extent: n, init: " + std::string(init) + "}"),
              "argument 'z': init: complex elements are zero, constant, uniform, normal or from a file")
        << init;
  }
  EXPECT_EQ(error("  z: {type: complex64, extent: n, init: permutation}"),
            "argument 'z': init: these contents are integers, the elements are complex64");
  EXPECT_EQ(error("  z: {type: cuDoubleComplex, value: 1}"),
            "argument 'z': value: a scalar cannot be complex; pass a struct of its two parts");
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

TEST(StructuredInputs, errors_name_bad_forms) {
  const auto one = [](const std::string& init, const std::string& type = "int32") {
    return error("  a: {type: " + type + ", extent: n, init: " + init + "}");
  };
  EXPECT_EQ(one("{sorted: [2, 1]}"), "argument 'a': init sorted: the low bound 2 is above the high one 1");
  EXPECT_EQ(one("{sorted: [2]}"), "expected [low, high]");
  EXPECT_EQ(one("permutation", "float"),
            "argument 'a': init: these contents are integers, the elements are float32");
  EXPECT_EQ(one("{zipf: [0, 1]}"),
            "argument 'a': init zipf '0': the number of values must be from 1 to 268435456");
  EXPECT_EQ(one("{zipf: [1000, 1]}", "uint8"),
            "argument 'a': init zipf '1000': the values do not fit in uint8");
  EXPECT_EQ(one("{zipf: [10, -1]}"), "argument 'a': init zipf '-1': an exponent cannot be negative");
  EXPECT_EQ(one("{zipf: 4}"), "expected [values, exponent]");
  EXPECT_EQ(one("{field: [0, 1]}", "float"), "missing key 'width' in init");
  EXPECT_EQ(one("{field: [0, 1], width: 33}", "float"),
            "argument 'a': init width '33': 100 elements are no whole rows of 33");
  EXPECT_EQ(one("{field: [0, 1], width: 0}", "float"),
            "argument 'a': init width '0': a row has at least one element");
  EXPECT_EQ(one("{field: [0, 1000], width: 10}", "int8"),
            "argument 'a': init field: the bounds do not fit in int8");
  EXPECT_EQ(one("{uniform: [0, 1], width: 3}", "float"), "width applies to field only");
  EXPECT_EQ(one("{csr_offsets: {nonzeros: 5}}"), "missing key 'columns' in csr_offsets");
  EXPECT_EQ(one("{csr_offsets: 4}").substr(0, 12), "csr_offsets ");
  EXPECT_EQ(one("{csr_offsets: {nonzeros: 991, columns: 10}}"),
            "argument 'a': csr_offsets nonzeros '991': 991 do not fit in 99 rows of 10");
  EXPECT_EQ(one("{csr_offsets: {nonzeros: 900, columns: 10}}", "int8"),
            "argument 'a': init csr_offsets: the offsets do not fit in int8");
  EXPECT_EQ(one("{csr_offsets: {nonzeros: 1, columns: 10, lengths: evn}}"),
            "unknown lengths 'evn', did you mean 'even'?");
  EXPECT_EQ(one("{csr_offsets: {nonzeros: 1, columns: 10, lengths: \"{n}\"}}"),
            "argument 'a': csr_offsets lengths: '100' is none of even, uniform, zipf");
  EXPECT_EQ(one("{csr_columns: offsets}"), "csr_columns: no argument 'offsets' has csr_offsets");
  const std::string matrix = kMatrix;
  EXPECT_EQ(error(std::string(matrix).replace(matrix.find("extent: 5 * n"), 13, "extent: 4 * n")),
            "argument 'columns': init csr_columns: 400 elements for 500 nonzeros");
  EXPECT_EQ(error("  a: {type: int32, extent: 0, init: {csr_offsets: {nonzeros: 0, columns: 1}}}"),
            "argument 'a': csr_offsets needs one element more than the matrix has rows: the extent is 0");
}

}  // namespace
}  // namespace gktune
