#include "tuner/search/external/program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>
#include <utility>

extern char** environ;

namespace gktune {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kLongestLine = std::size_t{1} << 20;
// For a program to end by itself once its input is closed.
constexpr std::chrono::milliseconds kPatience{500};

Error system_error(const char* action) { return Error{std::string(action) + ": " + std::strerror(errno)}; }

// Waits until there is something to do, or the deadline has passed.
bool wait_for(int file, short events, Clock::time_point deadline) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd entry{file, events, 0};
    const int ready = poll(&entry, 1, static_cast<int>(std::min<std::int64_t>(left, 60'000)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return true;  // the read or write says why
  }
}

Clock::time_point deadline_after(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(std::clamp(seconds, 0.0, 1e8)));
}

std::string seconds_text(double seconds) {
  std::string text = std::to_string(seconds);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + " s";
}

}  // namespace

Result<LineProgram> LineProgram::start(const std::string& command) {
  // A write to a socket whose reader is gone is an error; to a pipe it would be a signal.
  int input[2], output[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, input) != 0) return system_error("socketpair");
  if (pipe2(output, O_CLOEXEC) != 0) {
    const Error error = system_error("pipe");
    close(input[0]);
    close(input[1]);
    return error;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  std::string shell = "sh", option = "-c", text = command;
  char* const arguments[] = {shell.data(), option.data(), text.data(), nullptr};
  pid_t pid = -1;
  const int code = posix_spawn(&pid, "/bin/sh", &actions, &attributes, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(input[1]);
  close(output[1]);
  LineProgram program(code == 0 ? pid : -1, input[0], output[0]);
  if (code != 0) return Error{std::string("/bin/sh: ") + std::strerror(code)};
  fcntl(program.input_, F_SETFL, O_NONBLOCK);
  return program;
}

LineProgram::LineProgram(LineProgram&& other) noexcept { *this = std::move(other); }

LineProgram& LineProgram::operator=(LineProgram&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(input_, other.input_);
  std::swap(output_, other.output_);
  std::swap(unread_, other.unread_);
  return *this;
}

LineProgram::~LineProgram() { end(); }

void LineProgram::end() {
  if (input_ >= 0) close(std::exchange(input_, -1));
  if (output_ >= 0) close(std::exchange(output_, -1));
  if (pid_ < 0) return;
  const auto deadline = Clock::now() + kPatience;
  while (waitpid(pid_, nullptr, WNOHANG) == 0) {
    if (Clock::now() >= deadline) {
      kill(-pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  pid_ = -1;
}

std::string LineProgram::how_it_ended() {
  const auto deadline = Clock::now() + kPatience;
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(pid_, &status, WNOHANG)) == 0 && Clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  if (ended != pid_) return "the program closed its output";
  pid_ = -1;
  if (WIFSIGNALED(status))
    return std::string("the program was ended by signal ") + strsignal(WTERMSIG(status));
  return "the program ended with exit status " + std::to_string(WEXITSTATUS(status));
}

Result<void> LineProgram::write_line(std::string_view line, double timeout_s) {
  std::string left(line);
  left += '\n';
  const auto deadline = deadline_after(timeout_s);
  while (!left.empty()) {
    const ssize_t count = send(input_, left.data(), left.size(), MSG_NOSIGNAL);
    if (count > 0) {
      left.erase(0, static_cast<std::size_t>(count));
    } else if (errno == EAGAIN || errno == EINTR) {
      if (!wait_for(input_, POLLOUT, deadline))
        return Error{"the program read nothing for " + seconds_text(timeout_s)};
    } else {
      return Error{how_it_ended()};
    }
  }
  return {};
}

Result<std::string> LineProgram::read_line(double timeout_s) {
  const auto deadline = deadline_after(timeout_s);
  while (true) {
    if (const std::size_t end = unread_.find('\n'); end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    if (unread_.size() > kLongestLine) return Error{"the program wrote a line without an end"};
    if (!wait_for(output_, POLLIN, deadline))
      return Error{"the program did not answer within " + seconds_text(timeout_s)};
    char chunk[1 << 14];
    const ssize_t count = read(output_, chunk, sizeof chunk);
    if (count > 0) {
      unread_.append(chunk, static_cast<std::size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      return Error{how_it_ended()};
    }
  }
}

}  // namespace gktune
