#include "tuner/device/run/device_runner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <map>
#include <ranges>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "tests/expectations.h"
#include "tests/run/memory_device.h"
#include "tuner/device/run/told_times.h"

namespace gktune {
namespace {

using Role = Argument::Role;
using Memory = std::span<const ArgumentMemory>;

constexpr std::size_t kCount = 10;
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

ArgumentPlan array(const std::string& name, ElementType type, Role role) {
  ArgumentPlan plan;
  plan.name = name;
  plan.type = type;
  plan.count = kCount;
  plan.role = role;
  plan.contents.kind = ContentsKind::ramp;
  plan.contents.b = 1;
  plan.contents.b_integer = 1;
  plan.is_checked = role == Role::out || role == Role::inout;
  return plan;
}

// in (int32), out (float32, halves of in), sums (int32, inout, doubled), work (scratch).
Result<void, Failure> right(Memory memory) {
  for (std::size_t i = 0; i < kCount; ++i) {
    element<float>(*memory[1].buffer, i) = 0.5f * static_cast<float>(element<int>(*memory[0].buffer, i));
    element<int>(*memory[2].buffer, i) *= 2;
  }
  return {};
}

class DeviceRunnerTest : public ::testing::Test {
 protected:
  DeviceRunnerTest() {
    auto device = std::make_unique<MemoryDevice>();
    device_ = device.get();
    device_->device_traits.stopping.min_samples = 3;
    device_->device_traits.stopping.max_samples = 3;
    runner_ = std::make_unique<DeviceRunner>(std::move(device));
    add("reference", right);
    add("right", right);
  }

  void add(const std::string& path, MemoryDevice::Function function, std::vector<double> times_us = {10}) {
    device_->codes[path] = {std::move(function), std::move(times_us)};
  }

  RunJob job(const std::string& candidate = "right") {
    RunJob job;
    job.plan.arguments = {
        array("in", ElementType::int32, Role::in), array("out", ElementType::float32, Role::out),
        array("sums", ElementType::int32, Role::inout), array("work", ElementType::int8, Role::scratch)};
    job.plan.reference.steps = {StepPlan()};
    job.plan.time_limit_s = 2;
    job.plan.reference_limit_s = 40;
    job.candidate.path = candidate;
    job.reference.path = "reference";
    job.seed = 42;
    return job;
  }
  RunReply run(const std::string& candidate) { return runner_->run(job(candidate)); }
  RunReply run(const std::string& candidate, MemoryDevice::Function function) {
    add(candidate, std::move(function));
    return run(candidate);
  }
  // Runs the problem with this reference.
  RunReply run_with_reference(MemoryDevice::Function function) {
    add("reference", std::move(function));
    return run("right");
  }
  std::ptrdiff_t count(const std::string& entry) { return std::ranges::count(device_->log, entry); }

  MemoryDevice* device_ = nullptr;
  std::unique_ptr<DeviceRunner> runner_;
};

TEST_F(DeviceRunnerTest, correct_candidates_are_timed_on_inputs_that_none_of_them_has_met) {
  for (const char* candidate : {"first", "second", "third"}) {
    const RunReply reply = run(candidate, right);
    EXPECT_EQ(reply.status, Status::ok) << reply.message;
    EXPECT_EQ(reply.samples_us, Samples(3, 10.0));
    EXPECT_EQ(reply.timing.median_us, 10);
    EXPECT_EQ(reply.resources.registers, 7);
  }
  // Each gives the next one the inputs that it was last checked on.
  EXPECT_EQ(count("run reference"), 1 + 1 + 3);
  EXPECT_EQ(run("third").status, Status::ok);
  EXPECT_EQ(count("run reference"), 1 + 1 + 3 + 2);
}

TEST_F(DeviceRunnerTest, results_that_a_candidate_keeps_for_addresses_are_wrong_for_other_inputs_there) {
  std::map<std::uintptr_t, std::vector<float>> kept;
  const RunReply reply = run("keeper", [&](Memory memory) {
    std::vector<float>& results = kept[memory[0].buffer->address()];
    if (results.empty()) {
      for (std::size_t i = 0; i < kCount; ++i)
        results.push_back(0.5f * static_cast<float>(element<int>(*memory[0].buffer, i)));
    }
    for (std::size_t i = 0; i < kCount; ++i) {
      element<float>(*memory[1].buffer, i) = results[i];
      element<int>(*memory[2].buffer, i) *= 2;
    }
  });
  EXPECT_TRUE(ended_with(reply, Status::wrong_result, "; it was right on the inputs that it met before"));
  EXPECT_TRUE(reply.reuses_results);
}

TEST_F(DeviceRunnerTest, the_reference_has_a_limit_of_its_own) {
  run("right");
  ASSERT_EQ(device_->launches.size(), 5u);
  EXPECT_EQ(device_->launches[0].limit_s, 40);
  EXPECT_EQ(device_->launches[3].limit_s, 40);
  EXPECT_EQ(device_->launches[1].limit_s, 2);
  EXPECT_EQ(device_->launches[2].limit_s, 2);
  EXPECT_EQ(device_->launches[0].seed, std::nullopt);
  EXPECT_EQ(device_->launches[1].seed, std::nullopt);
  EXPECT_EQ(device_->launches[2].seed, 42u);
}

TEST_F(DeviceRunnerTest, a_reply_says_how_long_the_reference_took_for_its_job) {
  const RunReply slow = run_with_reference([](Memory memory) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return right(memory);
  });
  EXPECT_GE(slow.preparation.reference_s, 0.02);
  EXPECT_GE(slow.preparation.inputs_s, 0);
  RunJob known = job();
  known.check_only = true;
  EXPECT_EQ(runner_->run(known).preparation.reference_s, 0) << "the problem was prepared before";
}

TEST_F(DeviceRunnerTest, a_wrong_output_is_described_and_not_timed) {
  const RunReply reply = run("wrong", [](Memory memory) {
    (void)right(memory);
    element<int>(*memory[2].buffer, 4) = 7;
  });
  EXPECT_TRUE(ended(reply, Status::wrong_result,
                    "1 of 10 elements differs; it is sums[4]: 7, expected 8 (absolute error 1)"));
  EXPECT_EQ(count("warm up wrong"), 0);
  EXPECT_EQ(run("right").status, Status::ok);
}

// Counts the elements of `out` that are not half of `in`. Memory holds the arguments, the expected values of
// each, and the verdict.
Result<void, Failure> verify(Memory memory) {
  const DeviceBuffer& verdict = *memory[8].buffer;
  for (std::size_t i = kCount; i-- > 0;) {
    if (element<float>(*memory[1].buffer, i) == 0.5f * static_cast<float>(element<int>(*memory[0].buffer, i)))
      continue;
    ++element<std::uint64_t>(verdict, 0);
    element<std::uint64_t>(verdict, 1) = i;
  }
  return {};
}

// Only a verifier judges the outputs.
class VerifierTest : public DeviceRunnerTest {
 protected:
  VerifierTest() { add("verifier", verify); }
  RunJob verified(const std::string& candidate) {
    RunJob each = job(candidate);
    each.plan.reference.steps.clear();
    for (ArgumentPlan& argument : each.plan.arguments) argument.is_checked = false;
    each.plan.verifier.steps = {StepPlan()};
    each.verifier.path = "verifier";
    return each;
  }
  RunReply run_verified(MemoryDevice::Function function, std::vector<double> times_us = {10}) {
    add("candidate", std::move(function), std::move(times_us));
    return runner_->run(verified("candidate"));
  }
  RunReply run_with_verifier(MemoryDevice::Function function) {
    add("verifier", std::move(function));
    return runner_->run(verified("right"));
  }
};

TEST_F(VerifierTest, passes_right_outputs_each_time_they_are_judged) {
  for (int time = 0; time < 2; ++time) {
    const RunReply reply = runner_->run(verified("right"));
    EXPECT_EQ(reply.status, Status::ok) << reply.message;
    EXPECT_EQ(reply.samples_us, Samples(3, 10.0));
  }
  EXPECT_GE(count("run verifier"), 4);
}

TEST_F(VerifierTest, says_how_many_elements_are_wrong_and_where) {
  const auto but_from = [](std::size_t first) {
    return [first](Memory memory) {
      (void)right(memory);
      for (std::size_t i = first; i < kCount; ++i) element<float>(*memory[1].buffer, i) += 1;
    };
  };
  EXPECT_TRUE(ended(run_verified(but_from(7)), Status::wrong_result,
                    "the verifier counts 3 wrong elements; the index of the first is 7"));
  EXPECT_EQ(run_verified(but_from(9)).message, "the verifier counts 1 wrong element; its index is 9");
  EXPECT_EQ(count("warm up candidate"), 0);
  EXPECT_EQ(runner_->run(verified("right")).status, Status::ok);
}

TEST_F(VerifierTest, need_not_name_a_wrong_element) {
  const RunReply reply = run_with_verifier([](Memory memory) {
    element<std::uint64_t>(*memory[8].buffer, 0) = 2;
  });
  EXPECT_EQ(reply.message, "the verifier counts 2 wrong elements");
}

TEST_F(VerifierTest, finds_outputs_that_depend_on_earlier_inputs) {
  std::vector<float> kept;
  RunJob each = verified("candidate");
  each.plan.arguments[0].contents.kind = ContentsKind::uniform;
  each.plan.arguments[0].contents.b_integer = 1000;
  add("candidate", [&](Memory memory) {
    (void)right(memory);
    for (std::size_t i = 0; i < kCount; ++i) {
      if (kept.size() < kCount) kept.push_back(element<float>(*memory[1].buffer, i));
      element<float>(*memory[1].buffer, i) = kept[i];
    }
  });
  EXPECT_TRUE(ended_with(runner_->run(each), Status::wrong_result,
                         "; it was right on the inputs that it met before"));
}

TEST_F(VerifierTest, rejects_an_output_by_failing_on_it) {
  const RunReply reply = run_with_verifier([](Memory) {
    return Result<void, Failure>(Failure{Status::illegal_access, "read beside 'out'"});
  });
  EXPECT_TRUE(ended(reply, Status::wrong_result, "the verifier fails on this output: read beside 'out'"));
}

TEST_F(VerifierTest, is_blamed_if_it_writes_anything_but_its_verdict) {
  const RunReply writes = run_with_verifier([](Memory memory) {
    element<int>(*memory[0].buffer, 3) = -1;
  });
  EXPECT_TRUE(
      ended(writes, Status::reference_failed, "the verifier: wrote into its input: in[3] was 3, is now -1"));
  const RunReply outside = run_with_verifier([](Memory memory) {
    element<std::uint64_t>(*memory[8].buffer, 2) = 1;
  });
  EXPECT_EQ(outside.status, Status::reference_failed);
  EXPECT_EQ(outside.message.find("the verifier: wrote outside its verdict: "), 0u) << outside.message;
  add("verifier", verify);
  EXPECT_EQ(runner_->run(verified("right")).status, Status::ok);
}

TEST_F(VerifierTest, is_blamed_if_it_cannot_be_loaded) {
  RunJob each = verified("right");
  each.verifier.path = "gone";
  EXPECT_TRUE(ended(runner_->run(each), Status::machine_failed, "the verifier: no compiled module at gone"));
}

TEST_F(VerifierTest, gets_the_outputs_of_the_reference) {
  RunJob each = verified("right");
  each.plan.reference.steps = {StepPlan()};
  each.plan.verifier.steps[0].arguments = {5};  // expected.out
  add("verifier", [](Memory memory) {
    for (std::size_t i = 0; i < kCount; ++i) {
      const bool is_right = element<float>(*memory[1].buffer, i) == element<float>(*memory[5].buffer, i);
      if (!is_right) ++element<std::uint64_t>(*memory[8].buffer, 0);
    }
  });
  EXPECT_EQ(runner_->run(each).message, "");
  add("wrong", [](Memory memory) {
    (void)right(memory);
    element<float>(*memory[1].buffer, 4) = 9;
  });
  each.candidate.path = "wrong";
  EXPECT_EQ(runner_->run(each).message, "the verifier counts 1 wrong element");
}

TEST_F(VerifierTest, makes_another_problem_if_its_source_differs) {
  EXPECT_EQ(runner_->run(verified("right")).status, Status::ok);
  RunJob strict = verified("right");
  strict.verifier.path = "strict";
  add("strict", [](Memory memory) {
    element<std::uint64_t>(*memory[8].buffer, 0) = 1;
  });
  EXPECT_EQ(runner_->run(strict).status, Status::wrong_result);
}

TEST_F(DeviceRunnerTest, a_write_outside_a_buffer_is_reported_before_other_findings) {
  const auto outside = [](Memory memory) {
    element<int>(*memory[0].buffer, 3) = -1;
    element<char>(*memory[3].buffer, kCount + 4) = 0;
  };
  const RunReply reply = run("outside", outside);
  EXPECT_TRUE(
      ended(reply, Status::guard_violated, "wrote outside 'work' (10 elements): 4 bytes past its end"));
  EXPECT_FALSE(reply.worker_is_lost);
  EXPECT_EQ(run("right").status, Status::ok);
  EXPECT_EQ(count("run reference"), 1 + 2);  // guards and inputs were repaired; two are of other inputs
  device_->device_traits.shares_memory = true;
  EXPECT_TRUE(run("outside", outside).worker_is_lost);
}

TEST_F(DeviceRunnerTest, a_changed_input_is_described_and_repaired) {
  const RunReply reply = run("vandal", [](Memory memory) {
    element<int>(*memory[0].buffer, 3) = -1;
  });
  EXPECT_TRUE(ended(reply, Status::input_changed, "wrote into its input: in[3] was 3, is now -1"));
  EXPECT_EQ(run("right").status, Status::ok);
  EXPECT_EQ(count("run reference"), 1 + 2);
}

TEST_F(DeviceRunnerTest, a_candidate_is_not_blamed_for_buffers_that_another_one_damaged) {
  // It is right when it is checked, damages an expected output when it is
  // timed, and is not timed any further.
  int runs = 0;
  add("vandal", [&, this](Memory memory) {
    (void)right(memory);
    if (++runs == 3) {
      for (DeviceBuffer* buffer : device_->buffers) element<int>(*buffer, 1) = 1234;
    }
  });
  RunJob vandal = job("vandal");
  vandal.cutoff = {.leader = {.median_us = 1}, .noise = {.deviation = 0.01, .straggler_share = 0.01}};
  EXPECT_TRUE(runner_->run(vandal).is_dropped_early);
  EXPECT_EQ(run("right").status, Status::ok);
  EXPECT_EQ(count("run reference"), 2 + 2);
  EXPECT_EQ(count("run right"), 3);
}

TEST_F(DeviceRunnerTest, a_lost_worker_is_reported_and_its_buffers_are_not_touched) {
  const RunReply reply = run("fatal", [](Memory) {
    return Result<void, Failure>(Failure{Status::illegal_access, "bad address", true});
  });
  EXPECT_TRUE(ended(reply, Status::illegal_access, "bad address"));
  EXPECT_TRUE(reply.worker_is_lost);
  EXPECT_EQ(count("run fatal"), 1);
}

TEST_F(DeviceRunnerTest, the_output_of_the_check_is_kept_up_to_a_limit) {
  int runs = 0;
  add("reference", [](Memory memory) {
    std::puts("from the reference");
    return right(memory);
  });
  testing::internal::CaptureStdout();
  const RunReply brief = run("brief", [&](Memory memory) {
    std::printf("run %d\n", ++runs);
    return right(memory);
  });
  const RunReply verbose = run("verbose", [](Memory memory) {
    for (int i = 0; i < 20'000; ++i) std::printf("line %d\n", i);
    return right(memory);
  });
  const RunReply after = run("brief");
  const std::string passed_on = testing::internal::GetCapturedStdout();
  EXPECT_EQ(brief.printed, "run 1\n");
  EXPECT_TRUE(verbose.printed.starts_with("line 0\nline 1\n"));
  EXPECT_TRUE(verbose.printed.ends_with("…\n"));
  EXPECT_LT(verbose.printed.size(), 5000u);
  EXPECT_EQ(after.printed, "run 10\n");
  EXPECT_TRUE(passed_on.starts_with("from the reference\nrun 1\nrun 2\n")) << passed_on.substr(0, 100);
}

TEST_F(DeviceRunnerTest, a_missing_module_is_a_failure_of_the_machine) {
  EXPECT_EQ(run("gone").status, Status::machine_failed);
  RunJob lost = job();
  lost.reference.path = "gone too";
  EXPECT_EQ(runner_->run(lost).status, Status::machine_failed);
}

TEST_F(DeviceRunnerTest, a_failing_reference_is_named_as_the_cause) {
  const RunReply reply = run_with_reference([](Memory) {
    return Result<void, Failure>(Failure{Status::aborted, "a trap"});
  });
  EXPECT_TRUE(ended(reply, Status::reference_failed, "the reference: a trap"));
}

TEST_F(DeviceRunnerTest, a_reference_that_produces_nan_fails) {
  const RunReply reply = run_with_reference([](Memory memory) {
    (void)right(memory);
    element<float>(*memory[1].buffer, 2) = kNaN;
    element<float>(*memory[1].buffer, 5) = kNaN;
  });
  EXPECT_TRUE(ended(reply, Status::reference_failed,
                    "the reference: 2 of 10 elements of 'out' are NaN; the first is out[2]"));
}

TEST_F(DeviceRunnerTest, a_reference_that_leaves_floats_unwritten_fails) {
  const RunReply reply = run_with_reference([](Memory memory) {
    for (std::size_t i = 0; i + 3 < kCount; ++i) element<float>(*memory[1].buffer, i) = 1;
  });
  EXPECT_TRUE(
      ended(reply, Status::reference_failed, "the reference: leaves 3 of 10 elements of 'out' unwritten"));
}

// Writes the even elements, and NaN into one of them.
Result<void, Failure> write_even(Memory memory, std::size_t left_out) {
  for (std::size_t i = 0; i < kCount; i += 2) {
    if (i != left_out) element<float>(*memory[1].buffer, i) = i == 4 ? kNaN : 1;
  }
  for (std::size_t i = 0; i < kCount; ++i) element<int>(*memory[2].buffer, i) += 1;
  return {};
}

TEST_F(DeviceRunnerTest, candidates_write_what_the_default_configuration_writes_and_no_more) {
  add("reference", [](Memory memory) { return write_even(memory, kCount); });
  add("same", [](Memory memory) { return write_even(memory, kCount); });
  add("less", [](Memory memory) { return write_even(memory, 6); });
  add("more", [](Memory memory) {
    element<float>(*memory[1].buffer, 5) = 1;
    return write_even(memory, kCount);
  });
  const auto compared = [&](const std::string& name) {
    RunJob by_default = job(name);
    by_default.plan.has_default_reference = true;
    by_default.plan.arguments[1].tolerance.nan_equals = true;
    return runner_->run(by_default).message;
  };
  EXPECT_EQ(compared("same"), "");
  EXPECT_EQ(compared("less"),
            "1 of 10 elements differs; it is out[6]: 0.7470588, expected 1 (absolute error 0.252941)");
  EXPECT_EQ(compared("more"),
            "1 of 10 elements differs; it is out[5]: 1, expected 0.7470588 (absolute error 0.252941)");
}

TEST_F(DeviceRunnerTest, a_reference_that_writes_its_input_fails) {
  const RunReply reply = run_with_reference([](Memory memory) {
    element<int>(*memory[0].buffer, 1) = 5;
    return right(memory);
  });
  EXPECT_TRUE(
      ended(reply, Status::reference_failed, "the reference: wrote into its input: in[1] was 1, is now 5"));
}

// An integer with all bits set looks like an unwritten one.
class IntegerOutput : public DeviceRunnerTest {
 protected:
  RunReply run_integers(const MemoryDevice::Function& function) {
    add("reference", function);
    add("candidate", function);
    RunJob integers = job("candidate");
    integers.plan.arguments[1].type = ElementType::int32;
    return runner_->run(integers);
  }
};

TEST_F(IntegerOutput, is_accepted_if_it_is_minus_one) {
  const RunReply reply = run_integers([](Memory memory) {
    for (std::size_t i = 0; i < kCount; ++i) element<int>(*memory[1].buffer, i) = -1;
    for (std::size_t i = 0; i < kCount; ++i) element<int>(*memory[2].buffer, i) += 1;
  });
  EXPECT_EQ(reply.status, Status::ok) << reply.message;
  EXPECT_EQ(count("run reference"), 3 * 2);  // two for each set of inputs
}

TEST_F(IntegerOutput, is_found_if_the_reference_leaves_it_unwritten) {
  const RunReply reply = run_integers([](Memory memory) {
    for (std::size_t i = 0; i < kCount; ++i) {
      if (i != 6) element<int>(*memory[1].buffer, i) = i == 3 ? -1 : 1;
    }
  });
  EXPECT_TRUE(
      ended(reply, Status::reference_failed, "the reference: leaves 1 of 10 elements of 'out' unwritten"));
}

TEST_F(DeviceRunnerTest, a_problem_larger_than_the_memory_is_refused) {
  device_->free = 100;
  const RunReply reply = run("right");
  EXPECT_TRUE(
      ended(reply, Status::out_of_memory, "the problem needs 0.00 GiB, and the device has 0.00 GiB left"));
}

TEST_F(DeviceRunnerTest, a_check_covers_each_placement_and_both_orders) {
  device_->device_traits.timed_placements = {Placement::at_end, Placement::at_end};
  RunJob check = job();
  check.check_only = true;
  EXPECT_EQ(runner_->run(check).status, Status::ok);
  ASSERT_EQ(device_->launches.size(), 3u);  // the reference first
  EXPECT_EQ(device_->launches[1].seed, std::nullopt);
  EXPECT_EQ(device_->launches[2].seed, 42u);
  EXPECT_EQ(count("place start"), 4);
  EXPECT_EQ(count("place end"), 0);
  EXPECT_EQ(count("sample right"), 0);
}

TEST_F(DeviceRunnerTest, a_candidate_ends_after_a_hopeless_first_execution) {
  device_->device_traits.times_second_check = true;
  device_->codes["right"].execution_us = 49'000;
  RunJob slow = job();
  slow.cutoff.leader.median_us = 1000;
  const RunReply reply = runner_->run(slow);
  EXPECT_EQ(reply.status, Status::ok) << reply.message;
  EXPECT_TRUE(reply.is_dropped_early);
  EXPECT_EQ(reply.samples_us, Samples{49'000});
  EXPECT_EQ(reply.timing.median_us, 49'000);
  EXPECT_EQ(count("run right"), 1);
  EXPECT_EQ(count("sample right"), 0);
}

TEST_F(DeviceRunnerTest, a_slow_wrong_candidate_is_reported_as_wrong) {
  add("wrong", [](Memory) { return Result<void, Failure>(); });
  device_->codes["wrong"].execution_us = 49'000;
  RunJob slow = job("wrong");
  slow.cutoff.leader.median_us = 1000;
  EXPECT_EQ(runner_->run(slow).status, Status::wrong_result);
}

TEST_F(DeviceRunnerTest, the_second_check_may_be_the_first_sample) {
  device_->device_traits.times_second_check = true;
  EXPECT_EQ(run("right").status, Status::ok);
  EXPECT_EQ(count("run right"), 1);
  // The sampler keeps the addresses of the buffers.
  const auto sampler = std::ranges::find(device_->log, "sampler right");
  EXPECT_EQ(std::find_if(sampler, device_->log.end(),
                         [](const std::string& entry) { return entry.starts_with("place"); }),
            device_->log.end());
  EXPECT_NE(std::ranges::find(device_->log, "place start"), device_->log.end());
  int executions = 0;
  const RunReply reply = run("right_once", [&](Memory memory) {
    return ++executions == 1 ? right(memory) : Result<void, Failure>();
  });
  EXPECT_TRUE(ended_with(reply, Status::wrong_result, "; its first execution was right"));
}

TEST_F(DeviceRunnerTest, scratch_memory_takes_the_size_of_each_candidate) {
  std::size_t seen = 0;
  add("right", [&](Memory memory) {
    seen = memory[3].buffer->bytes();
    return right(memory);
  });
  for (const std::uint64_t size : {100u, 100000u, 3u}) {
    RunJob sized = job();
    sized.plan.arguments[3].count = size;
    EXPECT_EQ(runner_->run(sized).status, Status::ok);
    EXPECT_EQ(seen, size);
  }
  EXPECT_EQ(count("run reference"), 1 + 3 * 2);
}

TEST_F(DeviceRunnerTest, a_candidate_slower_than_the_cutoff_ends_early) {
  RunJob slow = job();
  slow.cutoff = {.leader = {.median_us = 1}, .noise = {.deviation = 0.01, .straggler_share = 0.01}};
  device_->device_traits.stopping.max_samples = 100;
  const RunReply reply = runner_->run(slow);
  EXPECT_TRUE(reply.is_dropped_early);
  EXPECT_EQ(reply.samples_us.size(), 2u);
}

TEST_F(DeviceRunnerTest, a_throttled_trial_is_timed_again_once) {
  device_->throttled = {false, true, false, true};
  const RunReply reply = run("right");
  EXPECT_EQ(count("sample right"), 6);
  EXPECT_EQ(reply.samples_us.size(), 3u);
  EXPECT_TRUE(reply.conditions.throttled);
}

TEST_F(DeviceRunnerTest, energy_is_measured_when_a_metric_needs_it) {
  EXPECT_LT(run("right").conditions.energy_j, 0);
  EXPECT_EQ(count("energy right"), 0);
  RunJob metered = job();
  metered.plan.measures_power = true;
  EXPECT_DOUBLE_EQ(runner_->run(metered).conditions.energy_j, 10e-6);
  device_->has_energy = false;
  EXPECT_LT(runner_->run(metered).conditions.energy_j, 0);
}

// Programs that pass a first check but are wrong, or slower than they seem.
class Tampering : public DeviceRunnerTest {
 protected:
  // Random inputs have other values with another seed.
  RunReply run_on_random(const std::string& candidate, MemoryDevice::Function function,
                         std::vector<double> times_us = {10}) {
    add(candidate, std::move(function), std::move(times_us));
    RunJob random = job(candidate);
    random.plan.arguments[0].contents = {ContentsKind::uniform, 0, 0, 0, 1000, 7, {}};
    return runner_->run(random);
  }
  // Differs between two draws, except for one in a million.
  static int inputs_of(Memory memory) {
    return element<int>(*memory[0].buffer, 0) * 1001 + element<int>(*memory[0].buffer, 1);
  }
  static Result<void, Failure> done() { return {}; }
  // Keeps the results of its first execution and gives them in all others.
  static MemoryDevice::Function replaying(std::vector<float>& kept) {
    return [&kept](Memory memory) {
      (void)right(memory);
      float* const out = &element<float>(*memory[1].buffer, 0);
      if (kept.empty()) kept.assign(out, out + kCount);
      std::ranges::copy(kept, out);
    };
  }
};

TEST_F(Tampering, a_correct_candidate_meets_new_inputs_each_time_it_may_lead) {
  std::set<int> met;
  for (int time = 0; time < 3; ++time) {
    const RunReply reply = run_on_random("right", [&](Memory memory) {
      met.insert(inputs_of(memory));
      return right(memory);
    });
    EXPECT_EQ(reply.status, Status::ok) << reply.message;
    EXPECT_EQ(reply.samples_us.size(), 3u);
    EXPECT_EQ(reply.fresh_us, 10);
  }
  EXPECT_EQ(met.size(), 1 + 3 * 2u);  // those of the problem, and two draws each time
}

TEST_F(Tampering, output_that_later_executions_leave_out_is_found) {
  int runs = 0;
  const RunReply reply = run("lazy", [&](Memory memory) { return ++runs <= 3 ? right(memory) : done(); });
  EXPECT_EQ(reply.status, Status::wrong_result);
  EXPECT_EQ(count("sample lazy"), 3);
  EXPECT_EQ(run("right").status, Status::ok);
}

TEST_F(Tampering, reused_results_of_earlier_executions_are_found) {
  std::vector<float> kept;
  EXPECT_TRUE(ended_with(run_on_random("replays", replaying(kept)), Status::wrong_result,
                         "; it was right on the inputs that it met before"));
  EXPECT_EQ(run_on_random("right", right).status, Status::ok);
}

TEST_F(Tampering, work_that_is_skipped_when_inputs_repeat_is_found) {
  int last = -1;
  const auto remembers = [&](Memory memory) {
    const int now = inputs_of(memory);
    device_->codes["remembers"].times_us = {std::exchange(last, now) == now ? 10.0 : 1000.0};
    return right(memory);
  };
  const RunReply found = run_on_random("remembers", remembers);
  EXPECT_TRUE(
      ended(found, Status::wrong_result,
            "takes 1000 us when it can know of no other execution, and 10 us otherwise: it reuses results"));
}

TEST_F(Tampering, one_slow_execution_on_other_inputs_is_not_a_finding) {
  int runs = 0;
  const RunReply reply = run_on_random("straggler", [&](Memory memory) {
    device_->codes["straggler"].times_us = {++runs == 6 ? 1000.0 : 10.0};
    return right(memory);
  });
  EXPECT_EQ(runs, 9);
  EXPECT_EQ(reply.status, Status::ok) << reply.message;
}

TEST_F(Tampering, a_machine_that_becomes_slower_is_no_finding_and_the_later_times_count) {
  int runs = 0;
  const RunReply reply = run_on_random("slowed", [&](Memory memory) {
    device_->codes["slowed"].times_us = {++runs >= 6 ? 1000.0 : 10.0};
    return right(memory);
  });
  EXPECT_EQ(reply.status, Status::ok) << reply.message;
  EXPECT_EQ(reply.timing.median_us, 1000);
  EXPECT_EQ(reply.fresh_us, 1000);
}

TEST_F(Tampering, candidates_that_cannot_lead_are_checked_in_the_playoff) {
  RunJob slower = job("slower");
  slower.plan.arguments[0].contents = {ContentsKind::uniform, 0, 0, 0, 1000, 7, {}};
  slower.cutoff = {.leader = {.median_us = 9.99}, .noise = {.deviation = 0.1, .straggler_share = 0.01}};
  std::vector<float> kept;
  add("slower", replaying(kept));
  const RunReply reply = runner_->run(slower);
  EXPECT_EQ(reply.status, Status::ok) << reply.message;
  EXPECT_FALSE(reply.is_dropped_early);
  PlayoffJob playoff{.finalists = {slower}, .rounds = {}};
  playoff.finalists.push_back(job("right"));
  playoff.finalists[1].plan = slower.plan;
  playoff.rounds.count = 3;
  const auto finalists = runner_->playoff(playoff);
  EXPECT_EQ(finalists.at(0).status, Status::wrong_result);
  EXPECT_TRUE(finalists.at(0).samples_us.empty());
  EXPECT_EQ(finalists.at(1).samples_us.size(), 3u);
}

TEST_F(Tampering, changes_of_inputs_by_later_executions_are_found) {
  int runs = 0;
  const RunReply reply = run_on_random("vandal", [&](Memory memory) {
    (void)right(memory);
    if (++runs > 3) element<int>(*memory[0].buffer, 3) = -1;
  });
  EXPECT_EQ(reply.status, Status::input_changed);
  EXPECT_EQ(run_on_random("right", right).status, Status::ok);
}

TEST_F(Tampering, a_candidate_whose_time_depends_on_its_inputs_is_not_blamed) {
  int first = -1;
  const RunReply reply = run_on_random("sorts", [&](Memory memory) {
    const int begin = element<int>(*memory[0].buffer, 0);
    if (first < 0) first = begin;
    device_->codes["sorts"].times_us = {begin == first ? 10.0 : 1000.0};
    return right(memory);
  });
  EXPECT_EQ(reply.status, Status::ok) << reply.message;
}

TEST_F(Tampering, ramps_and_files_have_other_elements_too) {
  std::vector<float> kept;
  const RunReply reply = run("replays a ramp", replaying(kept));
  EXPECT_EQ(reply.status, Status::wrong_result);
}

TEST_F(Tampering, other_inputs_are_skipped_if_memory_is_short) {
  device_->free = 400;
  const RunReply reply = run_on_random("right", right);
  EXPECT_EQ(reply.status, Status::ok) << reply.message;
  EXPECT_EQ(count("run reference"), 1);
}

TEST_F(Tampering, candidates_have_to_be_right_on_the_inputs_that_the_file_names_for_the_check) {
  const auto is_right_for_small_inputs = [](Memory memory) {
    return element<int>(*memory[0].buffer, 0) < 5000 ? right(memory) : done();
  };
  for (const char* candidate : {"right", "narrow"}) {
    RunJob named = job(candidate);
    named.plan.arguments[0].contents = {ContentsKind::ramp, 0, 0, 0, 1, 0, {}};
    ContentsPlan& other = named.plan.arguments[0].others.emplace_back();
    other.kind = ContentsKind::uniform;
    other.a_integer = 5000;
    other.b_integer = 9000;
    if (named.candidate.path == "narrow") add("narrow", is_right_for_small_inputs);
    const RunReply reply = runner_->run(named);
    EXPECT_EQ(reply.ok(), named.candidate.path == "right") << reply.message;
  }
}

TEST_F(Tampering, executions_take_the_inputs_that_the_file_names_in_turn) {
  RunJob named = job("notes");
  named.plan.arguments[0].contents = {ContentsKind::ramp, 0, 0, 0, 1, 0, {}};
  for (const std::int64_t value : {5000, 7000, 9000}) {
    ContentsPlan& other = named.plan.arguments[0].others.emplace_back();
    other.kind = ContentsKind::constant;
    other.a_integer = value;
  }
  std::vector<int> met;
  add("notes", [&](Memory memory) {
    const int first = element<int>(*memory[0].buffer, 0);
    if (first >= 5000 && (met.empty() || met.back() != first)) met.push_back(first);
    return right(memory);
  });
  ASSERT_TRUE(runner_->run(named).ok());
  ASSERT_GE(met.size(), 2);
  for (std::size_t i = 1; i < met.size(); ++i)
    EXPECT_EQ(met[i], met[i - 1] == 9000 ? 5000 : met[i - 1] + 2000);
}

TEST_F(Tampering, inputs_for_the_check_that_cannot_be_read_are_an_error) {
  RunJob named = job();
  named.plan.arguments[0].others = {ContentsPlan{.kind = ContentsKind::file, .file = "/no/such/file.npy"}};
  const RunReply reply = runner_->run(named);
  EXPECT_FALSE(reply.ok());
  EXPECT_TRUE(contains(reply.message, "/no/such/file.npy"));
}

TEST_F(Tampering, a_reference_that_fails_on_other_inputs_does_not_fail_a_candidate) {
  int runs = 0;
  add("reference", [&](Memory memory) {
    if (++runs > 1) return Result<void, Failure>(Failure{Status::aborted, "a trap"});
    return right(memory);
  });
  const RunReply reply = run_on_random("right", right);
  EXPECT_EQ(reply.status, Status::ok) << reply.message;
}

class ApartTest : public Tampering {
 protected:
  ApartTest() {
    device_->apart = [this](ProblemBuffers& problem) { return act(problem.memory()); };
  }
  // Runs a candidate whose process does this.
  RunReply run_apart(std::function<Result<double, Failure>(Memory)> process) {
    act = std::move(process);
    RunJob apart = job("apart");
    apart.plan.arguments[0].contents = {ContentsKind::uniform, 0, 0, 0, 1000, 7, {}};
    apart.plan.runs_apart = true;
    return runner_->run(apart);
  }
  std::function<Result<double, Failure>(Memory)> act;
};

TEST_F(ApartTest, all_executions_are_made_by_a_process_on_inputs_that_it_has_not_met) {
  std::set<int> met;
  int executions = 0;
  const RunReply reply = run_apart([&](Memory memory) -> Result<double, Failure> {
    met.insert(inputs_of(memory));
    ++executions;
    GKTUNE_TRY(right(memory));
    return 10.0;
  });
  EXPECT_EQ(reply.status, Status::ok) << reply.message;
  EXPECT_EQ(reply.samples_us, Samples(3, 10.0));
  EXPECT_EQ(reply.fresh_us, 10);
  EXPECT_EQ(executions, 2 + 3);
  EXPECT_EQ(met.size(), 5u);
  EXPECT_EQ(device_->apart_processes, 1);
  EXPECT_EQ(count("run apart"), 0);
}

TEST_F(ApartTest, results_that_are_right_at_first_and_wrong_later_are_cheating) {
  int executions = 0;
  const RunReply reply = run_apart([&](Memory memory) -> Result<double, Failure> {
    if (++executions < 3) GKTUNE_TRY(right(memory));
    return 10.0;
  });
  EXPECT_EQ(reply.status, Status::wrong_result);
  EXPECT_TRUE(reply.reuses_results);
}

TEST_F(ApartTest, a_process_that_fails_ends_and_the_next_candidate_gets_another) {
  const auto fails = [](Memory) -> Result<double, Failure> { return Failure{Status::crashed, "exited"}; };
  EXPECT_EQ(run_apart(fails).status, Status::crashed);
  const auto is_right = [](Memory memory) -> Result<double, Failure> {
    GKTUNE_TRY(right(memory));
    return 10.0;
  };
  EXPECT_EQ(run_apart(is_right).status, Status::ok);
  EXPECT_EQ(run_apart(is_right).status, Status::ok);
  EXPECT_EQ(device_->apart_processes, 2);
}

TEST(ToldTimes, are_possible_while_messages_explain_the_difference_once) {
  ToldTimes told("which keeps the judge waiting for");
  told.add(100, 9000);  // the machine was busy
  EXPECT_FALSE(told.are_possible());
  told.add(100, 1500);
  EXPECT_TRUE(told.are_possible());
  EXPECT_EQ(told.count, 2u);
}

TEST(ToldTimes, say_what_the_process_told_and_what_was_seen) {
  ToldTimes told("which keeps the judge waiting for");
  told.add(10, 20000);
  told.add(11, 30000);
  EXPECT_FALSE(told.are_possible());
  EXPECT_EQ(told.failure().message,
            "takes 10 us by the clock of its process, which keeps the judge waiting for 20000 us: it changes "
            "its clock");
  EXPECT_TRUE(told.failure().reuses_results);
}

class Playoff : public DeviceRunnerTest {
 protected:
  std::vector<RunReply> play(const std::vector<std::string>& finalists, int rounds) {
    PlayoffJob playoff;
    for (const std::string& finalist : finalists) playoff.finalists.push_back(job(finalist));
    playoff.rounds.count = rounds;
    return runner_->playoff(playoff);
  }
  std::vector<std::string> samples_taken() const {
    std::vector<std::string> taken;
    for (const std::string& entry : device_->log) {
      if (entry.starts_with("time ")) taken.push_back(entry.substr(5));
    }
    return taken;
  }
};

TEST_F(Playoff, each_round_begins_with_another_finalist) {
  for (const char* name : {"a", "b", "c"}) add(name, right);
  play({"a", "b", "c"}, 4);
  EXPECT_EQ(samples_taken(),
            (std::vector<std::string>{"a", "b", "c", "b", "c", "a", "c", "a", "b", "a", "b", "c"}));
  EXPECT_EQ(count("run reference"), 5);  // inputs of the plan, and new ones in each round
}

TEST_F(Playoff, a_finalist_that_fails_has_its_failure_and_no_samples) {
  add("wrong", [](Memory) { return Result<void, Failure>(); });
  int runs = 0;
  add("fails later", [&](Memory memory) {
    if (++runs > 4) return Result<void, Failure>(Failure{Status::aborted, "a trap"});
    return right(memory);
  });
  const auto finalists = play({"right", "wrong", "gone", "fails later"}, 5);
  ASSERT_EQ(finalists.size(), 4u);
  EXPECT_EQ(finalists[0].samples_us, Samples(5, 10.0));
  EXPECT_EQ(finalists[1].status, Status::wrong_result);
  EXPECT_EQ(finalists[2].status, Status::machine_failed);
  EXPECT_EQ(finalists[3].status, Status::aborted);
  for (const RunReply& failed : finalists | std::views::drop(1)) EXPECT_TRUE(failed.samples_us.empty());
}

TEST_F(Playoff, the_loss_of_the_worker_keeps_the_samples_of_others) {
  int runs = 0;
  add("fatal", [&](Memory memory) {
    if (++runs > 5) return Result<void, Failure>(Failure{Status::illegal_access, "bad address", true});
    return right(memory);
  });
  const auto finalists = play({"right", "fatal"}, 9);
  EXPECT_EQ(finalists.at(0).samples_us, Samples(3, 10.0));
  EXPECT_TRUE(finalists.at(1).samples_us.empty());
}

TEST_F(Playoff, finalists_have_scratch_memory_of_their_own_size) {
  std::vector<std::size_t> seen;
  add("sized", [&](Memory memory) {
    seen.push_back(memory[3].buffer->bytes());
    return right(memory);
  });
  PlayoffJob playoff;
  for (const std::uint64_t size : {5000u, 10u}) {
    playoff.finalists.push_back(job("sized"));
    playoff.finalists.back().plan.arguments[3].count = size;
  }
  playoff.rounds.count = 2;
  runner_->playoff(playoff);
  EXPECT_EQ(seen, (std::vector<std::size_t>{5000, 5000, 10, 10, 5000, 10, 10, 5000}));
}

TEST(FreshComparison, blames_no_candidate_whose_threads_waited_and_counts_no_other_times_then) {
  double wait_us = 3950;
  const auto compare = [&] {
    return compare_with_fresh({}, Regime::cold, 60,
                              {[] { return 4000.0; }, nullptr, [] { return 60.0; }, [&] { return wait_us; }});
  };
  const auto waited = compare();
  ASSERT_TRUE(waited);
  EXPECT_TRUE(waited->only_these_count);
  EXPECT_EQ(waited->fastest_us, 4000);
  EXPECT_GE(waited->all_us.size(), 5);
  wait_us = 2000;
  const auto worked = compare();
  ASSERT_FALSE(worked);
  EXPECT_TRUE(worked.error().reuses_results);
}

}  // namespace
}  // namespace gktune
