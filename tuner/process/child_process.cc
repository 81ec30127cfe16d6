#include "tuner/process/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string_view>
#include <thread>

namespace gktune {
namespace {

constexpr std::size_t kOutputTailBytes = 16384;
constexpr std::size_t kMostAtOnce = std::size_t{1} << 20;  // more than a pipe holds
// The parent's descriptors stay above those that the child gets.
constexpr int kFirstDescriptor = 10;
constexpr auto kEndLimit = std::chrono::seconds(1);

Error system_error(const char* what) { return {std::string(what) + ": " + std::strerror(errno)}; }

// Moved up, and closed when a program is executed.
FileDescriptor moved_up(int number) {
  FileDescriptor low(number);
  return FileDescriptor(::fcntl(number, F_DUPFD_CLOEXEC, kFirstDescriptor));
}

bool open_pair(FileDescriptor& ours, FileDescriptor& theirs) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
  ours = moved_up(ends[0]);
  theirs = moved_up(ends[1]);
  return ours.is_open() && theirs.is_open();
}

bool open_pipe(FileDescriptor& reading, FileDescriptor& writing) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  reading = moved_up(ends[0]);
  writing = moved_up(ends[1]);
  return reading.is_open() && writing.is_open();
}

void set_nonblocking(const FileDescriptor& descriptor) {
  ::fcntl(descriptor.number(), F_SETFL, ::fcntl(descriptor.number(), F_GETFL) | O_NONBLOCK);
}

std::vector<std::string> merged_environment(const std::vector<std::pair<std::string, std::string>>& added) {
  std::map<std::string, std::string, std::less<>> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t end = text.find('=');
    if (end != std::string_view::npos) merged.emplace(text.substr(0, end), text.substr(end + 1));
  }
  for (const auto& [name, value] : added) merged.insert_or_assign(name, value);
  std::vector<std::string> entries;
  for (const auto& [name, value] : merged) entries.push_back(name + '=' + value);
  return entries;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// Reads to the end of the output.
std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 8192> bytes;
  for (;;) {
    pollfd wait{descriptor, POLLIN, 0};
    ::poll(&wait, 1, -1);
    const ssize_t got = ::read(descriptor, bytes.data(), bytes.size());
    if (got > 0) text.append(bytes.data(), static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) return text;
  }
}

// The child between vfork and exec, in the parent's memory. It may only make system calls.
struct ChildSetup {
  char** argv;
  char** environment;
  int input, output, error, channel;  // error -1: the parent's; channel -1: none
  int report;
  bool leads_group;
  pid_t parent;

  [[noreturn]] void leave() const {
    const int code = errno;
    [[maybe_unused]] const ssize_t written = ::write(report, &code, sizeof code);
    ::_exit(127);
  }

  [[noreturn]] void execute() const {
    if (leads_group) ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);  // it died before the call above
    if (::dup2(input, 0) < 0 || ::dup2(output, 1) < 0 || (error >= 0 && ::dup2(error, 2) < 0)) leave();
    if (channel >= 0 && ::dup2(channel, kChannelFd) < 0) leave();
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    // An application may have opened files without asking to close them on exec.
    ::close_range(channel >= 0 ? kChannelFd + 1 : kChannelFd, ~0u, CLOSE_RANGE_CLOEXEC);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execvpe(argv[0], argv, environment);
    leave();
  }
};

}  // namespace

std::string ExitStatus::str() const {
  if (!by_signal) return "exited with code " + std::to_string(code);
  const char* name = ::sigabbrev_np(code);
  return "killed by " + (name != nullptr ? "SIG" + std::string(name) : "signal " + std::to_string(code));
}

ExitStatus ExitStatus::of(int wait_status) {
  if (WIFSIGNALED(wait_status)) return {true, WTERMSIG(wait_status)};
  return {false, WEXITSTATUS(wait_status)};
}

std::string ExitStatus::encoded() const { return (by_signal ? 's' : 'c') + std::to_string(code); }

ExitStatus ExitStatus::decoded(std::string_view text) {
  const std::string code(text.substr(std::min<std::size_t>(1, text.size())));
  return {text.starts_with('s'), std::atoi(code.c_str())};
}

bool ExitStatus::is_from_outside() const {
  return by_signal && (code == SIGKILL || code == SIGTERM || code == SIGINT || code == SIGHUP);
}

Result<ChildProcess> ChildProcess::start(const ChildOptions& options) {
  ChildProcess child;
  child.kind_ = options.kind;
  const bool is_tool = options.kind == ChildOptions::Kind::tool;
  const bool is_coprocess =
      options.kind == ChildOptions::Kind::coprocess || options.kind == ChildOptions::Kind::server;
  const bool is_command = options.kind == ChildOptions::Kind::command;
  FileDescriptor socket, output, report_reading, report_writing;
  if (!is_tool && !open_pair(child.socket_, socket)) return system_error("socketpair");
  if (!open_pipe(child.output_, output)) return system_error("pipe");
  if (!open_pipe(report_reading, report_writing)) return system_error("pipe");
  const FileDescriptor null = moved_up(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!null.is_open()) return system_error("/dev/null");
  if (!is_tool) set_nonblocking(child.socket_);
  set_nonblocking(child.output_);

  std::vector<std::string> argv = options.argv, environment = merged_environment(options.environment);
  std::vector<char*> argv_pointers = pointers(argv), environment_pointers = pointers(environment);
  const ChildSetup setup{argv_pointers.data(),
                         environment_pointers.data(),
                         is_coprocess ? socket.number() : null.number(),
                         output.number(),
                         is_coprocess ? options.error
                         : is_command ? socket.number()
                                      : output.number(),
                         is_coprocess || is_command ? -1 : socket.number(),
                         report_writing.number(),
                         child.leads_group(),
                         ::getpid()};
  child.pid_ = ::vfork();  // fork() copies what describes this process's memory, which takes milliseconds
  if (child.pid_ == 0) setup.execute();
  if (child.pid_ < 0) return system_error("vfork");
  if (child.leads_group()) ::setpgid(child.pid_, child.pid_);  // the child does so too: either may come first
  report_writing.close();

  int error = 0;
  ssize_t got = 0;
  do {
    got = ::read(report_reading.number(), &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  if (got == sizeof error) {
    child.wait();
    return Error{options.argv[0] + " cannot be started: " + std::strerror(error)};
  }
  return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept { *this = std::move(other); }

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(kind_, other.kind_);
  std::swap(pid_, other.pid_);
  std::swap(exit_status_, other.exit_status_);
  std::swap(socket_, other.socket_);
  std::swap(output_, other.output_);
  std::swap(output_tail_, other.output_tail_);
  std::swap(output_bytes_, other.output_bytes_);
  return *this;
}

ChildProcess::~ChildProcess() {
  if (pid_ >= 0) end();
}

void ChildProcess::end() {
  if (kind_ == ChildOptions::Kind::worker || kind_ == ChildOptions::Kind::command) {
    signal_alone(SIGTERM);
    (void)exit_status_within(kEndLimit);
  }
  signal(SIGKILL);
  wait();
}

void ChildProcess::read_output() {
  std::array<char, 8192> bytes;
  std::size_t total = 0;
  while (output_.is_open() && total < kMostAtOnce) {
    const ssize_t got = ::read(output_.number(), bytes.data(), bytes.size());
    if (got > 0) {
      total += static_cast<std::size_t>(got);
      output_bytes_ += static_cast<std::uint64_t>(got);
      output_tail_.append(bytes.data(), static_cast<std::size_t>(got));
      if (output_tail_.size() > 2 * kOutputTailBytes) {
        output_tail_.erase(0, output_tail_.size() - kOutputTailBytes);
      }
    } else if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      return;
    } else if (got == 0 || errno != EINTR) {
      output_.close();
    }
  }
}

void ChildProcess::signal(int number) const {
  if (pid_ > 0 && !exit_status_) ::kill(group(), number);
}

void ChildProcess::signal_alone(int number) const {
  if (pid_ > 0 && !exit_status_) ::kill(pid_, number);
}

std::optional<ExitStatus> ChildProcess::exit_status() {
  if (exit_status_ || pid_ < 0) return exit_status_;
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
    if (errno == ECHILD) exit_status_ = ExitStatus{};  // the application reaps children itself
    return exit_status_;
  }
  if (info.si_pid != pid_) return std::nullopt;
  ::kill(group(), SIGKILL);  // nobody else gets the group's number before the process is reaped
  int status = 0;
  ::waitpid(pid_, &status, 0);
  exit_status_ = ExitStatus::of(status);
  return exit_status_;
}

std::optional<ExitStatus> ChildProcess::exit_status_within(std::chrono::milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (!exit_status() && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return exit_status_;
}

ExitStatus ChildProcess::wait() {
  while (!exit_status()) {
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
  }
  return *exit_status_;
}

Result<CommandOutput> run_command(const std::vector<std::string>& argv) {
  // LANGUAGE takes precedence over LC_ALL.
  auto child = GKTUNE_TRY(
      ChildProcess::start({argv, {{"LC_ALL", "C.UTF-8"}, {"LANGUAGE", ""}}, ChildOptions::Kind::tool}));
  CommandOutput output;
  output.text = read_all(child.output_number());
  const ExitStatus exit_status = child.wait();
  output.exit_code = exit_status.by_signal ? 128 + exit_status.code : exit_status.code;
  return output;
}

}  // namespace gktune
