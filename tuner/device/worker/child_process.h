#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/core/result.h"
#include "tuner/device/worker/file_descriptor.h"

namespace gktune {

// The child's end of the socket to its parent.
inline constexpr int kChannelFd = 3;

struct ChildOptions {
  std::vector<std::string> argv;
  std::vector<std::pair<std::string, std::string>> environment;  // on top of the parent's
};

// How a process ended.
struct Ending {
  bool by_signal = false;
  int code = 0;  // the signal, or what it exited with

  std::string str() const;  // "killed by SIGSEGV", "exited with code 3"
};

// A process with a socket to its parent on descriptor 3, nothing to read, and all that it prints kept as a
// short tail. It leads a process group of its own, and dies with its parent.
class ChildProcess {
 public:
  static Result<ChildProcess> start(const ChildOptions& options);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();  // ends it and its group, and waits for that

  pid_t pid() const { return pid_; }
  // The parent's end of the socket, which does not block; can be taken once.
  FileDescriptor take_socket() { return std::move(socket_); }

  // Where its output arrives; -1 once it is closed.
  int output_number() const { return output_.number(); }
  void read_output();
  // The end of what it printed.
  const std::string& output_tail() const { return output_tail_; }
  void forget_output() { output_tail_.clear(); }

  // To its whole group, while the process has not been seen to end.
  void signal(int number) const;
  // To the process alone.
  void signal_alone(int number) const;
  // Nothing: it is still running. Once it has ended, so has what was left of its group.
  std::optional<Ending> ending();
  Ending wait();

 private:
  ChildProcess() = default;

  pid_t pid_ = -1;
  std::optional<Ending> ending_;
  FileDescriptor socket_;
  FileDescriptor output_;
  std::string output_tail_;
};

}  // namespace gktune
