#include "program_process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace gktune {

ShellProcess::ShellProcess(const std::filesystem::path& folder, const std::string& command_line) {
  // `exec`: a signal is for the program, not for its shell.
  const std::string script =
      "cd '" + folder.string() + "' && PATH='" GKTUNE_PROGRAM_FOLDER ":'\"$PATH\" && " +
      "export HOME=\"$PWD\" && unset GKTUNE_DB XDG_CACHE_HOME && exec >out 2>err && " + command_line;
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("fork");
  if (pid_ == 0) {
    ::execl("/bin/sh", "sh", "-c", script.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
}

ShellProcess::~ShellProcess() {
  if (pid_ < 0) return;
  signal(SIGKILL);
  wait();
}

void ShellProcess::signal(int number) const { ::kill(pid_, number); }

int ShellProcess::wait() {
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

}  // namespace gktune
