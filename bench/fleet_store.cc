// Stores trials from several processes without waiting between them, and prints how many a second.
// Usage: fleet_store DATABASE [PROCESSES [SECONDS]]; DATABASE is a file or a URI.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "db/database.h"

namespace gktune {
namespace {

Trial trial_of(std::int64_t process, std::int64_t number) {
  Trial trial;
  trial.config = {{"process", process}, {"number", number}, {"threadsPerBlock", 256}, {"way", "one_pass"}};
  trial.samples_us = std::vector<double>(30, 12.5);
  trial.timing = {12.5, 12.4, 12.6, 12.3, 12.5, 0.1};
  trial.objective = 12.5;
  trial.ended_unix_ms = 1'000'000 + number;
  return trial;
}

// Returns the number of trials that it has stored, or -1.
std::int64_t store(const std::string& path, std::int64_t process, double seconds) {
  auto database = Database::open(path, Database::Access::write);
  if (!database) return -1;
  const auto session = (*database)->begin_session({"", "host" + std::to_string(process), "", {}});
  const auto study =
      (*database)->study_id({"bench", "f", {"host", "CPU", "x86-64", 2}, {{"n", 1}}, Regime::cold, "time"});
  if (!session || !study) return -1;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  std::int64_t stored = 0;
  while (std::chrono::steady_clock::now() < end) {
    const Trial trial = trial_of(process, stored);
    const auto claimed = (*database)->claim(*study, *session, trial.config, std::chrono::seconds(15));
    if (!claimed || !*claimed || !(*database)->add_trial(*study, *session, trial)) return -1;
    ++stored;
  }
  return stored;
}

int run(const std::string& path, int processes, double seconds) {
  if (auto created = Database::open(path, Database::Access::write); !created) {
    std::fprintf(stderr, "%s\n", created.error().message.c_str());
    return 1;
  }
  int results[2];
  if (::pipe(results) != 0) return 1;
  for (int i = 0; i < processes; ++i) {
    if (::fork() != 0) continue;
    const std::int64_t stored = store(path, i, seconds);
    ::_exit(::write(results[1], &stored, sizeof stored) == sizeof stored ? 0 : 1);
  }
  std::int64_t all = 0;
  for (int i = 0; i < processes; ++i) {
    std::int64_t stored = -1;
    if (::read(results[0], &stored, sizeof stored) != sizeof stored || stored < 0) {
      std::fprintf(stderr, "a process could not store its trials\n");
      return 1;
    }
    all += stored;
    ::wait(nullptr);
  }
  std::printf("%d processes: %.0f trials claimed and stored in a second\n", processes,
              static_cast<double>(all) / seconds);
  return 0;
}

}  // namespace
}  // namespace gktune

int main(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr, "usage: fleet_store DATABASE [PROCESSES [SECONDS]]\n");
    return 2;
  }
  return gktune::run(arguments[1], count > 2 ? std::atoi(arguments[2]) : 16,
                     count > 3 ? std::atof(arguments[3]) : 5);
}
