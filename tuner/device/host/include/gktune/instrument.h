#pragma once

// Functions that the compiler's instrumentation calls, in place of a sanitizer's library. They report every
// access to memory to the engine, and end the launch when the code detects undefined behaviour. Instrumented
// sources include this file first; no other source includes it.

#include "gktune/abi.h"

#define GKTUNE_HOOK \
  extern "C" __attribute__((visibility("hidden"), used, no_sanitize_thread, no_sanitize_undefined, noipa))

#define GKTUNE_PLACE \
  ::gktune::kernel::CodePlace { __builtin_return_address(0), __builtin_frame_address(0) }
#define GKTUNE_TELL(address, bytes, kind)                                                                    \
  gktune_thread.services->access(const_cast<const void*>(static_cast<const volatile void*>(address)), bytes, \
                                 ::gktune::kernel::AccessKind::kind, GKTUNE_PLACE)
#define GKTUNE_FLAW(which, what) \
  gktune_thread.services->fault(::gktune::kernel::DetectedFault::which, what, GKTUNE_PLACE)
#define GKTUNE_CHECK_ALIGNMENT(address, alignment, what) \
  if (reinterpret_cast<unsigned long>(address) % (alignment) != 0) GKTUNE_FLAW(misaligned, what)

// Plain accesses

// A volatile access is a relaxed one that others may see: PTX says so, and spinning relies on it. A fence
// behind the read is often left out.
#define GKTUNE_VOLATILE_READ(p, bytes) gktune_thread.services->acquire(), GKTUNE_TELL(p, bytes, atomic_read)
#define GKTUNE_ACCESSES(bytes)                                                                        \
  GKTUNE_HOOK void __tsan_read##bytes(void* p) { GKTUNE_TELL(p, bytes, read); }                       \
  GKTUNE_HOOK void __tsan_write##bytes(void* p) { GKTUNE_TELL(p, bytes, write); }                     \
  GKTUNE_HOOK void __tsan_unaligned_read##bytes(const void* p) { GKTUNE_TELL(p, bytes, read); }       \
  GKTUNE_HOOK void __tsan_unaligned_write##bytes(void* p) { GKTUNE_TELL(p, bytes, write); }           \
  GKTUNE_HOOK void __tsan_volatile_read##bytes(void* p) { GKTUNE_VOLATILE_READ(p, bytes); }           \
  GKTUNE_HOOK void __tsan_volatile_write##bytes(void* p) { GKTUNE_TELL(p, bytes, atomic_write); }     \
  GKTUNE_HOOK void __tsan_unaligned_volatile_read##bytes(void* p) { GKTUNE_VOLATILE_READ(p, bytes); } \
  GKTUNE_HOOK void __tsan_unaligned_volatile_write##bytes(void* p) { GKTUNE_TELL(p, bytes, atomic_write); }
GKTUNE_ACCESSES(1)
GKTUNE_ACCESSES(2)
GKTUNE_ACCESSES(4)
GKTUNE_ACCESSES(8)
GKTUNE_ACCESSES(16)
#undef GKTUNE_ACCESSES
#undef GKTUNE_VOLATILE_READ

GKTUNE_HOOK void __tsan_read_range(void* p, unsigned long bytes) { GKTUNE_TELL(p, bytes, read); }
GKTUNE_HOOK void __tsan_write_range(void* p, unsigned long bytes) { GKTUNE_TELL(p, bytes, write); }
GKTUNE_HOOK void __tsan_vptr_read(void** p) { GKTUNE_TELL(p, sizeof(void*), read); }
GKTUNE_HOOK void __tsan_vptr_update(void** p, void*) { GKTUNE_TELL(p, sizeof(void*), write); }
GKTUNE_HOOK void __tsan_func_entry(void*) {}
GKTUNE_HOOK void __tsan_func_exit() {}
GKTUNE_HOOK void __tsan_init() {}

// Memory that a thread has freed stays its own: another thread's accesses to it would look like a race.
GKTUNE_HOOK void free(void*) noexcept {}
void operator delete(void*) noexcept {}
void operator delete(void*, unsigned long) noexcept {}
void operator delete[](void*) noexcept {}
void operator delete[](void*, unsigned long) noexcept {}

// Calls of these functions go to these, not to the C library's: see the linker's -Bsymbolic. Every byte is
// volatile, so that no compiler makes a call of a loop.
#define GKTUNE_MOVE(move)                                                            \
  GKTUNE_HOOK void* move(void* to, const void* from, unsigned long bytes) noexcept { \
    if (bytes > 0) GKTUNE_TELL(from, bytes, read), GKTUNE_TELL(to, bytes, write);    \
    volatile char* target = static_cast<char*>(to);                                  \
    const volatile char* source = static_cast<const char*>(from);                    \
    if (target < source) {                                                           \
      for (unsigned long i = 0; i < bytes; ++i) target[i] = source[i];               \
    } else {                                                                         \
      for (unsigned long i = bytes; i > 0; --i) target[i - 1] = source[i - 1];       \
    }                                                                                \
    return to;                                                                       \
  }
#define GKTUNE_SET(set)                                                            \
  GKTUNE_HOOK void* set(void* to, int byte, unsigned long bytes) noexcept {        \
    if (bytes > 0) GKTUNE_TELL(to, bytes, write);                                  \
    volatile char* target = static_cast<char*>(to);                                \
    for (unsigned long i = 0; i < bytes; ++i) target[i] = static_cast<char>(byte); \
    return to;                                                                     \
  }
GKTUNE_MOVE(memcpy)
GKTUNE_MOVE(memmove)
GKTUNE_SET(memset)
#undef GKTUNE_MOVE
#undef GKTUNE_SET

// Atomic accesses

namespace gktune::kernel {

inline bool is_acquire(int order) { return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE; }
inline bool is_release(int order) { return order >= __ATOMIC_RELEASE; }

}  // namespace gktune::kernel

GKTUNE_HOOK void __tsan_atomic_thread_fence(int) { gktune_thread.services->fence(); }
GKTUNE_HOOK void __tsan_atomic_signal_fence(int) {}

#define GKTUNE_BEFORE_UPDATE(bytes, order) GKTUNE_BEFORE_CHANGE(bytes, order, atomic_update)
#define GKTUNE_BEFORE_CHANGE(bytes, order, kind)                              \
  GKTUNE_CHECK_ALIGNMENT(p, bytes, "an atomic operation");                    \
  if (::gktune::kernel::is_acquire(order)) gktune_thread.services->acquire(); \
  GKTUNE_TELL(p, bytes, kind);                                                \
  if (::gktune::kernel::is_release(order)) gktune_thread.services->release()

#define GKTUNE_UPDATE(bits, T, name)                                              \
  GKTUNE_HOOK T __tsan_atomic##bits##_##name(volatile T* p, T value, int order) { \
    GKTUNE_BEFORE_UPDATE(sizeof(T), order);                                       \
    return __atomic_##name(p, value, __ATOMIC_SEQ_CST);                           \
  }
#define GKTUNE_COMPARE_EXCHANGE(bits, T, strength)                                                       \
  GKTUNE_HOOK int __tsan_atomic##bits##_compare_exchange_##strength(volatile T* p, T* expected, T value, \
                                                                    int order, int) {                    \
    GKTUNE_BEFORE_UPDATE(sizeof(T), order);                                                              \
    return __atomic_compare_exchange_n(p, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);   \
  }
#define GKTUNE_ATOMICS(bits, T)                                                     \
  GKTUNE_HOOK T __tsan_atomic##bits##_load(const volatile T* p, int order) {        \
    GKTUNE_CHECK_ALIGNMENT(p, sizeof(T), "an atomic operation");                    \
    if (::gktune::kernel::is_acquire(order)) gktune_thread.services->acquire();     \
    GKTUNE_TELL(p, sizeof(T), atomic_read);                                         \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                    \
  }                                                                                 \
  GKTUNE_HOOK void __tsan_atomic##bits##_store(volatile T* p, T value, int order) { \
    GKTUNE_CHECK_ALIGNMENT(p, sizeof(T), "an atomic operation");                    \
    GKTUNE_TELL(p, sizeof(T), atomic_write);                                        \
    if (::gktune::kernel::is_release(order)) gktune_thread.services->release();     \
    __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                   \
  }                                                                                 \
  GKTUNE_HOOK T __tsan_atomic##bits##_exchange(volatile T* p, T value, int order) { \
    GKTUNE_BEFORE_CHANGE(sizeof(T), order, atomic_write);                           \
    return __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);                         \
  }                                                                                 \
  GKTUNE_COMPARE_EXCHANGE(bits, T, strong)                                          \
  GKTUNE_COMPARE_EXCHANGE(bits, T, weak)                                            \
  GKTUNE_UPDATE(bits, T, fetch_add)                                                 \
  GKTUNE_UPDATE(bits, T, fetch_sub)                                                 \
  GKTUNE_UPDATE(bits, T, fetch_and)                                                 \
  GKTUNE_UPDATE(bits, T, fetch_or)                                                  \
  GKTUNE_UPDATE(bits, T, fetch_xor)                                                 \
  GKTUNE_UPDATE(bits, T, fetch_nand)
GKTUNE_ATOMICS(8, unsigned char)
GKTUNE_ATOMICS(16, unsigned short)
GKTUNE_ATOMICS(32, unsigned)
GKTUNE_ATOMICS(64, unsigned long)
#undef GKTUNE_ATOMICS
#undef GKTUNE_COMPARE_EXCHANGE
#undef GKTUNE_UPDATE
#undef GKTUNE_BEFORE_UPDATE

// Undefined behaviour that the code detects

namespace gktune::kernel {

// The layouts that the compilers use.
struct FlawSite {
  const char* file;
  unsigned line, column;
};
struct FlawType {
  unsigned short kind, info;
  char name[1];
};
struct FlawData {
  FlawSite site;
  const FlawType* type;
};

}  // namespace gktune::kernel

#define GKTUNE_HANDLER(name, ...)                                                             \
  GKTUNE_HOOK void name(::gktune::kernel::FlawData* data, unsigned long a, unsigned long b) { \
    (void)data, (void)a, (void)b;                                                             \
    __VA_ARGS__;                                                                              \
  }
#define GKTUNE_UNDEFINED(name, ...)                  \
  GKTUNE_HANDLER(__ubsan_handle_##name, __VA_ARGS__) \
  GKTUNE_HANDLER(__ubsan_handle_##name##_abort, __VA_ARGS__)
GKTUNE_UNDEFINED(type_mismatch_v1, if (a == 0) GKTUNE_FLAW(null_pointer, data->type->name);
                 GKTUNE_FLAW(misaligned, data->type->name))
GKTUNE_UNDEFINED(out_of_bounds, GKTUNE_FLAW(out_of_bounds, data->type->name))
GKTUNE_UNDEFINED(shift_out_of_bounds, GKTUNE_FLAW(other, "a shift by more bits than there are"))
GKTUNE_UNDEFINED(divrem_overflow, GKTUNE_FLAW(other, "integer division by zero"))
GKTUNE_UNDEFINED(load_invalid_value, GKTUNE_FLAW(other, "a bool or enum that holds no value of its type"))
GKTUNE_UNDEFINED(vla_bound_not_positive, GKTUNE_FLAW(other, "an array of no elements"))
GKTUNE_UNDEFINED(builtin_unreachable, GKTUNE_FLAW(other, "a place that is declared to be unreachable"))
GKTUNE_UNDEFINED(missing_return, GKTUNE_FLAW(other, "a function that ends without its return value"))
#undef GKTUNE_UNDEFINED
#undef GKTUNE_HANDLER
#undef GKTUNE_CHECK_ALIGNMENT
#undef GKTUNE_FLAW
#undef GKTUNE_TELL
#undef GKTUNE_PLACE
