#include "tuner/device/host/problem_buffers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace gktune {
namespace {

using Role = Argument::Role;
constexpr auto kLastPage = GuardedBuffer::Against::last_page;
constexpr auto kFirstPage = GuardedBuffer::Against::first_page;

ArgumentPlan array(const std::string& name, ElementType type, std::uint64_t count, Role role) {
  ArgumentPlan argument;
  argument.name = name;
  argument.type = type;
  argument.count = count;
  argument.role = role;
  argument.contents.kind = ContentsKind::ramp;
  argument.contents.b = 1;
  argument.contents.b_integer = 1;
  argument.is_checked = role == Role::out || role == Role::inout;
  return argument;
}

ArgumentPlan scalar(ElementType type, Value value) {
  ArgumentPlan argument;
  argument.name = "n";
  argument.type = type;
  argument.is_scalar = true;
  argument.scalar = std::move(value);
  return argument;
}

std::vector<ArgumentPlan> four_arrays() {
  return {array("in", ElementType::int32, 100, Role::in), array("out", ElementType::float32, 10, Role::out),
          array("sums", ElementType::int32, 10, Role::inout),
          array("work", ElementType::int8, 7, Role::scratch)};
}

ProblemBuffers made(const std::vector<ArgumentPlan>& arguments) {
  auto buffers = ProblemBuffers::make(arguments, kLastPage);
  EXPECT_TRUE(buffers.ok()) << buffers.error().message;
  return std::move(*buffers);
}

template <class T>
T& element(ProblemBuffers& buffers, std::size_t argument, std::size_t i) {
  return reinterpret_cast<T*>(buffers.bytes(argument).data())[i];
}

// As if a reference had run: out holds halves, sums its inputs doubled.
void run_right(ProblemBuffers& buffers) {
  for (std::size_t i = 0; i < 10; ++i) {
    element<float>(buffers, 1, i) = 0.5f;
    element<int>(buffers, 2, i) *= 2;
  }
}

TEST(ProblemBuffers, scalars_have_the_bytes_of_their_type) {
  auto buffers =
      made({scalar(ElementType::int16, -2), scalar(ElementType::float32, 0.5),
            scalar(ElementType::uint64, std::int64_t{1} << 40), scalar(ElementType::float16, 1.0)});
  std::int16_t small = 0;
  std::memcpy(&small, buffers.value(0), sizeof small);
  EXPECT_EQ(small, -2);
  float real = 0;
  std::memcpy(&real, buffers.value(1), sizeof real);
  EXPECT_EQ(real, 0.5f);
  std::uint64_t large = 0;
  std::memcpy(&large, buffers.value(2), sizeof large);
  EXPECT_EQ(large, std::uint64_t{1} << 40);
  std::uint16_t half = 0;
  std::memcpy(&half, buffers.value(3), sizeof half);
  EXPECT_EQ(half, 0x3c00);
}

TEST(ProblemBuffers, a_value_of_an_array_is_its_address) {
  auto buffers = made(four_arrays());
  void* address = nullptr;
  std::memcpy(&address, buffers.value(0), sizeof address);
  EXPECT_EQ(address, buffers.bytes(0).data());
  EXPECT_EQ(element<int>(buffers, 0, 99), 99);
}

TEST(ProblemBuffers, a_right_run_passes_however_often) {
  auto buffers = made(four_arrays());
  buffers.poison_outputs();
  run_right(buffers);
  buffers.keep_expected();
  for (int time = 0; time < 3; ++time) {
    buffers.restore();
    buffers.poison_outputs();
    EXPECT_TRUE(std::isnan(element<float>(buffers, 1, 0)));
    run_right(buffers);
    EXPECT_EQ(buffers.judge(), std::nullopt);
  }
}

TEST(ProblemBuffers, an_output_that_was_not_written_is_wrong) {
  auto buffers = made(four_arrays());
  run_right(buffers);
  buffers.keep_expected();
  buffers.restore();
  buffers.poison_outputs();
  for (std::size_t i = 0; i < 10; ++i) element<int>(buffers, 2, i) *= 2;
  const auto fault = buffers.judge();
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->status, Status::wrong_result);
  EXPECT_EQ(fault->message, "10 of 10 elements differ (NaN); the first is out[0]: nan, expected 0.5");
}

TEST(ProblemBuffers, a_changed_input_is_named_and_mended) {
  auto buffers = made(four_arrays());
  element<int>(buffers, 0, 42) = -1;
  const auto fault = buffers.judge();
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->status, Status::input_changed);
  EXPECT_EQ(fault->message, "wrote into its input: in[42] was 42, is now -1");
  EXPECT_EQ(element<int>(buffers, 0, 42), 42);
  EXPECT_EQ(buffers.judge(), std::nullopt);
}

TEST(ProblemBuffers, a_write_outside_comes_before_all_else) {
  auto buffers = made(four_arrays());
  element<int>(buffers, 0, 42) = -1;
  buffers.bytes(3).data()[7] ^= std::byte{1};
  const auto fault = buffers.judge();
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->message, "wrote outside 'work' (7 elements): 0 bytes past its end");
  EXPECT_EQ(buffers.judge(), std::nullopt);  // both are mended
}

TEST(ProblemBuffers, scratch_memory_may_differ_from_candidate_to_candidate) {
  auto arguments = four_arrays();
  auto buffers = made(arguments);
  run_right(buffers);
  buffers.keep_expected();
  for (std::uint64_t count : {100u, 100000u, 3u}) {
    arguments[3].count = count;
    ASSERT_TRUE(buffers.adopt(arguments).ok());
    EXPECT_EQ(buffers.bytes(3).size(), count);
    buffers.restore();
    buffers.poison_outputs();
    run_right(buffers);
    EXPECT_EQ(buffers.judge(), std::nullopt);
  }
}

TEST(ProblemBuffers, a_scalar_may_differ_from_candidate_to_candidate) {
  std::vector<ArgumentPlan> arguments = {array("in", ElementType::int32, 100, Role::in),
                                         scalar(ElementType::int32, 3)};
  auto buffers = made(arguments);
  const std::byte* const kept = buffers.bytes(0).data();
  arguments[1].scalar = 7;
  ASSERT_TRUE(buffers.adopt(arguments).ok());
  int held = 0;
  std::memcpy(&held, buffers.value(1), sizeof held);
  EXPECT_EQ(held, 7);
  EXPECT_EQ(buffers.bytes(0).data(), kept);
  EXPECT_EQ(buffers.arguments(), arguments);
}

TEST(ProblemBuffers, laid_against_the_other_page_it_holds_the_same) {
  auto buffers = made(four_arrays());
  const std::byte* before = buffers.bytes(0).data();
  buffers.lay(kFirstPage);
  EXPECT_NE(buffers.bytes(0).data(), before);
  EXPECT_EQ(element<int>(buffers, 0, 99), 99);
  void* address = nullptr;
  std::memcpy(&address, buffers.value(0), sizeof address);
  EXPECT_EQ(address, buffers.bytes(0).data());
  EXPECT_EQ(buffers.judge(), std::nullopt);
}

TEST(ProblemBuffers, more_than_the_machine_has_is_out_of_memory) {
  const auto buffers =
      ProblemBuffers::make({array("in", ElementType::int64, std::uint64_t{1} << 50, Role::in)}, kLastPage);
  ASSERT_FALSE(buffers.ok());
  EXPECT_EQ(buffers.error().status, Status::out_of_memory);
}

TEST(ProblemBuffers, contents_that_cannot_be_had_are_the_argument_s) {
  auto argument = array("weights", ElementType::int32, 4, Role::in);
  argument.contents.kind = ContentsKind::file;
  argument.contents.file = "/nonexistent.npy";
  const auto buffers = ProblemBuffers::make({argument}, kLastPage);
  ASSERT_FALSE(buffers.ok());
  EXPECT_EQ(buffers.error().status, Status::invalid);
  EXPECT_TRUE(buffers.error().message.starts_with("argument 'weights': /nonexistent.npy: cannot be opened"));
}

}  // namespace
}  // namespace gktune
