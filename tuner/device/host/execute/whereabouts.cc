#include "tuner/device/host/execute/whereabouts.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <span>

#include "tuner/device/host/execute/block_runner.h"
#include "tuner/device/host/execute/fault_handler.h"
#include "tuner/device/host/execute/machine_context.h"
#include "tuner/device/host/execute/signal_text.h"
#include "tuner/device/host/sanitize/source_line.h"

namespace gktune {
namespace {

// Signal handlers can only use globals.
std::atomic<WhereaboutsCallback> on_answer{nullptr};
std::atomic<std::uintptr_t> code_begin{0}, code_end{0};
std::atomic<bool> is_answered{false};

constexpr std::size_t kPieceBytes = 4096;
constexpr int kPieces = 4;
// Functions of gktune's headers call each other at most this deep.
constexpr int kMostCallers = 8;
constexpr timespec kPatience{0, 500'000'000};

bool is_at_work(std::uintptr_t address) { return address >= code_begin.load() && address < code_end.load(); }

// Finds return addresses into the candidate's code on the stack, and skips the innermost `within`.
// Kernels have no unwind tables.
// The system reads the memory, because it knows where the stack ends.
const void* find_caller(const std::byte* stack, int within) {
  std::array<std::uintptr_t, kPieceBytes / sizeof(std::uintptr_t)> words;
  for (int piece = 0; piece < kPieces; ++piece) {
    const std::size_t bytes = kPieceBytes - reinterpret_cast<std::uintptr_t>(stack) % kPieceBytes;
    const iovec here{words.data(), bytes}, there{const_cast<std::byte*>(stack), bytes};
    if (::process_vm_readv(::getpid(), &here, 1, &there, 1, 0) != static_cast<ssize_t>(bytes)) return nullptr;
    const auto end = words.begin() + static_cast<std::ptrdiff_t>(bytes / sizeof(std::uintptr_t));
    for (auto word = words.begin(); word != end; ++word) {
      if (is_at_work(*word) && within-- == 0) return reinterpret_cast<const void*>(*word - 1);
    }
    stack += bytes;
  }
  return nullptr;
}

// The signal may have reached a thread that runs no candidate.
void ask_the_others(int signal) {
  const int folder = ::open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  alignas(dirent64) char entries[2048];
  ssize_t count = 0;
  while ((count = ::getdents64(folder, entries, sizeof entries)) > 0) {
    for (ssize_t at = 0; at < count;) {
      const auto* entry = reinterpret_cast<const dirent64*>(entries + at);
      const int thread = std::atoi(entry->d_name);
      if (thread > 0 && thread != ::gettid()) ::tgkill(::getpid(), thread, signal);
      at += entry->d_reclen;
    }
  }
  ::close(folder);
}

// The line of the code, if any, or of its innermost caller that is in the user's source: a function of
// gktune's headers that the compiler did not inline has none.
void find_users_line(const void* code, const std::byte* stack, char* line, std::size_t size) {
  if (code != nullptr) find_source_line(code, line, size);
  // The stack below the judgement of an access also holds what earlier calls have left there.
  const BlockRunner* runner = BlockRunner::current();
  const void* const judged = runner == nullptr ? nullptr : runner->judged_access();
  if (line[0] == '\0' && judged != nullptr)
    find_source_line(static_cast<const char*>(judged) - 1, line, size);
  for (int within = 0; line[0] == '\0' && within < kMostCallers; ++within) {
    const void* const caller = find_caller(stack, within);
    if (caller == nullptr) return;
    find_source_line(caller, line, size);
  }
}

void tell(const void* code, const std::byte* stack) {
  if (is_fault_reported()) return;  // it says more, and ends the process
  if (!is_answered.exchange(true)) {
    SignalText text;
    text.add_kernel_thread();
    char line[512] = "";
    find_users_line(code, stack, line, sizeof line);
    text.add_item(line);
    if (const WhereaboutsCallback callback = on_answer.load()) callback(text.str());
    ::kill(::getpid(), SIGKILL);
  }
  for (;;) ::pause();
}

void on_question(int signal, siginfo_t* info, void* context) {
  // The system sends the same signal at a limit on processor time.
  const bool is_parents = info->si_code == SI_USER && info->si_pid == ::getppid();
  const bool is_passed_on = info->si_code == SI_TKILL && info->si_pid == ::getpid();
  if (!is_parents && !is_passed_on) return;
  const int saved_errno = errno;
  if (is_parents) ask_the_others(signal);
  const void* const code = code_address(context);
  const std::byte* const stack = stack_address(context);
  if (is_at_work(reinterpret_cast<std::uintptr_t>(code))) tell(code, stack);
  if (find_caller(stack, 0) != nullptr || BlockRunner::current() != nullptr) {
    // It may wait for another thread, which has the better answer.
    ::nanosleep(&kPatience, nullptr);
    tell(nullptr, stack);
  }
  errno = saved_errno;
}

}  // namespace

void set_whereabouts_handler(int signal, WhereaboutsCallback callback) {
  on_answer.store(callback);
  struct sigaction action {};
  action.sa_sigaction = on_question;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

CodeRange code_of(void* library) {
  struct Search {
    const link_map* library = nullptr;
    CodeRange found = {};
  } search;
  if (dlinfo(library, RTLD_DI_LINKMAP, &search.library) != 0) return {};
  const auto look = [](dl_phdr_info* info, std::size_t, void* data) {
    auto& wanted = *static_cast<Search*>(data);
    if (info->dlpi_addr != wanted.library->l_addr) return 0;
    for (const auto& part : std::span(info->dlpi_phdr, info->dlpi_phnum)) {
      if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
      wanted.found = {info->dlpi_addr + part.p_vaddr, info->dlpi_addr + part.p_vaddr + part.p_memsz};
    }
    return 1;
  };
  dl_iterate_phdr(look, &search);
  return search.found;
}

CodeAtWork::CodeAtWork(CodeRange code) {
  code_begin.store(code.begin, std::memory_order_relaxed);
  code_end.store(code.end, std::memory_order_relaxed);
}

CodeAtWork::~CodeAtWork() { code_end.store(0, std::memory_order_relaxed); }

}  // namespace gktune
