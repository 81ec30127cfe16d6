#include "tuner/process/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>

#include "tuner/core/files.h"
#include "tuner/process/file_descriptor.h"

namespace gktune {
namespace {

namespace fs = std::filesystem;

// The first version that lets files move between folders; compilers' results do.
constexpr long kLeastVersion = 2;
constexpr std::uint64_t kTruncate = std::uint64_t{1} << 14;  // from version 3 on
constexpr std::uint64_t kRead =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kOfFiles =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate;

long version() { return ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION); }

std::uint64_t all_rights() {
  const std::uint64_t of_second = (LANDLOCK_ACCESS_FS_REFER << 1) - 1;
  return version() >= 3 ? of_second | kTruncate : of_second;
}

Result<void> allow(const FileDescriptor& rules, const fs::path& path, std::uint64_t rights) {
  const FileDescriptor file(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (file.number() < 0) return {};
  struct stat info {};
  if (::fstat(file.number(), &info) == 0 && !S_ISDIR(info.st_mode)) rights &= kOfFiles;
  const landlock_path_beneath_attr rule{rights, file.number()};
  if (::syscall(SYS_landlock_add_rule, rules.number(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0) return {};
  return Error{"no sandbox: " + path.string() + ": " + system_reason(errno)};
}

Result<void> filter_calls(std::span<sock_filter> filter) {
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0)
    return {};
  return Error{"no sandbox: seccomp: " + system_reason(errno)};
}

// Other system calls make no sockets: rings of io_uring could. Calls with other numbers (32-bit ones) end the
// process.
Result<void> forbid_sockets() {
#if defined(__x86_64__)
  constexpr std::uint32_t kNative = 0xC000003E, kForeignCalls = 0x40000000;
#elif defined(__aarch64__)
  constexpr std::uint32_t kNative = 0xC00000B7, kForeignCalls = 0x40000000;
#else
  return Error{"no sandbox: not on this architecture"};
#endif
  constexpr std::uint32_t kRefused = SECCOMP_RET_ERRNO | EACCES;
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kNative, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kForeignCalls, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, kRefused),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  return filter_calls(filter);
}

bool is_entered = false;

}  // namespace

std::vector<fs::path> system_folders() {
  return {"/usr",  "/lib", "/lib32",           "/lib64",           "/bin", "/sbin", "/opt", "/nix",
          "/proc", "/sys", "/etc/ld.so.cache", "/etc/alternatives"};
}

Result<void> check_sandbox() {
  if (version() >= kLeastVersion) return {};
  return Error{"no sandbox: this system has no Landlock of version " + std::to_string(kLeastVersion)};
}

Result<void> enter_sandbox(const Sandbox& sandbox) {
  GKTUNE_TRY(check_sandbox());
  const std::uint64_t all = all_rights();
  landlock_ruleset_attr attributes{};
  attributes.handled_access_fs = all;
  const FileDescriptor rules(static_cast<int>(
      ::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes.handled_access_fs, 0)));
  if (rules.number() < 0) return Error{"no sandbox: Landlock: " + system_reason(errno)};
  for (const fs::path& path : sandbox.readable) GKTUNE_TRY(allow(rules, path, kRead));
  for (const fs::path& path : sandbox.writable) GKTUNE_TRY(allow(rules, path, all));
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::syscall(SYS_landlock_restrict_self, rules.number(), 0) != 0)
    return Error{"no sandbox: " + system_reason(errno)};
  GKTUNE_TRY(forbid_sockets());
  is_entered = true;
  return {};
}

// The C library starts threads by clone() where clone3(), whose flags no filter can read, does not exist.
Result<void> forbid_processes() {
  if (!is_entered) return {};
  constexpr std::uint32_t kStarts[] = {
      SYS_execve,
      SYS_execveat,
#ifdef SYS_fork
      SYS_fork,
      SYS_vfork,
#endif
  };
  const sock_filter kill = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  std::vector<sock_filter> filter = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
  };
  for (const std::uint32_t call : kStarts) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
    filter.push_back(kill);
  }
  const sock_filter clone[] = {
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0),
      kill,
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  filter.insert(filter.end(), std::begin(clone), std::end(clone));
  return filter_calls(filter);
}

}  // namespace gktune
