#pragma once

// Calls functions that launch their own kernels.

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <tuple>
#include <type_traits>
#include <utility>

namespace gktune {

template <class Result, class... Parameters, std::size_t... I, class... Arguments>
void call_with(Result (*function)(Parameters...), std::index_sequence<I...>, Arguments... arguments) {
  using All = std::tuple<Parameters...>;
  const auto invoke = [&] {
    if constexpr (sizeof...(Parameters) == sizeof...(Arguments)) {
      return function(static_cast<std::tuple_element_t<I, All>>(arguments)...);
    } else {  // the last one is the stream
      return function(static_cast<std::tuple_element_t<I, All>>(arguments)..., nullptr);
    }
  };
  if constexpr (std::is_void_v<Result>) {
    invoke();
  } else if (const auto code = static_cast<long long>(invoke()); code != 0) {
    std::printf("host code returned the error code %lld\n", code);
    std::exit(1);
  }
#ifdef __CUDACC__
  check(cudaGetLastError(), "calling host code");
#endif
}

template <class Result, class... Parameters, class... Arguments>
void call(Result (*function)(Parameters...), Arguments... arguments) {
  call_with(function, std::index_sequence_for<Arguments...>(), arguments...);
}

}  // namespace gktune
