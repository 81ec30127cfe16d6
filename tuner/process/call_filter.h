#pragma once

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace gktune {

// The instructions of a filter of system calls (seccomp).

// 0: filters are not written for this architecture.
#if defined(__x86_64__)
inline constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
inline constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
inline constexpr std::uint32_t kArchitecture = 0;
#endif

// The lower half of an argument: numbers of processes and signals, and flags, have 32 bits.
constexpr std::uint32_t offset_of_argument(std::size_t position) {
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + 8 * position);
}

inline sock_filter load(std::uint32_t offset) { return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset); }
inline sock_filter end_with(std::uint32_t action) { return BPF_STMT(BPF_RET | BPF_K, action); }
// Skips `count` instructions if the loaded value is another one.
inline sock_filter skip_unless(std::uint32_t value, std::size_t count) {
  return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, static_cast<std::uint8_t>(count));
}

// Filters the calls of this process from now on, beside earlier filters. Does not switch on protections
// against other processes, which make code slower. False: errno says why not.
inline bool filter_calls(std::span<sock_filter> filter) {
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0;
}

}  // namespace gktune
