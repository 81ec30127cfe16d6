#include "tuner/device/worker/descendants.h"

#include <dirent.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "tuner/core/whole_file.h"
#include "tuner/device/worker/fault_report.h"
#include "tuner/process/child_process.h"

namespace gktune {
namespace {

constexpr auto kReapLimit = std::chrono::seconds(5);  // for processes that the system does not let go
constexpr int kPassedOn[] = {kEndJobSignal, kQuestionSignal};

// The parent of a process: the second field behind its name, which is in brackets.
pid_t parent_of(const char* pid) {
  const auto state = read_whole("/proc/" + std::string(pid) + "/stat");
  if (!state) return 0;
  const std::size_t end = state->rfind(')');
  return end == std::string::npos || end + 4 >= state->size() ? 0 : std::atoi(state->c_str() + end + 4);
}

std::vector<pid_t> children() {
  std::vector<pid_t> found;
  DIR* folder = ::opendir("/proc");
  if (folder == nullptr) return found;
  while (const dirent* entry = ::readdir(folder)) {
    const pid_t pid = std::atoi(entry->d_name);
    if (pid > 0 && parent_of(entry->d_name) == ::getpid()) found.push_back(pid);
  }
  ::closedir(folder);
  return found;
}

[[noreturn]] void end_as(const ExitStatus& ending) {
  if (!ending.by_signal) ::_exit(ending.code);
  ::signal(ending.code, SIG_DFL);
  sigset_t all;
  sigfillset(&all);
  ::sigprocmask(SIG_UNBLOCK, &all, nullptr);
  ::kill(::getpid(), ending.code);
  ::_exit(128 + ending.code);
}

[[noreturn]] void supervise(pid_t child, const sigset_t& signals) {
  ::close_range(kChannelFd, ~0u, 0);  // the child's parent sees that it ends
  while (true) {
    const int signal = ::sigwaitinfo(&signals, nullptr);
    if (signal == SIGTERM) {
      end_descendants();
      ::_exit(0);
    }
    if (signal == kEndJobSignal || signal == kQuestionSignal) ::kill(child, signal);
    if (signal != SIGCHLD) continue;
    int status = 0;
    for (pid_t ended = 0; (ended = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      if (ended != child) continue;
      end_descendants();
      end_as(ExitStatus::of(status));
    }
  }
}

}  // namespace

void adopt_orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }
void adopt_no_orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 0); }

void end_descendants() {
  const auto until = std::chrono::steady_clock::now() + kReapLimit;
  while (std::chrono::steady_clock::now() < until) {
    pid_t ended = 0;
    do {
      ended = ::waitpid(-1, nullptr, WNOHANG);
    } while (ended > 0);
    if (ended < 0) return;  // there are no more
    for (const pid_t pid : children()) ::kill(pid, SIGKILL);
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

Result<void> run_under_supervisor() {
  sigset_t signals, before;
  sigemptyset(&signals);
  for (const int signal : {SIGCHLD, SIGTERM}) sigaddset(&signals, signal);
  for (const int signal : kPassedOn) sigaddset(&signals, signal);
  ::sigprocmask(SIG_BLOCK, &signals, &before);
  adopt_orphans();
  const pid_t supervisor = ::getpid(), child = ::fork();
  if (child > 0) supervise(child, signals);
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != supervisor) ::_exit(0);  // it died before the call above
  } else {
    adopt_no_orphans();
  }
  const int reason = errno;
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (child < 0) return Error{"fork: " + std::string(std::strerror(reason))};
  return {};
}

}  // namespace gktune
