#include "tuner/device/worker/job.h"

#include <gtest/gtest.h>

#include <limits>

namespace gktune {
namespace {

SourcePlan source() {
  return {Language::cpp,
          Instrumentation::sanitize,
          "a/b.cu",
          "int \xff x;\n",
          {"inc", "lib"},
          {"-O3"},
          {{"n", "4"}, {"T", "float"}},
          {"f<4>", "g"}};
}

Plan plan() {
  Plan plan;
  plan.candidate.source = source();
  plan.candidate.steps = {{"f<4>", -1, 0, -1, 0, {1, 2, 3}, {4, 5, 6}, 7, {0, 1}},
                          {"", 2, 1, -1, 0, {1, 1, 1}, {1, 1, 1}, 0, {}},
                          {"", -1, 0, 1, 255, {1, 1, 1}, {1, 1, 1}, 0, {}}};
  plan.reference.source.entries = {"r"};
  plan.verifier.source.entries = {"v"};
  plan.verifier.steps = {{"v", -1, 0, -1, 0, {1, 1, 1}, {32, 1, 1}, 0, {4}}};
  ArgumentPlan texture;
  texture.texture = {0,
                     ElementType::float16,
                     4,
                     16,
                     8,
                     256,
                     TexturePlan::Address::border,
                     TexturePlan::Filter::linear,
                     true,
                     true};
  plan.candidate.values = {texture};
  ArgumentPlan in;
  in.name = "in";
  in.type = ElementType::bfloat16;
  in.is_aligned = true;
  in.count = std::uint64_t{1} << 40;
  in.contents = {ContentsKind::uniform, -0.1, 0.3, std::numeric_limits<std::int64_t>::min(), 3,
                 ~std::uint64_t{0},     "f"};
  in.is_checked = true;
  in.tolerance = {1e-300, 0.1, 5};
  in.role = Argument::Role::inout;
  ArgumentPlan scalar;
  scalar.name = "n";
  scalar.is_scalar = true;
  scalar.scalar = Value(0.1);
  plan.arguments = {in, scalar};
  plan.environment = {{"OMP_NUM_THREADS", "4"}};
  plan.regime = Regime::hot;
  plan.time_limit_s = 0.1;
  plan.measures_power = true;
  return plan;
}

// A request of that type.
template <class T>
T decoded(const std::string& bytes) {
  return std::get<T>(decode_request(bytes).value());
}

TEST(Messages, keeps_a_compile_job_byte_for_byte) {
  CompileJob job{{source(), source()}, "sm_90a", "/cache", "/cache/run"};
  job.variants[1].macros = {};
  const std::string bytes = encode(job);
  const auto decoded = gktune::decoded<CompileJob>(bytes);
  EXPECT_EQ(decoded.variants, job.variants);
  EXPECT_EQ(decoded.architecture, "sm_90a");
  EXPECT_EQ(decoded.cache_dir, "/cache");
  EXPECT_EQ(decoded.scratch_dir, "/cache/run");
}

TEST(Messages, keeps_a_run_job_without_its_source_text) {
  RunJob job;
  job.plan = plan();
  job.candidate = {"x.so", {"a", "b"}, {}};
  job.verifier = {"v.so", {"v"}, {}};
  job.cutoff.noise = {.deviation = 0.25, .straggler_share = 0.5};
  job.check_only = true;
  job.guards = Guards::zones;
  job.seed = ~std::uint64_t{0};
  const auto decoded = gktune::decoded<RunJob>(encode(job));
  Plan expected = plan();
  expected.candidate.source.text.clear();
  EXPECT_EQ(decoded.plan.candidate, expected.candidate);
  EXPECT_EQ(decoded.plan.reference, expected.reference);
  EXPECT_EQ(decoded.plan.verifier, expected.verifier);
  EXPECT_EQ(decoded.verifier, job.verifier);
  EXPECT_EQ(decoded.plan.arguments, expected.arguments);
  EXPECT_EQ(decoded.plan.environment, expected.environment);
  EXPECT_EQ(decoded.plan.regime, Regime::hot);
  EXPECT_TRUE(decoded.plan.measures_power);
  EXPECT_EQ(decoded.candidate, job.candidate);
  EXPECT_EQ(decoded.cutoff, job.cutoff);
  EXPECT_TRUE(decoded.check_only);
  EXPECT_EQ(decoded.guards, Guards::zones);
  EXPECT_EQ(decoded.seed, ~std::uint64_t{0});
}

TEST(Messages, keeps_texts_and_times_exactly) {
  RunReply reply;
  reply.message = "caf\xe9";
  reply.samples_us = {0.1, 1e300, 1.0 / 3, std::numeric_limits<double>::denorm_min()};
  const RunReply decoded = *decode<RunReply>(encode(reply));
  EXPECT_EQ(decoded.message, reply.message);
  EXPECT_EQ(decoded.samples_us, reply.samples_us);
}

TEST(Messages, keeps_every_field_of_a_device_and_of_a_trial) {
  RunReply reply;
  DeviceInfo info;
  int next = 1;
  const auto set = [&](const char*, auto&& field) {
    auto& member = member_of(field);
    if constexpr (std::is_arithmetic_v<std::remove_reference_t<decltype(member)>>) {
      member = static_cast<std::remove_reference_t<decltype(member)>>(next++);
    }
  };
  std::string sent, received;
  const auto values_to = [](std::string& text) {
    return [&text](const char* name, auto&& field) {
      if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(member_of(field))>>)
        text += std::string(name) + ' ' + std::to_string(member_of(field)) + '\n';
    };
  };
  fields(set, reply);
  fields(set, info);
  fields(values_to(sent), reply);
  fields(values_to(sent), info);
  const RunReply same_reply = *decode<RunReply>(encode(reply));
  const DeviceInfo same_info = *decode<DeviceInfo>(encode(info));
  fields(values_to(received), same_reply);
  fields(values_to(received), same_info);
  EXPECT_EQ(received, sent);
}

TEST(Messages, a_malformed_message_is_an_error) {
  const std::string good = encode(RunReply{});
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(decode<RunReply>(good.substr(0, size)).ok());
  EXPECT_FALSE(decode<RunReply>(encode(DeviceInfo{})).ok());
  EXPECT_FALSE(decode_request("nonsense").ok());
  EXPECT_FALSE(decode_request(encode(RunReply{})).ok());
  std::string question = encode(DeviceQuestion::probe);
  EXPECT_TRUE(decode_request(question).ok());
  question.back() = 'X';
  EXPECT_FALSE(decode_request(question).ok());
}

}  // namespace
}  // namespace gktune
