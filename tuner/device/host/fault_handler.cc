#include "tuner/device/host/fault_handler.h"

#include <dlfcn.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "tuner/device/host/block_runner.h"
#include "tuner/device/host/source_line.h"

namespace gktune {
namespace {

// A signal handler has nothing but what is global.
std::atomic<FaultCallback> told{nullptr};
std::atomic<const std::vector<NamedMemory>*> named{nullptr};

constexpr std::size_t kFaultStackBytes = std::size_t{128} << 10;
// Farther than this from a buffer, an address has nothing to do with it.
constexpr std::uintptr_t kNear = std::uintptr_t{1} << 20;

// Text of limited length, without allocating.
class Text {
 public:
  __attribute__((format(printf, 2, 3))) void add(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int count = std::vsnprintf(text_ + length_, sizeof(text_) - length_, format, arguments);
    va_end(arguments);
    if (count > 0) length_ = std::min(sizeof(text_) - 1, length_ + static_cast<std::size_t>(count));
  }
  const char* str() const { return text_; }

 private:
  char text_[1024] = "";
  std::size_t length_ = 0;
};

void add_address(Text& text, const void* address) {
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

// AddressSanitizer's own interface, found where its library was loaded with the process.
void on_sanitizer_report(const char*) {
  const auto description =
      reinterpret_cast<const char* (*)()>(dlsym(RTLD_DEFAULT, "__asan_get_report_description"));
  const auto code = reinterpret_cast<const void* (*)()>(dlsym(RTLD_DEFAULT, "__asan_get_report_pc"));
  Text text;
  text.add("AddressSanitizer: %s", description != nullptr ? description() : "a fault");
  char line[512] = "";
  if (code != nullptr) find_source_line(static_cast<const char*>(code()) - 1, line, sizeof(line));
  if (line[0] != '\0') text.add(", %s", line);
  for (const int each : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::signal(each, SIG_DFL);
  if (const FaultCallback callback = told.load()) callback(Status::illegal_access, text.str());
}

Status describe(Text& text, int signal, const siginfo_t& info) {
  switch (signal) {
    case SIGSEGV:
      if (info.si_code == SI_KERNEL) {
        text.add("misaligned access, or an address that cannot be one");
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
      // Where a compiler sees that it may reach no further, it puts a trap.
      if (is_trap(info.si_addr)) {
        text.add("undefined behaviour, which the compiler has put a trap for");
        return Status::undefined_behavior;
      }
      text.add("illegal instruction");
      return Status::crashed;
  }
}

const void* code_address(const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return reinterpret_cast<const void*>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<const void*>(machine.pc);
#else
  (void)machine;
  return nullptr;
#endif
}

void on_signal(int signal, siginfo_t* info, void* context) {
  // A fault in here ends the process at once.
  for (const int each : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::signal(each, SIG_DFL);
  Text text;
  const Status status = describe(text, signal, *info);
  if (BlockRunner::current() != nullptr) {
    const kernel::uint3 block = gktune_thread.block_index, thread = gktune_thread.self.index;
    text.add(", block (%u,%u,%u), thread (%u,%u,%u)", block.x, block.y, block.z, thread.x, thread.y,
             thread.z);
  }
  char line[512];
  find_source_line(code_address(context), line, sizeof(line));
  if (line[0] != '\0') text.add(", %s", line);
  if (const FaultCallback callback = told.load()) callback(status, text.str());
  raise(signal);
}

}  // namespace

void set_fault_handler(FaultCallback callback) {
  told.store(callback);
  using Report = void (*)(const char*);
  if (void* set = dlsym(RTLD_DEFAULT, "__asan_set_error_report_callback")) {
    reinterpret_cast<void (*)(Report)>(set)(on_sanitizer_report);
  }
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
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

}  // namespace gktune
