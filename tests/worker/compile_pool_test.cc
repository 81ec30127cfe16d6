#include "tuner/device/worker/compile_pool.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "processes.h"

namespace gktune {
namespace {

// Sources that share their text, and say how they compile.
SourcePlan source(const std::string& compile) {
  SourcePlan plan;
  plan.text = "the same for all";
  plan.macros = {{"COMPILE", compile}};
  return plan;
}

CompilePool pool_of_one() {
  CompilePool::Options options;
  options.command = {{GKTUNE_SCRIPTED_WORKER, "/nonexistent"}, {"host", 0}, WorkerRole::compile, {}};
  options.batch = 4;
  return CompilePool(std::move(options));
}

bool is_compiling() { return count_children(::getpid(), "gktune-compiles") > 0; }

// Lets the pool go on until so many are finished, and says which.
std::vector<std::uint64_t> finished(CompilePool& pool, std::size_t count) {
  std::vector<std::uint64_t> ids;
  EXPECT_TRUE(eventually([&] {
    pool.dispatch(CompilePool::Haste::start_what_is_there);
    pool.advance(Clock::now());
    for (const CompilePool::Finished& each : pool.take_finished()) ids.push_back(each.id);
    return ids.size() >= count;
  }));
  return ids;
}

// Lets it go on until a worker compiles what waits.
void start(CompilePool& pool) {
  EXPECT_TRUE(eventually([&] {
    pool.advance(Clock::now());
    pool.dispatch(CompilePool::Haste::start_what_is_there);
    return is_compiling();
  }));
}

TEST(compile_pool, does_not_try_again_what_was_withdrawn_from_a_batch_that_fails) {
  for (const char* spoiler : {"fail", "crash"}) {
    CompilePool pool = pool_of_one();
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

TEST(compile_pool, gives_a_batch_up_once_all_of_it_is_withdrawn) {
  CompilePool pool = pool_of_one();
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
