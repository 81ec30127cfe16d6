#pragma once

#include <ucontext.h>

#include <cstddef>

namespace gktune {

// The state of the thread that a signal interrupted, from the handler's context.

inline const void* code_address(const void* context) {
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

inline const std::byte* stack_address(const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return reinterpret_cast<const std::byte*>(machine.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return reinterpret_cast<const std::byte*>(machine.sp);
#else
  (void)machine;
  return nullptr;
#endif
}

}  // namespace gktune
