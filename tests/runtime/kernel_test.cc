#include "gktune/kernel.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <regex>
#include <vector>

#include "tests/expectations.h"
#include "tests/runtime/kernel_fixture.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

INSTANTIATE_TEST_SUITE_P(Host, KernelLaunches, testing::Values(&kHostMemory));

TEST_F(KernelTest, a_kernel_without_a_configuration_that_compiles_is_an_error_each_time) {
  folder_.write("total.cu", "this is no C++");
  Kernel kernel = open(settings());
  float out[2];
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(contains(message_of(kernel.launch({1000}, {static_cast<const float*>(out), out})),
                         "no configuration of total works for n=1000"));
  }
  EXPECT_EQ(notices_.size(), 1u);
}

TEST_F(KernelTest, code_that_does_not_compile_for_one_problem_is_tried_for_another) {
  folder_.write("total.cu",
                "#if threads == 64 && problem_n == 2000\n#error no kernel for this size\n#endif\n" +
                    std::string(kSource));
  folder_.write("total.yaml", std::regex_replace(kSpace, std::regex("n: \\[1000, 4000\\]"),
                                                 "n: {values: [1000, 4000], macro: problem_n}"));
  tuned(1000, 64);
  Kernel kernel = open(with_database());
  EXPECT_EQ(threads_used(kernel, 2000), 32);
  EXPECT_TRUE(contains(kernel.prepare({2000})->reason, "threads=64: compile_failed"));
  EXPECT_EQ(threads_used(kernel, 3000), 64);
  EXPECT_EQ(kernel.prepare({3000})->reason, "");
}

TEST_F(KernelTest, compiled_code_is_reused_without_the_compiler) {
  const std::string log = folder_ / "log";
  folder_.write("cxx",
                "#!/bin/sh\ncase \"$*\" in *-shared*) echo once >> " + log + ";; esac\nexec c++ \"$@\"\n");
  std::filesystem::permissions(folder_ / "cxx", std::filesystem::perms(0755));
  KernelSettings logged = settings();
  logged.cxx = folder_ / "cxx";
  logged.cache_dir = folder_ / "own";
  for (int i = 0; i < 2; ++i) {
    Kernel kernel = open(logged);
    EXPECT_EQ(threads_used(kernel, 1000), 32);
    EXPECT_EQ(threads_used(kernel, 2000), 32);
  }
  EXPECT_EQ(std::ranges::count(contents_of(log), '\n'), 1);
}

TEST_F(KernelTest, an_error_names_arguments_of_a_wrong_type_or_number) {
  Kernel kernel = open(settings());
  float in[1000] = {}, out[2] = {};
  double wide[1000] = {};
  const auto error = [&](std::initializer_list<LaunchArgument> arguments) {
    const auto done = kernel.launch({1000}, arguments);
    return done.ok() ? "none" : done.error().message;
  };
  EXPECT_EQ(error({in, out}), "none");
  EXPECT_EQ(error({static_cast<void*>(in), static_cast<const float*>(in)}),
            "argument 2 of total, 'out', is float32*, not const float32*");
  EXPECT_EQ(error({in}), "total takes 2 arguments (in, out), and is given 1");
  EXPECT_EQ(error({in, out, 1000}), "total takes 2 arguments (in, out), and is given 3");
  EXPECT_EQ(error({wide, out}), "argument 1 of total, 'in', is float32*, not float64*");
  EXPECT_EQ(error({in, 5}), "argument 2 of total, 'out', is float32*, not int32");
}

TEST_F(KernelTest, host_code_is_refused) {
  const std::string path = GKTUNE_SOURCE_DIR "/tests/kernels/launches/host_code.yaml";
  const auto kernel = Kernel::open(path, settings());
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.error().message,
            path +
                ": host code is no kernel that can be launched: call its function with the configuration "
                "that the lookup answers");
}

TEST_F(KernelTest, problems_with_other_axes_are_refused) {
  Kernel kernel = open(settings());
  float in[1000] = {}, out[2] = {};
  const auto error = [&](std::initializer_list<AxisValue> problem) {
    const auto done = kernel.launch(problem, {in, out});
    return done.ok() ? "none" : done.error().message;
  };
  EXPECT_EQ(error({}), "a problem of total has a value for each axis (n): 1, not 0");
  EXPECT_EQ(error({1, 2}), "a problem of total has a value for each axis (n): 1, not 2");
  const std::string values = "the axis n has values such as the integer 1000, and the problem has ";
  EXPECT_EQ(error({"1000"}), values + "the text '1000'");
  EXPECT_EQ(error({true}), values + "the boolean true");
  EXPECT_EQ(error({1000.5}), values + "the number 1000.5");
  EXPECT_EQ(error({std::numeric_limits<double>::quiet_NaN()}), values + "the number nan");
  EXPECT_EQ(error({1e300}), values + "the number " + Value(1e300).str());
  EXPECT_TRUE(contains(error({-1}), "the constraints exclude all"));
  EXPECT_EQ(error({1000.0}), "none");  // the same number
}

TEST_F(KernelTest, null_addresses_of_buffers_are_refused) {
  Kernel kernel = open(settings());
  float in[1000] = {}, out[2] = {};
  EXPECT_EQ(kernel.launch({1000}, {in, static_cast<float*>(nullptr)}).error().message,
            "argument 2 of total, 'out', is null");
  EXPECT_EQ(kernel.launch({1000}, {static_cast<void*>(nullptr), out}).error().message,
            "argument 1 of total, 'in', is null");
}

// A size that cannot be launched must not count against the configurations that other sizes use.
TEST_F(KernelTest, an_impossible_size_does_not_affect_later_launches) {
  folder_.write("total.yaml", std::regex_replace(kSpace, std::regex("constraints: .*"), ""));
  tuned(1000, 64);
  Kernel kernel = open(with_database());
  float in[1000] = {}, out[2] = {};
  for (const std::int64_t n : {std::int64_t{-5}, std::numeric_limits<std::int64_t>::min(),
                               std::numeric_limits<std::int64_t>::max()}) {
    const auto done = kernel.launch({n}, {in, out});
    ASSERT_FALSE(done.ok());
    const std::string& message = done.error().message;
    EXPECT_TRUE(contains(message, "no configuration of total works for n=" + std::to_string(n)));
    EXPECT_TRUE(contains(message, "argument 'in': "));
    EXPECT_EQ(threads_used(kernel, 1000), 64);
  }
  EXPECT_EQ(threads_used(kernel, 1001), 64);
  EXPECT_EQ(kernel.prepare({1001})->reason, "");
}

TEST_F(KernelTest, launches_need_no_reference) {
  for (const char* reference :
       {"{launches: {entry: partial_sums, block: 1Mi, arguments: [in, out, n]}}",
        "{launches: {entry: partial_sums, when: n > 1Mi, arguments: [in, out, n]}}"}) {
    folder_.write("total.yaml", kSpace + "reference: " + reference + "\n");
    Kernel kernel = open(settings());
    Totals totals{};
    const std::vector<float> ones(1000, 1.0f);
    const auto done = kernel.launch({1000}, {ones.data(), totals.data()});
    EXPECT_TRUE(done.ok()) << done.error().message;
    EXPECT_EQ(totals[0], 1000);
  }
}

TEST_F(KernelTest, a_launch_does_not_take_what_the_reference_alone_uses) {
  std::string text = kSpace;
  text.insert(text.find("  in:"), "  expected: {type: float, extent: n, init: {constant: 1}}\n");
  folder_.write("total.yaml",
                text + "reference: {launches: {entry: partial_sums, arguments: [expected, out, n]}}\n");
  Kernel kernel = open(settings());
  const std::vector<float> in(1000, 2.0f);
  Totals totals{};
  const auto done = kernel.launch({1000}, {in.data(), totals.data()});
  EXPECT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(totals[0], 2000);
}

TEST_F(KernelTest, a_launch_takes_the_arguments_that_no_axis_parameter_or_device_determines) {
  folder_.write("total.yaml", kScaledSpace);
  Kernel kernel = open(settings());
  const std::vector<float> in(1000, 1.0f);
  float out[2] = {};
  ASSERT_TRUE(kernel.launch({1000}, {2.5f, in.data(), out}).ok());
  EXPECT_EQ(out[0], 2500.0f);
  EXPECT_EQ(kernel.launch({1000}, {in.data(), out}).error().message,
            "total takes 3 arguments (scale, in, out), and is given 2");
  EXPECT_EQ(kernel.launch({1000}, {in.data(), out, 2.5f}).error().message,
            "argument 1 of total, 'scale', is float32, not float32*");
}

TEST_F(KernelTest, a_scalar_that_the_settings_do_not_name_has_the_value_of_the_space_file) {
  folder_.write("total.yaml", kScaledSpace);
  KernelSettings named = settings();
  named.arguments = {"in", "out"};
  Kernel kernel = open(named);
  const std::vector<float> in(1000, 1.0f);
  float out[2] = {};
  ASSERT_TRUE(kernel.launch({1000}, {in.data(), out}).ok());
  EXPECT_EQ(out[0], 2000.0f);
}

TEST_F(KernelTest, a_launch_may_pass_scalars_and_scratch_memory_by_name) {
  folder_.write("total.yaml", kScaledSpace);
  KernelSettings named = settings();
  named.arguments = {"scale", "out", "in", "partial"};
  Kernel kernel = open(named);
  const std::vector<float> in(1000, 1.0f);
  float out[2] = {}, partial[4] = {};
  ASSERT_TRUE(kernel.launch({1000}, {2.5f, out, in.data(), partial}).ok());
  EXPECT_EQ(out[0], 2500.0f);
  EXPECT_EQ(std::accumulate(partial, partial + 4, 0.0f), 1000.0f);
}

TEST_F(KernelTest, scalars_of_other_types_are_passed_if_the_value_stays_the_same) {
  folder_.write("total.yaml", kScaledSpace);
  KernelSettings named = settings();
  named.arguments = {"scale", "blocks", "in", "out"};
  Kernel kernel = open(named);
  const std::vector<float> in(1000, 1.0f);
  float out[2] = {};
  const auto total = [&](LaunchArgument scale, LaunchArgument blocks) {
    const auto done = kernel.launch({1000}, {scale, blocks, in.data(), out});
    return done.ok() ? std::to_string(static_cast<int>(out[0])) : done.error().message;
  };
  EXPECT_EQ(total(3.0, std::size_t{4}), "3000");
  EXPECT_EQ(total(3, 4.0), "3000");
  const auto wrong = [](const char* argument, const char* types) {
    return std::string("argument ") + argument + " of total, " + types + " is none of its values";
  };
  EXPECT_EQ(total(0.1, 4), wrong("1", "'scale', is float32, not float64: 0.1"));
  EXPECT_EQ(total(1e300, 4), wrong("1", "'scale', is float32, not float64: 1e+300"));
  EXPECT_EQ(total(16777217, 4), wrong("1", "'scale', is float32, not int32: 16777217"));
  EXPECT_EQ(total(1.0f, 4.5), wrong("2", "'blocks', is int32, not float64: 4.5"));
  EXPECT_EQ(total(1.0f, std::int64_t{1} << 40), wrong("2", "'blocks', is int32, not int64: 1099511627776"));
  EXPECT_EQ(total(1.0f, ~std::uint64_t{0}),
            wrong("2", "'blocks', is int32, not uint64: 18446744073709551615"));
  EXPECT_EQ(total(true, 4), "argument 1 of total, 'scale', is float32, not bool");
  EXPECT_EQ(total(1.0f, true), "argument 2 of total, 'blocks', is int32, not bool");
  EXPECT_EQ(total(1.0f, out), "argument 2 of total, 'blocks', is int32, not float32*");
  EXPECT_EQ(kernel.launch({1000}, {true, 4, in.data(), out}).error().code, ErrorCode::invalid_argument);
}

TEST_F(KernelTest, bad_settings_are_errors) {
  KernelSettings bad = settings();
  bad.arguments = {"in", "outt"};
  EXPECT_TRUE(contains(error_of(bad), "there is no argument 'outt', did you mean 'out'?"));
  bad.arguments = {"in"};
  EXPECT_TRUE(contains(error_of(bad), "launches have to pass the buffer 'out'"));
  bad.arguments = {"in", "out", "in"};
  EXPECT_TRUE(contains(error_of(bad), "the argument 'in' is named twice"));
  bad = settings();
  bad.device = "gpu";
  EXPECT_TRUE(contains(error_of(bad), "no device is called 'gpu'"));
  for (const char* device : {"cuda:all", "sm_90", "replay:x"}) {
    bad.device = device;
    EXPECT_TRUE(contains(error_of(bad), "a kernel launches on one device")) << device;
  }
  bad = settings();
  bad.databases = {folder_ / "gktune.db", folder_ / "no.db"};  // the first is made
  EXPECT_TRUE(contains(error_of(bad), "no such file"));
  bad.databases = {folder_ / "no" / "gktune.db"};
  EXPECT_TRUE(contains(error_of(bad), "there is no directory"));
  bad = settings();
  bad.cxx = "/no/compiler";
  EXPECT_TRUE(contains(error_of(bad), "the host device needs a C++ compiler"));
  folder_.write("file", "");
  bad = settings();
  bad.cache_dir = folder_ / "file" / "cache";
  EXPECT_NE(error_of(bad), "none");
  folder_.write("total.yaml", "kernel: total\n");
  EXPECT_TRUE(contains(error_of(settings()), "total.yaml:1:1: error"));
}

TEST_F(KernelTest, textures_are_refused_in_one_line) {
  EXPECT_EQ(message_of(Kernel::open(GKTUNE_SOURCE_DIR "/tests/kernels/launches/texture.yaml", settings())),
            "an application cannot launch texture: it takes a texture of 'image', and only the tuner makes "
            "textures");
}

TEST_F(KernelTest, variables_of_the_source_are_arguments_of_the_launch) {
  auto kernel = Kernel::open(GKTUNE_SOURCE_DIR "/tests/kernels/launches/device_variable.yaml", settings());
  const std::vector<int> in{3, -4, 5, -6, 7};
  std::vector<int> signs(2);
  for (int balance : {0, 100}) {
    const int expected = balance + 5;
    kernel->launch({5}, {in.data(), signs.data(), &balance}).value();
    EXPECT_EQ(signs, (std::vector<int>{3, 2}));
    EXPECT_EQ(balance, expected);
  }
}

}  // namespace
}  // namespace gktune
