#include "tuner/device/host/sanitize/source_line.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

namespace gktune {
namespace {

// The output of the command, cut at `size`. A signal handler calls this, so it cannot use
// ChildProcess, which allocates.
std::size_t run(const char* const* arguments, char* output, std::size_t size) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return 0;
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
    execvp(arguments[0], const_cast<char* const*>(arguments));
    _exit(127);
  }
  close(ends[1]);
  std::size_t length = 0;
  while (child > 0 && length + 1 < size) {
    const ssize_t count = read(ends[0], output + length, size - 1 - length);
    if (count <= 0) break;
    length += static_cast<std::size_t>(count);
  }
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  output[length] = '\0';
  return length;
}

}  // namespace

void find_source_line(const void* code, char* line, std::size_t size) {
  line[0] = '\0';
  Dl_info info;
  if (dladdr(code, &info) == 0 || info.dli_fname == nullptr) return;
  char offset[32];
  std::snprintf(offset, sizeof(offset), "0x%zx",
                reinterpret_cast<std::uintptr_t>(code) - reinterpret_cast<std::uintptr_t>(info.dli_fbase));
  const char* const arguments[] = {"addr2line", "-i", "-e", info.dli_fname, offset, nullptr};
  char output[4096];
  if (run(arguments, output, sizeof(output)) == 0) return;
  // From the innermost function out: the first line that is in none of this project's headers.
  char* rest = nullptr;
  for (char* one = strtok_r(output, "\n", &rest); one != nullptr; one = strtok_r(nullptr, "\n", &rest)) {
    if (std::strstr(one, "??") != nullptr || std::strstr(one, "/host-headers-") != nullptr) continue;
    while (std::strncmp(one, "./", 2) == 0) one += 2;
    if (char* comment = std::strstr(one, " (")) *comment = '\0';
    std::snprintf(line, size, "%s", one);
    return;
  }
}

}  // namespace gktune
