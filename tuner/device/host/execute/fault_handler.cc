#include "tuner/device/host/execute/fault_handler.h"

#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>

#include "tuner/device/host/execute/block_runner.h"
#include "tuner/device/host/execute/machine_context.h"
#include "tuner/device/host/execute/signal_text.h"
#include "tuner/device/host/sanitize/source_line.h"
#include "tuner/device/worker/fault_report.h"

namespace gktune {
namespace {

// Signal handlers can only use globals.
std::atomic<FaultCallback> fault_callback{nullptr};
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

// Uses AddressSanitizer's interface, if its library is loaded.
void on_sanitizer_report(const char*) {
  pid_t nobody = 0;
  reporter.compare_exchange_strong(nobody, gettid());
  const auto description =
      reinterpret_cast<const char* (*)()>(dlsym(RTLD_DEFAULT, "__asan_get_report_description"));
  const auto code = reinterpret_cast<const void* (*)()>(dlsym(RTLD_DEFAULT, "__asan_get_report_pc"));
  SignalText text;
  text.add("AddressSanitizer: %s", description != nullptr ? description() : "a fault");
  char line[512] = "";
  if (code != nullptr) find_source_line(static_cast<const char*>(code()) - 1, line, sizeof(line));
  text.add_item(line);
  die_of_signals();
  if (const FaultCallback callback = fault_callback.load()) callback(Status::illegal_access, text.str());
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
  const void* code = code_address(context);
  char line[512] = "";
  if (access == nullptr || are_of_one_module(code, access)) find_source_line(code, line, sizeof(line));
  if (access != nullptr && line[0] == '\0')
    find_source_line(static_cast<const char*>(access) - 1, line, sizeof(line));
  text.add_item(line);
  if (const FaultCallback callback = fault_callback.load()) callback(status, text.str());
  die_of_signals();
  raise(signal);
}

}  // namespace

void set_fault_handler(FaultCallback callback) {
  fault_callback.store(callback);
  using Report = void (*)(const char*);
  if (void* set = dlsym(RTLD_DEFAULT, "__asan_set_error_report_callback")) {
    reinterpret_cast<void (*)(Report)>(set)(on_sanitizer_report);
  }
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  sigaddset(&action.sa_mask, kQuestionSignal);  // a fault report needs no place report
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
}

bool is_fault_reported() { return reporter.load() != 0; }

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

}  // namespace gktune
