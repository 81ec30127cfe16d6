#include "tuner/process/source_line.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

namespace gktune {
namespace {

std::atomic<int> line_socket{-1};
static_assert(std::atomic<int>::is_always_lock_free);
std::atomic_flag is_asking = ATOMIC_FLAG_INIT;  // a thread

// The output of addr2line, cut at `size`. ChildProcess allocates.
std::size_t run_addr2line(const char* module, const char* offset, char* output, std::size_t size) noexcept {
  const char* const arguments[] = {"addr2line", "-i", "-e", module, offset, nullptr};
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return 0;
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
    ::execvp(arguments[0], const_cast<char* const*>(arguments));
    ::_exit(127);
  }
  ::close(ends[1]);
  std::size_t length = 0;
  while (child > 0 && length < size) {
    const ssize_t count = ::read(ends[0], output + length, size - length);
    if (count <= 0) break;
    length += static_cast<std::size_t>(count);
  }
  ::close(ends[0]);
  if (child > 0) ::waitpid(child, nullptr, 0);
  return length;
}

ssize_t received(int socket, char* bytes, std::size_t size) noexcept {
  ssize_t count = 0;
  do count = ::recv(socket, bytes, size, 0);
  while (count < 0 && errno == EINTR);
  return count;
}

bool is_offset(std::string_view text) {
  return text.starts_with("0x") && text.size() > 2 &&
         text.find_first_not_of("0123456789abcdef", 2) == std::string_view::npos;
}

}  // namespace

std::size_t find_lines(const char* module, const char* offset, char* output, std::size_t size) noexcept {
  const int socket = line_socket;
  if (socket < 0) return run_addr2line(module, offset, output, size);
  std::array<iovec, 2> question{{{const_cast<char*>(module), std::strlen(module) + 1},
                                 {const_cast<char*>(offset), std::strlen(offset) + 1}}};
  while (is_asking.test_and_set()) continue;
  const bool is_asked = ::writev(socket, question.data(), static_cast<int>(question.size())) > 0;
  const ssize_t length = is_asked ? received(socket, output, size) : 0;
  is_asking.clear();
  return static_cast<std::size_t>(std::max<ssize_t>(length, 0));
}

void ask_for_lines(int socket) noexcept { line_socket = socket; }

// Refuses what is no module and offset: a hostile candidate could pass options to addr2line.
pid_t answer_for_lines(int socket) noexcept {
  std::array<char, 4352> question{};
  const ssize_t size = received(socket, question.data(), question.size() - 1);
  if (size <= 0) return -1;
  const std::string_view module = question.data();
  const char* const offset = question.data() + std::min(module.size() + 1, question.size() - 1);
  const bool is_valid = module.starts_with('/') && is_offset(offset);
  const pid_t answering = is_valid ? ::fork() : -1;
  if (answering > 0) return answering;
  if (answering == 0) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::array<char, 4096> lines;
  const std::size_t length =
      answering == 0 ? run_addr2line(module.data(), offset, lines.data(), lines.size()) : std::size_t{0};
  ::send(socket, lines.data(), length, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (answering == 0) ::_exit(0);
  return 0;
}

}  // namespace gktune
