// Times questions to the lookup: prepared and unprepared, exact and nearest, on several threads at once, and
// the opening of a database. Usage: lookup_bench [SIZES [WINNERS]], by default questions among 1,000 sizes,
// and 10,000 winners in the database that is opened.
#include <sys/wait.h>
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
#include <utility>
#include <vector>

#include "db/database.h"
#include "db/sqlite/connection.h"
#include "gktune/lookup.h"

namespace gktune {
namespace {

constexpr int kRuns = 7;
constexpr int kQuestions = 200'000;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Processor time of this process, or of this thread: other work on the machine hardly affects it.
double used_s(clockid_t clock = CLOCK_PROCESS_CPUTIME_ID) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// The median over some runs of the processor's nanoseconds per call.
double median_ns(const std::function<void()>& ask_all) {
  std::vector<double> runs;
  for (int i = 0; i < kRuns; ++i) {
    const double begin = used_s();
    ask_all();
    runs.push_back((used_s() - begin) / kQuestions * 1e9);
  }
  return median(std::move(runs));
}

[[noreturn]] void fail(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(1);
}

// The sizes of the first kernel.
std::int64_t size_at(int i) { return static_cast<std::int64_t>(1024 + i * 37); }

// The winners of two kernels, a trial each, for as many sizes. Made by SQL: a tuner
// writes one trial after the other.
void make_database(const std::filesystem::path& path, int sizes) {
  if (const auto store = Database::open(path, Database::Access::write); !store) fail(store.error().message);
  sqlite::Connection file(path, sqlite::Connection::Access::create, std::chrono::seconds(1));
  const std::string all = std::to_string(sizes);
  file.execute("BEGIN");
  file.execute(
      "INSERT INTO devices (id, kind, name, architecture, multiprocessors) VALUES (1, 'cuda', 'NVIDIA H200', "
      "'sm_90', 132)");
  file.execute(
      "INSERT INTO sessions (id, uuid, tool_version, host_name, driver, runtime, compiler, figures, command_line, "
      "begun_ms, ended_ms) VALUES (1, 'session', '0.1.0', 'host', '580.1', '13.0', 'NVRTC 13.0', '{}', 'gktune "
      "run', 1000, 1000)");
  file.execute(
      "WITH RECURSIVE i (x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM i WHERE x < " + all +
      " - 1) INSERT INTO studies (kernel, fingerprint, device_id, problem, regime, objective)"
      " SELECT 'reduce', 'f', 1, '{\"element\":\"float\",\"n\":' || (1024 + 37 * x) || "
      "',\"operation\":\"sum\"}',"
      "  'cold', 'time' FROM i"
      " UNION ALL SELECT 'matmul', 'f', 1, '{\"T\":\"half\",\"k\":' || (64 << x / 100 % 10) || ',\"m\":' ||"
      "  (64 << x % 10) || ',\"n\":' || ((64 << x / 10 % 10) + x / 1000) || '}', 'cold', 'time' FROM i");
  file.execute(
      "INSERT INTO trials (study_id, session_id, number, config, status, message, objective, "
      "is_dropped_early, median_us, low_us, high_us, min_us, mean_us, deviation_us, metrics, registers, "
      "spill_bytes, static_shared_bytes, dynamic_shared_bytes, occupancy, grid_x, grid_y, grid_z, block_x, "
      "block_y, block_z, clock_mhz, throttled, compile_s, run_s, started_ms, ended_ms, samples)"
      " SELECT id, 1, id, '{\"elements\":' || (id % 50) || ',\"threads_per_block\":256}', 'ok', '', 1, 0, "
      "1, 1, 1, 1, 1,  0, '{}', 32, 0, 0, 1024, 0.5, 100, 1, 1, 256, 1, 1, 1980, 0, 0.1, 0.01, 0, id, "
      "zeroblob(80) FROM studies");
  file.execute("COMMIT");
}

void remove_database(const std::filesystem::path& path) {
  for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path.string() + suffix);
}

std::filesystem::path temporary(const std::string& name) {
  return std::filesystem::temp_directory_path() /
         ("lookup_bench-" + std::to_string(::getpid()) + '-' + name + ".db");
}

void time_opening(int winners) {
  const auto path = temporary("opened");
  make_database(path, winners / 2);
  // Other work on the machine delays it: the shortest of several counts.
  double open_ms = 0, open_used_ms = 0;
  for (int i = 0; i < kRuns; ++i) {
    const double begin = now_s(), begin_used = used_s();
    const auto opened = Lookup::open(path);
    const double ms = (now_s() - begin) * 1e3, used_ms = (used_s() - begin_used) * 1e3;
    if (!opened) fail(opened.error().message);
    open_ms = i == 0 ? ms : std::min(open_ms, ms);
    open_used_ms = i == 0 ? used_ms : std::min(open_used_ms, used_ms);
  }
  remove_database(path);
  std::printf(
      "opening a database of %d winners takes %.1f ms (%.1f ms of processor time)\n",
      winners, open_ms, open_used_ms);
}

// Bar 0: there is none.
void print(const char* what, double ns, const char* peer, double peer_ns, double bar_ns = 0) {
  std::printf("%-44s %8.1f ns   %-38s %8.1f ns   ratio %5.2f", what, ns, peer, peer_ns, ns / peer_ns);
  if (bar_ns > 0) std::printf("   bar %.0f ns", bar_ns);
  std::printf("\n");
}

int run(int winners) {
  const auto path = temporary("asked");
  make_database(path, winners);
  const auto lookup = Lookup::open(path);
  if (!lookup) fail(lookup.error().message);
  remove_database(path);
  std::printf("%d winners of two kernels each\n", winners);

  std::int64_t sum = 0;
  // The least that an exact answer can cost: one size in a hash table.
  std::unordered_map<std::int64_t, int> table;
  for (int i = 0; i < winners; ++i) table[size_at(i)] = i;
  const double table_ns = median_ns([&] {
    for (int i = 0; i < kQuestions; ++i) sum += table.find(size_at(i * 7 % winners))->second;
  });
  KernelLookup reduce = lookup->prepare("reduce", {"element", "operation", "n"});
  const Answer& answer = reduce.best({"float", "sum", size_at(0)});
  if (answer.match != Match::exact) fail("no exact answer: " + answer.reason);
  const auto ask_exactly = [winners](KernelLookup& kernel) {
    std::int64_t found = 0;
    for (int i = 0; i < kQuestions; ++i) {
      found += static_cast<std::int64_t>(kernel.best({"float", "sum", size_at(i * 7 % winners)}).match);
    }
    return found;
  };
  const char* peer = "find in std::unordered_map of sizes";
  const double exact_ns = median_ns([&] { sum += ask_exactly(reduce); });
  print("prepared, exact, 2 texts and 1 size", exact_ns, peer, table_ns, 60);
  print("prepared, nearest, 2 texts and 1 size", median_ns([&] {
          for (int i = 0; i < kQuestions; ++i)
            sum +=
                static_cast<std::int64_t>(reduce.best({"float", "sum", size_at(i * 7 % winners) + 5}).match);
        }),
        peer, table_ns, 5000);
  KernelLookup matmul = lookup->prepare("matmul", {"T", "m", "n", "k"});
  print("prepared, nearest, 1 text and 3 sizes", median_ns([&] {
          for (int i = 0; i < kQuestions; ++i)
            sum += static_cast<std::int64_t>(
                matmul.best({"half", 70 << i % 10, 100 << i % 9, 80 << i % 8}).match);
        }),
        peer, table_ns, 5000);
  print("not prepared, exact, 2 texts and 1 size", median_ns([&] {
          for (int i = 0; i < kQuestions; ++i) {
            sum += static_cast<std::int64_t>(
                lookup
                    ->best("reduce",
                           {{"element", "float"}, {"operation", "sum"}, {"n", size_at(i * 7 % winners)}})
                    .match);
          }
        }),
        peer, table_ns);

  // Many lookups at once, in threads and in processes. Processes share no written memory, so the difference
  // is the cost of shared cache lines.
  const int askers = std::max(16, static_cast<int>(std::thread::hardware_concurrency()));
  std::atomic<std::int64_t> found{0};
  const auto own_ns = [&] {
    KernelLookup own = reduce;
    const double begin = used_s(CLOCK_THREAD_CPUTIME_ID);
    found += ask_exactly(own);
    return (used_s(CLOCK_THREAD_CPUTIME_ID) - begin) / kQuestions * 1e9;
  };
  std::vector<double> of_threads, of_processes;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<double> own(static_cast<std::size_t>(askers));
    {
      std::vector<std::jthread> threads;
      for (double& ns : own) threads.emplace_back([&] { ns = own_ns(); });
    }
    of_threads.insert(of_threads.end(), own.begin(), own.end());
    int channel[2];
    if (::pipe(channel) != 0) fail("no pipe");
    for (int i = 0; i < askers; ++i) {
      if (::fork() != 0) continue;
      const double ns = own_ns();
      ::_exit(::write(channel[1], &ns, sizeof ns) == sizeof ns ? 0 : 1);
    }
    ::close(channel[1]);
    for (double ns = 0; ::read(channel[0], &ns, sizeof ns) == sizeof ns;) of_processes.push_back(ns);
    ::close(channel[0]);
    while (::wait(nullptr) > 0) {
    }
  }
  if (of_processes.size() != of_threads.size()) fail("a process failed");
  const std::string each = std::to_string(askers);
  print(("prepared, exact, on each of " + each + " threads").c_str(), median(of_threads),
        "the same on one thread", exact_ns);
  print(("prepared, exact, on each of " + each + " threads").c_str(), median(of_threads),
        ("the same in each of " + each + " processes").c_str(), median(of_processes));
  return sum + found == 0 ? 2 : 0;
}

}  // namespace
}  // namespace gktune

int main(int argc, char** argv) {
  const int sizes = argc > 1 ? std::atoi(argv[1]) : 1000, winners = argc > 2 ? std::atoi(argv[2]) : 10'000;
  if (argc > 3 || sizes < 1 || winners < 2) {
    std::fprintf(stderr, "usage: lookup_bench [SIZES [WINNERS]]\n");
    return 2;
  }
  const int code = gktune::run(sizes);
  gktune::time_opening(winners);
  return code;
}
