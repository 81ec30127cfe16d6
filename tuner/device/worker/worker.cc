#include "tuner/device/worker/worker.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string_view>

#include "tuner/device/worker/job.h"
#include "tuner/measure/element.h"

namespace gktune {
namespace {

constexpr double kStartLimitS = 120;  // a CUDA context on a busy machine
constexpr double kLeaveLimitS = 1;    // between closing the channel and the end
constexpr auto kReapInterval = std::chrono::milliseconds(2);
constexpr std::size_t kLongestLastWords = 400;
constexpr std::uint64_t kMostOutputBytes = std::uint64_t{64} << 20;  // of one job

Status status_of(const ExitStatus& exit_status) {
  if (!exit_status.by_signal) return Status::crashed;
  const int signal = exit_status.code;
  if (signal == SIGSEGV || signal == SIGBUS) return Status::illegal_access;
  return signal == SIGABRT ? Status::aborted : Status::crashed;
}

// The last line that is not blank.
std::string last_line(std::string_view text) {
  const std::size_t end = text.find_last_not_of(" \t\r\n");
  if (end == std::string_view::npos) return {};
  text = text.substr(0, end + 1);
  const std::size_t line_feed = text.rfind('\n');
  text = line_feed == std::string_view::npos ? text : text.substr(line_feed + 1);
  return std::string(text.substr(0, kLongestLastWords));
}

}  // namespace

Clock::duration duration_s(double count) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(count));
}

double elapsed_s(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

double Worker::Limits::of(Phase phase) const {
  if (phase == Phase::setup) return setup_s;
  if (phase == Phase::check) return check_s;
  return phase == Phase::timing ? timing_s : reference_s;
}

Result<Worker> Worker::start(const WorkerCommand& command) {
  ChildOptions options{command.argv, command.environment};
  options.argv.push_back(command.backend.kind);
  options.argv.push_back(std::to_string(command.backend.ordinal));
  options.argv.emplace_back(enum_name(command.role));
  if (!command.cache_dir.empty()) {
    options.argv.emplace_back("--cache");
    options.argv.push_back(command.cache_dir);
  }
  auto process = GKTUNE_TRY(ChildProcess::start(options));
  Worker worker(std::move(process));
  worker.allow(kStartLimitS, Clock::now());
  return worker;
}

void Worker::send(const std::string& request, const Limits& limits) {
  if (state_ == State::busy) {
    ahead_ = limits;
  } else {
    begin(limits);
  }
  channel_.queue(Frame::Kind::request, request);
  channel_.write();
}

std::optional<std::string> Worker::take_reply() {
  if (reply_ && ahead_) begin(*std::exchange(ahead_, std::nullopt));
  return std::exchange(reply_, std::nullopt);
}

void Worker::begin(const Limits& limits) {
  // Output of an earlier job explains nothing about this one.
  process_.read_output();
  process_.forget_output();
  state_ = State::busy;
  limits_ = limits;
  busy_since_ = Clock::now();
  phase_.reset();
  turn_.reset();
  fault_.reset();
  job_end_.reset();
  is_step_late_ = false;
  allow(limits.total(), busy_since_);
}

void Worker::allow(double limit_s, Clock::time_point now) {
  limit_s_ = limit_s;
  limit_ = now + duration_s(limit_s);
  was_asked_ = false;
}

void Worker::add_to(std::vector<pollfd>& descriptors) const {
  if (channel_.is_open()) {
    const auto events = static_cast<short>(POLLIN | (channel_.wants_to_write() ? POLLOUT : 0));
    descriptors.push_back({channel_.number(), events, 0});
  }
  if (process_.output_number() >= 0) descriptors.push_back({process_.output_number(), POLLIN, 0});
}

Clock::time_point Worker::deadline() const {
  if (state_ == State::dead) return Clock::time_point::max();
  if (overstayed_ || !channel_.is_open()) return Clock::now() + kReapInterval;
  return limit_.value_or(Clock::time_point::max());
}

void Worker::advance(Clock::time_point now) {
  if (state_ == State::dead) return;
  process_.read_output();
  end_flood();
  const bool was_open = channel_.is_open();
  channel_.write();
  channel_.read();
  while (!reply_) {
    const std::optional<Frame> frame = channel_.next();
    if (!frame) break;
    take(*frame, now);
  }
  if (was_open && !channel_.is_open()) limit_ = now + duration_s(kLeaveLimitS);
  end_late(now);
  if (reply_ || (channel_.is_open() && !overstayed_)) return;
  if (const std::optional<ExitStatus> exit_status = process_.exit_status()) {
    process_.read_output();
    death_ = job_end(*exit_status);
    state_ = State::dead;
  }
}

// It ends its own children first.
void Worker::kill() {
  was_killed_ = true;
  process_.signal_alone(SIGTERM);
  channel_ = Channel();
  limit_ = Clock::now() + duration_s(kLeaveLimitS);
}

void Worker::end_flood() {
  if (state_ != State::busy || fault_ || process_.output_bytes() <= kMostOutputBytes) return;
  fault_ = Failure{Status::crashed,
                   "wrote more than " + std::to_string(kMostOutputBytes >> 20) + " MiB of output"};
  was_asked_ = true;
  limit_ = Clock::now();
}

void Worker::take(const Frame& frame, Clock::time_point now) {
  switch (frame.kind) {
    case Frame::Kind::ready:
      if (state_ != State::starting) break;
      if (auto info = decode<DeviceInfo>(frame.payload); !frame.payload.empty() && info)
        device_ = *std::move(info);
      state_ = State::idle;
      limit_.reset();
      break;
    case Frame::Kind::reply:
      if (state_ != State::busy) break;
      reply_ = frame.payload;
      state_ = State::idle;
      limit_.reset();
      overstayed_ = false;
      break;
    case Frame::Kind::phase:
      if (state_ != State::busy || frame.payload.size() != 1) break;
      phase_ = static_cast<Phase>(std::clamp<char>(frame.payload[0], 0, static_cast<char>(Phase::timing)));
      allow(limits_.of(*phase_), now);
      break;
    case Frame::Kind::turn:
      turn_ = static_cast<std::size_t>(std::strtoull(frame.payload.c_str(), nullptr, 10));
      break;
    case Frame::Kind::survived:
      if (job_end_ && !job_end_->is_from_outside) job_end_.reset();
      break;
    case Frame::Kind::late: {
      if (state_ != State::busy || overstayed_) break;
      const bool is_of_reference = phase_ == Phase::reference || phase_ == Phase::verifier;
      allow(limits_.of(is_of_reference ? *phase_ : Phase::check), now);
      limit_ = now;
      is_step_late_ = true;
      was_asked_ = phase_ == Phase::setup;  // while code is loaded, nothing knows its place
      break;
    }
    case Frame::Kind::fault:
      if (!fault_) fault_ = reported_fault(frame.payload);  // the first report names the cause
      break;
    case Frame::Kind::ended:
      if (state_ != State::busy) break;
      process_.read_output();
      job_end_ = job_end(ExitStatus::decoded(frame.payload));
      overstayed_ = is_step_late_ = false;
      fault_.reset();
      allow(phase_ ? limits_.of(*phase_) : limits_.total(), now);
      break;
    case Frame::Kind::not_ready:
      fault_ = Failure{Status::crashed, frame.payload};
      break;
    default:  // what only a parent sends
      break;
  }
}

// A worker that exceeds its limit is asked where it is, if it gets time to answer. Then it has to end its
// job. A worker that does not do so, or that closed its channel and does not exit, has to end with all that
// it started. In the end it is killed.
void Worker::end_late(Clock::time_point now) {
  if (!limit_ || now < *limit_) return;
  if (channel_.is_open() && !overstayed_ && limits_.report_s > 0 && !std::exchange(was_asked_, true)) {
    limit_ = now + duration_s(limits_.report_s);
    process_.signal_alone(kQuestionSignal);
    return;
  }
  if (channel_.is_open() && !std::exchange(overstayed_, true)) {
    limit_ = now + duration_s(kLeaveLimitS);
    process_.signal_alone(kEndJobSignal);
    return;
  }
  if (!std::exchange(was_killed_, true)) {
    limit_ = now + duration_s(kLeaveLimitS);
    process_.signal_alone(SIGTERM);
    return;
  }
  limit_.reset();
  process_.signal(SIGKILL);
}

std::string Worker::overstay_message() const {
  const bool is_loading = phase_ == Phase::setup && is_step_late_;
  const char* const what = !phase_                                     ? "took"
                           : is_loading                                ? "loading or unloading it took"
                           : phase_ == Phase::setup                    ? "preparation took"
                           : phase_ == Phase::timing && !is_step_late_ ? "timing it took"
                                                                       : "ran";
  return what + (" longer than " + number_text(limit_s_)) + " s";
}

Worker::JobEnd Worker::job_end(const ExitStatus& exit_status) const {
  return {cause_of(exit_status), exit_status.is_from_outside() && !overstayed_ && !was_killed_ && !fault_,
          turn_};
}

Failure Worker::cause_of(const ExitStatus& exit_status) const {
  const std::string words = last_line(process_.output_tail());
  Failure cause{status_of(exit_status), exit_status.str()};
  if (words.find("std::bad_alloc") != std::string::npos) {
    cause = {Status::out_of_memory, "allocated more memory than is available"};
  } else if (fault_ && fault_->status == Status::timed_out) {
    cause = {Status::timed_out, overstay_message() + (fault_->message.empty() ? "" : ", " + fault_->message)};
  } else if (fault_) {
    cause = *fault_;
    // abort() comes after a message of the program.
    const bool adds_words = fault_->status == Status::aborted && !words.empty() &&
                            fault_->message.find(words) == std::string::npos;
    if (adds_words) cause.message += ": " + words;
  } else if (overstayed_) {
    cause = {Status::timed_out,
             state_ == State::starting ? "the worker's preparation failed" : overstay_message()};
  } else if (!words.empty()) {
    cause.message += ": " + words;
  }
  if (state_ == State::busy && phase_ == Phase::reference) {
    cause = {Status::reference_failed, "the reference: " + cause.message};
  }
  if (state_ == State::busy && phase_ == Phase::verifier) cause = failed_verification(std::move(cause));
  return cause;
}

}  // namespace gktune
