#pragma once

// Lets the engine call a kernel whose signature only the compiler knows.

#include "gktune/abi.h"

namespace gktune::kernel {

template <class T>
struct Bare {
  using type = T;
  static constexpr bool kIsPointer = false;
};
template <class T>
struct Bare<const T> : Bare<T> {};
template <class T>
struct Bare<T*> {
  using type = T*;
  static constexpr bool kIsPointer = true;
};
template <class T>
struct Bare<T&> : Bare<T> {};

template <unsigned... I>
struct Indices {};
template <unsigned N, unsigned... I>
struct MakeIndices : MakeIndices<N - 1, N - 1, I...> {};
template <unsigned... I>
struct MakeIndices<0, I...> {
  using type = Indices<I...>;
};

// Threads one after the other. One that waits keeps this stack; the engine calls again on another one, which
// goes on with the next thread.
template <auto kEntry, class... A>
inline void run_threads(void* stack, A... arguments) {
  ThreadState& state = gktune_thread;
  for (;;) {
    // Kept here and written there: reading it back would make each thread wait for the one before. Nobody
    // else starts threads before someone waits, and returns are watched from then on.
    unsigned next = state.next;
    const unsigned count = state.count;
    const ThreadIndex* const order = state.order;
    while (next < count) {
      state.self = order[next];
      state.next = ++next;
      kEntry(arguments...);
      if (__builtin_expect(state.is_watching_returns, 0)) {
        state.services->thread_returned();
        next = state.next;
      }
    }
    state.services->park(stack);
  }
}

// A function or kernel with parameters of these types.
template <class... A>
constexpr Entry entry_of(const char* name, void (*run)(void* const*, void*), bool is_kernel) {
  static_assert(sizeof...(A) <= Entry::kMaxArguments, "an entry has too many parameters");
  return {name,
          run,
          is_kernel,
          sizeof...(A),
          {sizeof(typename Bare<A>::type)...},
          {Bare<A>::kIsPointer...},
          nullptr,
          0};
}

template <auto kEntry, class Function = decltype(kEntry)>
struct Trampoline;

template <auto kEntry, class R, class... A>
struct Trampoline<kEntry, R (*)(A...)> {
  template <bool kIsKernel, unsigned... I>
  static void run(void* const* arguments, void* stack, Indices<I...>) {
    (void)arguments, (void)stack;
    if constexpr (kIsKernel) {
      run_threads<kEntry, A...>(stack, *static_cast<typename Bare<A>::type*>(arguments[I])...);
    } else {
      kEntry(*static_cast<typename Bare<A>::type*>(arguments[I])...);
    }
  }
  static void run_kernel(void* const* arguments, void* stack) {
    run<true>(arguments, stack, typename MakeIndices<sizeof...(A)>::type());
  }
  static void run_function(void* const* arguments, void* stack) {
    run<false>(arguments, stack, typename MakeIndices<sizeof...(A)>::type());
  }
  static constexpr Entry entry(const char* name, void (*run_entry)(void* const*, void*), bool is_kernel) {
    return entry_of<A...>(name, run_entry, is_kernel);
  }
};

// Functions that may not throw have types of their own.
template <auto kEntry, class R, class... A>
struct Trampoline<kEntry, R (*)(A...) noexcept> : Trampoline<static_cast<R (*)(A...)>(kEntry), R (*)(A...)> {
};

template <auto kEntry>
constexpr Entry kernel_entry(const char* name) {
  return Trampoline<kEntry>::entry(name, Trampoline<kEntry>::run_kernel, true);
}
template <auto kEntry>
constexpr Entry function_entry(const char* name) {
  return Trampoline<kEntry>::entry(name, Trampoline<kEntry>::run_function, false);
}

template <class T>
constexpr Entry variable_entry(const char* name, T* variable) {
  return {name, nullptr, false, 0, {}, {}, variable, sizeof(T)};
}

}  // namespace gktune::kernel
