#include "tuner/device/host/command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace gktune {
namespace {

// In the child: never returns.
[[noreturn]] void become(char* const* arguments, int output, int failure) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  const int nowhere = open("/dev/null", O_RDONLY);
  if (nowhere >= 0) dup2(nowhere, STDIN_FILENO);
  setenv("LC_ALL", "C.UTF-8", 1);
  unsetenv("LANGUAGE");  // which goes before it
  execvp(arguments[0], arguments);
  const int why = errno;
  [[maybe_unused]] const ssize_t written = write(failure, &why, sizeof(why));
  _exit(127);
}

std::string read_all(int from) {
  std::string text;
  char piece[4096];
  for (;;) {
    const ssize_t count = read(from, piece, sizeof(piece));
    if (count > 0) text.append(piece, static_cast<std::size_t>(count));
    if (count == 0 || (count < 0 && errno != EINTR)) return text;
  }
}

}  // namespace

Result<CommandOutput> run_command(const std::vector<std::string>& arguments) {
  std::vector<char*> raw;
  for (const std::string& argument : arguments) raw.push_back(const_cast<char*>(argument.c_str()));
  raw.push_back(nullptr);

  int output[2], failure[2];
  if (pipe2(output, O_CLOEXEC) != 0)
    return Error{fmt::format("cannot make a pipe: {}", std::strerror(errno))};
  if (pipe2(failure, O_CLOEXEC) != 0) {
    close(output[0]);
    close(output[1]);
    return Error{fmt::format("cannot make a pipe: {}", std::strerror(errno))};
  }
  const pid_t child = fork();
  if (child == 0) become(raw.data(), output[1], failure[1]);
  close(output[1]);
  close(failure[1]);
  CommandOutput result;
  std::string why;
  if (child > 0) {
    result.text = read_all(output[0]);
    why = read_all(failure[0]);
  }
  close(output[0]);
  close(failure[0]);
  if (child < 0) return Error{fmt::format("cannot start {}: {}", arguments[0], std::strerror(errno))};

  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (why.size() == sizeof(int)) {
    int code = 0;
    std::memcpy(&code, why.data(), sizeof(code));
    return Error{fmt::format("cannot start {}: {}", arguments[0], std::strerror(code))};
  }
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace gktune
