#pragma once

#include <cstddef>
#include <cstdint>

// Programs that define GKTUNE_BOOST_FIBERS compare the two: bench/fiber_switch.cc.
#if defined(__x86_64__) && !defined(GKTUNE_BOOST_FIBERS)
#define GKTUNE_OWN_FIBERS
#else
#include <boost/context/detail/fcontext.hpp>
#endif

namespace gktune {

// A point where execution can resume, on a stack of its own.
using FiberContext = void*;

// The function that a new stack starts with. It never returns.
using FiberEntry = void (*)();

#ifdef GKTUNE_OWN_FIBERS

// Each thread of a block switches at a barrier. The switch is inlined: a call would put the processor's stack
// of return addresses one off, and every return after the switch would be mispredicted. It takes 3 ns this
// way and 22 ns with Boost.Context, which serves the other processors (bench/results/host.md).
__attribute__((always_inline)) inline void switch_context(FiberContext to, FiberContext* from) {
  asm volatile(
      "leaq -128(%%rsp), %%rsp\n\t"  // past the red zone
      "pushq %%rbp\n\t"
      "leaq 1f(%%rip), %%rax\n\t"
      "pushq %%rax\n\t"
      "movq %%rsp, (%[from])\n\t"
      "movq %[to], %%rsp\n\t"
      "popq %%rax\n\t"
      "jmpq *%%rax\n\t"
      "1:\n\t"
      "popq %%rbp\n\t"
      "leaq 128(%%rsp), %%rsp\n\t"
      : [from] "+S"(from), [to] "+D"(to)
      :
      : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1",
        "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13",
        "xmm14", "xmm15", "cc", "memory");
}

template <FiberEntry kEntry>
FiberContext make_context(void* stack_top, std::size_t) {
  // The state after a call: 8 past a multiple of 16 when the entry's address is popped.
  auto* const slots =
      reinterpret_cast<void**>(reinterpret_cast<std::uintptr_t>(stack_top) & ~std::uintptr_t{15});
  slots[-1] = nullptr;
  slots[-2] = reinterpret_cast<void*>(kEntry);
  return &slots[-2];
}

#else

// Boost hands over the context that was left; store it where the caller wants it.
inline void switch_context(FiberContext to, FiberContext* from) {
  const boost::context::detail::transfer_t came = boost::context::detail::jump_fcontext(to, from);
  *static_cast<FiberContext*>(came.data) = came.fctx;
}

template <FiberEntry kEntry>
void enter_context(boost::context::detail::transfer_t came) {
  *static_cast<FiberContext*>(came.data) = came.fctx;
  kEntry();
}

template <FiberEntry kEntry>
FiberContext make_context(void* stack_top, std::size_t bytes) {
  return boost::context::detail::make_fcontext(stack_top, bytes, enter_context<kEntry>);
}

#endif

}  // namespace gktune
