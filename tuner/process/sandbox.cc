#include "tuner/process/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "tuner/core/files.h"
#include "tuner/process/call_filter.h"
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

Result<void> enforced(std::span<sock_filter> filter) {
  if (filter_calls(filter)) return {};
  return Error{"no sandbox: seccomp: " + system_reason(errno)};
}

// Other system calls make no sockets: rings of io_uring could. Calls with other numbers (32-bit ones) end the
// process.
Result<void> forbid_sockets() {
  if (kArchitecture == 0) return Error{"no sandbox: not on this architecture"};
  constexpr std::uint32_t kForeignCalls = 0x40000000;
  constexpr std::uint32_t kRefused = SECCOMP_RET_ERRNO | EACCES;
  sock_filter filter[] = {
      load(offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0),
      end_with(SECCOMP_RET_KILL_PROCESS),
      load(offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kForeignCalls, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
      end_with(kRefused),
      end_with(SECCOMP_RET_ALLOW),
  };
  return enforced(filter);
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
  std::vector<sock_filter> filter = {load(offsetof(seccomp_data, nr)), skip_unless(SYS_clone3, 1),
                                     end_with(SECCOMP_RET_ERRNO | ENOSYS)};
  const auto add = [&](sock_filter step) { filter.push_back(step); };
  for (const std::uint32_t call : kStarts) {
    add(skip_unless(call, 1));
    add(end_with(SECCOMP_RET_KILL_PROCESS));
  }
  add(skip_unless(SYS_clone, 3));
  add(load(offset_of_argument(0)));
  add(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0));
  add(end_with(SECCOMP_RET_KILL_PROCESS));
  add(end_with(SECCOMP_RET_ALLOW));
  return enforced(filter);
}

}  // namespace gktune
