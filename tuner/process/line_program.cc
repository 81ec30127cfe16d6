#include "tuner/process/line_program.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

namespace gktune {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kLongestLine = std::size_t{1} << 20;
// For a program to end by itself once its input is closed.
constexpr std::chrono::milliseconds kPatience{500};
constexpr int kLongestWaitMs = 60'000;

Clock::time_point deadline_after(double seconds) {
  if (seconds <= 0) return Clock::time_point::max();
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::min(seconds, 1e8)));
}

// Waits until there is something to do, or the deadline has passed.
bool wait_for(int file, short events, Clock::time_point deadline) {
  while (true) {
    int limit_ms = kLongestWaitMs;
    if (deadline != Clock::time_point::max()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
      if (left <= 0) return false;
      limit_ms = static_cast<int>(std::min<std::int64_t>(left, kLongestWaitMs));
    }
    pollfd wait{file, events, 0};
    if (::poll(&wait, 1, limit_ms) > 0) return true;
  }
}

}  // namespace

Result<LineProgram> LineProgram::start(const ChildOptions& options) {
  auto process = GKTUNE_TRY(ChildProcess::start(options));
  return LineProgram(std::move(process));
}

LineProgram::LineProgram(ChildProcess process)
    : process_(std::move(process)), input_(process_.take_socket()), output_(process_.take_output()) {}

LineProgram::~LineProgram() {
  if (!input_.is_open()) return;  // moved from
  input_.close();
  output_.close();
  (void)process_.exit_status_within(kPatience);
}

Result<void> LineProgram::write_line(std::string_view line, double timeout_s) {
  std::string left(line);
  left += '\n';
  const auto deadline = deadline_after(timeout_s);
  while (!left.empty()) {
    const ssize_t count = send(input_.number(), left.data(), left.size(), MSG_NOSIGNAL);
    if (count > 0) {
      left.erase(0, static_cast<std::size_t>(count));
    } else if (errno == EAGAIN || errno == EINTR) {
      if (!wait_for(input_.number(), POLLOUT, deadline))
        return Error{fmt::format("the program read nothing for {} s", timeout_s)};
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
    if (!wait_for(output_.number(), POLLIN, deadline))
      return Error{fmt::format("the program did not answer within {} s", timeout_s)};
    char chunk[1 << 14];
    const ssize_t count = read(output_.number(), chunk, sizeof chunk);
    if (count > 0) {
      unread_.append(chunk, static_cast<std::size_t>(count));
    } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
      return Error{how_it_ended()};
    }
  }
}

std::string LineProgram::how_it_ended() {
  const auto ended = process_.exit_status_within(kPatience);
  if (!ended) return "the program closed its output";
  return std::string("the program ") + (ended->by_signal ? "was " : "") + ended->str();
}

}  // namespace gktune
