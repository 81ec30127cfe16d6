// A plain function that changes its process as LEAK says. With LEAK 0 it is innocent, and computes a wrong result where the
// process is not as its parent is.
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

// Takes the name that the test gives: it tells the processes of tests that run side by side apart.
[[maybe_unused]] static void take_name() {
  const char* name = getenv("GKTUNE_TEST_PROCESS");
  prctl(PR_SET_NAME, name != nullptr ? name : "gktune-left");
}

#if LEAK == 1  // compiled with -Ofast: loading it sets flush-to-zero
static void misbehave() {}
#elif LEAK == 2
static void misbehave() {
  const rlimit few{12, 12};
  setrlimit(RLIMIT_NOFILE, &few);
}
#elif LEAK == 3
static void misbehave() { setpriority(PRIO_PROCESS, 0, 19); }
#elif LEAK == 4
static void misbehave() {
  cpu_set_t own, one;
  sched_getaffinity(0, sizeof own, &own);
  CPU_ZERO(&one);
  for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++core) {
    if (CPU_ISSET(core, &own)) CPU_SET(core, &one);
  }
  sched_setaffinity(0, sizeof one, &one);
}
#elif LEAK == 5
static void misbehave() {
  for (int number : {SIGSEGV, SIGTERM, SIGXCPU, SIGINT, SIGCHLD}) signal(number, SIG_IGN);
}
#elif LEAK == 6
static void misbehave() { umask(0777); }
#elif LEAK == 7
static void misbehave() {
  if (chdir("/") != 0) abort();
}
#elif LEAK == 8
static void* spin(void*) {
  prctl(PR_SET_NAME, "left-running");
  for (volatile unsigned i = 0;; i = i + 1) continue;
}
static void misbehave() {
  pthread_t thread;
  if (pthread_create(&thread, nullptr, spin, nullptr) != 0) abort();
}
#elif LEAK == 9
static void misbehave() {
  for (int number = 3; number < 64; ++number) close(number);
}
#elif LEAK == 10
static void misbehave() {
  const itimerval soon{{0, 0}, {0, 300'000}};
  setitimer(ITIMER_REAL, &soon, nullptr);
}
#elif LEAK == 11
static void misbehave() { exit(0); }
#elif LEAK == 12
static void misbehave() {
  atexit([] { _exit(7); });
  exit(0);
}
#elif LEAK == 13
static void misbehave() {
  jmp_buf nowhere;
  memset(&nowhere, 0, sizeof nowhere);
  longjmp(nowhere, 1);
}
#elif LEAK == 14
static void misbehave() { setsid(); }
#elif LEAK == 15
static void misbehave() {
  for (int i = 0; i < 3; ++i) {
    if (fork() != 0) continue;
    setsid();
    take_name();
    for (;;) pause();
  }
}
#elif LEAK == 16  // the child holds the channel
static void misbehave() {
  if (fork() != 0) _exit(0);
  take_name();
  for (;;) pause();
}
#elif LEAK == 17
static void misbehave() {
  FILE* file = tmpfile();
  if (file == nullptr || pwrite(fileno(file), "far", 3, off_t{1} << 33) < 0) abort();
}
#elif LEAK == 19
static void misbehave() {
  prctl(PR_SET_NAME, "gktune-naps");
  usleep(300'000);
  prctl(PR_SET_NAME, "gktune-rests");
}
#elif LEAK == 20
static void misbehave() { kill(getpid(), SIGKILL); }
#elif LEAK == 21
static void misbehave() { kill(0, SIGKILL); }
#elif LEAK == 23
static void misbehave() { kill(getppid(), SIGKILL); }
#elif LEAK == 24  // fills the disk that its temporary files are on, up to 1 GiB
static void misbehave() {
  const char* folder = getenv("TMPDIR");
  char path[4096];
  snprintf(path, sizeof path, "%s/large", folder != nullptr ? folder : "/nonexistent");
  const int file = open(path, O_WRONLY | O_CREAT, 0600);
  if (file < 0) abort();
  static char block[1 << 20];
  memset(block, 'x', sizeof block);
  for (int i = 0; i < 1 << 10; ++i) {
    if (write(file, block, sizeof block) <= 0) return;
  }
}
#elif LEAK == 22  // outlives the tuner
static void misbehave() {
  signal(SIGTERM, SIG_IGN);
  if (fork() == 0) setsid();
  take_name();
  for (volatile unsigned i = 0;; i = i + 1) continue;
}
#elif LEAK == 18
static void misbehave() {
  static char block[1 << 16];
  memset(block, 'x', sizeof block);
  for (int i = 0; i < 1 << 14; ++i) {
    if (write(2, block, sizeof block) < 0) return;
  }
}
#else
// A bit for each signal that the process ignores, of those that a culprit may leave ignored.
static unsigned long long ignored_signals(pid_t process) {
  char path[64], line[256];
  snprintf(path, sizeof path, "/proc/%d/status", process);
  FILE* status = fopen(path, "r");
  unsigned long long ignored = 0;
  while (status != nullptr && fgets(line, sizeof line, status) != nullptr && sscanf(line, "SigIgn: %llx", &ignored) != 1) {
  }
  if (status != nullptr) fclose(status);
  unsigned long long watched = 0;
  for (int number : {SIGTERM, SIGINT, SIGCHLD, SIGALRM}) watched |= 1ull << (number - 1);
  return ignored & watched;
}
static bool is_as_its_parent() {
  const pid_t parent = getppid();
  rlimit own, parents;
  for (int limit : {RLIMIT_NOFILE, RLIMIT_STACK, RLIMIT_CPU, RLIMIT_NPROC}) {
    if (prlimit(0, static_cast<__rlimit_resource>(limit), nullptr, &own) != 0) return false;
    if (prlimit(parent, static_cast<__rlimit_resource>(limit), nullptr, &parents) != 0) continue;
    if (own.rlim_cur != parents.rlim_cur) return false;
  }
  if (getpriority(PRIO_PROCESS, 0) != getpriority(PRIO_PROCESS, parent)) return false;
  cpu_set_t own_cores, parents_cores;
  sched_getaffinity(0, sizeof own_cores, &own_cores);
  sched_getaffinity(parent, sizeof parents_cores, &parents_cores);
  if (!CPU_EQUAL(&own_cores, &parents_cores)) return false;
  if (ignored_signals(getpid()) != ignored_signals(parent)) return false;
  const mode_t mask = umask(022);
  umask(mask);
  if (mask == 0777) return false;
  char folder[4096] = "";
  if (getcwd(folder, sizeof folder) == nullptr || strcmp(folder, "/") == 0) return false;
  DIR* threads = opendir("/proc/self/task");
  if (threads == nullptr) return false;
  while (const dirent* thread = readdir(threads)) {
    char path[300], name[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", thread->d_name);
    const int file = open(path, O_RDONLY);
    if (file < 0) continue;
    if (read(file, name, sizeof name - 1) > 0 && strncmp(name, "left-running", 12) == 0) return false;
    close(file);
  }
  closedir(threads);
  volatile float smallest = 1e-40f;
  return smallest * 0.5f > 0;
}
static void misbehave() {}
#endif

void faulty(const float* in, float* out, int n) {
#if LEAK == 0
  static const bool is_fine = is_as_its_parent();
  for (int i = 0; i < n; ++i) out[i] = is_fine ? 2 * in[i] : -1;
#else
  for (int i = 0; i < n; ++i) out[i] = 2 * in[i];
  static bool is_done = false;
  if (!is_done) is_done = true, misbehave();
#endif
}
