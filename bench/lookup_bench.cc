// Times questions to the lookup: prepared and unprepared, exact and nearest, on several threads at once, and the
// opening of a database. Usage: lookup_bench [WINNERS], by default 1000.
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "db/lookup.h"
#include "db/sqlite_store.h"

namespace gktune {
namespace {

constexpr int kRuns = 7;
constexpr int kQuestions = 200'000;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Processor time of this process: other work on the machine hardly affects it.
double used_s() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// The median over some runs of the processor's nanoseconds per call.
double median_ns(const std::function<void()>& ask_all) {
  std::vector<double> runs;
  for (int i = 0; i < kRuns; ++i) {
    const double begin = used_s();
    ask_all();
    runs.push_back((used_s() - begin) / kQuestions * 1e9);
  }
  std::ranges::sort(runs);
  return runs[kRuns / 2];
}

// Sizes from 1Ki on, 2 % apart: as a grid of one size and of three.
std::int64_t size_at(int i) { return static_cast<std::int64_t>(1024 + i * 37); }

Result<void> make_database(const std::filesystem::path& path, int winners) {
  auto store = open_sqlite_store(path, StoreAccess::write);
  if (!store) return store.error();
  const auto session = (*store)->begin_session({});
  if (!session) return session.error();
  for (int i = 0; i < winners; ++i) {
    const Problem line{{"element", "float"}, {"operation", "sum"}, {"n", size_at(i)}};
    const Problem grid{{"T", "half"}, {"m", 64 << i % 10}, {"n", 64 << i / 10 % 10}, {"k", 64 << i / 100 % 10}};
    for (const auto& [kernel, problem] : {std::pair("reduce", line), std::pair("matmul", grid)}) {
      const auto study = (*store)->study_id(
          {kernel, "f", {"cuda", "NVIDIA H200", "sm_90", 132}, problem, Regime::cold, "time"});
      if (!study) return study.error();
      Trial trial;
      trial.config = {{"threads_per_block", 256}, {"elements", i}};
      trial.samples_us = {1};
      trial.timing.median_us = trial.objective = 1;
      if (auto added = (*store)->add_trial(*study, *session, trial); !added) return added;
    }
  }
  return {};
}

// Bar 0: there is none.
void print(const char* what, double ns, const char* peer, double peer_ns, double bar_ns = 0) {
  std::printf("%-44s %8.1f ns   %-38s %8.1f ns   ratio %5.2f", what, ns, peer, peer_ns, ns / peer_ns);
  if (bar_ns > 0) std::printf("   bar %.0f ns", bar_ns);
  std::printf("\n");
}

int run(int winners) {
  const auto path = std::filesystem::temp_directory_path() / ("lookup_bench-" + std::to_string(::getpid()) + ".db");
  if (auto made = make_database(path, winners); !made) {
    std::fprintf(stderr, "%s\n", made.error().message.c_str());
    return 1;
  }
  // Other work on the machine delays it: the shortest of several counts.
  double open_ms = 0, open_used_ms = 0;
  for (int i = 0; i < kRuns; ++i) {
    const double begin = now_s(), begin_used = used_s();
    const auto opened = Lookup::open(path);
    const double ms = (now_s() - begin) * 1e3, used_ms = (used_s() - begin_used) * 1e3;
    open_ms = i == 0 ? ms : std::min(open_ms, ms);
    open_used_ms = i == 0 ? used_ms : std::min(open_used_ms, used_ms);
  }
  const auto lookup = Lookup::open(path);
  for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path.string() + suffix);
  if (!lookup) {
    std::fprintf(stderr, "%s\n", lookup.error().message.c_str());
    return 1;
  }
  std::printf("%d winners of two kernels each; opening takes %.1f ms (%.1f ms of processor time), %.2f us per winner;"
              " bar 50 ms for 100,000\n",
              winners, open_ms, open_used_ms, open_ms * 1e3 / (2 * winners));

  std::int64_t sum = 0;
  // The least that an exact answer can cost: one size in a hash table.
  std::unordered_map<std::int64_t, int> table;
  for (int i = 0; i < winners; ++i) table[size_at(i)] = i;
  const double table_ns = median_ns([&] {
    for (int i = 0; i < kQuestions; ++i) sum += table.find(size_at(i * 7 % winners))->second;
  });
  KernelLookup reduce = lookup->prepare("reduce", {"element", "operation", "n"});
  const auto ask_exactly = [winners](KernelLookup& kernel) {
    std::int64_t found = 0;
    for (int i = 0; i < kQuestions; ++i) {
      found += static_cast<std::int64_t>(kernel.best({"float", "sum", size_at(i * 7 % winners)}).match);
    }
    return found;
  };
  const char* peer = "find in std::unordered_map of sizes";
  const double exact_ns = median_ns([&] { sum += ask_exactly(reduce); });
  print("prepared, exact, 2 texts and 1 size", exact_ns, peer, table_ns, 50);
  print("prepared, nearest, 2 texts and 1 size", median_ns([&] {
          for (int i = 0; i < kQuestions; ++i)
            sum += static_cast<std::int64_t>(reduce.best({"float", "sum", size_at(i * 7 % winners) + 5}).match);
        }),
        peer, table_ns, 1000);
  KernelLookup matmul = lookup->prepare("matmul", {"T", "m", "n", "k"});
  print("prepared, nearest, 1 text and 3 sizes", median_ns([&] {
          for (int i = 0; i < kQuestions; ++i)
            sum += static_cast<std::int64_t>(matmul.best({"half", 70 << i % 10, 100 << i % 9, 80 << i % 8}).match);
        }),
        peer, table_ns, 1000);
  print("not prepared, exact, 2 texts and 1 size", median_ns([&] {
          for (int i = 0; i < kQuestions; ++i) {
            sum += static_cast<std::int64_t>(
                lookup->best("reduce", {{"element", "float"}, {"operation", "sum"}, {"n", size_at(i * 7 % winners)}})
                    .match);
          }
        }),
        peer, table_ns);

  const int threads = std::max(16, static_cast<int>(std::thread::hardware_concurrency()));
  std::atomic<std::int64_t> found{0};
  const double threads_ns = median_ns([&] {
    std::vector<std::jthread> askers;
    for (int t = 0; t < threads; ++t) {
      askers.emplace_back([&] {
        KernelLookup own = reduce;
        found += ask_exactly(own);
      });
    }
  });
  const std::string name = "prepared, exact, on each of " + std::to_string(threads) + " threads";
  print(name.c_str(), threads_ns / threads, "the same on one thread", exact_ns);
  return sum + found == 0 ? 2 : 0;
}

}  // namespace
}  // namespace gktune

int main(int argc, char** argv) {
  const int winners = argc > 1 ? std::atoi(argv[1]) : 1000;
  if (winners < 1) {
    std::fprintf(stderr, "usage: lookup_bench [WINNERS], at least 1\n");
    return 2;
  }
  return gktune::run(winners);
}
