#pragma once

// Lets the engine call a function of `language: host`. Its last parameter may be the stream. What it throws,
// returns or leaves as CUDA's last error is a failure of the call.

#include <stdio.h>

#include <exception>
#include <type_traits>

#include "gktune/trampoline.h"

struct CUstream_st;

namespace gktune::kernel {

template <class... A>
struct Parameters {};

// The parameters without a stream at their end.
template <class Before, class... Rest>
struct WithoutStream;
template <class... Before>
struct WithoutStream<Parameters<Before...>> {
  using type = Parameters<Before...>;
};
template <class... Before>
struct WithoutStream<Parameters<Before...>, CUstream_st*> {
  using type = Parameters<Before...>;
};
template <class... Before, class First, class... Rest>
struct WithoutStream<Parameters<Before...>, First, Rest...>
    : WithoutStream<Parameters<Before..., First>, Rest...> {};

inline void fail(LauncherCall& call, const char* format, const char* text) {
  if (call.has_failed) return;
  call.has_failed = true;
  snprintf(call.message, sizeof(call.message), format, text);
}

template <class Value>
void judge(LauncherCall& call, Value returned) {
  static_assert((std::is_integral_v<Value> || std::is_enum_v<Value>) && !std::is_same_v<Value, bool>,
                "host code returns nothing, or an error code, which is 0 for success");
#ifdef __CUDACC__
  if constexpr (std::is_same_v<Value, cudaError_t>) {
    if (returned == cudaSuccess) return;
    fail(call, "it returned an error of CUDA: %s", cudaGetErrorString(returned));
  }
#endif
  if (static_cast<long long>(returned) == 0) return;
  char number[32];
  snprintf(number, sizeof(number), "%lld", static_cast<long long>(returned));
  fail(call, "it returned the error code %s", number);
}

inline void take_last_error([[maybe_unused]] LauncherCall& call) {
#ifdef __CUDACC__
  const cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess || error == cudaErrorNotReady) return;
  fail(call, "it left an error of CUDA: %s", cudaGetErrorString(error));
#endif
}

template <auto kFunction, class Function = decltype(kFunction)>
struct LauncherFunction;

template <auto kFunction, class R, class... A>
struct LauncherFunction<kFunction, R (*)(A...)> {
  template <class... Given, unsigned... I>
  static R invoke([[maybe_unused]] void* const* arguments, [[maybe_unused]] LauncherCall& call,
                  Parameters<Given...>, Indices<I...>) {
    if constexpr (sizeof...(Given) == sizeof...(A)) {
      return kFunction(*static_cast<typename Bare<Given>::type*>(arguments[I])...);
    } else {
      return kFunction(*static_cast<typename Bare<Given>::type*>(arguments[I])...,
                       static_cast<CUstream_st*>(call.stream));
    }
  }
  template <class... Given>
  static void call_it(void* const* arguments, LauncherCall& call, Parameters<Given...> given) {
    const typename MakeIndices<sizeof...(Given)>::type indices;
    if constexpr (std::is_void_v<R>) {
      invoke(arguments, call, given, indices);
    } else {
      judge(call, invoke(arguments, call, given, indices));
    }
  }
  using Given = typename WithoutStream<Parameters<>, A...>::type;
  static void run(void* const* arguments, void* stack) {
    LauncherCall& call = *static_cast<LauncherCall*>(stack);
#ifdef __cpp_exceptions
    try {
      call_it(arguments, call, Given());
    } catch (const std::exception& error) {
      fail(call, "it threw: %s", error.what());
    } catch (...) {
      fail(call, "it threw %s", "an exception");
    }
#else
    call_it(arguments, call, Given());
#endif
    take_last_error(call);
  }
  template <class... Each>
  static constexpr Entry entry(const char* name, Parameters<Each...>) {
    return entry_of<Each...>(name, run, false);
  }
};

template <auto kFunction, class R, class... A>
struct LauncherFunction<kFunction, R (*)(A...) noexcept>
    : LauncherFunction<static_cast<R (*)(A...)>(kFunction), R (*)(A...)> {};

template <auto kFunction>
constexpr Entry launcher_entry(const char* name) {
  return LauncherFunction<kFunction>::entry(name, typename LauncherFunction<kFunction>::Given());
}

}  // namespace gktune::kernel
