#include "tuner/space/fingerprint.h"

#include <gtest/gtest.h>

#include "reduce_example.h"

namespace gktune {
namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// The fingerprint after one change to the space file.
std::string changed(const std::string& from, const std::string& to) {
  return read_reduce(replaced(kReduceSpace, from, to)).fingerprint;
}

std::string with_file(const std::string& path, const std::string& text) {
  auto files = kReduceFiles;
  files[path] = text;
  const auto read = read_space_text(kReduceSpace, "spaces/reduce.yaml", {}, files_of(files));
  return read ? read->fingerprint : "";
}

const std::string kUnchanged = read_reduce().fingerprint;

TEST(Fingerprint, is_repeatable_and_128_bits_long) {
  EXPECT_EQ(kUnchanged.size(), 32u);
  EXPECT_EQ(read_reduce().fingerprint, kUnchanged);
}

TEST(Fingerprint, changes_with_the_sources) {
  EXPECT_NE(with_file("templates/reduce.cu", "#include \"reduce.h\"\n__global__ void reduce() {}\n"),
            kUnchanged);
  EXPECT_NE(with_file("templates/reference.cu", "__global__ void reference_sum() {}\n"), kUnchanged);
}

TEST(Fingerprint, changes_with_indirect_includes) {
  EXPECT_NE(with_file("templates/reduce.h", "#pragma once\nint changed;\n"), kUnchanged);
  auto files = kReduceFiles;
  files["templates/reduce.h"] = "  #  include <deep/er.h>\n#include \"reduce.h\"\n";
  files["templates/deep/er.h"] = "int a;\n";
  const auto a = read_space_text(kReduceSpace, "spaces/reduce.yaml", {}, files_of(files));
  files["templates/deep/er.h"] = "int b;\n";
  const auto b = read_space_text(kReduceSpace, "spaces/reduce.yaml", {}, files_of(files));
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_NE(a->fingerprint, b->fingerprint);
}

TEST(Fingerprint, does_not_depend_on_comments_and_blanks_of_the_sources) {
  for (const auto& [path, text] : kReduceFiles) {
    const std::string other = "// a comment\n\n  " + text + " /* end */ \n";
    EXPECT_EQ(with_file(path, other), kUnchanged) << path;
  }
  EXPECT_NE(with_file("templates/reference.cu", "__global__ void reference_sum() { int a; }\n"), kUnchanged);
}

TEST(Fingerprint, depends_on_sources_launches_and_checks) {
  EXPECT_NE(changed("\"-O3\"", "\"-O2\""), kUnchanged);
  EXPECT_NE(changed("threadsPerBlock > 128", "threadsPerBlock > 64"), kUnchanged);
  EXPECT_NE(changed("threadsPerBlock * 4", "threadsPerBlock * 8"), kUnchanged);
  EXPECT_NE(changed("relative: 1e-5", "relative: 1e-4"), kUnchanged);
  for (const char* check : {"norm: 1e-5", "relative: 1e-5, order: any", "relative: 1e-5, nan: equal",
                            "relative: 1e-5, row: 1, pitch: 2"}) {
    EXPECT_NE(changed("relative: 1e-5", check), kUnchanged) << check;
  }
  EXPECT_NE(changed("seed: 7", "seed: 8"), kUnchanged);
  EXPECT_NE(changed("arguments: [in, out, n]", "arguments: [out, in, n]"), kUnchanged);
  EXPECT_NE(changed("macro: DISTRIBUTION", "macro: DIST"), kUnchanged);
}

TEST(Fingerprint, changes_with_definitions_that_launches_use) {
  EXPECT_NE(changed("perBlock: threadsPerBlock * batchSize", "perBlock: threadsPerBlock"), kUnchanged);
}

TEST(Fingerprint, does_not_depend_on_sizes_values_and_limits) {
  EXPECT_EQ(changed("n: [1Mi, 64Mi]", "n: [2Mi]"), kUnchanged);
  EXPECT_EQ(changed("{range: [4, 16, 4]}", "[4, 8]"), kUnchanged);
  EXPECT_EQ(changed("batchSize % 4 == 0", "batchSize % 8 == 0"), kUnchanged);
  EXPECT_EQ(changed("trials: 200", "trials: 100"), kUnchanged);
  EXPECT_EQ(changed("GB/s: n * 4", "GB/s: n * 8"), kUnchanged);
  EXPECT_EQ(changed("time_limit: 500ms", "time_limit: 5s"), kUnchanged);
}

TEST(Fingerprint, does_not_depend_on_regime_and_objective) {
  EXPECT_EQ(changed("regime: hot", "regime: cold"), kUnchanged);
  EXPECT_EQ(changed("objective: {maximize: GB/s}", "objective: {minimize: GB/s}"), kUnchanged);
}

TEST(Fingerprint, does_not_depend_on_the_order_of_keys_or_on_comments) {
  EXPECT_EQ(changed("regime: hot\n",
                    "# nothing\n"
                    "regime:   hot  # as it was\n"),
            kUnchanged);
  const std::string moved = replaced(kReduceSpace, "regime: hot\n", "");
  EXPECT_EQ(read_reduce("regime: hot\n" + moved.substr(1)).fingerprint, kUnchanged);
  const std::string n = "  n: {type: int64, value: n}\n";
  const std::string partial = "  partial: {type: int64, extent: blocks, role: scratch}\n";
  EXPECT_EQ(changed(partial + n, n + partial), kUnchanged);
}

TEST(Fingerprint, does_not_depend_on_the_folder_of_the_files) {
  std::map<std::string, std::string> files;
  for (const auto& [path, text] : kReduceFiles) files["/elsewhere/" + path] = text;
  const auto read = read_space_text(kReduceSpace, "/elsewhere/spaces/reduce.yaml", {}, files_of(files));
  EXPECT_EQ(read->fingerprint, kUnchanged);
}

// Gives a field another value than its default.
template <class T>
void change(T& field) {
  if constexpr (std::is_enum_v<T>) {
    field = static_cast<T>(1);
  } else if constexpr (std::is_arithmetic_v<T>) {
    field = T{1};
  } else if constexpr (std::same_as<T, std::string>) {
    field = "changed";
  } else if constexpr (std::same_as<T, Pattern>) {
    field.text = "changed";
  } else if constexpr (std::same_as<T, Expression>) {
    field = *Expression::parse("7");
  } else if constexpr (requires { field.has_value(); }) {
    change(field.emplace());
  } else if constexpr (requires { field.resize(field.size()); }) {
    field.resize(field.size() + 1);
  } else if constexpr (requires { field.fill({}); }) {
    change(field[2]);
  } else {
    fields([](const char*, auto& member) { change(member); }, field);
  }
}

// The fingerprints after changing each field of `object`, which is part of the kernel.
template <class T>
void expect_that_each_field_counts(const KernelDefinition& kernel, T& object) {
  const T before = object;
  const std::string unchanged = fingerprint(kernel, {}, {});
  int count = 0;
  fields([&](const char*, const auto&) { ++count; }, object);
  for (int chosen = 0; chosen < count; ++chosen) {
    int place = 0;
    const char* changed_name = "";
    const auto change_chosen = [&](const char* name, auto& field) {
      if (place++ != chosen) return;
      changed_name = name;
      change(field);
    };
    fields(change_chosen, object);
    EXPECT_NE(fingerprint(kernel, {}, {}), unchanged) << changed_name;
    object = before;
  }
}

TEST(Fingerprint, depends_on_every_field_of_launches_and_arguments) {
  KernelDefinition kernel;
  kernel.launches.resize(1);
  kernel.launches[0].arguments.resize(1);
  kernel.arguments.resize(1);
  kernel.options.resize(1);
  expect_that_each_field_counts(kernel, kernel.launches[0]);
  expect_that_each_field_counts(kernel, kernel.launches[0].arguments[0]);
  expect_that_each_field_counts(kernel, kernel.launches[0].arguments[0].tensor_map.emplace());
  expect_that_each_field_counts(kernel, kernel.launches[0].arguments[0].texture.emplace());
  expect_that_each_field_counts(kernel, kernel.arguments[0]);
  expect_that_each_field_counts(kernel, kernel.arguments[0].contents);
  expect_that_each_field_counts(kernel, kernel.arguments[0].check.emplace());
  expect_that_each_field_counts(kernel, kernel.reference.emplace());
  expect_that_each_field_counts(kernel, kernel.verifier.emplace());
  expect_that_each_field_counts(kernel, kernel.setup);
  expect_that_each_field_counts(kernel, kernel.options[0]);
}

TEST(content_key, is_different_for_each_content) {
  EXPECT_EQ(content_key("").size(), 32u);
  EXPECT_EQ(content_key("a"), content_key("a"));
  EXPECT_NE(content_key("a"), content_key("b"));
}

}  // namespace
}  // namespace gktune
