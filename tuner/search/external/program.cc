#include "tuner/search/external/program.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <utility>

namespace gktune {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kLongestLine = std::size_t{1} << 20;
// For a program to end by itself once its input is closed.
constexpr std::chrono::milliseconds kPatience{500};

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
  auto process =
      ChildProcess::start({{"/bin/sh", "-c", command}, {}, ChildOptions::Kind::coprocess});
  if (!process) return std::move(process).error();
  return LineProgram(*std::move(process));
}

LineProgram::~LineProgram() {
  if (!output_.is_open()) return;  // moved from
  input_.close();
  output_.close();
  (void)process_.exit_status_within(kPatience);
}

std::string LineProgram::how_it_ended() {
  const auto ended = process_.exit_status_within(kPatience);
  if (!ended) return "the program closed its output";
  return std::string("the program ") + (ended->by_signal ? "was " : "") + ended->str();
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
    if (!wait_for(output_.number(), POLLIN, deadline))
      return Error{"the program did not answer within " + seconds_text(timeout_s)};
    char chunk[1 << 14];
    const ssize_t count = read(output_.number(), chunk, sizeof chunk);
    if (count > 0) {
      unread_.append(chunk, static_cast<std::size_t>(count));
    } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
      return Error{how_it_ended()};
    }
  }
}

}  // namespace gktune
