#pragma once

// Allocates memory, calls functions and measures times on a CPU.

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace gktune {

constexpr std::size_t kAlignment = 64;

inline void* allocate(std::size_t size) {
  return std::aligned_alloc(kAlignment, (size / kAlignment + 1) * kAlignment);
}

inline void release(void* memory) { std::free(memory); }

inline void copy_in(void* to, const void* from, std::size_t size) {
  if (size > 0) std::memcpy(to, from, size);
}

inline void copy_out(void* to, const void* from, std::size_t size) { copy_in(to, from, size); }

inline void set_bytes(void* memory, int byte, std::size_t size) {
  if (size > 0) std::memset(memory, byte, size);
}

inline void wait(const char*) {}

// Calls function(arguments...) and converts the arguments to the types of its parameters.
template <class Result, class... Parameters, class... Arguments>
void launch(Result (*function)(Parameters...), Arguments... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments), "the function has other parameters");
  function(static_cast<Parameters>(arguments)...);
}

// Copies between an argument and a variable of the source.
template <class T>
void store_variable(T& variable, const void* from, std::size_t size) {
  copy_in(const_cast<void*>(static_cast<const volatile void*>(&variable)), from, size);
}
template <class T>
void load_variable(void* to, const T& variable, std::size_t size) {
  copy_in(to, const_cast<const void*>(static_cast<const volatile void*>(&variable)), size);
}

class Stopwatch {
 public:
  void start() { begin_ = std::chrono::steady_clock::now(); }
  double stop_us() const {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace gktune
