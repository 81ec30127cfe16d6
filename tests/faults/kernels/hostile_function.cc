// A plain function that hangs, or attacks the process that watches it, as ATTACK says. With ATTACK 0 it is
// innocent.
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

[[maybe_unused]] static void hang() {
  for (;;) ::pause();
}

// The memory of the parent where this process has its own variable: it was forked.
static long secret = 7;
[[maybe_unused]] static iovec here{&secret, sizeof secret}, there{&here, sizeof secret};

#if ATTACK == 1
static void attack() {
  static int executions = 0;
  if (++executions == 7) hang();
}
#elif ATTACK == 2
__attribute__((constructor)) static void begin() { hang(); }
static void attack() {}
#elif ATTACK == 3
__attribute__((destructor)) static void end() { hang(); }
static void attack() {}
#elif ATTACK == 4
static void attack() { ::ptrace(PTRACE_ATTACH, ::getppid(), nullptr, nullptr); }
#elif ATTACK == 5
static void attack() {
  ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
  ::raise(SIGSTOP);
}
#elif ATTACK == 6
static void attack() { ::kill(::getppid(), SIGSTOP); }
#elif ATTACK == 7  // the process above the parent
static void attack() {
  char name[64], text[512] = "";
  std::snprintf(name, sizeof name, "/proc/%d/stat", ::getppid());
  std::FILE* file = std::fopen(name, "r");
  int above = 0;
  if (file != nullptr && std::fgets(text, sizeof text, file) != nullptr)
    std::sscanf(text, "%*d (%*[^)]) %*c %d", &above);
  if (above > 1) ::kill(above, SIGSTOP);
}
#elif ATTACK == 8
static void attack() { ::process_vm_writev(::getppid(), &here, 1, &there, 1, 0); }
#elif ATTACK == 9
static void attack() { ::process_vm_readv(::getppid(), &here, 1, &there, 1, 0); }
#elif ATTACK == 10  // the memory of the parent is closed
static void attack() {
  char name[64];
  std::snprintf(name, sizeof name, "/proc/%d/mem", ::getppid());
  if (::open(name, O_RDWR) >= 0 || ::open(name, O_RDONLY) >= 0) ::_exit(9);
}
#elif ATTACK == 11  // its parent lets it go on
static void attack() { ::raise(SIGSTOP); }
#elif ATTACK == 12 || ATTACK == 13  // innocent until there is a file
static void attack() {
  const char* file = std::getenv("GKTUNE_TEST_FILE");
  if (file == nullptr || ::access(file, F_OK) != 0) return;
  if (ATTACK == 13) hang();
  ::raise(SIGSEGV);
}
#else
static void attack() {}
#endif

void faulty(const float* in, float* out, int n) {
  attack();
  for (int i = 0; i < n; ++i) out[i] = 2 * in[i];
}
