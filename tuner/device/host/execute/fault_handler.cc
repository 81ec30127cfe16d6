#include "tuner/device/host/execute/fault_handler.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <span>

#include "tuner/device/host/execute/block_runner.h"
#include "tuner/device/host/sanitize/module_symbols.h"
#include "tuner/device/worker/fault_report.h"

namespace gktune {
namespace {

// Text of limited length, made without allocating: for signal handlers.
class SignalText {
 public:
  __attribute__((format(printf, 2, 3))) void add(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int count = std::vsnprintf(text_ + length_, sizeof(text_) - length_, format, arguments);
    va_end(arguments);
    if (count > 0) length_ = std::min(sizeof(text_) - 1, length_ + static_cast<std::size_t>(count));
  }
  // The same, set off from what is there already.
  void add_item(const char* item) {
    if (item[0] != '\0') add("%s%s", length_ > 0 ? ", " : "", item);
  }
  // Names the kernel thread that the calling thread runs, if any: "block (3,0,0), thread (17,0,0)".
  void add_kernel_thread() {
    if (BlockRunner::current() == nullptr) return;
    const kernel::uint3 block = gktune_thread.block_index, thread = gktune_thread.self.index;
    add("%sblock (%u,%u,%u), thread (%u,%u,%u)", length_ > 0 ? ", " : "", block.x, block.y, block.z, thread.x,
        thread.y, thread.z);
  }
  const char* str() const { return text_; }

 private:
  char text_[1024] = "";
  std::size_t length_ = 0;
};

// Where the thread was that a signal interrupted.
struct Interrupted {
  const void* code = nullptr;
  const std::byte* stack = nullptr;
};

Interrupted interrupted_by(const void* context) {
  [[maybe_unused]] const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return {reinterpret_cast<const void*>(machine.gregs[REG_RIP]),
          reinterpret_cast<const std::byte*>(machine.gregs[REG_RSP])};
#elif defined(__aarch64__)
  return {reinterpret_cast<const void*>(machine.pc), reinterpret_cast<const std::byte*>(machine.sp)};
#else
  return {};
#endif
}

// Signal handlers can only use globals.
std::atomic<const std::vector<NamedMemory>*> named{nullptr};
std::atomic<pid_t> reporter{0};  // the thread whose fault is reported

constexpr std::size_t kFaultStackBytes = std::size_t{128} << 10;
// An address farther than this from a buffer is unrelated to it.
constexpr std::uintptr_t kNear = std::uintptr_t{1} << 20;

void add_address(SignalText& text, const void* address) {
  text.add("illegal access at 0x%zx", reinterpret_cast<std::uintptr_t>(address));
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (at < 4096) return text.add(" (a null pointer)");
  if (const BlockRunner* runner = BlockRunner::current()) {
    const long past = runner->shared_memory().bytes_past_end(address);
    if (past >= 0) return text.add(" (%ld bytes past the end of the dynamic shared memory)", past);
  }
  const std::vector<NamedMemory>* names = named.load();
  if (names == nullptr) return;
  const NamedMemory* nearest = nullptr;
  std::uintptr_t distance = kNear;
  for (const NamedMemory& memory : *names) {
    const auto begin = reinterpret_cast<std::uintptr_t>(memory.begin), end = begin + memory.bytes;
    const std::uintptr_t gap = at < begin ? begin - at : at >= end ? at - end : 0;
    if (gap < distance) nearest = &memory, distance = gap;
  }
  if (nearest == nullptr) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(nearest->begin);
  if (at < begin) return text.add(" (%zu bytes before ‘%s’)", distance, nearest->name.c_str());
  text.add(" (%zu bytes past the end of ‘%s’)", distance, nearest->name.c_str());
}

bool is_trap([[maybe_unused]] const void* code) {
#if defined(__x86_64__)
  constexpr unsigned char kUd2[] = {0x0f, 0x0b}, kUd1[] = {0x67, 0x0f, 0xb9};
  return code != nullptr &&
         (std::memcmp(code, kUd2, sizeof kUd2) == 0 || std::memcmp(code, kUd1, sizeof kUd1) == 0);
#else
  return false;
#endif
}

void die_of_signals() {
  for (const int each : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::signal(each, SIG_DFL);
}

Status describe(SignalText& text, int signal, const siginfo_t& info) {
  switch (signal) {
    case SIGSEGV:
      if (info.si_code == SI_KERNEL) {
        text.add("misaligned access, or an address that does not exist");
        return Status::misaligned_access;
      }
      if (const BlockRunner* runner = BlockRunner::current();
          runner && runner->stacks().is_overflow(info.si_addr)) {
        text.add("stack overflow");
        return Status::illegal_access;
      }
      add_address(text, info.si_addr);
      return Status::illegal_access;
    case SIGBUS:
      if (info.si_code == BUS_ADRALN) {
        text.add("misaligned access at 0x%zx", reinterpret_cast<std::uintptr_t>(info.si_addr));
        return Status::misaligned_access;
      }
      add_address(text, info.si_addr);
      return Status::illegal_access;
    case SIGFPE:
      text.add(info.si_code == FPE_INTDIV ? "integer division by zero" : "arithmetic exception");
      return Status::crashed;
    case SIGABRT:
      text.add("aborted");
      return Status::aborted;
    default:
      // Compilers put a trap where undefined behaviour is certain.
      if (is_trap(info.si_addr)) {
        text.add("undefined behaviour: the compiler put a trap there");
        return Status::undefined_behavior;
      }
      text.add("illegal instruction");
      return Status::crashed;
  }
}

bool are_of_one_module(const void* a, const void* b) {
  Dl_info of_a, of_b;
  return dladdr(a, &of_a) != 0 && dladdr(b, &of_b) != 0 && of_a.dli_fbase == of_b.dli_fbase;
}

void on_signal(int signal, siginfo_t* info, void* context) {
  // Blocks that run at the same time often have the same fault. Only the first is reported.
  const pid_t self = gettid();
  if (pid_t first = 0; !reporter.compare_exchange_strong(first, self)) {
    while (first != self) pause();
    die_of_signals();  // a fault in this handler: it repeats and ends the process
    return;
  }
  SignalText text;
  const Status status = describe(text, signal, *info);
  text.add_kernel_thread();
  // Instrumented code may fail within this program, or within what it has put in place of memcpy.
  const BlockRunner* runner = BlockRunner::current();
  const void* access = runner != nullptr ? runner->last_access() : nullptr;
  const void* code = interrupted_by(context).code;
  char line[512] = "";
  if (access == nullptr || are_of_one_module(code, access)) find_source_line(code, line, sizeof(line));
  if (access != nullptr && line[0] == '\0')
    find_source_line(static_cast<const char*>(access) - 1, line, sizeof(line));
  text.add_item(line);
  report_fault(status, text.str());
  die_of_signals();
  raise(signal);
}

// The running candidate's code, for signal handlers too.
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

// Empty for what the compiler has put at the line of an entry's own definition: add_entries() in
// compile/translation_unit.cc names that place.
void find_kernels_line(const void* code, char* line, std::size_t size) {
  find_source_line(code, line, size);
  const char* const folder_end = std::strrchr(line, '/');
  if (std::strncmp(folder_end == nullptr ? line : folder_end + 1, "entry ", 6) == 0) line[0] = '\0';
}

// The line of the code, if any, or of its innermost caller that is in the user's source: a function of
// gktune's headers that the compiler did not inline has none.
void find_users_line(const void* code, const std::byte* stack, char* line, std::size_t size) {
  if (code != nullptr) find_kernels_line(code, line, size);
  // The stack below the judgement of an access also holds what earlier calls have left there.
  const BlockRunner* runner = BlockRunner::current();
  const void* const judged = runner == nullptr ? nullptr : runner->judged_access();
  if (line[0] == '\0' && judged != nullptr)
    find_kernels_line(static_cast<const char*>(judged) - 1, line, size);
  for (int within = 0; line[0] == '\0' && within < kMostCallers; ++within) {
    const void* const caller = find_caller(stack, within);
    if (caller == nullptr) return;
    find_kernels_line(caller, line, size);
  }
}

void tell(const void* code, const std::byte* stack) {
  if (reporter.load() != 0) return;  // a report of a fault says more, and ends the process
  if (!is_answered.exchange(true)) {
    SignalText text;
    text.add_kernel_thread();
    char line[512] = "";
    find_users_line(code, stack, line, sizeof line);
    text.add_item(line);
    report_fault(Status::timed_out, text.str());
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
  const auto [code, stack] = interrupted_by(context);
  if (is_at_work(reinterpret_cast<std::uintptr_t>(code))) tell(code, stack);
  if (find_caller(stack, 0) != nullptr || BlockRunner::current() != nullptr) {
    // It may wait for another thread, which has the better answer.
    ::nanosleep(&kPatience, nullptr);
    tell(nullptr, stack);
  }
  errno = saved_errno;
}

}  // namespace

void set_fault_handlers() {
  struct sigaction action {};
  action.sa_sigaction = on_question;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(kQuestionSignal, &action, nullptr);
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigaddset(&action.sa_mask, kQuestionSignal);  // a fault report needs no place report
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
}

MemoryNames::MemoryNames(std::vector<NamedMemory> names) : names_(std::move(names)) { named.store(&names_); }

MemoryNames::~MemoryNames() { named.store(nullptr); }

FaultStack::FaultStack() : memory_(std::make_unique<std::byte[]>(kFaultStackBytes)) {
  stack_t stack{};
  stack.ss_sp = memory_.get();
  stack.ss_size = kFaultStackBytes;
  sigaltstack(&stack, nullptr);
}

FaultStack::~FaultStack() {
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
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
