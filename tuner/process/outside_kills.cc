#include "tuner/process/outside_kills.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tuner/process/call_filter.h"

namespace gktune {
namespace {

// A system call that sends a signal: the positions of its arguments.
struct Call {
  std::uint32_t number;
  std::size_t target, signal;
};
constexpr Call kCalls[] = {{SYS_kill, 0, 1},
                           {SYS_tkill, 0, 1},
                           {SYS_tgkill, 0, 2},
                           {SYS_rt_sigqueueinfo, 0, 1},
                           {SYS_rt_tgsigqueueinfo, 0, 2}};
constexpr std::uint32_t kTracing[] = {SYS_ptrace, SYS_pidfd_send_signal, SYS_pidfd_getfd};
constexpr std::uint32_t kMemory[] = {SYS_process_vm_readv,
                                     SYS_process_vm_writev};  // of the process that is named first

std::vector<sock_filter> filter_for(std::uint32_t self, std::span<const std::uint32_t> others) {
  std::vector<sock_filter> filter;
  const auto add = [&](sock_filter step) { filter.push_back(step); };
  add(load(offsetof(seccomp_data, arch)));
  add(skip_unless(kArchitecture, 1));
  add(BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0));
  add(end_with(SECCOMP_RET_ALLOW));
  for (const Call& call : kCalls) {
    const std::size_t steps = 10 + 2 * others.size();
    add(load(offsetof(seccomp_data, nr)));
    add(skip_unless(call.number, steps - 2));
    add(load(offset_of_argument(call.signal)));
    add(skip_unless(0, 1));  // whether there is such a process
    add(end_with(SECCOMP_RET_ALLOW));
    add(skip_unless(SIGKILL, 3));
    add(load(offset_of_argument(call.target)));
    add(skip_unless(self, 1));
    add(end_with(SECCOMP_RET_KILL_PROCESS));
    add(load(offset_of_argument(call.target)));
    for (const std::uint32_t other : others) {
      add(skip_unless(other, 1));
      add(end_with(SECCOMP_RET_KILL_PROCESS));
    }
  }
  add(load(offsetof(seccomp_data, nr)));
  for (const std::uint32_t call : kTracing) {
    add(skip_unless(call, 1));
    add(end_with(SECCOMP_RET_KILL_PROCESS));
  }
  for (const std::uint32_t call : kMemory) {
    add(load(offsetof(seccomp_data, nr)));
    add(skip_unless(call, 4));
    add(load(offset_of_argument(0)));
    add(skip_unless(self, 1));
    add(end_with(SECCOMP_RET_ALLOW));
    add(end_with(SECCOMP_RET_KILL_PROCESS));
  }
  add(end_with(SECCOMP_RET_ALLOW));
  return filter;
}

}  // namespace

std::string outside_kills_text(std::string_view ending) {
  return std::string(ending) + " from outside in " + std::to_string(kMostAttempts) +
         " attempts; the system may have run out of memory";
}

void keep_from(std::span<const pid_t> parents) {
  if (kArchitecture == 0) return;
  const auto number = [](pid_t pid) { return static_cast<std::uint32_t>(pid); };
  // 0 is the sender's group, -1 every process, -n the group n.
  std::vector<std::uint32_t> others = {number(0), number(-1), number(-::getpgrp())};
  for (const pid_t parent : parents) others.push_back(number(parent));
  std::vector<sock_filter> filter = filter_for(number(::getpid()), others);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) (void)filter_calls(filter);
}

}  // namespace gktune
