// Times the commands that query a database with many trials, portfolios on problems that were held back, and
// the header that holds such a portfolio, which $CXX compiles. Usage: database_bench [TRIALS [STUDIES
// [FILE]]], by default a million and a thousand; FILE keeps the database for the next call.
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "db/winner_export.h"
#include "engine/portfolio/make_portfolio.h"
#include "db/sqlite/connection.h"
#include "db/database.h"

namespace gktune {
namespace {

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Trials as a tuner writes them, made by SQL: each study has the same configurations, one in ten
// failed, one in twenty was measured again, and each study had a playoff. One study in twenty is of an
// earlier version of its kernel.
void make_database(const std::filesystem::path& path, std::int64_t trials, std::int64_t studies) {
  { auto store = Database::open(path, Database::Access::write); }
  sqlite::Connection file(path, sqlite::Connection::Access::create, std::chrono::seconds(1));
  const std::string each = std::to_string(trials / studies), all = std::to_string(studies);
  file.execute("BEGIN");
  file.execute(
      "INSERT INTO devices (id, kind, name, architecture, multiprocessors) VALUES (1, 'cuda', 'NVIDIA H200', "
      "'sm_90', 132), (2, 'cuda', 'NVIDIA H100', 'sm_90', 114)");
  file.execute(
      "WITH RECURSIVE i (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM i WHERE x < 200) INSERT INTO sessions "
      "(id, uuid, tool_version, host_name, driver, runtime, compiler, figures, command_line, begun_ms, ended_ms) "
      "SELECT x, 'session ' || x, '0.1.0', 'host', '580.1', '13.0', 'NVRTC 13.0', '{}', 'gktune run', x * 1000, x "
      "* 1000 FROM i");
  file.execute(
      "WITH RECURSIVE i (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM i WHERE x < " + all +
      ") INSERT INTO studies (id, kernel, fingerprint, device_id, problem, regime, objective)"
      " SELECT x, 'kernel' || (x % 10), iif(x % 20 = 7, 'f0', 'f1'), 1 + x % 2, '{\"T\":\"float\",\"n\":' || "
      "(1024 * x) || '}', 'cold', 'time' FROM i");
  file.execute(
      "WITH RECURSIVE i (x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM i WHERE x < " + each +
      " - 1), t AS (SELECT s.id AS study, x, x - (x % 20 = 1) AS config, abs((x * 7919 + s.id * 104729) % "
      "10007) / 10.0 + 10 AS us,  (x * 31 + s.id) % 10 = 0 AS is_failed FROM studies s, i) INSERT INTO "
      "trials (study_id, session_id, number, config, status, message, objective, "
      "is_dropped_early, median_us, low_us, high_us, min_us, mean_us, deviation_us, metrics, registers, "
      "spill_bytes, static_shared_bytes, dynamic_shared_bytes, occupancy, grid_x, grid_y, grid_z, block_x, "
      "block_y, block_z, clock_mhz, throttled, compile_s, run_s, started_ms, ended_ms, samples) SELECT "
      "study, 1 + study % 200, study * 1000000 + x,"
      " '{\"batchSize\":' || (config / 64) || ',\"threadsPerBlock\":' || (32 * (config % 64)) || "
      "',\"way\":\"one_pass\"}',"
      " iif(is_failed, 'wrong_result', 'ok'), iif(is_failed, '3 of 7 elements differ', ''), iif(is_failed, "
      "NULL, us),"
      " us > 500, us, us, us, us, us, 0, '{\"GB/s\":123.5}', 32, 0, 0, 1024, 0.5, 100, 1, 1, 256, 1, 1, "
      "1980, 0, 0.1, 0.01, 1000 * study, 1000 * study + x - 2 * (x % 20 = 1), zeroblob(80) FROM t");
  file.execute(
      "INSERT INTO playoffs (study_id, session_id, held_ms) SELECT id, 1 + id % 200, 900000000 FROM studies");
  file.execute(
      "INSERT INTO finalists (playoff_id, place, trial_id, objective, median_us, low_us, high_us, metrics, "
      "samples) SELECT p.id, r.place, r.id, r.objective, r.objective, r.objective, r.objective, '{}', "
      "zeroblob(400) FROM playoffs p JOIN (SELECT id, study_id, objective, row_number() OVER (PARTITION BY "
      "study_id  ORDER BY objective) AS place FROM trials WHERE status = 'ok') r ON "
      "r.study_id = p.study_id WHERE r.place <= 5");
  file.execute("COMMIT");
}

// A command line of gktune, without its last words: --db FILE.
struct Command {
  std::vector<std::string> words;
  bool has_bar = true;  // its answer does not grow with the number of trials
};

constexpr double kBar_s = 0.2;
constexpr int kRuns = 7;

// The elapsed time, and the processor time, which other work on the machine lengthens less.
struct RunTime {
  double elapsed_s = 0, processor_s = 0;
};

// Runs gktune as a shell does, and drops what it prints.
RunTime run_gktune(std::vector<std::string> words, const std::filesystem::path& database) {
  words.insert(words.begin(), GKTUNE_PROGRAM);
  words.insert(words.end(), {"--db", database.string()});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&files, stream, "/dev/null", O_WRONLY, 0);
  const double begin = now_s();
  pid_t child = 0;
  const bool is_started =
      posix_spawn(&child, GKTUNE_PROGRAM, &files, nullptr, arguments.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&files);
  int status = 0;
  rusage use{};
  if (!is_started || ::wait4(child, &status, 0, &use) != child || !WIFEXITED(status) ||
      WEXITSTATUS(status) != 0) {
    std::fprintf(stderr, "failed:");
    for (const std::string& word : words) std::fprintf(stderr, " '%s'", word.c_str());
    std::fprintf(stderr, "\n");
    std::exit(1);
  }
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return {now_s() - begin, seconds(use.ru_utime) + seconds(use.ru_stime)};
}

std::string line_of(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    const bool is_plain = word.find_first_of(" '*()") == word.npos;
    line += (line.empty() ? "" : " ") + (is_plain ? word : '"' + word + '"');
  }
  return line;
}

// Prints the median of the runs of each command. Returns the number of those above their bar.
int time_commands(const std::vector<Command>& commands, const std::filesystem::path& database) {
  int slow = 0;
  for (const Command& command : commands) {
    std::vector<double> elapsed, processor;
    for (int i = 0; i < (command.has_bar ? kRuns : 1); ++i) {
      const RunTime time = run_gktune(command.words, database);
      elapsed.push_back(time.elapsed_s);
      processor.push_back(time.processor_s);
    }
    std::ranges::sort(elapsed);
    std::ranges::sort(processor);
    const double median_s = elapsed[elapsed.size() / 2], busy_s = processor[processor.size() / 2];
    std::printf("%-86s %8.1f ms %8.1f ms", line_of(command.words).c_str(), median_s * 1e3, busy_s * 1e3);
    if (command.has_bar)
      std::printf("  %.2f of the bar%s", median_s / kBar_s, busy_s > kBar_s ? ", slow" : "");
    std::printf("\n");
    slow += command.has_bar && busy_s > kBar_s ? 1 : 0;
  }
  return slow;
}

std::filesystem::path temporary(const std::string& suffix) {
  return std::filesystem::temp_directory_path() / ("database_bench-" + std::to_string(::getpid()) + suffix);
}

// Everything that a user asks. `middle` is a study with 1/STUDIES of the trials.
std::vector<Command> queries(std::int64_t trials, std::int64_t studies) {
  const std::int64_t middle = studies / 20 * 10 + 4;  // of kernel4, on the H200
  const std::string kernel = "kernel4", study = std::to_string(middle);
  const std::string problem = "n=" + std::to_string(1024 * middle);
  std::vector<Command> all = {{{"--version"}},
                              {{"best"}},
                              {{"best", "--why"}},
                              {{"best", "--json"}},
                              {{"best", kernel}},
                              {{"best", kernel, "--why"}},
                              {{"best", kernel, "--device", "H200", "--problem", problem}},
                              {{"best", kernel, "--problem", problem, "--why"}},
                              {{"best", kernel, "--problem", "T=float,n=12345"}},
                              {{"db", "ls"}},
                              {{"db", "ls", "--json"}},
                              {{"db", "ls", "--kernel", kernel}},
                              {{"db", "ls", "--device", "H100"}},
                              {{"db", "ls", "--problem", problem}},
                              {{"db", "ls", "--status", "wrong_result"}},
                              {{"db", "ls", "--newer", "7d"}},
                              {{"db", "ls", "--older", "7d"}},
                              {{"db", "show", study}},
                              {{"db", "show", kernel + "/" + problem + "@H200"}},
                              {{"db", "show", study, "--failed"}},
                              {{"db", "show", study, "--status", "wrong_result"}},
                              {{"db", "show", study, "--limit", "0"}},
                              {{"db", "show", study, "--limit", "5", "--csv"}},
                              {{"db", "show", study, "--importance"}},
                              {{"db", "show", kernel}},
                              {{"db", "show", "--status", "wrong_result"}},
                              {{"db", "show", "--older", "7d", "--json"}},
                              {{"db", "sql", "SELECT kernel, min(median_us) FROM best_view GROUP BY kernel"}},
                              {{"db", "rm", study, "--dry-run"}},
                              {{"db", "rm", "--kernel", kernel, "--dry-run"}}};
  for (const std::string format : {"header", "flags", "kernel-tuner"})
    all.push_back({{"db", "export", study, "--format", format}});
  all.push_back({{"db", "export", kernel, "--device", "H200", "--format", "header"}});
  // Their work or their answer grows with the number of trials.
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"db", "show", kernel, "--limit", "0"},
        {"db", "show", kernel, "--importance", "--limit", "0"},
        {"db", "portfolio", kernel, "--dry-run"},
        {"db", "check"},
        {"report", kernel, "-o", temporary(".html").string()}})
    all.push_back({words, false});
  return all;
}

int time_queries(std::int64_t trials, std::int64_t studies, const char* kept) {
  const std::filesystem::path path = kept != nullptr ? kept : temporary(".db");
  if (!std::filesystem::exists(path)) {
    const double begin = now_s();
    make_database(path, trials, studies);
    std::printf("%lld trials of %lld studies, %.0f MiB, made in %.1f s\n", static_cast<long long>(trials),
                static_cast<long long>(studies),
                static_cast<double>(std::filesystem::file_size(path)) / (1 << 20), now_s() - begin);
  }
  std::printf(
      "each line is a run of gktune: its elapsed time, its processor time, and the share of the bar of %.1f "
      "s\n",
      kBar_s);
  time_commands({{{"db", "portfolio", "kernel4"}, false}}, path);  // stored, for the questions to it
  const int slow = time_commands(queries(trials, studies), path);
  std::filesystem::remove(temporary(".html"));
  std::printf("%d take more than %.1f s of processor time\n", slow, kBar_s);
  if (kept == nullptr) {
    std::vector<std::string> removal = {"db", "rm"};
    for (std::int64_t i = 1; i <= 500; ++i)
      removal.insert(removal.end(), {"--trial", std::to_string(i * (trials / 500))});
    const RunTime time = run_gktune(removal, path);
    std::printf("db rm of 500 trials of as many studies: %.1f s, %.1f s of processor time\n", time.elapsed_s,
                time.processor_s);
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path.string() + suffix);
  }
  std::printf("\n");
  return slow == 0 ? 0 : 1;
}

// A kernel's time on a device with 132 multiprocessors, by a simple model: waves of blocks, the latency of a
// block, and the bandwidth that so many threads reach.
double model_us(double n, double threads, double per_thread, bool is_two_pass) {
  const double blocks = std::ceil(n / (threads * per_thread));
  const double waves = std::ceil(blocks / (132 * std::floor(2048 / threads)));
  const double busy = std::min(1.0, blocks * threads / (132.0 * 1024));
  const double bandwidth = n * 4 / (4.6e6 * (0.15 + 0.85 * busy * (per_thread / (per_thread + 1.5))));
  return 2 + (is_two_pass ? 2.5 : 0.0004 * blocks) + waves * (0.3 + 0.02 * per_thread + 0.0004 * threads) +
         bandwidth;
}

void print_loss(const char* name, const PortfolioLoss& loss) {
  std::printf("%-46s %6.2f %% on average, %6.2f %% at worst, %zu not measured\n", name, loss.mean * 100,
              loss.worst * 100, loss.unmeasured);
}

// Questions to the header of a portfolio, as a program asks them that has included it.
constexpr const char* kAsker = R"(#include "tuned.h"
#include <algorithm>
#include <cstdio>
#include <ctime>
using namespace tuned_model;
std::int64_t sizes[1024];
template <class Ask> void time_questions(const char* name, Ask ask) {
  constexpr int kRounds = 4000;
  double runs[7];
  std::int64_t sum = 0;
  std::uint64_t random = 1;
  for (double& ns : runs) {
    const std::clock_t begin = std::clock();  // processor time
    for (int round = 0; round < kRounds; ++round) {
      for (int i = 0; i < 1024; ++i) {
        random = random * 6364136223846793005u + 1;  // no order that the processor could learn
        sum += ask(Problem{sizes[random >> 54]});
      }
    }
    ns = 1e9 * double(std::clock() - begin) / CLOCKS_PER_SEC / kRounds / 1024;
  }
  std::sort(runs, runs + 7);
  std::printf("%-46s %8.1f ns%s\n", name, runs[3], sum == 0 ? "?" : "");
}
int main() {
  constexpr auto kTunedSizes = sizeof kTuned / sizeof kTuned[0];
  for (int i = 0; i < 1024; ++i) sizes[i] = kTuned[i * 7919 % kTunedSizes].problem.n;
  time_questions("header: best() of a tuned problem", [](const Problem& problem) { return best(problem).threads; });
  for (int i = 0; i < 1024; ++i) sizes[i] += 1 + i;
  time_questions("header: best() of another problem", [](const Problem& problem) { return best(problem).threads; });
  time_questions("header: choose(), the tree alone", [](const Problem& problem) { return choose(problem).threads; });
}
)";

void time_header(const CostTable& table, const Portfolio& made) {
  Portfolio portfolio = made;
  portfolio.kernel = "model";
  std::vector<Winner> winners;
  for (std::size_t i = 0; i < table.problems.size(); ++i) {
    Winner& best = winners.emplace_back();
    best.study.kernel = "model";
    best.study.problem = table.problems[i];
    best.trial.config = table.configs[table.winners[i]];
  }
  const auto text = header_text(winners, portfolio, {});
  if (!text) {
    std::fprintf(stderr, "%s\n", text.error().message.c_str());
    std::exit(1);
  }
  const auto folder = temporary("-header");
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "tuned.h") << *text;
  std::ofstream(folder / "asker.cc") << kAsker;
  const char* compiler = std::getenv("CXX");
  const std::string command = std::string(compiler != nullptr ? compiler : "c++") + " -std=c++17 -O2 -o '" +
                              (folder / "asker").string() + "' '" + (folder / "asker.cc").string() +
                              "' && '" + (folder / "asker").string() + "'";
  std::fflush(stdout);
  const int code = std::system(command.c_str());
  std::filesystem::remove_all(folder);
  if (code != 0) std::exit(1);
}

void make_portfolios() {
  CostTable table;
  for (int size = 0; size < 40; ++size)
    table.problems.push_back({{"n", static_cast<std::int64_t>(std::exp2(10 + size * 0.5))}});
  for (const int threads : {64, 128, 256, 512, 1024}) {
    for (const int per_thread : {1, 2, 4, 8, 16, 32}) {
      for (const bool is_two_pass : {false, true})
        table.configs.push_back({{"threads", threads}, {"perThread", per_thread}, {"two_pass", is_two_pass}});
    }
  }
  for (const Problem& problem : table.problems) {
    std::vector<double> times;
    for (const Config& config : table.configs)
      times.push_back(model_us(problem.value(0).number(), config.value(0).number(), config.value(1).number(),
                               config.value(2).boolean()));
    const auto best = std::ranges::min_element(times);
    table.winners.push_back(static_cast<std::size_t>(best - times.begin()));
    const double least = *best;
    for (double& time : times) time = time / least - 1;
    table.loss.push_back(times);
  }
  for (const double within : {0.0, 0.02, 0.05, 0.1}) {
    const double begin = now_s();
    const Portfolio portfolio = make_portfolio(table, {.within = within});
    std::printf(
        "portfolio of 40 sizes and %zu configurations within %.0f %%: %zu configurations, a tree of %zu "
        "nodes,"
        " %.2f s\n",
        table.configs.size(), within * 100, portfolio.configs.size(), portfolio.tree.size(), now_s() - begin);
    if (within == 0.0) {
      for (const PortfolioLoss& loss : portfolio.losses)
        print_loss(("  best " + std::to_string(loss.configs) + " by the mean loss").c_str(), loss);
    }
    print_loss("  the tree on tuned problems", portfolio.tree_loss);
    print_loss("  the tree on problems held back", *portfolio.held_back);
    if (within == 0.02) time_header(table, portfolio);
  }
}

}  // namespace
}  // namespace gktune

int main(int argc, char** argv) {
  const long long trials = argc > 1 ? std::atoll(argv[1]) : 1'000'000,
                  studies = argc > 2 ? std::atoll(argv[2]) : 1000;
  if (studies < 20 || trials < 100 * studies) {
    std::fprintf(stderr,
                 "usage: database_bench [TRIALS [STUDIES [FILE]]], at least 20 studies of 100 trials\n");
    return 2;
  }
  const int code = gktune::time_queries(trials, studies, argc > 3 ? argv[3] : nullptr);
  gktune::make_portfolios();
  return code;
}
