#include "tuner/device/worker/fault_report.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <iterator>
#include <thread>

#include "tuner/device/worker/channel.h"

namespace gktune {
namespace {

constexpr std::size_t kMaxReportBytes = 4096;

// Signal handlers can only use globals.
std::atomic<int> channel{-1};
static_assert(std::atomic<int>::is_always_lock_free);
StepClock* step_clock = nullptr;
std::atomic<double> limit_of_steps_s{0};
bool is_of_reference = false;       // the present phase
constexpr double kReferenceFactor = 20;  // see resolve()
constexpr int kStandardError = -2;  // the channel of a process that prints faults
constexpr auto kWatchInterval = std::chrono::milliseconds(50);

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
    first = first.substr(0, kMaxReportBytes);
    second = second.substr(0, kMaxReportBytes - first.size());
    write_frame_header(kind, first.size() + second.size(), bytes);
    unsigned char* const end = std::copy(first.begin(), first.end(), bytes + kFrameHeaderBytes);
    send_all(socket, bytes, static_cast<std::size_t>(std::copy(second.begin(), second.end(), end) - bytes));
  }
  errno = saved_errno;
}

}  // namespace

void set_report_channel(int socket) noexcept { channel.store(socket); }

int report_channel() noexcept { return channel.load(); }

void send_report(Frame::Kind kind, std::string_view payload) noexcept { send_parts(kind, payload, {}); }

void set_step_clock(StepClock* clock) noexcept { step_clock = clock; }

void limit_steps(double limit_s) noexcept { limit_of_steps_s = limit_s; }

double step_limit_s() noexcept { return limit_of_steps_s; }

BoundedStep::BoundedStep(double more_s) noexcept {
  if (step_clock == nullptr) return;
  const double limit_s = (is_of_reference ? kReferenceFactor : 1) * limit_of_steps_s + more_s;
  step_clock->until_ns = StepClock::now_ns() + static_cast<std::int64_t>(1e9 * limit_s);
}

BoundedStep::~BoundedStep() {
  if (step_clock != nullptr) step_clock->until_ns = 0;
}

void report_phase(Phase phase) noexcept {
  is_of_reference = phase == Phase::reference || phase == Phase::verifier;
  const char payload = static_cast<char>(phase);
  send_report(Frame::Kind::phase, {&payload, 1});
}

void report_turn(std::size_t finalist) noexcept {
  char text[24];
  const char* const end = std::to_chars(std::begin(text), std::end(text), finalist).ptr;
  send_report(Frame::Kind::turn, {text, static_cast<std::size_t>(end - text)});
}

void watch_own_steps() noexcept {
  static StepClock clock;
  if (report_channel() < 0 || step_clock == &clock) return;
  set_step_clock(&clock);
  std::thread([] {
    std::int64_t reported_ns = 0;
    while (true) {
      std::this_thread::sleep_for(kWatchInterval);
      const std::int64_t until_ns = clock.until_ns;
      if (until_ns == 0 || until_ns == reported_ns || StepClock::now_ns() < until_ns) continue;
      send_report(Frame::Kind::late, {});
      reported_ns = until_ns;
    }
  }).detach();
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

Failure reported_fault(std::string_view payload) {
  const std::size_t line_feed = std::min(payload.find('\n'), payload.size());
  const auto status = status_from_name(payload.substr(0, line_feed));
  return {status.value_or(Status::crashed),
          std::string(payload.substr(std::min(line_feed + 1, payload.size())))};
}

}  // namespace gktune
