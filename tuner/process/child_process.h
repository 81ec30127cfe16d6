#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gktune/result.h"
#include "tuner/process/file_descriptor.h"

namespace gktune {

// The child's end of the socket to its parent.
inline constexpr int kChannelFd = 3;

struct ChildOptions {
  std::vector<std::string> argv;                                 // the program is looked for in PATH
  std::vector<std::pair<std::string, std::string>> environment;  // on top of the parent's
  // A worker has a socket to its parent. A tool has none, and stays in its parent's group. A coprocess has
  // the socket as its standard input, and its parent's standard error. A command has the socket as its
  // standard error. A server is a coprocess that stays in its parent's group; workers, coprocesses and
  // commands lead a group with the processes that they start.
  enum class Kind { worker, tool, coprocess, server, command };
  Kind kind = Kind::worker;
  int error = -1;  // the standard error of a coprocess or a server; -1: its parent's
};

// The way in which a process ended.
struct ExitStatus {
  bool by_signal = false;
  int code = 0;  // the signal, or what it exited with

  std::string str() const;                // "killed by SIGSEGV", "exited with code 3"
  static ExitStatus of(int wait_status);  // as waitpid() stores it
  std::string encoded() const;
  static ExitStatus decoded(std::string_view text);
  // True for a signal that no program sends to itself by a mistake of its own: another process sent it, or
  // the system had no memory left.
  bool is_from_outside() const;
};

// A process with empty standard input, unless it is a coprocess. Its standard output and error are read
// together, except those of coprocesses and commands. It dies with its parent.
class ChildProcess {
 public:
  static Result<ChildProcess> start(const ChildOptions& options);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();  // ends it with its group, and waits for that

  pid_t pid() const { return pid_; }
  // The parent's end of the socket, which does not block. Take it once.
  FileDescriptor take_socket() { return std::move(socket_); }
  // The end that its output arrives on, which does not block. Take it once, instead of reading here.
  FileDescriptor take_output() { return std::move(output_); }

  // The descriptor that its output arrives on; -1 once it is closed.
  int output_number() const { return output_.number(); }
  void read_output();  // some of it
  // The end of the output since forget_output().
  const std::string& output_tail() const { return output_tail_; }
  void forget_output() {
    output_tail_.clear();
    output_bytes_ = 0;
  }
  // All that came since then.
  std::uint64_t output_bytes() const { return output_bytes_; }

  // To its whole group, unless the process is known to have ended.
  void signal(int number) const;
  // To the process alone.
  void signal_alone(int number) const;
  // Gives a worker or a command time to end its own children and itself; then kills the process with its
  // group.
  void end();
  // Empty while it is running. When it has ended, the rest of its group is killed.
  std::optional<ExitStatus> exit_status();
  // Waits at most this time.
  std::optional<ExitStatus> exit_status_within(std::chrono::milliseconds limit);
  ExitStatus wait();

 private:
  ChildProcess() = default;
  bool leads_group() const {
    return kind_ != ChildOptions::Kind::tool && kind_ != ChildOptions::Kind::server;
  }
  pid_t group() const { return leads_group() ? -pid_ : pid_; }

  ChildOptions::Kind kind_ = ChildOptions::Kind::worker;
  pid_t pid_ = -1;
  std::optional<ExitStatus> exit_status_;
  FileDescriptor socket_;
  FileDescriptor output_;
  std::string output_tail_;
  std::uint64_t output_bytes_ = 0;
};

struct CommandOutput {
  int exit_code = 0;  // 128 + n after signal n
  std::string text;   // stdout and stderr together
};

// Runs a tool to its end. It prints English messages, because these are kept and parsed.
Result<CommandOutput> run_command(const std::vector<std::string>& argv);

}  // namespace gktune
