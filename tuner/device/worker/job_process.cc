#include "tuner/device/worker/job_process.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "tuner/core/files.h"
#include "tuner/device/worker/fault_report.h"
#include "tuner/process/child_process.h"
#include "tuner/process/outside_kills.h"
#include "tuner/process/sandbox.h"
#include "tuner/process/source_line.h"

namespace gktune {
namespace {

constexpr auto kReapLimit = std::chrono::seconds(5);  // for processes that the system does not let go
// Candidates of tests close the lowest numbers.
constexpr int kFirstSocket = 100;
constexpr int kLeaveLimitMs = 1000;  // between closing the channel and the end
constexpr auto kStopLimit = std::chrono::milliseconds(300);  // a thread may wait for a disk
constexpr rlim_t kLargestFile = rlim_t{1} << 30;

// The signals from the children and the parent.
sigset_t own_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGCHLD, SIGTERM, kEndJobSignal, kQuestionSignal}) sigaddset(&set, signal);
  return set;
}

FileDescriptor socket_moved_up(int number) {
  const FileDescriptor low(number);
  return FileDescriptor(::fcntl(number, F_DUPFD_CLOEXEC, kFirstSocket));
}

// The parent of a process: the second field behind its name, which is in brackets.
pid_t parent_of(const char* pid) {
  const auto state = read_whole("/proc/" + std::string(pid) + "/stat");
  if (!state) return 0;
  const std::size_t end = state->rfind(')');
  return end == std::string::npos || end + 4 >= state->size() ? 0 : std::atoi(state->c_str() + end + 4);
}

// The processes that a process has started, and, unless only its children are asked for, those that they have
// started in turn.
enum class Kin { children, descendants };
std::vector<pid_t> started_by(pid_t pid, Kin kin) {
  std::vector<std::pair<pid_t, pid_t>> all;  // with their parents
  DIR* folder = ::opendir("/proc");
  if (folder == nullptr) return {};
  while (const dirent* entry = ::readdir(folder)) {
    if (const pid_t each = std::atoi(entry->d_name); each > 0)
      all.emplace_back(each, parent_of(entry->d_name));
  }
  ::closedir(folder);
  std::vector<pid_t> found;
  const auto add_children = [&](pid_t parent) {
    for (const auto& [each, its_parent] : all)
      if (its_parent == parent) found.push_back(each);
  };
  add_children(pid);
  for (std::size_t i = 0; kin == Kin::descendants && i < found.size(); ++i) add_children(found[i]);
  return found;
}

// True if no thread of the process can run. One that waits for a core can.
bool is_stopped(pid_t pid) {
  std::error_code error;
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task", error)) {
    const auto stat = read_whole(task.path() / "stat");
    const std::size_t name_end = stat ? stat->rfind(") ") : std::string::npos;
    if (name_end != std::string::npos &&
        std::string_view("TtZX").find((*stat)[name_end + 2]) == std::string::npos)
      return false;
  }
  return true;
}

void give_up_tracing() {
  ::prctl(PR_CAPBSET_DROP, CAP_SYS_PTRACE, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
  if (::syscall(SYS_capget, &header, sets) != 0) return;
  for (std::uint32_t* set : {&sets[0].effective, &sets[0].permitted, &sets[0].inheritable})
    *set &= ~(1u << CAP_SYS_PTRACE);
  ::syscall(SYS_capset, &header, sets);
}

}  // namespace

std::vector<pid_t> processes_above() {
  std::vector<pid_t> above;
  for (pid_t pid = ::getpid(); pid > 0; pid = parent_of(std::to_string(pid).c_str())) above.push_back(pid);
  return above;
}

void JobProcesses::end_all() {
  const auto until = std::chrono::steady_clock::now() + kReapLimit;
  while (std::chrono::steady_clock::now() < until) {
    pid_t ended = 0;
    do {
      ended = ::waitpid(-1, nullptr, WNOHANG);
    } while (ended > 0);
    if (ended < 0) return;  // there are no more
    for (const pid_t pid : started_by(::getpid(), Kin::children)) ::kill(pid, SIGKILL);
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

JobProcesses::JobProcesses() {
  const sigset_t set = own_signals();
  ::sigprocmask(SIG_BLOCK, &set, &mask_before_);
  signals_ = FileDescriptor(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  // This process becomes the parent of all processes that its children leave behind, whatever group or
  // session they are in.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  parents_ = processes_above();
}

JobProcesses::~JobProcesses() {
  end_all();
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  ::sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
}

Result<JobProcess, Failure> JobProcesses::start(const Serve& serve) {
  const auto failure = [](const char* what) {
    return Failure{Status::machine_failed, std::string(what) + ": " + std::strerror(errno)};
  };
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return failure("socketpair");
  FileDescriptor ours = socket_moved_up(ends[0]), theirs = socket_moved_up(ends[1]);
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return failure("socketpair");
  FileDescriptor answering = socket_moved_up(ends[0]), asking = socket_moved_up(ends[1]);
  for (const FileDescriptor* each : {&ours, &theirs, &answering, &asking})
    if (!each->is_open()) return failure("socketpair");
  void* const shared =
      ::mmap(nullptr, sizeof(StepClock), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return failure("mmap");
  JobProcess::SharedClock clock(new (shared) StepClock);
  while (take_signal() != 0) continue;  // those of an earlier job
  std::fflush(nullptr);                 // the child does not write it once more
  const pid_t pid = ::fork();
  if (pid < 0) return failure("fork");
  if (pid == 0) {
    ours.close();
    answering.close();
    ask_for_lines(asking.number());
    run_child(std::move(theirs), clock.get(), serve);
  }
  ::fcntl(ours.number(), F_SETFL, O_NONBLOCK);
  return JobProcess(*this, pid, std::move(ours), std::move(answering), std::move(clock));
}

void JobProcesses::run_child(FileDescriptor socket, StepClock* clock, const Serve& serve) noexcept {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parents_.front()) ::_exit(0);  // it died before the call above
  for (const int signal : {SIGTERM, SIGXFSZ, kEndJobSignal}) ::signal(signal, SIG_DFL);
  ::sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
  signals_.close();
  if (const int channel_of_worker = report_channel(); channel_of_worker >= 0) ::close(channel_of_worker);
  rlimit file{};
  ::getrlimit(RLIMIT_FSIZE, &file);
  file.rlim_cur = std::min(file.rlim_cur, kLargestFile);
  ::setrlimit(RLIMIT_FSIZE, &file);
  closed_.open();  // for debuggers and sanitizers
  give_up_tracing();
  keep_from(parents_);
  if (!forbid_processes()) ::_exit(EXIT_FAILURE);
  set_step_clock(clock);

  Channel channel(std::move(socket));
  set_report_channel(channel.number());
  while (channel.is_open()) {
    channel.read();
    while (const std::optional<Frame> frame = channel.next()) {
      const std::string answer = serve(frame->payload);
      std::fflush(nullptr);
      channel.queue(Frame::Kind::reply, answer);
      channel.write();
    }
  }
  ::_exit(0);
}

// Ends this process: its parent is gone, or asked it to end.
void JobProcesses::end_worker() {
  end_all();
  ::_exit(0);
}

// Returns 0 if there is none.
int JobProcesses::take_signal() {
  signalfd_siginfo info{};
  if (::read(signals_.number(), &info, sizeof info) != sizeof info) return 0;
  return static_cast<int>(info.ssi_signo);
}

JobProcess::JobProcess(JobProcess&& other) noexcept
    : all_(other.all_),
      pid_(std::exchange(other.pid_, -1)),
      channel_(std::move(other.channel_)),
      lines_(std::move(other.lines_)),
      answers_(std::exchange(other.answers_, std::nullopt)),
      clock_(std::move(other.clock_)),
      paused_(std::move(other.paused_)),
      reported_ns_(other.reported_ns_) {}

void JobProcess::Unmap::operator()(StepClock* clock) const { ::munmap(clock, sizeof *clock); }

JobProcess::~JobProcess() {
  if (pid_ > 0) end(SIGKILL);
}

ExitStatus JobProcess::end(int signal) {
  if (answers_) {
    ::kill(*answers_, SIGKILL);
    ::waitpid(*std::exchange(answers_, std::nullopt), nullptr, 0);
  }
  if (signal != 0) ::kill(pid_, signal);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
  pid_ = -1;
  return ExitStatus::of(status);
}

// A process that starts during a look is found by the next one.
void JobProcess::pause() {
  const auto until = std::chrono::steady_clock::now() + kStopLimit;
  do {
    paused_ = started_by(::getpid(), Kin::descendants);
    if (std::ranges::all_of(paused_, is_stopped)) return;
    for (const pid_t pid : paused_) ::kill(pid, SIGSTOP);
  } while (std::chrono::steady_clock::now() < until);
}

Result<std::string, Failure> JobProcess::ask(std::string_view request) {
  if (pid_ < 0) return Failure{Status::crashed, "the process of this job has ended"};
  channel_.queue(Frame::Kind::request, request);
  for (const pid_t pid : std::exchange(paused_, {})) {
    if (pid != pid_) ::kill(pid, SIGCONT);  // below, this one finds the request when it goes on
  }
  int kill_with = 0;
  while (true) {
    channel_.write();
    if (auto answer = take_answer()) return *std::move(answer);
    siginfo_t info{};
    const bool has_news =
        ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == pid_;
    const bool is_stopped = has_news && info.si_code == CLD_STOPPED;
    if (is_stopped) ::kill(pid_, SIGCONT);
    if (kill_with != 0 || (has_news && !is_stopped)) {
      const ExitStatus exit_status = end(kill_with);
      if (auto answer = take_answer()) return *std::move(answer);
      if (exit_status.by_signal && exit_status.code == kFilterSignal) {
        report_fault(Status::crashed, kForbiddenCall);
      }
      send_report(Frame::Kind::ended, exit_status.encoded());
      return Failure{Status::crashed, exit_status.str(), true};
    }
    const int channel = channel_.is_open() ? channel_.number() : -1;
    const auto events = static_cast<short>(POLLIN | (channel_.wants_to_write() ? POLLOUT : 0));
    pollfd waits[] = {{channel, events, 0},
                      {all_->signals_.number(), POLLIN, 0},
                      {report_channel(), POLLRDHUP, 0},
                      {answers_ ? -1 : lines_.number(), POLLIN, 0}};
    const int ready = ::poll(waits, std::size(waits), channel >= 0 ? watch_steps() : kLeaveLimitMs);
    if (waits[3].revents != 0) answer_for_line();
    if (answers_ && ::waitpid(*answers_, nullptr, WNOHANG) != 0) answers_.reset();
    if (ready == 0 && channel < 0) kill_with = SIGKILL;  // it has closed its channel, and does not exit
    if (waits[2].revents != 0) all_->end_worker();
    while (const int signal = all_->take_signal()) {
      if (signal == SIGTERM) all_->end_worker();
      if (signal == kEndJobSignal) kill_with = SIGKILL;
      if (signal == kQuestionSignal) ::kill(pid_, kQuestionSignal);
    }
  }
}

// One at a time, so that a hostile candidate cannot have many processes started.
void JobProcess::answer_for_line() {
  const pid_t pid = answer_for_lines(lines_.number());
  if (pid < 0) lines_.close();
  if (pid > 0) answers_ = pid;
}

// Reports a step that takes too long, once. Returns after how many milliseconds to look again.
int JobProcess::watch_steps() {
  if (step_limit_s() <= 0) return -1;
  const std::int64_t until = clock_->until_ns.load();
  const std::int64_t now = StepClock::now_ns();
  // A step that begins now ends no earlier.
  if (until == 0 || until == reported_ns_) return static_cast<int>(std::min(step_limit_s(), 60.0) * 1000) + 1;
  if (now < until) return static_cast<int>(std::min<std::int64_t>((until - now) / 1'000'000, 60'000)) + 1;
  send_report(Frame::Kind::late, {});
  reported_ns_ = until;
  return watch_steps();
}

// Forwards other frames that arrive before it.
std::optional<std::string> JobProcess::take_answer() {
  channel_.read();
  while (std::optional<Frame> frame = channel_.next()) {
    if (frame->kind == Frame::Kind::reply) return std::move(frame->payload);
    if (frame->kind == Frame::Kind::phase || frame->kind == Frame::Kind::fault) {
      send_report(frame->kind, frame->payload);
    }
  }
  return std::nullopt;
}

}  // namespace gktune
