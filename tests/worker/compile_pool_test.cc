#include "tuner/device/worker/compile_pool.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "tests/process/processes.h"

namespace gktune {
namespace {

// Variants of one source text. The argument says how their compilation ends.
SourcePlan source(const std::string& compile) {
  static int number = 0;
  SourcePlan plan;
  plan.text = "the same for all";
  plan.macros = {{"COMPILE", compile}, {"NUMBER", std::to_string(++number)}};
  return plan;
}

CompilePool pool_of_one() {
  CompilePool::Options options;
  options.command = {{GKTUNE_SCRIPTED_WORKER, "/nonexistent"}, {"host", 0}, WorkerRole::compile, {}};
  options.batch = 4;
  return CompilePool(std::move(options));
}

bool is_compiling() { return count_children(::getpid(), "gktune-compiles") > 0; }

// Advances the pool until `count` sources are finished.
std::vector<CompilePool::Finished> finished_sources(CompilePool& pool, std::size_t count) {
  std::vector<CompilePool::Finished> all;
  EXPECT_TRUE(eventually([&] {
    pool.dispatch(CompilePool::Haste::start_what_is_there);
    pool.advance(Clock::now());
    for (CompilePool::Finished& each : pool.take_finished()) all.push_back(std::move(each));
    return all.size() >= count;
  }));
  return all;
}

// Their ids.
std::vector<std::uint64_t> finished(CompilePool& pool, std::size_t count) {
  std::vector<std::uint64_t> ids;
  for (const auto& each : finished_sources(pool, count)) ids.push_back(each.id);
  return ids;
}

// The pool compiles sources of one text together after it knows the cost of one alone.
constexpr std::uint64_t kAlone = 5;
void learn_cost_alone(CompilePool& pool) {
  for (std::uint64_t id = 1; id <= kAlone; ++id) {
    pool.add(100 + id, source("ok"));
    EXPECT_EQ(finished(pool, 1), (std::vector<std::uint64_t>{100 + id}));
  }
}

// Advances the pool until a worker compiles the waiting sources.
void start(CompilePool& pool) {
  EXPECT_TRUE(eventually([&] {
    pool.advance(Clock::now());
    pool.dispatch(CompilePool::Haste::start_what_is_there);
    return is_compiling();
  }));
}

TEST(compile_pool, does_not_retry_candidates_withdrawn_from_a_failed_batch) {
  for (const char* spoiler : {"fail", "crash"}) {
    CompilePool pool = pool_of_one();
    learn_cost_alone(pool);
    pool.add(1, source("slow"));
    pool.add(2, source(spoiler));
    pool.add(3, source("ok"));
    start(pool);
    pool.withdraw(1, Clock::now());
    pool.withdraw(2, Clock::now());
    EXPECT_EQ(finished(pool, 1), (std::vector<std::uint64_t>{3})) << spoiler;
    pool.add(4, source("ok"));
    EXPECT_EQ(finished(pool, 1), (std::vector<std::uint64_t>{4})) << spoiler;
  }
}

// The scripted compiler answers with the number of sources that it got at once.
std::vector<std::string> batches_of(CompilePool& pool, const std::string& compile, std::uint64_t count) {
  for (std::uint64_t id = 1; id <= count; ++id) pool.add(id, source(compile));
  std::vector<std::string> batches;
  for (const auto& each : finished_sources(pool, count)) batches.push_back(each.variant.module.symbols[0]);
  return batches;
}

TEST(compile_pool, compiles_the_first_sources_alone_and_then_several_together) {
  CompilePool pool = pool_of_one();
  std::vector<std::string> expected(kAlone, "1");
  expected.insert(expected.end(), 2, "2");  // never more than twice as many as before
  expected.insert(expected.end(), 8, "4");
  EXPECT_EQ(batches_of(pool, "ok", kAlone + 2 + 8), expected);
}

TEST(compile_pool, compiles_each_source_alone_if_several_together_take_longer) {
  CompilePool pool = pool_of_one();
  const std::vector<std::string> batches = batches_of(pool, "together_slower", kAlone + 24);
  EXPECT_EQ(std::ranges::count(batches, "2"), 2);
  EXPECT_EQ(std::ranges::count(batches, "4"), 16);
  EXPECT_EQ(batches.back(), "1");
}

TEST(compile_pool, compiles_a_source_once_for_all_candidates_that_wait_for_it) {
  CompilePool pool = pool_of_one();
  const SourcePlan slow = source("slow");
  pool.add(1, slow);
  start(pool);
  pool.add(2, slow);
  pool.add(3, slow);
  pool.withdraw(1, Clock::now());
  EXPECT_TRUE(is_compiling());
  EXPECT_EQ(finished(pool, 2), (std::vector<std::uint64_t>{2, 3}));
  EXPECT_FALSE(is_compiling());
  // Sources that wait and sources that fail are shared too.
  const SourcePlan failing = source("fail");
  for (std::uint64_t id = 4; id <= 6; ++id) pool.add(id, failing);
  pool.withdraw(5, Clock::now());
  EXPECT_EQ(finished(pool, 2), (std::vector<std::uint64_t>{4, 6}));
}

TEST(compile_pool, counts_the_cost_of_a_shared_compilation_once) {
  CompilePool pool = pool_of_one();
  const SourcePlan shared = source("ok");
  for (std::uint64_t id = 1; id <= 3; ++id) pool.add(id, shared);
  double seconds = 0;
  for (const auto& each : finished_sources(pool, 3)) {
    EXPECT_EQ(each.variant.status, Status::ok);
    EXPECT_FALSE(each.variant.module.symbols.empty());
    seconds += each.variant.seconds;
  }
  EXPECT_DOUBLE_EQ(seconds, 1e-6);
}

TEST(compile_pool, ends_a_batch_when_all_of_it_is_withdrawn) {
  CompilePool pool = pool_of_one();
  learn_cost_alone(pool);
  pool.add(1, source("hang"));
  pool.add(2, source("ok"));
  start(pool);
  pool.withdraw(1, Clock::now());
  EXPECT_TRUE(is_compiling());
  pool.withdraw(2, Clock::now());
  EXPECT_FALSE(is_compiling());
  pool.add(3, source("ok"));
  EXPECT_EQ(finished(pool, 1), (std::vector<std::uint64_t>{3}));
}

}  // namespace
}  // namespace gktune
