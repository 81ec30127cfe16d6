#include "tuner/device/worker/fault_report.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "tuner/device/worker/channel.h"

namespace gktune {
namespace {

constexpr std::size_t kMaxReportBytes = 4096;

// Signal handlers can only use globals.
std::atomic<int> channel{-1};
static_assert(std::atomic<int>::is_always_lock_free);
constexpr int kStandardError = -2;  // the channel of a process that prints faults

void send_all(int socket, const unsigned char* bytes, std::size_t size) noexcept {
  while (size > 0) {
    const ssize_t sent = ::send(socket, bytes, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;
    bytes += sent;
    size -= static_cast<std::size_t>(sent);
  }
}

void send_parts(Frame::Kind kind, std::string_view first, std::string_view second) noexcept {
  const int saved_errno = errno;
  if (const int socket = channel.load(); socket >= 0) {
    unsigned char bytes[kFrameHeaderBytes + kMaxReportBytes];
    const std::size_t first_size = std::min(first.size(), kMaxReportBytes);
    const std::size_t second_size = std::min(second.size(), kMaxReportBytes - first_size);
    write_frame_header(kind, first_size + second_size, bytes);
    std::memcpy(bytes + kFrameHeaderBytes, first.data(), first_size);
    if (second_size > 0) std::memcpy(bytes + kFrameHeaderBytes + first_size, second.data(), second_size);
    send_all(socket, bytes, kFrameHeaderBytes + first_size + second_size);
  }
  errno = saved_errno;
}

}  // namespace

void set_report_channel(int socket) noexcept { channel.store(socket); }

int report_channel() noexcept { return channel.load(); }

void send_report(Frame::Kind kind, std::string_view payload) noexcept { send_parts(kind, payload, {}); }

void report_phase(Phase phase) noexcept {
  const char payload = static_cast<char>(phase);
  send_report(Frame::Kind::phase, {&payload, 1});
}

void print_faults() noexcept { channel.store(kStandardError); }

void report_fault(Status status, std::string_view message) noexcept {
  if (channel.load() == kStandardError) {
    for (const std::string_view part :
         {status_name(status), std::string_view(": "), message, std::string_view("\n")})
      [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, part.data(), part.size());
    return;
  }
  char line[64];
  const std::string_view name = status_name(status);
  const std::size_t size = std::min(name.size(), sizeof line - 1);
  std::memcpy(line, name.data(), size);
  line[size] = '\n';
  send_parts(Frame::Kind::fault, {line, size + 1}, message);
}

}  // namespace gktune
